"""Who takes the calls of steps now: a trace, a branch that is not taken, or nobody."""

from __future__ import annotations

from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Recorder(Protocol):
        """Takes calls instead of the functions."""

        def call(self, callee: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
            """Take a call of a step or pipeline and return what stands for its outputs.

            Args:
                callee: the step or pipeline.
                arguments: by position.
                keywords: arguments by name.
            """
            ...

        def compose(self, cls: type, values: dict[str, Any]) -> Any:
            """Take outputs that are put together and return what stands for them."""
            ...


#: None: a step that is called is its function.
recorder: ContextVar[Recorder | None] = ContextVar("argojobs-recorder", default=None)
