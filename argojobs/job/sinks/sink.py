# travels with: job
"""What a sink is, and what it is told about the process whose rows it gets."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argojobs.job.batch import Batch


class Sink(Protocol):
    """Takes each durable batch."""

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

    @classmethod
    def of(cls, name: str, head: dict[str, Any]) -> Process:
        """Return the process of an attempt: `0-3`, or `0-3.1` for a child.

        head: what its first line says of the job.
        """
        whole, _, child = name.partition(".")
        rank, _, attempt = whole.partition("-")
        texts = {key: str(head.get(key, "")) for key in ("job", "run", "step", "host", "user")}
        return cls(rank=int(rank), attempt=int(attempt), child=int(child or 0), **texts)

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
