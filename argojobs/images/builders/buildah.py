"""buildah and podman, whose builds are buildah's: no daemon, and no root.

Builds are isolated by chroot: that works in a container, without a runtime and without root.
Source: buildah-build(1), buildah-push(1), podman-build(1), podman-push(1).
"""

from __future__ import annotations

from argojobs.images.builders.shape import (
    EPOCH,
    Argv,
    Builder,
    Task,
    cache_options,
    pairs,
    secrets_of,
    tags_of,
)

BUILDAH, PODMAN = "buildah", "podman"

#: What asks whether an image is there; the reference follows.
_HAS = {BUILDAH: ("inspect", "--type", "image"), PODMAN: ("image", "exists")}


def buildah(program: str, version: str, name: str = BUILDAH) -> Builder:
    """Return the table of buildah or podman.

    Args:
        program: its path.
        version: as it says it.
        name: which of the two it is.
    """
    return Builder(
        name,
        program,
        version,
        build=lambda task: [build(program, task)],
        push=lambda task: [push(program, task)],
        has=lambda reference: [program, *_HAS[name], reference],
    )


def build(program: str, task: Task) -> Argv:
    """Return the command that builds. `--timestamp` makes equal builds equal images."""
    return [
        *(program, "build", "--isolation", "chroot", "--layers", "--timestamp", EPOCH),
        "--pull=missing",  # an image of ours need not be in a registry
        *cache_options(task),
        *(["--platform", task.platform] if task.platform else []),
        *_registry_options(task),
        *pairs("--build-arg", task.arguments),
        *secrets_of(task),
        *tags_of(task),
        *("--file", str(task.dockerfile), str(task.context)),
    ]


def push(program: str, task: Task) -> Argv:
    """Return the command that pushes."""
    return [program, "push", *_registry_options(task), task.tags[0]]


def _registry_options(task: Task) -> Argv:
    """Return how a registry is reached, and as whom."""
    folder = task.auth_folder
    return [
        *(["--tls-verify=false"] if task.plain_http else []),
        *(["--authfile", str(folder / "config.json")] if folder is not None else []),
    ]
