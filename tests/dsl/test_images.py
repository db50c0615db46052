"""`Image`: what an image has, checked where it is written."""

from __future__ import annotations

import os

import pytest
from support.tracing import refused

from argojobs import Image, Secret, pipeline, step
from argojobs.dsl.options import checked, merged
from argojobs.errors import DefinitionError

HERE = os.path.dirname(os.path.abspath(__file__))


def test_an_image_is_a_value():
    one = Image(pip=["numpy", "torch==2.4"], apt=["git"], env={"LEVEL": 1}, run=["make"])
    assert one == Image(
        "python:3.11-slim", pip=("numpy", "torch==2.4"), apt=("git",), env={"LEVEL": "1"},
        run=["make"],
    )  # fmt: skip
    assert len({one, Image(pip=["numpy"]), Image(pip=["numpy"])}) == 2
    assert Image(env={"B": "1", "A": "2"}) == Image(env={"A": "2", "B": "1"})


def test_an_image_with_nothing_on_top_is_its_base():
    assert Image("pytorch/pytorch:2.4").is_base
    assert not Image(env={"A": "1"}).is_base


def test_files_are_searched_beside_the_file_that_names_them():
    assert Image(pip="requirements.txt").folder == HERE
    assert Image(pip=["-r more.txt", "numpy"]).folder == HERE
    assert Image(pip=["numpy"]).folder == ""


def test_it_stands_wherever_an_image_does():
    image = Image(pip=["numpy"])
    assert checked({"image": image}) == {"image": image}
    assert step(image=image)(lambda: None).settings == {"image": image}
    assert pipeline(image=image)(lambda: None).settings == {"image": image}
    assert merged({"image": image}, {"image": "other:1"}) == {"image": "other:1"}
    with refused("image=3 is not text"):
        step(image=3)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"base": ""}, "is not an image"),
        ({"base": "python 3"}, "is not an image"),
        ({"base": "{{workflow.parameters.image}}"}, "not known before the run"),
        ({"pip": "numpy"}, "looks like a requirement"),
        ({"pip": "torch==2.4"}, "looks like a requirement"),
        ({"pip": " "}, "is not a valid name for a file"),
        ({"pip": [1]}, "is not text"),
        ({"pip": {"numpy": "1"}}, "is not a list"),
        ({"pip": ["numpy\ntorch"]}, "more than one line"),
        ({"pip": ["numpy \\"]}, "more than one line"),
        ({"apt": "git"}, "is not a list"),
        ({"apt": ["git && rm -rf /"]}, "is not a valid name for a Debian package"),
        ({"apt": ["-y"]}, "is not a valid name for a Debian package"),
        ({"apt": ["git", ""]}, "is not text"),
        ({"env": {"A": "x\ny"}}, "more than one line"),
        ({"env": {"TOKEN": Secret("name", "key")}}, "is a Secret"),
        ({"env": {"API_TOKEN": "abcdefghijk"}}, "looks like a secret"),
        ({"env": {"ARGOJOBS_X": "1"}}, "set by argojobs itself"),
        ({"run": "make"}, "is not a list"),
        ({"run": ["curl -H 'X: ghp_" + "a" * 36 + "' https://x"]}, "holds a GitHub token"),
        ({"run": ["a\0b"]}, "null byte"),
    ],
)
def test_what_cannot_be_is_refused_at_its_line(options, match):
    with refused(match):
        Image(**options)


@pytest.mark.parametrize(
    "package", ["git", "libstdc++6", "python3.11-dev", "g++", "git=1:2.39.2-1+deb12u1", "git/stable",
                "libc6:arm64"],
)  # fmt: skip
def test_packages_are_named_as_apt_takes_them(package):
    assert Image(apt=[package]).apt == (package,)


def test_a_command_with_a_password_in_an_address_is_refused_and_not_shown() -> None:
    with pytest.raises(DefinitionError) as caught:
        Image(run=["pip download https://ada:hunter2@lab.example/simple/x"])
    assert "a password" in str(caught.value)
    assert "hunter2" not in str(caught.value) + caught.value.hint


@pytest.mark.parametrize(
    "command",
    ["curl https://ada:$TOKEN@lab/x", "curl https://lab:8080/a@b", "git clone ssh://git@lab/x y@z"],
)
def test_a_command_with_an_address_without_a_password_stays(command: str) -> None:
    assert Image(run=[command]).run == (command,)
