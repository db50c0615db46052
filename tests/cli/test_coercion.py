"""Texts of options are taken as they are, without the library that typer checks values with."""

import subprocess
import sys
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


def test_what_is_missing_is_missing():
    def command(name: str, more: list[str]):
        return name, more

    with pytest.raises(Exception, match=r"(?i)missing"):
        run(command)
    with pytest.raises(Exception, match=r"(?i)missing"):
        run(command, "a")


def test_a_short_command_imports_no_library_for_values():
    program = (
        "import sys; from argojobs.cli.main import main; main(['version']); "
        "sys.exit('pydantic' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
