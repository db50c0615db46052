"""docker: a client and its daemon. Source: `docker buildx build --help`, `docker push --help`.

With buildx it builds by BuildKit, in the daemon itself (the builder that has the name of docker's
context), where its images are. Without buildx the daemon's older builder is used: that knows no `RUN --mount`, so no secrets.
"""

from __future__ import annotations

from pathlib import Path

from argojobs.errors import HostError
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

NAME = "docker"

#: The context of docker's client where nothing else is said.
DEFAULT_CONTEXT = "default"

NO_MOUNTS = "docker has no buildx, and so knows no `RUN --mount`, which secrets need"
GET_BUILDX = "install docker's package docker-buildx-plugin, or --builder buildah"


def docker(program: str, version: str, *, context: str) -> Builder:
    """Return the table of docker.

    Args:
        program: its path.
        version: as it says it.
        context: its own context in use; "" for the older builder.
    """
    return Builder(
        NAME,
        program,
        version,
        build=lambda task: [
            _build(program, context, task) if context else _build_older(program, task)
        ],
        push=lambda task: [[program, "push", task.tags[0]]],
        has=lambda reference: [program, "image", "inspect", reference],
        environment={} if context else {"DOCKER_BUILDKIT": "0"},
        login=login,
        mounts=bool(context),
    )


def login(folder: Path) -> dict[str, str]:
    """Return the variable that leads docker to a folder with a login."""
    return {"DOCKER_CONFIG": str(folder)}


def _build(program: str, context: str, task: Task) -> Argv:
    # an attestation holds times, and would make each build an image of its own
    options = ["--builder", context, "--load", "--progress", "plain", "--provenance=false"]
    reproducible = {"SOURCE_DATE_EPOCH": EPOCH, **task.arguments}
    return [
        *(program, "buildx", "build", *options),
        *(["--no-cache"] if task.no_cache else []),
        *_platform(task),
        *pairs("--build-arg", reproducible),
        *secrets_of(task),
        *_end(task),
    ]


def _build_older(program: str, task: Task) -> Argv:
    if task.secrets:
        raise HostError(NO_MOUNTS, hint=GET_BUILDX)
    return [
        *(program, "build", *cache_options(task)),
        *_platform(task),
        *pairs("--build-arg", task.arguments),
        *_end(task),
    ]


def _platform(task: Task) -> Argv:
    return ["--platform", task.platform] if task.platform else []


def _end(task: Task) -> Argv:
    return [*tags_of(task), "--file", str(task.dockerfile), str(task.context)]
