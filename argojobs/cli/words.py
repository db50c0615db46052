"""Words after `--` on a command line of ours: those of the program that is run, none of ours."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Any

from argojobs.cli.command import Command, files
from argojobs.errors import UsageError

SEPARATOR = "--"
WORDS = "argojobs.words"


class TakesWords(Command):
    """A command that leaves what stands after the first `--` as it is."""

    allow_extra_args = True  # `parse_args` says what is wrong with them

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Read our own options and arguments, and keep the words for `words_of`."""
        ctx.meta[WORDS] = None
        if SEPARATOR in args:
            at = args.index(SEPARATOR)
            ctx.meta[WORDS] = tuple(args[at + 1 :])
            args = args[:at]
        left: list[str] = super().parse_args(ctx, [*args])
        if left and not ctx.resilient_parsing:
            name, words = str(ctx.info_name), " ".join(left)
            raise _of_pipeline(name, words, args) or self.too_many(name, words)
        return left

    def too_many(self, name: str, words: str) -> UsageError:
        """Return the error for words too many that stand before `--`."""
        hint = (
            "words for a script, or for a command in an image, come after --: "
            f"argojobs {name} FILE -- WORDS"
        )
        if re.match(r"\w+=", words):
            hint = f"a parameter of a pipeline is given by: -p {words}"
        return UsageError(f"{name} takes one file; what to do with {words}?", hint=hint)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the pieces of the line that shows how the command is used."""
        return [*super().collect_usage_pieces(ctx), f"[{SEPARATOR} WORDS...]"]

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Leave the program's words to the shell, which knows files."""
        return (
            files(incomplete)
            if words_of(ctx) is not None
            else super().shell_complete(ctx, incomplete)
        )


def _of_pipeline(name: str, word: str, args: Sequence[str]) -> UsageError | None:
    """Return the error for a word behind a file that defines a pipeline of this name; else None."""
    file = next((one for one in args if one.endswith(".py") and Path(one).is_file()), None)
    if file is None:
        return None
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    functions = [one for one in tree.body if isinstance(one, ast.FunctionDef)]
    if not any(one.name == word and one.decorator_list for one in functions):
        return None
    return UsageError(
        f"{name} takes one file; what to do with {word}?",
        hint=f"it is defined in {file}: argojobs {name} {file} --pipeline {word}",
    )


def words_of(ctx: Any) -> tuple[str, ...] | None:
    """Return what stands after `--`, None where there is no `--`."""
    found: tuple[str, ...] | None = ctx.meta.get(WORDS)
    return found


def before_words(arguments: Sequence[str]) -> Sequence[str]:
    """Return the part of a command line that is ours."""
    return arguments[: arguments.index(SEPARATOR)] if SEPARATOR in arguments else arguments


def verb_first(arguments: Sequence[str], verbs: Container[str]) -> list[str]:
    """Return a command line with its verb in front.

    The workflow script has it as `--server NAME --run FILE ...`; `help VERB` is `VERB --help`.
    """
    found = list(arguments)
    if found[:1] == ["help"]:
        return [*found[1:], "--help"]
    own = before_words(found)
    at = own.index("--run") if "--run" in own[:-1] else -1
    if at < 0 or any(word in verbs for word in own[:at]):
        return found
    return ["run", found[at + 1], *found[:at], *found[at + 2 :]]
