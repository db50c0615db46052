"""How much work expressions may do: whatever a text asks for, it ends in an error before it holds anybody up.

Work is counted in steps (a node of a tree, an element of a list, some characters of a text), so that the same text
gives the same answer on every machine. What many expressions do one after the other, and the few things whose work is
not known before (all matches of a pattern), are held by the CPU time of the thread as well. Budgets nest: what is
spent inside counts outside.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import thread_time

from argojobs.errors import ExpressionError

MOST_STEPS = 2_000_000
"""Steps of one expression: two or three seconds of CPU time."""
MOST_SECONDS = 5.0
"""CPU seconds of one expression; more than MOST_STEPS take on any machine but a very slow one."""

_CHARACTERS = 10  # of a text that is looked at, to a step
_LOOK_EVERY = 1000  # steps between two looks at the CPU time


class _Budget:
    __slots__ = ("ends", "look_at", "steps")

    def __init__(self, steps: int, ends: float) -> None:
        self.steps = steps
        self.ends = ends
        self.look_at = steps - _LOOK_EVERY


_current: ContextVar[_Budget | None] = ContextVar("budget", default=None)


@contextmanager
def bounded(steps: int = MOST_STEPS, seconds: float = MOST_SECONDS) -> Iterator[None]:
    """Have all evaluation inside take at most so many steps and CPU seconds together, or what is left outside."""
    outer = _current.get()
    ends = thread_time() + seconds
    if outer is not None:
        steps, ends = max(0, min(steps, outer.steps)), min(ends, outer.ends)
    budget = _Budget(steps, ends)
    token = _current.set(budget)
    try:
        yield
    finally:
        _current.reset(token)
        if outer is not None:
            outer.steps -= steps - budget.steps


def spend(steps: int = 1) -> None:
    """Count work that is about to be done. Raises ExpressionError when it is too much; free outside `bounded`."""
    budget = _current.get()
    if budget is None:
        return
    budget.steps -= steps
    if budget.steps > budget.look_at:
        return
    budget.look_at = budget.steps - _LOOK_EVERY
    if budget.steps < 0 or thread_time() > budget.ends:
        budget.steps, budget.look_at = 0, MOST_STEPS  # whoever catches this gets no further
        budget.ends = 0.0
        raise ExpressionError(
            f"the expression takes more than {MOST_STEPS} steps",
            hint="do this work in a step of its own",
        )


def size(value: object) -> int:
    """The steps that looking at a value once takes, what is inside its elements not counted."""
    if isinstance(value, (str, bytes)):
        return len(value) // _CHARACTERS
    return len(value) if isinstance(value, (list, dict)) else 0
