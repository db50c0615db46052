# travels with: job
"""Which checkpoints of a job stay: the last two that were committed."""

from __future__ import annotations

import threading
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from argojobs.job.store import Store


def outdated(names: Iterable[str], committed: str, before: str | None) -> list[str]:
    """Return the checkpoints that are no longer needed.

    Args:
        names: of all that there are, halves too; `RANK-NUMBER-N`.
        committed: the one that was committed now. What the same attempt made after it waits for its
            own commit, and newer attempts know themselves what they need.
        before: the one that was committed before it, or gone on from.
    """
    rank, *here = _parts(committed)
    return sorted(
        name
        for name in names
        if name not in (committed, before)
        and (parts := _parts(name))
        and parts[0] == rank
        and parts[1:] < here
    )


def _parts(name: str) -> list[int]:
    parts = name.split("-")
    return [*map(int, parts)] if len(parts) == 3 and all(map(str.isdecimal, parts)) else []


class Remover:
    """Removes checkpoints on a thread of its own: it may take seconds.

    say: called with a text for the user if one cannot be removed.
    """

    def __init__(self, store: Store, say: Callable[[str], None]) -> None:
        self._store = store
        self._say = say

    def keep_only(self, committed: str, before: str | None) -> None:
        """Remove what is outdated."""
        names = {*self._store.checkpoints(), *self._store.halves()}
        self.remove(outdated(names, committed, before))

    def remove(self, names: list[str]) -> None:
        """Remove these, soon; a process that is ending leaves them to the next attempt."""
        thread = threading.Thread(
            target=self._remove, args=(names,), name="argojobs-remove", daemon=True
        )
        if names:
            with suppress(RuntimeError):  # no thread can be started any more
                thread.start()

    def _remove(self, names: list[str]) -> None:
        for name in names:
            try:
                self._store.remove(name)
            except OSError as error:
                self._say(f"checkpoint {name} cannot be removed: {error.strerror or error}")
