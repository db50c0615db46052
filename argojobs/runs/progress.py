"""How whoever asked for something hears of what is going on: one function, which they bring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar

from argojobs.errors import ServerError

#: `progress` is what is being done now, a `note` is worth knowing, a `warning` may need a change.
Kind = Literal["progress", "note", "warning"]

#: Takes one line; it may be called from any thread.
Tell = Callable[[Kind, str], None]


def silent(_kind: Kind, _text: str) -> None:
    """Take a line and show it to nobody."""


Known = TypeVar("Known")


def if_reached(ask: Callable[[], Known], otherwise: Known, what: str, tell: Tell) -> Known:
    """Return what is to be known elsewhere; where that is out of reach, say so and go on without.

    Args:
        ask: finds it out; its ServerError is told.
        otherwise: what is returned then.
        what: is not known then, as in `whether the server takes it`.
        tell: hears of it.
    """
    try:
        return ask()
    except ServerError as error:
        tell("note", f"not known: {what} ({error.what})")
        return otherwise
