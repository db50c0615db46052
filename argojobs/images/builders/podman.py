"""podman: no daemon; as buildah, whose code builds there. Source: podman-build(1), podman-push(1).

Its own isolation needs a runtime that may make containers here, chroot does not.
"""

from __future__ import annotations

from argojobs.images.builders.buildah import build, push
from argojobs.images.builders.shape import Builder

NAME = "podman"


def podman(program: str, version: str) -> Builder:
    """Return the table of podman."""
    return Builder(
        NAME,
        program,
        version,
        build=lambda task: [build(program, task)],
        push=lambda _task, pushed: [push(program, pushed)],
        has=lambda reference: [program, "image", "exists", reference],
    )
