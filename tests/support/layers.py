"""What a registry has of an image, taken apart: for tests that look into layers."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from typing import Any

from argojobs.images.registry.client import Registry


def manifest_of(registry: Registry, repository: str, reference: str) -> dict[str, Any]:
    """Return an image's manifest; of an index, that of its first image."""
    content = registry.manifest(repository, reference)
    assert content is not None, f"{repository}:{reference} is not there"
    found: dict[str, Any] = json.loads(content)
    if "manifests" in found:
        return manifest_of(registry, repository, found["manifests"][0]["digest"])
    return found


def config_of(registry: Registry, repository: str, reference: str) -> dict[str, Any]:
    """Return an image's configuration."""
    digest = manifest_of(registry, repository, reference)["config"]["digest"]
    content = registry.blob(repository, digest)
    assert content is not None
    found: dict[str, Any] = json.loads(content)
    return found


def tars_of(registry: Registry, repository: str, reference: str) -> list[bytes]:
    """Return an image's layers as uncompressed tars."""
    tars = []
    for layer in manifest_of(registry, repository, reference)["layers"]:
        content = registry.blob(repository, layer["digest"])
        assert content is not None
        tars.append(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
    return tars


def files_of(registry: Registry, repository: str, reference: str) -> dict[str, bytes]:
    """Return an image's files by their paths, later layers over earlier ones."""
    files: dict[str, bytes] = {}
    for content in tars_of(registry, repository, reference):
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            for member in tar:
                opened = tar.extractfile(member) if member.isfile() else None
                if opened is not None:
                    files[member.name.removeprefix("./")] = opened.read()
    return files
