"""Write container images as files: tar archives as `docker save` makes them, from folders.

An image is a list of layers (folders) and a few settings. No daemon and no registry is needed.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Image:
    """An image to write: its full names, layers from the lowest to the highest, and settings."""

    names: tuple[str, ...]
    layers: tuple[Path, ...]
    command: tuple[str, ...] = ()
    entrypoint: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Layer:
    """A layer as a tar file, with its digest."""

    file: Path
    digest: str


def write(target: Path, images: Sequence[Image], scratch: Path) -> None:
    """Write `images` into one archive `target`, whole or not at all; equal layers are in it once."""
    scratch.mkdir(parents=True, exist_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    layers: dict[Path, Layer] = {}
    for image in images:
        for folder in image.layers:
            if folder not in layers:
                layers[folder] = pack(folder, scratch / f"layer-{len(layers)}.tar")
    new = target.with_name(f".{target.name}.{os.getpid()}")
    with tarfile.open(new, "w") as archive:
        for layer in layers.values():
            archive.add(layer.file, arcname=f"{layer.digest}.tar")
        manifest = []
        for image in images:
            own = [layers[folder] for folder in image.layers]
            text = settings(image, own)
            name = f"{hashlib.sha256(text).hexdigest()}.json"
            _add(archive, name, text)
            manifest.append(
                {
                    "Config": name,
                    "RepoTags": list(image.names),
                    "Layers": [f"{layer.digest}.tar" for layer in own],
                }
            )
        _add(archive, "manifest.json", json.dumps(manifest).encode())
    new.rename(target)
    for layer in layers.values():
        layer.file.unlink()


def settings(image: Image, layers: Sequence[Layer]) -> bytes:
    """The image's configuration, as the OCI image specification has it."""
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    environment = {"PATH": path, **image.environment}
    config: dict[str, object] = {"Env": [f"{name}={value}" for name, value in environment.items()]}
    if image.command:
        config["Cmd"] = list(image.command)
    if image.entrypoint:
        config["Entrypoint"] = list(image.entrypoint)
    architecture = {"x86_64": "amd64", "aarch64": "arm64"}.get(
        os.uname().machine, os.uname().machine
    )
    return json.dumps(
        {
            "architecture": architecture,
            "os": "linux",
            "config": config,
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{one.digest}" for one in layers]},
            # buildah builds on no image whose history is not one of its layers
            "history": [{"created_by": "a folder of the tests"} for _ in layers],
        }
    ).encode()


def pack(folder: Path, target: Path, keep: Callable[[str], bool] = lambda _name: True) -> Layer:
    """Write what is in `folder` as a layer; all of it belongs to root, in a fixed order."""

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        # devices need no place in a test's image, and may not be made everywhere
        return None if entry.isdev() or not keep(entry.name) else entry

    with tarfile.open(target, "w") as archive:
        for name in sorted(os.listdir(folder)):
            archive.add(folder / name, arcname=name, filter=plain)
    with target.open("rb") as stream:
        return Layer(target, hashlib.file_digest(stream, "sha256").hexdigest())


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))
