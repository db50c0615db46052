"""A function's signature is its command line."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import click
import pytest

from argojobs.cli.command import BadValueError, argument, as_command, group_of, option


class Colour(Enum):
    red = "red"
    green = "green"


def told(function: Any, *words: str) -> Any:
    return as_command(function, "verb").main([*words], "verb", standalone_mode=False)


def test_what_is_typed_arrives_as_its_annotation_says() -> None:
    got: dict[str, Any] = {}

    def verb(
        file: Annotated[Path, argument(metavar="FILE", help="A file.")],
        more: Annotated[list[str] | None, argument(metavar="MORE...", help="More.")] = None,
        name: Annotated[str, option("--name", "--called", metavar="NAME", help="A name.")] = "",
        last: Annotated[int, option("-n", metavar="N", minimum=0, help="How many.")] = 3,
        shift: Annotated[int | None, option("--shift", metavar="N", help="By how many.")] = None,
        all_of_them: Annotated[bool, option("--all", help="All of them.")] = False,
        colour: Annotated[Colour | None, option("--colour", help="Which.")] = None,
        tag: Annotated[list[str] | None, option("-t", metavar="TAG", help="Tags.")] = None,
    ) -> int:
        got.update(locals())
        return 7

    words = "a.py b c --called x -n 0 --shift -2 --all --colour green -t one -t two"
    assert told(verb, *words.split()) == 7
    assert got.pop("got") is got
    assert got == {
        "file": Path("a.py"), "more": ["b", "c"], "name": "x", "last": 0, "shift": -2,
        "all_of_them": True, "colour": Colour.green, "tag": ["one", "two"],
    }  # fmt: skip
    assert told(verb, "a.py") == 7
    assert (got["more"], got["last"], got["shift"], got["colour"], got["tag"]) == (
        [], 3, None, None, [],
    )  # fmt: skip


def test_a_verb_that_asks_for_it_gets_the_context() -> None:
    def verb(
        ctx: click.Context, name: Annotated[str, option("--name", help="A name.")] = ""
    ) -> int:
        return len(str(ctx.info_name)) + len(name)

    assert told(verb, "--name", "ab") == 6


@pytest.mark.parametrize(
    ("words", "said", "hint"),
    [
        (["-n", "two"], "-n 'two' is not a whole number", "write it in digits"),
        (["--colour", "blue"], "--colour 'blue': there is no such choice", "one of: red, green"),
    ],
)
def test_a_wrong_value_is_told_with_what_to_give(words: list[str], said: str, hint: str) -> None:
    def verb(
        last: Annotated[int, option("-n", help="How many.")] = 0,
        colour: Annotated[Colour, option("--colour", help="Which.")] = Colour.red,
    ) -> int:
        return last

    with pytest.raises(BadValueError) as raised:
        told(verb, *words)
    assert raised.value.message == said
    assert hint in raised.value.hint


def test_help_lists_arguments_and_what_they_default_to(capsys: pytest.CaptureFixture[str]) -> None:
    def verb(
        file: Annotated[str, argument(metavar="FILE", help="A file.")],
        to: Annotated[str, argument(metavar="TARGET", help="Where to.")] = ".",
        last: Annotated[int, option("-n", metavar="N", minimum=1, help="How many.")] = 3,
        colour: Annotated[Colour | None, option("--colour", help="Which.")] = None,
        secret: Annotated[str, option("--secret", hidden=True)] = "",
    ) -> int:
        """Do it."""
        return len(file + to + secret) + last

    told(verb, "--help")
    shown = capsys.readouterr().out
    assert shown.startswith("Usage: verb [OPTIONS] FILE [TARGET]\n")
    assert "  FILE    A file.  [required]\n  TARGET  Where to.  [default: .]\n" in shown
    assert "How many.  [default: 3; x>=1]" in shown
    assert "--colour <red|green>  Which.\n" in shown
    assert "--secret" not in shown


def test_what_the_command_line_cannot_say_is_refused_when_the_verb_is_made() -> None:
    def verb(ratio: Annotated[float, option("--ratio", help="A ratio.")] = 0.5) -> int:
        return int(ratio)

    with pytest.raises(TypeError, match="float"):
        as_command(verb, "verb")


def test_a_group_lists_its_commands_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    def second() -> int:
        """Be second."""
        return 2

    def first() -> int:
        """Be first."""
        return 1

    def alone(ctx: click.Context) -> int:
        return 0 if ctx.invoked_subcommand else 5

    group = group_of("both", "Both of them.", {"second": second, "first": first}, alone)
    assert group.main(["first"], standalone_mode=False) == 1
    assert group.main([], standalone_mode=False) == 5
    group.main(["--help"], standalone_mode=False)
    shown = capsys.readouterr().out
    assert shown.index("second") < shown.index("first")


def test_help_names_arguments_as_they_are_typed(capsys: pytest.CaptureFixture[str]) -> None:
    def command(
        port: Annotated[str, argument(metavar="[LOCAL:]PORT", help="Needed.")],
        folder: Annotated[Path, argument(metavar="FOLDER", help="May be left out.")] = Path(),
        files: Annotated[list[Path] | None, argument(metavar="FILE...", help="Several.")] = None,
    ) -> int:
        """Take all kinds."""
        return 0

    as_command(command, "take").main(["--help"], standalone_mode=False)
    shown = capsys.readouterr().out
    assert "  [LOCAL:]PORT  Needed.  [required]\n" in shown
    assert "  FOLDER        May be left out.  [default: .]\n" in shown
    assert "  FILE...       Several.\n" in shown
