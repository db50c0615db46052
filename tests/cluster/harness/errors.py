"""What can go wrong with the harness, said in one line each."""

from __future__ import annotations


class HarnessError(Exception):
    """The cluster could not be started, used or cleaned away; the text says why and what to do."""


class Missing(HarnessError):
    """Something that this machine lacks and that the harness can't bring; one line each."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines
