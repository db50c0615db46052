"""Every builder that this machine has, for the contract that all of them keep."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import engines

from argojobs.images.builders.choosing import choose
from argojobs.images.builders.shape import Builder

#: A builder, and the engine behind it. docker's client has three that are real.
KINDS = {
    "podman": ("podman", ""),
    "buildah": ("buildah", ""),
    "docker": ("docker", "docker_daemon"),
    "docker-buildx": ("docker", "docker_daemon"),
    "docker-of-podman": ("docker", "podman_service"),
    "buildctl": ("buildctl", "buildkit_daemon"),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Which builder it is."""
    return str(request.param)


@pytest.fixture
def builder(
    kind: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    own_storage: Path,
    no_logins: Path,
) -> Builder:
    """Return the builder as it is found here; skipped where its engine does not run."""
    name, engine = KINDS[kind]
    engines.program(name)
    monkeypatch.setenv("PATH", f"{engines.BIN}{os.pathsep}{os.environ['PATH']}")
    if engine:
        variable = "BUILDKIT_HOST" if name == "buildctl" else "DOCKER_HOST"
        monkeypatch.setenv(variable, request.getfixturevalue(engine))
    if kind == "docker-buildx":
        plugins = no_logins / ".docker/cli-plugins"
        plugins.mkdir(parents=True)
        (plugins / "docker-buildx").symlink_to(engines.program("buildx"))
    return choose(name)
