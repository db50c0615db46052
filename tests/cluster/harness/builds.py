"""Building images on this machine: a storage of podman and buildah that only one test has."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from harness import images, lock
from harness.cleaning import unmount
from harness.cluster import forget_older
from harness.command import run


def base_image(say: Callable[[str], None]) -> Path:
    """The archive of the image that others are built on, made first if the cache has none."""
    with lock.gate():
        archive = images.make(images.FOR_BUILDS, Path(), say)
        forget_older([archive])
    return archive


@contextmanager
def storage(folder: Path) -> Iterator[dict[str, str]]:
    """A new storage in a folder, for as long as it is used: the variables that lead builders to it.

    The folder is to be below the cluster's own, where overlays work and a killed run is cleaned up.
    """
    folder.mkdir(parents=True)
    settings = folder / "storage.conf"
    settings.write_text(
        f'[storage]\ndriver = "overlay"\n'
        f'graphroot = "{folder / "graph"}"\nrunroot = "{folder / "run"}"\n'
    )
    try:
        yield {"CONTAINERS_STORAGE_CONF": str(settings)}
    finally:
        unmount(folder)
        shutil.rmtree(folder)


def buildah(environment: dict[str, str], *words: str | Path) -> str:
    """What `buildah WORDS` prints, in a storage."""
    return run(["buildah", *words], environment={**os.environ, **environment}, timeout=600).strip()
