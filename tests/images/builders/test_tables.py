"""The commands of each builder, as they are; `test_contract.py` runs them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from argojobs.images.builders.buildah import PODMAN, buildah
from argojobs.images.builders.buildctl import buildctl, layout_of
from argojobs.images.builders.docker import docker
from argojobs.images.builders.shape import Task


@pytest.fixture
def task(tmp_path: Path) -> Task:
    file = tmp_path / "dev.Dockerfile"
    file.write_text("ARG IMAGE\nFROM ${IMAGE}\n")
    return Task(
        tags=("lab:5000/dev:1", "lab:5000/dev:git-1"),
        context=tmp_path / "context",
        dockerfile=file,
        arguments={"IMAGE": "lab:5000/train:1", "A": "b c"},
        secrets={"creds": tmp_path / "creds.yaml"},
        platform="linux/arm64",
        parent="lab:5000/train:1",
    )


def test_buildah_and_podman_differ_in_their_names_only(task):
    (argv,) = buildah("/bin/buildah", "1").build(task)
    assert argv == [
        *("/bin/buildah", "build", "--isolation", "chroot", "--layers", "--timestamp", "0"),
        *("--pull=missing", "--platform", "linux/arm64"),
        *("--build-arg", "A=b c", "--build-arg", "IMAGE=lab:5000/train:1"),
        *("--secret", f"id=creds,src={task.secrets['creds']}"),
        *("--tag", "lab:5000/dev:1", "--tag", "lab:5000/dev:git-1"),
        *("--file", str(task.dockerfile), str(task.context)),
    ]
    (other,) = buildah("/bin/podman", "1", PODMAN).build(task)
    assert other[1:] == argv[1:]


def test_a_push_has_the_file_of_a_login_and_not_the_login(task):
    task = replace(task, plain_http=True, auth_folder=Path("/private"))
    assert buildah("buildah", "1").push(task) == [
        [
            *("buildah", "push", "--tls-verify=false"),
            *("--authfile", "/private/config.json", "lab:5000/dev:1"),
        ]
    ]
    table = docker("docker", "1", context="default")
    assert table.push(task) == [["docker", "push", "lab:5000/dev:1"]]
    assert table.login(Path("/private")) == {"DOCKER_CONFIG": "/private"}


def test_for_another_platform_from_nothing_the_cache_is_not_asked(task):
    task.dockerfile.write_text("  from --platform=$X scratch as base\n")
    for table in (buildah("buildah", "1"), docker("docker", "1", context="")):
        bare = Task(task.tags, task.context, task.dockerfile, platform="linux/arm64")
        assert "--no-cache" in table.build(bare)[0]
        assert "--no-cache" not in table.build(Task(task.tags, task.context, task.dockerfile))[0]


def test_docker_with_buildx_loads_what_it_builds(task):
    (argv,) = docker("docker", "1", context="default").build(task)
    assert argv[:3] == ["docker", "buildx", "build"]
    assert {"--load", "--provenance=false"} <= set(argv)
    assert "SOURCE_DATE_EPOCH=0" in argv


def test_buildctl_keeps_an_image_where_its_children_find_it(task, tmp_path):
    layouts = tmp_path / "layouts"
    table = buildctl("buildctl", "1", layouts)
    removal, argv = table.build(task)
    own = layouts / "lab%3A5000%2Fdev"
    assert removal == ["rm", "-rf", "--", str(own)]
    assert argv[-1] == (f'type=oci,tar=false,dest={own},"name=lab:5000/dev:1,lab:5000/dev:git-1"')
    assert "--oci-layout" not in argv, "its parent is not here, so it is pulled"

    parent = layout_of(layouts, task.parent)
    parent.mkdir(parents=True)
    names = {"org.opencontainers.image.ref.name": "lab:5000/train:0,lab:5000/train:1"}
    index = {"manifests": [{"digest": "sha256:12", "annotations": names}]}
    (parent / "index.json").write_text(json.dumps(index))
    argv = table.build(task)[1]
    assert "context:lab:5000/train:1=oci-layout://parent@sha256:12" in argv
    assert f"parent={parent}" in argv
    other = Task(task.tags, task.context, task.dockerfile, parent="lab:5000/train:2")
    assert "--oci-layout" not in table.build(other)[1], "another image of the same name"


def test_buildctl_pushes_by_building_once_more_from_its_cache(task, tmp_path):
    table = buildctl("buildctl", "1", tmp_path)
    again = Task(task.tags, task.context, task.dockerfile, no_cache=True, plain_http=True)
    (argv,) = table.push(again)
    assert argv[-1] == "type=image,push=true,name=lab:5000/dev:1,registry.insecure=true"
    assert "--no-cache" not in argv
