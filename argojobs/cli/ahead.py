"""`list` of a server asks before the command line is parsed: the parser is imported meanwhile.

Half of what a short command takes before its request leaves is the import of typer. Where the
command line is one of the few whose meaning is plain, the request goes first and typer is imported
while the server works on its answer. Typer still parses every command line, and the verb takes the
answer, or the error, where it would have asked: it is asked once, and all else is as it was.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from argojobs.cli.connect import Target
    from argojobs.service import Workflow

#: The verb and its other names, and options of it that do not change what is asked.
NAMES = frozenset({"list", "state", "scheduler-state"})
FLAGS = frozenset({"--all-users", "--all_users", "--failed", "--running", "--verbose"})
#: A shell asks for completions by this variable; then no verb runs.
_COMPLETION = "_ARGOJOBS_COMPLETE"


class Asked(NamedTuple):
    """What was asked and what came of it: where, and its runs, or what went wrong."""

    context: str
    server: str
    place: Target | None = None
    runs: list[Workflow] | None = None
    error: Exception | None = None


_asked: Asked | None = None


def begin(arguments: Sequence[str]) -> None:
    """Ask for the runs of a server, if that is plainly what the arguments want.

    Raises nothing but an interrupt: what goes wrong is raised where the verb takes the answer.
    """
    global _asked  # noqa: PLW0603 - there is one command line
    where = _where(arguments)
    if where is None:
        return
    try:
        _asked = _answer(*where)
    except Exception as error:  # noqa: BLE001 - it is the verb's to raise
        _asked = Asked(*where, error=error)


def take(context: str, server: str) -> tuple[Target, list[Workflow]] | None:
    """Return what was asked for this context or server; None if it was not. Raises what it raised."""
    global _asked
    asked, _asked = _asked, None
    if asked is None or (asked.context, asked.server) != (context, server):
        return None
    if asked.error is not None:
        raise asked.error
    return None if asked.place is None or asked.runs is None else (asked.place, asked.runs)


def _where(arguments: Sequence[str]) -> tuple[str, str] | None:
    """Return the context and the server of a command line that is plain, None for any other."""
    if not arguments or arguments[0] not in NAMES or _COMPLETION in os.environ:
        return None
    given = {"--context": "", "--server": ""}
    rest = list(arguments[1:])
    while rest:
        word = rest.pop(0)
        if word in FLAGS:
            continue
        option, equals, value = word.partition("=")
        if option not in given or any(given.values()):
            return None
        if not equals:
            value = rest.pop(0) if rest else ""
        if not value or value.startswith("-"):
            return None
        given[option] = value
    return given["--context"], given["--server"]


def _answer(context: str, server: str) -> Asked | None:
    from argojobs.cli import connect

    place = connect.target(context, server)
    if place.context.is_local:
        return None
    return Asked(context, server, place, connect.runs_of(place, short=True, meanwhile=_prepare))


def _prepare() -> None:
    """Import the parser and what the verb needs."""
    from argojobs.cli import group
    from argojobs.cli.verbs import list as verb

    del group
    verb.prepare()
