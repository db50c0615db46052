"""Tries a push and a pull, with an image of a few bytes under a tag of ours.

Its content is always the same, so a registry that deletes nothing keeps one such image, not many.
"""

from __future__ import annotations

import json
from urllib.parse import urljoin

from argojobs.errors import ServerError
from argojobs.images.registry.client import OCI, Registry, sha256

TAG = "argojobs-doctor"


def try_push(registry: Registry, repository: str) -> str:
    """Push the image and return its digest. Raises UsageError where we may not."""
    layer, config, manifest = _image()
    for content in (layer, config):
        _upload(registry, repository, content)
    registry.put_manifest(repository, TAG, manifest, f"{OCI}.manifest.v1+json")
    return sha256(manifest)


def try_pull(registry: Registry, repository: str, digest: str) -> None:
    """Read the image with all that belongs to it, and compare.

    Args:
        registry: which has it.
        repository: as it was pushed.
        digest: what `try_push` returned.

    Raises:
        ServerError: it does not give back what it took.
    """
    layer, config, manifest = _image()
    if registry.manifest(repository, digest) != manifest:
        raise ServerError(f"{registry.host} does not give back the image that it took")
    for content in (layer, config):
        if registry.blob(repository, sha256(content)) != content:
            raise ServerError(f"{registry.host} does not give back the layer that it took")


def _upload(registry: Registry, repository: str, content: bytes) -> None:
    scope = registry.push(repository)
    begun = registry.connection.send("POST", f"{registry.path(repository)}/blobs/uploads/", scope)
    registry.expect(begun, 202, repository)
    place = urljoin(begun.url, begun.headers.get("Location", ""))
    done = registry.connection.send(
        "PUT",
        f"{place}{'&' if '?' in place else '?'}digest={sha256(content)}",
        scope,
        headers={"Content-Type": "application/octet-stream"},
        data=content,
    )
    registry.expect(done, 201, repository)


def _image() -> tuple[bytes, bytes, bytes]:
    """Return a layer with nothing in it, a configuration, and the manifest of both."""
    layer = bytes(1024)  # a tar of no files is two blocks of zeros
    config = _json(
        {
            "architecture": "amd64",
            "os": "linux",
            "config": {},
            "rootfs": {"type": "layers", "diff_ids": [sha256(layer)]},
        }
    )
    described = [
        {"mediaType": f"{OCI}.{kind}", "digest": sha256(content), "size": len(content)}
        for kind, content in (("config.v1+json", config), ("layer.v1.tar", layer))
    ]
    manifest = {
        "schemaVersion": 2,
        "mediaType": f"{OCI}.manifest.v1+json",
        "config": described[0],
        "layers": [described[1]],
    }
    return layer, config, _json(manifest)


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
