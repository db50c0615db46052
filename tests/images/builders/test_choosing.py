"""Which builder is chosen: programs on a PATH of the test's own answer as the real ones do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from argojobs.errors import HostError, UsageError
from argojobs.images.builders.choosing import NAMES, choose, how_to_get
from argojobs.images.builders.shape import Task

VERSION = "echo NAME version 1.2.3"
DOCKER_WITHOUT_BUILDX = """\
case $1 in
  version) echo 28.2.2;;
  context) echo colima;;
  *) exit 1;;
esac"""
DOCKER = DOCKER_WITHOUT_BUILDX.replace("*)", "buildx) echo v0.19.3;;\n  *)")
NO_DAEMON = "exit 1"


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Have only these programs on PATH, each a shell script."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def put(**scripts: str) -> None:
        for name, script in scripts.items():
            path = tmp_path / name
            path.write_text(f"#!/bin/sh\n{script}\n")
            path.chmod(0o755)

    return put


def test_the_first_that_works_is_chosen(programs):
    programs(docker=NO_DAEMON, podman=NO_DAEMON, buildah=VERSION, buildctl=VERSION)
    found = choose()
    assert (found.name, found.version) == ("buildah", "1.2.3")
    programs(podman=VERSION)
    assert choose().name == "podman"
    programs(docker=DOCKER_WITHOUT_BUILDX)
    assert (choose().name, choose().version) == ("docker", "28.2.2")
    assert NAMES == ("docker", "podman", "buildah", "buildctl")


def test_the_one_that_is_named_is_chosen(programs):
    programs(docker=DOCKER, podman=VERSION, buildah=VERSION, buildctl=VERSION)
    assert [choose(name).name for name in NAMES] == list(NAMES)


def test_a_docker_without_buildx_is_passed_over_where_secrets_are_needed(programs):
    programs(docker=DOCKER_WITHOUT_BUILDX, buildah=VERSION)
    assert choose(mounts=True).name == "buildah"
    with pytest.raises(HostError, match="docker has no buildx") as caught:
        choose("docker", mounts=True)
    assert "buildx" in caught.value.hint
    programs(docker=DOCKER)
    assert choose(mounts=True).name == "docker"


def test_docker_builds_in_the_daemon_of_its_own_context(programs):
    programs(docker=DOCKER)
    (argv,) = choose("docker").build(Task(("a:1",), Path("/c"), Path("/c/Dockerfile")))
    assert argv[argv.index("--builder") + 1] == "colima"


def test_none_says_why_and_how_to_get_one(programs, monkeypatch):
    programs(docker=NO_DAEMON, buildctl=NO_DAEMON, dnf="exit 0")
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(HostError) as caught:
        choose()
    assert caught.value.what == (
        "nothing here builds images: docker is there, but no daemon answers; podman is not there; "
        "buildah is not there; buildctl is there, but no buildkitd answers (BUILDKIT_HOST)"
    )
    assert caught.value.hint == "dnf install buildah"
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("manager", "name", "remedy"),
    [
        ("apt-get", "buildah", "apt install buildah"),
        ("apt-get", "docker", "apt install docker.io"),
        ("dnf", "docker", "dnf install moby-engine"),
        ("zypper", "podman", "zypper install podman"),
    ],
)
def test_how_to_get_one_is_said_for_this_system(programs, monkeypatch, manager, name, remedy):
    monkeypatch.setattr(sys, "platform", "linux")
    programs(**{manager: "exit 0"})
    assert how_to_get(name) == remedy


def test_on_a_mac_there_is_brew(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert how_to_get("buildah").startswith("brew install podman")


def test_an_unknown_name_lists_the_known():
    with pytest.raises(UsageError, match="no builder is called kaniko") as caught:
        choose("kaniko")
    assert caught.value.hint == "known: docker, podman, buildah, buildctl"
