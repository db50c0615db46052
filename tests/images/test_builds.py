"""Which images a project builds, and in what order."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.errors import UsageError
from argojobs.images.builds import Build, _in_order, builds_in

TRAIN = "FROM python:3.11-slim\nCOPY . .\n"
DEV = "ARG IMAGE\nFROM ${IMAGE}\nRUN true\n"


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "Crisp Demo"

    def make(files):
        for name, text in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return folder

    return make


def rows(folder, where=None):
    found = builds_in(where or folder, folder)
    return [(build.name, build.parent, dict(build.arguments)) for build in found.builds]


def test_a_folder_of_dockerfiles(project):
    folder = project({"dockerfiles/dev.Dockerfile": DEV, "dockerfiles/train.Dockerfile": TRAIN})
    assert rows(folder) == [("train", "", {}), ("dev", "train", {})]
    train, dev = builds_in(folder, folder).builds
    assert (train.context, train.dockerfile) == (folder, folder / "dockerfiles/train.Dockerfile")
    assert dev.origin == str(folder / "dockerfiles/dev.Dockerfile")
    assert rows(folder, folder / "dockerfiles") == rows(folder)


def test_the_seeds_two_files_in_the_projects_root(project):
    folder = project({"dockerfile-train": TRAIN, "dockerfile": DEV})
    assert rows(folder) == [("train", "", {}), ("crisp-demo", "train", {})]


def test_names_of_files(project):
    others = ("Dockerfile.c.dockerignore", "d.Dockerfile~", "e.Dockerfile.bak", "f.py", ".g.swp")
    folder = project(
        {
            "dockerfiles/Dockerfile.a": TRAIN,
            "dockerfiles/b.containerfile": TRAIN,
            **{f"dockerfiles/{name}": TRAIN for name in others},
        }
    )
    assert [name for name, *_ in rows(folder)] == ["a", "b"]
    assert rows(folder, folder / "dockerfiles" / "Dockerfile.a") == [("a", "", {})]


@pytest.mark.parametrize(
    ("first", "parent", "arguments"),
    [
        ("ARG IMAGE=train\nFROM ${IMAGE}", "train", {}),
        ('ARG IMAGE="train:latest"\nFROM $IMAGE', "train", {}),
        ("ARG IMAGE=python:3.11\nFROM ${IMAGE}", "", {}),
        ("ARG IMAGE=lab:5000/train\nFROM ${IMAGE}", "", {}),
        ("ARG IMAGE\nFROM x AS y\nFROM ${IMAGE:-z}", "train", {}),
        ("FROM train:1", "", {}),
    ],
)
def test_what_an_image_is_built_on(project, first, parent, arguments):
    folder = project({"dockerfiles/train.Dockerfile": TRAIN, "dockerfiles/dev.Dockerfile": first})
    assert ("dev", parent, arguments) in rows(folder)


def test_three_in_a_row(project):
    folder = project(
        {
            "dockerfiles/a.Dockerfile": "ARG IMAGE=b\nFROM $IMAGE",
            "dockerfiles/b.Dockerfile": DEV,
            "dockerfiles/c.Dockerfile": TRAIN,
        }
    )
    assert rows(folder) == [("c", "", {}), ("b", "c", {}), ("a", "b", {})]


@pytest.mark.parametrize(
    ("files", "words", "hint"),
    [
        ({"a": TRAIN, "b": TRAIN, "c": DEV}, "what c is built on", "NAME is a or b"),
        ({"c": DEV}, "what c is built on", "ARG IMAGE=NAME"),
        (
            {"a": "ARG IMAGE=b\nFROM $IMAGE", "b": "ARG IMAGE=a\nFROM $IMAGE"},
            "a -> b -> a",
            "ARG IMAGE=NAME",
        ),
        ({"a": "ARG IMAGE=a\nFROM $IMAGE"}, "a -> a", ""),
        ({"a": TRAIN, "b": "FROM a"}, "FROM a would take a from the network", "ARG IMAGE=a"),
        ({"a": "RUN x"}, "no FROM", ""),
        ({"A": TRAIN}, "'A' cannot be the name", "a"),
    ],
)
def test_what_cannot_be(project, files, words, hint):
    folder = project({f"dockerfiles/{name}.Dockerfile": text for name, text in files.items()})
    with pytest.raises(UsageError) as caught:
        builds_in(folder, folder)
    assert words in caught.value.what
    assert hint in caught.value.hint
    assert ".Dockerfile" in caught.value.where


def test_two_files_for_one_name(project):
    folder = project({"dockerfiles/a.Dockerfile": TRAIN, "dockerfiles/Dockerfile.a": TRAIN})
    with pytest.raises(UsageError, match="both build a"):
        builds_in(folder, folder)


def test_nothing_to_build(project):
    folder = project({"a.py": ""})
    for place in (folder, folder / "missing"):
        with pytest.raises(UsageError, match="there is no Dockerfile"):
            builds_in(place, folder)


BUILD = """\
version: 0.1.0
dockerbuild:
- {name: dev, dockerfile: dockerfile, buildargs: {IMAGE: train, A: b}}
- {name: train, dockerfile: dockerfile-train, context: src, buildargs: [IMAGE=python:3.11]}
"""


@pytest.mark.parametrize("place", ["build.yaml", "config/build.yaml"])
def test_a_build_file(project, place):
    folder = project(
        {place: BUILD, "dockerfile": DEV, "dockerfile-train": DEV, "src/a.py": "", "other.yaml": ""}
    )
    assert rows(folder) == [
        ("train", "", {"IMAGE": "python:3.11"}),
        ("dev", "train", {"A": "b"}),
    ]
    found = builds_in(folder, folder)
    assert (found.version, found.file) == ("0.1.0", folder / place)
    train, dev = found.builds
    assert (train.context, dev.context) == (folder / "src", folder)
    assert dev.origin == f"{folder / place}:3"
    assert builds_in(folder / place, folder) == found


def test_the_first_users_build_file_as_they_write_it(project):
    text = """\
