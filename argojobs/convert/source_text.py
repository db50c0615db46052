"""Python source from plain values: calls, names, literals, and how they break over lines.

Used by the writers of programs (`hera_source`, `dsl_source`): a value is a constant, a list, a
dict, a `Call` or a `Name`.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

WIDTH = 100


@dataclass(frozen=True)
class Name:
    """An expression, as it stands in the program; `value` is what it stands for."""

    name: str
    value: Any = None


@dataclass(frozen=True)
class Call:
    """A call with its keyword arguments, and those by position before them."""

    name: str
    arguments: Mapping[str, Any]
    positional: tuple[Any, ...] = ()


def variable(name: str, taken: Collection[str], prefix: str = "template") -> str:
    """Return an identifier after a manifest's name that is not yet taken.

    Args:
        name: any text.
        taken: identifiers that are in use.
        prefix: for a name that is not an identifier, or is taken.
    """
    base = re.sub(r"\W", "_", name, flags=re.ASCII)
    if not base.isidentifier() or keyword.iskeyword(base):
        base = f"{prefix}_{base}"
    if base in taken and not base.startswith(prefix) and f"{prefix}_{base}" not in taken:
        base = f"{prefix}_{base}"
    found, number = base, 2
    while found in taken:
        found, number = f"{base}_{number}", number + 1
    return found


def printed(value: Any, column: int = 0, indentation: int = 0) -> str:
    """Print a value on one line if it fits, else one part a line.

    Args:
        value: plain data, with `Call` and `Name` in it.
        column: where its first line begins.
        indentation: of the line that it begins in, in blanks.
    """
    text = flat(value)
    if len(text) + column <= WIDTH and not _has_lines(value):
        return text
    inner = indentation + 4
    margin = " " * inner
    if isinstance(value, Call):
        parts = [f"{margin}{printed(each, inner + 1, inner)}," for each in value.positional]
        parts += [
            f"{margin}{name}={printed(each, inner + len(name) + 2, inner)},"
            for name, each in value.arguments.items()
        ]
        opening, closing = f"{value.name}(", ")"
    elif isinstance(value, dict):
        parts = [
            f"{margin}{literal(key)}: {printed(each, inner + len(repr(key)) + 3, inner)},"
            for key, each in value.items()
        ]
        opening, closing = "{", "}"
    elif isinstance(value, list):
        parts = [f"{margin}{printed(each, inner + 1, inner)}," for each in value]
        opening, closing = "[", "]"
    elif isinstance(value, str) and _has_lines(value):
        parts = [f"{margin}{literal(line)}" for line in value.splitlines(keepends=True)]
        opening, closing = "(", ")"
    else:
        return text
    return "\n".join([opening, *parts, " " * indentation + closing])


def _has_lines(value: Any) -> bool:
    """Whether there is a text of several lines in it, which is shown line by line."""
    if isinstance(value, str):
        return "\n" in value[:-1]
    if isinstance(value, Call | dict):
        parts = value.arguments if isinstance(value, Call) else value
        found = [*parts.values(), *(value.positional if isinstance(value, Call) else ())]
        return any(_has_lines(each) for each in found)
    return isinstance(value, list) and any(_has_lines(each) for each in value)


def flat(value: Any) -> str:
    """Print a value on one line."""
    if isinstance(value, Name):
        return value.name
    if isinstance(value, Call):
        arguments = [flat(each) for each in value.positional]
        arguments += [f"{name}={flat(each)}" for name, each in value.arguments.items()]
        return f"{value.name}({', '.join(arguments)})"
    if isinstance(value, dict):
        pairs = (f"{literal(key)}: {flat(each)}" for key, each in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flat(each) for each in value) + "]"
    return literal(value)


def literal(value: Any) -> str:
    """Return a constant as source, text in double quotes where that needs no escapes."""
    text = repr(value)
    if isinstance(value, str) and text.startswith("'") and '"' not in text:
        text = f'"{text[1:-1]}"'.replace("\\'", "'")
    return text


def indented(text: str, by: int = 4) -> str:
    """Indent each line that is not empty."""
    margin = " " * by
    return "\n".join(margin + line if line else line for line in text.split("\n"))
