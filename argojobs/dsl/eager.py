# travels with: calls branches fanout
"""Steps and pipelines called outside of a pipeline: the functions themselves, one after the other.

Each step gets a temporary folder for its outputs, so that two calls do not share one. A branch
that is not taken is passed over: its steps return `Skipped`, which `either` and `when` know.
Arguments are checked as a run checks them, in its words.
"""

from __future__ import annotations

from ..errors import OutputError, ParameterError, RunFailedError
from .where import mistake, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from .callables import Declared
    from .fields import Field
    from .pipelines import Pipeline
    from .signature import Input
    from .steps import Step


def run_step(step: Step[Any, Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Call a step's function with a folder of its own for what it writes.

    Raises what the function raises, and OutputError for a field left unset.

    Args:
        step: Whose function it is.
        arguments: By position.
        keywords: By name.
    """
    from ..runtime import places

    _check_arguments(step, arguments, keywords)
    with places.writing_to():
        if step.is_command:
            return _run_command(step, arguments, keywords)
        result = step.function(*arguments, **keywords)
    _check(step, result)
    return result


def run_pipeline(
    pipeline: Pipeline[Any, Any], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    """Call a pipeline's function: its steps run in order. Raises as `run_step` does.

    Args:
        pipeline: Whose function it is.
        arguments: By position.
        keywords: By name.
    """
    _check_arguments(pipeline, arguments, keywords)
    return pipeline.function(*arguments, **keywords)


def _check_arguments(
    callee: Declared, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> None:
    """Raise DefinitionError for an argument that is not what the function declares.

    How many there are and what they are called, Python says itself when the function is called.
    """
    declared = callee.signature
    positional = zip(declared.names, arguments)  # noqa: B905 - Python tells of too many
    for name, value in (*positional, *keywords.items()):
        one = declared.inputs.get(name)
        if one is not None and (one.required or value is not one.default):
            _check_argument(one, value, f"the argument {name!r} of {callee.name}")


def _check_argument(declared: Input, value: Any, what: str) -> None:
    if isinstance(value, Skipped):
        value.refuse()
    if declared.kind == "parameter":
        _check_parameter(declared.fields[declared.name], value, what)
    elif declared.kind == "gathered":
        from .gathered import Gathered, NothingGathered

        if not isinstance(value, (Gathered, NothingGathered)):
            raise mistake(
                f"{what} takes what each() gathers of {declared.cls.__name__}, not {shown(value)}",
                "hand over what each(values, function) returned",
            )
    elif not isinstance(value, declared.cls) and not (declared.optional and value is None):
        _check_folder(declared.cls, value, what)


def _check_parameter(field: Field, value: Any, what: str) -> None:
    from ..runtime.outputs import without_arrays
    from ..runtime.types import describe
    from ..runtime.wire import encode

    try:
        encode(without_arrays(value), field.schema)  # a run hands on numbers of numpy as Python's
    except ParameterError as error:
        raise mistake(
            f"{what}: {error.what}", error.hint or f"give it {describe(field.schema)}"
        ) from error


def _check_folder(cls: Any, value: Any, what: str) -> None:
    """Raise DefinitionError unless a value is the folder of a fan-out and the argument takes one."""
    from .artifacts import Directory
    from .gathered import GatheredArtifacts, NothingGathered

    if isinstance(value, (GatheredArtifacts, NothingGathered)) and issubclass(Directory, cls):
        return
    from .outputs import takes_fields

    if takes_fields(cls):
        hint = f"hand over what a step with -> {cls.__name__} returned"
        raise mistake(f"{what} takes {cls.__name__}, not {shown(value)}", hint)
    raise mistake(
        f"{what} takes a {cls.__name__}, not {shown(value)}",
        f"hand over {cls.__name__}(path), or an artifact that a step returned",
    )


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
