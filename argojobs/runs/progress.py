"""How whoever asked for something hears of what is going on: one function, which they bring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

#: `progress` is what is being done now, a `note` is worth knowing, a `warning` may need a change.
Kind = Literal["progress", "note", "warning"]

#: Takes one line; it may be called from any thread.
Tell = Callable[[Kind, str], None]


def silent(_kind: Kind, _text: str) -> None:
    """Take a line and show it to nobody."""
