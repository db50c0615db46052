"""A recipe's hash changes with what decides an image, and with nothing else."""

import os
import shutil

import pytest

from argojobs.errors import UsageError
from argojobs.images.builds import builds_in
from argojobs.images.recipe import recipes

TRAIN = (
    "FROM python:3.11-slim\nCOPY networks networks\n"
    "RUN --mount=type=secret,id=creds cat /run/secrets/creds\n"
)
FILES = {
    "dockerfiles/train.Dockerfile": TRAIN,
    "dockerfiles/dev.Dockerfile": "ARG IMAGE\nFROM ${IMAGE}\nCOPY tools tools\n",
    "networks/cell.py": "1",
    "tools/x.sh": "x",
    "creds.yaml": "password: x",
    "README.md": "hello",
}


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def contents(folder, platform="linux/amd64"):
    found = recipes(builds_in(folder, folder).builds, platform)
    return {one.build.name: one.content for one in found}


def changed(folder, before):
    return {name for name, content in contents(folder).items() if before[name] != content}


def test_what_it_holds(project):
    train, dev = recipes(builds_in(project, project).builds, "linux/amd64")
    assert [file.path for file in train.files] == ["networks", "networks/cell.py"]
    assert train.secrets == ("creds",)
    assert (dev.secrets, dev.platform) == ((), "linux/amd64")
    assert train.tag == train.content[:16]
    assert len(train.content) == 64


def test_a_change_reaches_what_depends_on_it(project):
    before = contents(project)
    (project / "README.md").write_text("changed")
    (project / "creds.yaml").write_text("changed")
    assert changed(project, before) == set()
    (project / "tools" / "x.sh").write_text("y")
    assert changed(project, before) == {"dev"}
    (project / "tools" / "x.sh").write_text("x")
    (project / "networks" / "cell.py").chmod(0o755)
    assert changed(project, before) == {"train", "dev"}
    (project / "networks" / "cell.py").chmod(0o644)
    assert changed(project, before) == set()
    (project / "dockerfiles" / "train.Dockerfile").write_text(TRAIN + "# comment\n")
    assert changed(project, before) == {"train", "dev"}


def test_place_and_time_are_no_part_of_it(project, tmp_path):
    before = contents(project)
    other = tmp_path / "elsewhere" / "project"
    shutil.copytree(project, other)
    os.utime(other / "networks" / "cell.py", (1, 1))
    assert contents(other) == before


def test_platform_and_arguments_are_part_of_it(project):
    assert contents(project, "linux/arm64")["train"] != contents(project)["train"]
    one = "dockerbuild: [{name: train, dockerfile: dockerfiles/train.Dockerfile, args: {A: '%s'}}]"
    found = set()
    for value in "12":
        (project / "build.yaml").write_text(one % value)
        found.add(contents(project)["train"])
    assert len(found) == 2


def test_what_a_parents_onbuild_takes_is_part_of_the_child(project):
    (project / "dockerfiles/train.Dockerfile").write_text(TRAIN + "ONBUILD COPY README.md /\n")
    before = contents(project)
    (project / "README.md").write_text("changed")
    assert changed(project, before) == {"dev"}


def test_the_seeds_copy_of_creds_is_refused(project):
    file = project / "dockerfiles" / "train.Dockerfile"
    file.write_text(TRAIN + "COPY creds.yaml creds.yaml\n")
    builds = builds_in(project, project).builds
    with pytest.raises(UsageError, match=r"creds\.yaml  \(its name\)") as caught:
        recipes(builds)
    assert caught.value.where == f"{file}:4"
    assert recipes(builds, allow=["creds.yaml"])


def test_the_hash_is_fixed(project):
    """Who changes this line makes everybody build every image again."""
    for path in project.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert contents(project)["train"].startswith("318fa2c348beb783")
