# travels with: calls branches fanout
"""Steps and pipelines called outside of a pipeline: the functions themselves, one after the other.

Each step gets a temporary folder for its outputs, so that two calls do not share one. A branch
that is not taken is passed over: its steps return `Skipped`, which `either` and `when` know.
"""

from __future__ import annotations

from ..errors import OutputError, RunFailedError
from .current import recorder
from .given import check_arguments
from .where import mistake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from .pipelines import Pipeline
    from .steps import Step


def run_step(step: Step[Any, Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Call a step's function with a folder of its own for what it writes.

    Raises what the function raises, and OutputError for a field left unset.
    """
    from ..runtime import places

    check_arguments(step, arguments, keywords)
    with places.writing_to():
        if step.is_command:
            return _run_command(step, arguments, keywords)
        result = step.function(*arguments, **keywords)
    _check(step, result)
    return result


def run_pipeline(
    pipeline: Pipeline[Any, Any], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    """Call a pipeline's function: its steps run in order. Raises as `run_step` does."""
    check_arguments(pipeline, arguments, keywords)
    return pipeline.function(*arguments, **keywords)


def _check(step: Step[Any, Any], result: Any) -> None:
    """Raise OutputError for what a run would refuse of a result, in its words."""
    from ..runtime.outputs import checked

    try:
        checked(step.name, step.output_fields, step.outputs, result)
    except OutputError as error:
        error.where = step.where
        raise


# travels with: command
def _run_command(step: Step[Any, Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    import subprocess

    outputs = None if step.command_outputs is None else step.command_outputs()
    first = () if outputs is None else (outputs,)
    from ..runtime.command import checked

    argv = checked(step.function(*first, *arguments, **keywords), step.name)
    done = subprocess.run(argv, check=False)  # an argv, no shell
    if done.returncode:
        raise RunFailedError(
            f"{step.name} ended with exit code {done.returncode}",
            where=step.where,
            hint="its own output above says why",
        )
    if outputs is not None:
        from ..runtime.outputs import read_command_parameters

        read_command_parameters(step.name, step.output_fields, outputs)
        _check(step, outputs)
    return outputs


class Skipped:
    """What a step of a branch that is not taken returns."""

    __slots__ = ("step",)

    def __init__(self, step: str) -> None:
        self.step = step

    def __getattr__(self, name: str) -> Skipped:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def _same(self, other: object) -> Skipped:  # noqa: ARG002
        return self

    __and__ = __or__ = __rand__ = __ror__ = _same
    __lt__ = __le__ = __gt__ = __ge__ = _same
    __eq__ = __ne__ = _same  # type: ignore[assignment]
    __hash__ = object.__hash__

    def __invert__(self) -> Skipped:
        return self

    def refuse(self, *_: object) -> NoReturn:
        """Raise DefinitionError: there is no value."""
        raise mistake(
            f"the output of {self.step} is used, but its branch was not taken",
            "use it inside the same `with when(...)`, or through either(x, y)",
        )

    __bool__ = __iter__ = __str__ = __len__ = __getitem__ = __float__ = __int__ = refuse
    __index__ = __fspath__ = __call__ = __add__ = __sub__ = __mul__ = __truediv__ = refuse


# travels with: branches
class NotTaken:
    """Takes the calls inside a branch whose condition is false."""

    def call(self, callee: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Skipped:
        """Take note of nothing and run nothing."""
        del arguments, keywords
        return Skipped(callee.name)

    def compose(self, cls: type, values: dict[str, Any]) -> Skipped:
        """Put nothing together."""
        del values
        return Skipped(cls.__name__)


# travels with: branches
def is_passing_over() -> bool:
    """Whether the code runs inside a branch that is not taken."""
    return isinstance(recorder.get(), NotTaken)
