"""Registries by their names: of a creds.yaml, of contexts, and by their addresses."""

from __future__ import annotations

from pathlib import Path

import pytest

from argojobs.config.context_files import Contexts
from argojobs.config.contexts import LOCAL, Context, Registry
from argojobs.errors import UsageError
from argojobs.images.destinations import (
    Destination,
    choose_destination,
    destinations,
    of_context,
    opened,
)

CREDS = """registry:
- name: none
  url: null
- name: local
  url: localhost:32000
- name: jfrog
  url: https://jfrog.example/team/
  user: ada
  password: hush
"""
AS_THE_SEED_PRINTS_IT = """registry:
- name: none
url: null
- name: local
url: localhost:32000
"""
LAB = Context("lab", registry=Registry("registry.lab:5000", "ada", "env:LAB"))


@pytest.fixture
def creds(tmp_path: Path) -> Path:
    path = tmp_path / "creds.yaml"
    path.write_text(CREDS)
    return path


def known(creds: list[Path], *contexts: Context) -> tuple[Destination, ...]:
    return destinations(Contexts({one.name: one for one in contexts}), creds)


def test_those_of_creds_and_of_contexts_are_known(creds: Path) -> None:
    found = {one.name: one for one in known([creds], LAB)}

    assert list(found) == ["lab", "none", "local", "jfrog"]
    assert found["local"].url == "localhost:32000"
    assert found["lab"] == Destination(
        "lab", "registry.lab:5000", "ada", "env:LAB", "lab", "context lab"
    )
    assert found["none"].url == ""


def test_a_password_of_creds_is_a_reference(creds: Path) -> None:
    jfrog = {one.name: one for one in known([creds])}["jfrog"]

    assert jfrog.password == f"creds:{creds}#registry/jfrog/password"
    assert "hush" not in repr(jfrog)


def test_none_is_known_without_being_written() -> None:
    assert known([]) == (Destination("none"),)


def test_a_context_is_before_a_name_in_creds(creds: Path) -> None:
    own = Context("local", registry=Registry("elsewhere:5000"))

    assert {one.name: one.url for one in known([creds], own)}["local"] == "elsewhere:5000"


def test_a_name_is_chosen_and_without_one_the_context_decides(creds: Path) -> None:
    every = known([creds], LAB)

    assert choose_destination("jfrog", every, LOCAL, [creds]).name == "jfrog"
    assert choose_destination("none", every, LAB, [creds]).url == ""
    assert choose_destination("", every, LAB, [creds]).name == "lab"


def test_without_a_name_the_only_registry_is_taken() -> None:
    only = (Destination("local", "localhost:32000"), Destination("none"))

    assert choose_destination("", only, LOCAL, []).name == "local"


def test_without_a_name_several_registries_are_a_question(creds: Path) -> None:
    with pytest.raises(UsageError, match=r"which registry\? There are local, jfrog"):
        choose_destination("", known([creds]), LOCAL, [creds])


def test_an_unknown_name_lists_the_known_and_the_nearest(creds: Path) -> None:
    with pytest.raises(UsageError) as caught:
        choose_destination("jfrok", known([creds]), LOCAL, [creds])

    assert "there is no registry 'jfrok'" in str(caught.value)
    assert "'jfrog'" in caught.value.hint
    assert "none, local, jfrog" in caught.value.hint


def test_without_a_creds_file_the_error_says_what_to_write() -> None:
    for wanted in ("local", ""):
        with pytest.raises(UsageError) as caught:
            choose_destination(wanted, known([]), LOCAL, [])
        assert "there is no creds.yaml here" in caught.value.hint
        assert "registry:\n- name: local\n  url: localhost:32000" in caught.value.hint


def test_an_address_is_a_registry_with_the_login_of_the_known_one(creds: Path) -> None:
    every = known([creds], LAB)

    assert choose_destination("127.0.0.1:5000", every, LOCAL, [creds]) == Destination(
        "127.0.0.1:5000", "127.0.0.1:5000"
    )
    assert choose_destination("jfrog.example/team", every, LOCAL, [creds]).user == "ada"
    assert choose_destination("http://registry.lab:5000/", every, LOCAL, [creds]).name == "lab"


def test_a_password_that_is_not_there_names_the_registry() -> None:
    registry = Registry("registry.example", "ada", "env:NOT_SET")
    with pytest.raises(UsageError, match="NOT_SET") as caught:
        opened(of_context(Context("lab", registry=registry)))
    assert caught.value.where == "the registry lab, of context lab"


def test_the_block_that_the_seed_prints_is_shown_corrected(tmp_path: Path) -> None:
    path = tmp_path / "creds.yaml"
    path.write_text(AS_THE_SEED_PRINTS_IT)

    with pytest.raises(UsageError) as caught:
        known([path])

    assert str(caught.value).startswith(f"{path}:3: ")
    assert "- name: local\n  url: localhost:32000" in caught.value.hint
