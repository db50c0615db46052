"""Gives an image that a registry has one more tag; nothing is built or pulled for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from argojobs.errors import ServerError

if TYPE_CHECKING:
    from argojobs.images.registry.client import Registry

_OCI = "application/vnd.oci.image"


def add_tag(registry: Registry, repository: str, digest: str, tag: str) -> None:
    """Put the manifest of a digest under a tag.

    Source: OCI distribution specification, "Pushing manifests". Raises UsageError where we may not, ServerError where the registry has not the image.
    """
    content = registry.manifest(repository, digest)
    if content is None:
        raise ServerError(
            f"the registry {registry.host} does not have {repository}@{digest} any more",
            hint="run it again: what is missing is built again",
        )
    answer = registry.channel.send(
        "PUT",
        f"{registry.path(repository)}/manifests/{tag}",
        registry.push(repository),
        headers={"Content-Type": _type_of(content, registry.host)},
        data=content,
    )
    registry.expect(answer, 201, repository)


def _type_of(content: bytes, host: str) -> str:
    """Return a manifest's media type; OCI's may leave it out."""
    try:
        manifest = json.loads(content)
    except (ValueError, RecursionError):
        manifest = None
    if not isinstance(manifest, dict):
        raise ServerError(
            f"the registry {host} gave no manifest", hint="is it a registry of images?"
        )
    usual = f"{_OCI}.index.v1+json" if "manifests" in manifest else f"{_OCI}.manifest.v1+json"
    return str(manifest.get("mediaType") or usual)