version: {major: 0, minor: 0, patch: 1, label: ''}
dockerbuild:
- {name: train, dockerfile: dockerfile-train, context: .}
- name: dev
  dockerfile: dockerfile
  context: .
  build_arg: [{key: IMAGE, value: train}, {key: U, value: ai}, {key: W, value: x}]
"""
    dev = DEV + "ARG U\n"
    folder = project({"build.yaml": text, "dockerfile": dev, "dockerfile-train": TRAIN})
    assert rows(folder) == [("train", "", {}), ("dev", "train", {"U": "ai", "W": "x"})]
    found = builds_in(folder, folder)
    assert found.version == "0.0.1"
    assert found.notes == (f"{folder / 'build.yaml'}:4: dockerfile has no ARG W",)


def test_arguments_are_for_the_dockerfiles_that_have_them(project):
    train = "ARG BASE=x\nFROM ${BASE}\nARG LEVEL\n"
    folder = project({"dockerfiles/train.Dockerfile": train, "dockerfiles/dev.Dockerfile": DEV})
    found = builds_in(folder, folder, {"BASE": "y", "LEVEL": "1"}).builds
    assert [(one.name, one.parent, one.arguments) for one in found] == [
        ("train", "", {"BASE": "y", "LEVEL": "1"}),
        ("dev", "train", {}),
    ]
    with pytest.raises(UsageError, match="no Dockerfile has ARG BASSE") as error:
        builds_in(folder, folder, {"BASSE": "y"})
    assert "BASE" in error.value.hint


def test_several_build_files(project):
    folder = project({"a.yaml": BUILD, "b.yaml": BUILD, "dockerfile": DEV})
    with pytest.raises(UsageError, match="several build files"):
        builds_in(folder, folder)


@given(st.lists(st.integers(-1, 8), min_size=1, max_size=9))
def test_a_parent_comes_first_or_the_circle_is_told(tmp_path_factory, parents):
    here = tmp_path_factory.getbasetemp()
    size = len(parents)
    names = [f"i{number}" for number in range(size)]
    builds = [
        Build(name, here, here, {}, "" if parent < 0 else names[parent % size], "here")
        for name, parent in zip(names, parents, strict=True)
    ]
    try:
        order = [build.name for build in _in_order(builds)]
    except UsageError as error:
        circle = error.what.rpartition(": ")[2].split(" -> ")
        above = {build.name: build.parent for build in builds}
        assert all(above[one] == other for one, other in itertools.pairwise(circle))
        assert circle[0] == circle[-1]
        assert len(set(circle)) == len(circle) - 1
    else:
        assert sorted(order) == sorted(names)
        assert all(
            not build.parent or order.index(build.parent) < order.index(build.name)
            for build in builds
        )


def test_a_folder_or_a_dangling_link_among_the_dockerfiles_is_not_passed_over(tmp_path):
    folder = tmp_path / "dockerfiles"
    folder.mkdir()
    (folder / "train.Dockerfile").write_text("FROM scratch\n")
    (folder / "bad.Dockerfile").mkdir()
    with pytest.raises(UsageError, match=r"bad\.Dockerfile is a folder"):
        builds_in(tmp_path, tmp_path)
    (folder / "bad.Dockerfile").rmdir()
    (folder / "bad.Dockerfile").symlink_to("nowhere")
    with pytest.raises(UsageError, match=r"bad\.Dockerfile is a link to nothing"):
        builds_in(tmp_path, tmp_path)
