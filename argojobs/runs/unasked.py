"""What is done without when it cannot be asked: a dry run needs no network."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from argojobs.errors import ServerError
from argojobs.runs.progress import Tell

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
