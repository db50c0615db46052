"""What tasks wait for, and so which of them have ended before another begins."""

from __future__ import annotations

from collections.abc import Sequence

from argojobs.errors import ExpressionError
from argojobs.expressions.depends import parse
from argojobs.lint.subject import Caller


def needed_by(task: Caller) -> Sequence[str] | None:
    """Return the tasks that one waits for; None where its `depends` cannot be read."""
    text = task.value.get("depends")
    if not text:
        return task.value.get("dependencies") or ()
    try:
        return parse(text).tasks
    except ExpressionError:
        return None


class Ancestry:
    """The tasks of a dag and what they wait for. Sets of tasks are the bits of one number each."""

    def __init__(self, tasks: Sequence[Caller]) -> None:
        self.direct: dict[str, Sequence[str]] = {}
        self._unread: set[str] = set()  # nothing is known of them, and nothing said
        for task in tasks:
            if task.name not in self.direct:
                needed = needed_by(task)
                self.direct[task.name] = needed or ()
                if needed is None:
                    self._unread.add(task.name)
        self._numbers = {name: index for index, name in enumerate(self.direct)}
        self._above: list[int] | None = None

    def before(self, ancestor: str, name: str) -> bool:
        """Whether a task has ended when another begins."""
        if name in self._unread or ancestor in self.direct.get(name, ()):
            return True
        if ancestor not in self._numbers or name not in self._numbers:
            return False
        if self._above is None:
            self._above = self._all()
        return bool(self._above[self._numbers[name]] >> self._numbers[ancestor] & 1)

    def _all(self) -> list[int]:
        """Return what is above each task, each task after those that it waits for."""
        above = [0] * len(self.direct)
        done: set[str] = set()
        for start in self.direct:
            stack = [(start, iter(self.direct[start]))] if start not in done else []
            done.add(start)
            while stack:
                name, rest = stack[-1]
                other = next(
                    (one for one in rest if one in self._numbers and one not in done), None
                )
                if other is not None:
                    done.add(other)
                    stack.append((other, iter(self.direct[other])))
                    continue
                stack.pop()
                bits = 0
                for one in self.direct[name]:
                    number = self._numbers.get(one)
                    if number is not None:
                        bits |= above[number] | 1 << number
                above[self._numbers[name]] = bits
        return above
