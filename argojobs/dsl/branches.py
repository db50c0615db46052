# travels with: branches
"""Branches: `with when(condition):`, and `either(x, y)` where they meet again.

The same code runs outside of a pipeline: conditions are bools there, the steps of a branch that
is not taken are passed over, and `either` is the first value whose branch was taken.
"""

from __future__ import annotations

from .current import recorder
from .where import here, mistake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Any, TypeVar

    from .eager import Skipped

    T = TypeVar("T")


def when(condition: bool) -> AbstractContextManager[None]:
    """Run the steps of a `with` block only if the condition holds.

    The condition compares outputs and arguments (`tuned.accuracy > 0.9`); combine conditions with
    &, | and ~. Raises DefinitionError for anything else.
    """
    from .eager import Skipped
    from .trace import Tracer

    now = recorder.get()
    if isinstance(now, Tracer):
        from .conditions import condition_of

        return now.branching(condition_of(condition), here())
    given: Any = condition
    if isinstance(given, Skipped) or isinstance(now, _NotTaken):
        return _taken(False)
    if not isinstance(given, int):  # ~True is the int -2
        raise mistake(
            f"{condition!r} is not a condition", "compare a value: when(trained.accuracy > 0.9)"
        )
    return _taken(bool(given & 1))


def _taken(truth: bool) -> AbstractContextManager[None]:
    """Run the block, or let its steps be passed over."""
    from contextlib import contextmanager, nullcontext

    if truth:
        return nullcontext()

    @contextmanager
    def passed_over() -> Any:
        token = recorder.set(_NotTaken())
        try:
            yield
        finally:
            recorder.reset(token)

    return passed_over()


class _NotTaken:
    """Takes the calls inside a branch whose condition is false."""

    def call(self, callee: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Skipped:
        """Run nothing; see `Recorder.call`."""
        del arguments, keywords
        from .eager import Skipped

        return Skipped(callee.name)

    def compose(self, cls: type, values: dict[str, Any]) -> Skipped:
        """Put nothing together."""
        del values
        from .eager import Skipped

        return Skipped(cls.__name__)


def not_(condition: bool) -> bool:
    """Return the opposite of a condition, as `~condition` does, or of a real bool."""
    given: Any = condition
    return not given if isinstance(given, bool) else ~given


def either(*values: T) -> T:
    """Return the value of the branch that was taken: outputs, an artifact, or a parameter.

    One of the values may belong to no branch: it is returned if no branch was taken. Raises
    DefinitionError for values of different kinds.
    """
    from .trace import Tracer

    if len(values) < 2:
        raise mistake("either() joins two values or more", "write either(x, y)")
    now = recorder.get()
    if isinstance(now, Tracer):
        from .join import join

        return join(now, values)  # type: ignore[no-any-return]
    from .eager import Skipped

    for value in values:
        if not isinstance(value, Skipped):
            return value
    if isinstance(now, _NotTaken):
        return values[0]
    raise mistake(
        "none of the branches that either() joins was taken",
        "add a value that belongs to no branch, or let one of the conditions always hold",
    )
