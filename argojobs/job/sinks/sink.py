# travels with: job
"""What a sink is, and what it is told about the process whose rows it gets."""

from __future__ import annotations

import sys
from typing import NamedTuple, Protocol

from argojobs.job.batch import Batch


class Sink(Protocol):
    """Takes each durable batch on the writer's thread, at once; `close` sends what it still has."""

    def __call__(self, batch: Batch) -> None:
        """Take a batch. Never raises and never waits."""

    def close(self) -> None:
        """Send what is left, in bounded time; what could not be sent is counted and said."""


class Process(NamedTuple):
    """Whose rows they are: what the first line of an attempt's file says.

    child: 0, or which of the attempt's forked processes this is; it counts as a rank of its own.
    """

    job: str = ""
    run: str = ""
    step: str = ""
    attempt: int = 1
    rank: int = 0
    child: int = 0
    host: str = ""
    user: str = ""

    @property
    def place(self) -> str:
        """Its place among the processes of the attempt: `0` is the first."""
        return f"{self.rank}.{self.child}" if self.child else str(self.rank)

    @property
    def tags(self) -> dict[str, str]:
        """What each of its values is labelled with."""
        return {
            "run": self.run,
            "step": self.step,
            "attempt": str(self.attempt),
            "rank": self.place,
            "host": self.host,
            "user": self.user,
        }


def say(text: str) -> None:
    """Tell the user, on the step's standard error."""
    print(f"argojobs: {text}", file=sys.stderr, flush=True)
