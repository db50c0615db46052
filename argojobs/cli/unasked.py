"""What a plan does without when it cannot be asked: a dry run needs no network."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from argojobs.cli.text import warn
from argojobs.errors import ServerError

Known = TypeVar("Known")


def if_reached(ask: Callable[[], Known], otherwise: Known, what: str) -> Known:
    """Return what is to be known elsewhere; where that is out of reach, say so and go on without.

    what: is not known then, as in `whether the server takes it`.
    """
    try:
        return ask()
    except ServerError as error:
        warn([f"not known: {what} ({error.what})"], "note")
        return otherwise
