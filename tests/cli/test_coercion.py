"""Texts of options are taken as they are, without the library that typer checks values with."""

import os
import subprocess
import sys
from enum import Enum
from typing import Annotated

import pytest

from argojobs.cli.coercion import lean

typer = pytest.importorskip("typer")


def made(function):
    app = typer.Typer(add_completion=False)
    app.command()(function)
    return lean(typer.main.get_command(app))


def run(function, *words):
    return made(function).main(list(words), standalone_mode=False)


def test_texts_and_defaults_are_as_they_were_given():
    def command(
        name: str,
        more: Annotated[list[str] | None, typer.Argument()] = None,
        option: str = "",
        several: Annotated[list[str] | None, typer.Option("-p")] = None,
        count: Annotated[int, typer.Option(min=1)] = 3,
        flag: bool = False,
    ):
        return name, list(more or ()), option, list(several or ()), count, flag

    assert run(command, "a") == ("a", [], "", [], 3, False)
    given = run(command, "1", "b", "c", "--option", "x y", "-p", "k=1", "-p", "", "--flag")
    assert given == ("1", ["b", "c"], "x y", ["k=1", ""], 3, True)


def test_what_is_to_become_something_else_is_checked_by_typer():
    def command(count: Annotated[int, typer.Option(min=1)] = 3):
        return count

    assert run(command, "--count", "5") == 5
    for wrong in ("x", "0"):
        with pytest.raises(typer.BadParameter):
            run(command, "--count", wrong)


class Kind(Enum):
    """A choice whose values are no names of its members."""

    first = "one"
    second = "two"


@pytest.mark.parametrize("word", ["two", "Two", "second", "three", ""])
def test_a_choice_is_what_typer_takes_it_for(word):
    def command(kind: Kind = Kind.first):
        return kind

    def outcome(coerced):
        try:
            return coerced.main(["--kind", word], standalone_mode=False)
        except typer.BadParameter as error:
            return error.message

    app = typer.Typer(add_completion=False)
    app.command()(command)
    assert outcome(made(command)) == outcome(typer.main.get_command(app))


@pytest.mark.parametrize(
    "word", ["7", "007", "0", "11", "-3", "1_0", "1.0", "²", "x", "", "9" * 30]
)
def test_a_number_is_what_typer_takes_it_for(word):
    def command(count: Annotated[int, typer.Option(min=1, max=10)] = 3, any_number: int = 0):
        return count, any_number

    def outcome(coerced, option):
        try:
            return coerced.main([f"{option}={word}"], standalone_mode=False)
        except typer.BadParameter as error:
            return error.message

    app = typer.Typer(add_completion=False)
    app.command()(command)
    for option in ("--count", "--any-number"):
        assert outcome(made(command), option) == outcome(typer.main.get_command(app), option)


def test_what_is_missing_is_missing():
    def command(name: str, more: list[str]):
        return name, more

    with pytest.raises(Exception, match=r"(?i)missing"):
        run(command)
    with pytest.raises(Exception, match=r"(?i)missing"):
        run(command, "a")


@pytest.mark.parametrize("words", [["version"], ["version", "-o", "json"], ["list", "-n", "5"]])
def test_a_short_command_imports_no_library_for_values(words, tmp_path):
    program = (
        f"import sys; from argojobs.cli.main import main; code = main({words!r}); "
        "sys.exit(code or 'pydantic' in sys.modules)"
    )
    environment = {**os.environ, "ARGOJOBS_HOME": str(tmp_path / "home")}
    argv = [sys.executable, "-c", program]
    subprocess.run(argv, check=True, capture_output=True, env=environment)
