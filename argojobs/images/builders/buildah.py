"""buildah: no daemon, and no root. Source: buildah-build(1), buildah-push(1).

Its builds are isolated by chroot: that works in a container, without a runtime and without root.
"""

from __future__ import annotations

from argojobs.images.builders.shape import (
    EPOCH,
    Argv,
    Builder,
    Push,
    Task,
    cache_options,
    pairs,
    secrets_of,
    tags_of,
)

NAME = "buildah"


def buildah(program: str, version: str) -> Builder:
    """Return the table of buildah."""
    return Builder(
        NAME,
        program,
        version,
        build=lambda task: [build(program, task)],
        push=lambda _task, pushed: [push(program, pushed)],
        has=lambda reference: [program, "inspect", "--type", "image", reference],
    )


def build(program: str, task: Task) -> Argv:
    """Return the command that builds. `--timestamp` makes equal builds equal images."""
    return [
        program,
        "build",
        *build_options(task),
        *tags_of(task),
        "--file",
        str(task.dockerfile),
        str(task.context),
    ]


def build_options(task: Task) -> Argv:
    """Return the options that podman has, too."""
    return [
        *("--isolation", "chroot", "--layers", "--timestamp", EPOCH),
        "--pull=missing",  # an image of ours need not be in a registry
        *cache_options(task),
        *(["--platform", task.platform] if task.platform else []),
        *registry_options(task),
        *pairs("--build-arg", task.arguments),
        *secrets_of(task),
    ]


def push(program: str, pushed: Push) -> Argv:
    """Return the command that pushes."""
    return [program, "push", *registry_options(pushed), pushed.reference]


def registry_options(asked: Task | Push) -> Argv:
    """Return how a registry is reached, and as whom."""
    folder = asked.auth_folder
    return [
        *(["--tls-verify=false"] if asked.plain_http else []),
        *(["--authfile", str(folder / "config.json")] if folder is not None else []),
    ]
