# travels with: job
"""What waits for the writer beside rows."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Line:
    """A line of its own; `content` is what it says."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content


class Note(Line):
    """A line that is said on standard error, too."""

    def __init__(self, text: str) -> None:
        super().__init__({"note": text})
        self.text = text


class After(Line):
    """From here on, the attempt goes on after a mark of an earlier one."""

    def __init__(self, mark: str, next_step: float) -> None:
        super().__init__({"after": mark})
        self.next_step = next_step


class Mark:
    """Everything that was logged before it is done.

    Args:
        epoch: the one that ends here; None between epochs.
        epochs_done: so many are done here.
        checkpoint: the name of the one that is committed here, if any.
        then: called once the mark is durable.
    """

    def __init__(
        self,
        epoch: int | None,
        epochs_done: int,
        checkpoint: str | None,
        then: Callable[[], None] | None = None,
    ) -> None:
        self.epoch = epoch
        self.epochs_done = epochs_done
        self.checkpoint = checkpoint
        self.then = then


class Progress(Line):
    """How much is done, of how much."""

    def __init__(self, done: float, of: float, time: float) -> None:
        super().__init__({"progress": [done, of], "time": time})
        self.done = done
        self.of = of


class Ticket:
    """Asks to be told when all before it is durable."""

    def __init__(self, number: int) -> None:
        self.number = number
