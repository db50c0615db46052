# travels with: job
"""Rows and lines on their way from the training to the writer: a bounded queue without a lock."""

from __future__ import annotations

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from _collections import deque  # `collections` itself takes a third of the import
else:
    from collections import deque
    from collections.abc import Callable

    from argojobs.job.entries import Line, Mark, Ticket
    from argojobs.job.lines import Row

    Entry = Row | Line | Mark | Ticket

#: What a row weighs beside its values; the sum is about the memory it takes, in 40 bytes.
ROW = 8
#: What may wait: 100,000 rows of one value.
MOST = 9 * 100_000


class Buffer:
    """What was logged and not yet taken.

    append: puts a row without looking at the bound, for `job.log` alone. logged: the weight of all
    rows that were put, counted by who puts them; taken: of those that the writer has, counted by it.
    dropped: rows for which there was no room.
    """

    __slots__ = ("_entries", "append", "dropped", "logged", "taken")

    append: Callable[[Entry], None]

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin anew, as a forked child does."""
        self._entries: deque[Entry] = deque()
        self.append = self._entries.append
        self.logged = self.taken = self.dropped = 0

    def put(self, entry: Line | Mark | Ticket) -> None:
        """Put something else than a row; there are few of them."""
        self._entries.append(entry)

    def say(self, text: str) -> None:
        """Put something that is said on standard error, too."""
        from argojobs.job.entries import Note

        self._entries.append(Note(text))

    def waits(self) -> bool:
        """Whether there is anything to take."""
        return bool(self._entries)

    def take(self, most: int) -> list[Entry]:
        """Return the oldest entries, at most so many; for the writer alone."""
        entries = self._entries
        taken: list[Entry] = []
        while entries and len(taken) < most:
            entry = entries.popleft()
            if type(entry) is tuple:
                self.taken += ROW + len(entry[2])
            taken.append(entry)
        if not entries:  # counts of several threads may miss each other: they meet again here
            self.taken = self.logged
        return taken
