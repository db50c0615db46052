"""A text of a manifest as pieces: constants, and references to values of the run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_TAG = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_NAME = r"([-\w]+)"
_KNOWN: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("input", re.compile(rf"inputs\.parameters\.{_NAME}")),
    ("workflow", re.compile(rf"workflow\.parameters\.{_NAME}")),
    ("output", re.compile(rf"(?:tasks|steps)\.{_NAME}\.outputs\.parameters\.{_NAME}")),
    ("result", re.compile(rf"(?:tasks|steps)\.{_NAME}\.outputs\.(result)")),
    ("artifact", re.compile(rf"(?:tasks|steps)\.{_NAME}\.outputs\.artifacts\.{_NAME}")),
    ("input artifact", re.compile(rf"inputs\.artifacts\.{_NAME}")),
    ("path in", re.compile(rf"inputs\.artifacts\.{_NAME}\.path")),
    ("path out", re.compile(rf"outputs\.artifacts\.{_NAME}\.path")),
    ("file out", re.compile(rf"outputs\.parameters\.{_NAME}\.path")),
    ("item", re.compile(r"item(?:\.([-\w]+))?")),
    ("run", re.compile(r"workflow\.name")),
    ("status", re.compile(r"workflow\.status")),
)


class CannotSayError(Exception):
    """Something that the DSL, or one form of it, has no words for; the message says what."""


class TemplateError(CannotSayError):
    """The same of one template, which can be kept as Argo has it."""

    def __init__(self, template: str, what: str) -> None:
        super().__init__(what)
        self.template = template


@contextmanager
def of_template(name: str) -> Iterator[None]:
    """Say of what cannot be said here that it is about this template."""
    try:
        yield
    except TemplateError:
        raise
    except CannotSayError as error:
        raise TemplateError(name, str(error)) from error


@dataclass(frozen=True)
class Reference:
    """A tag: its kind, and the names in it (a task and its output, or one name)."""

    kind: str
    names: tuple[str, ...]
    text: str

    @property
    def name(self) -> str:
        """The last name: of the parameter or artifact."""
        return self.names[-1] if self.names else ""


Piece = str | Reference


def pieces(text: str) -> list[Piece]:
    """Split a text at its tags. Raises CannotSayError for a tag that a program cannot follow."""
    found: list[Piece] = []
    last = 0
    for match in _TAG.finditer(text):
        if match.start() > last:
            found.append(text[last : match.start()])
        found.append(_reference(match))
        last = match.end()
    if last < len(text) or not found:
        found.append(text[last:])
    return found


def _reference(match: re.Match[str]) -> Reference:
    inside = match.group(1).strip()
    for kind, pattern in _KNOWN:
        known = pattern.fullmatch(inside)
        if known is not None:
            names = tuple(name for name in known.groups() if name is not None)
            return Reference(kind, names, match.group())
    raise CannotSayError(f"the tag {match.group()}")


def single(found: list[Piece]) -> Reference | None:
    """Return the reference that a text is, None if it is anything more or else."""
    only = found[0] if len(found) == 1 else None
    return only if isinstance(only, Reference) else None
