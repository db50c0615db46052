# travels with: calls branches fanout
"""The arguments of a call outside of a pipeline: checked as a run checks them, in its words."""

from __future__ import annotations

from ..errors import ParameterError
from .where import mistake, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .callables import Declared
    from .signature import Field, Input


def check_arguments(callee: Declared, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """Raise DefinitionError for an argument that is not what the function declares.

    How many there are and what they are called, Python says itself when the function is called.
    """
    declared = callee.signature
    positional = zip(declared.names, arguments)  # noqa: B905 - Python tells of too many
    for name, value in (*positional, *keywords.items()):
        one = declared.inputs.get(name)
        if one is not None and (one.required or value is not one.default):
            _check(one, value, f"the argument {name!r} of {callee.name}")


def _check(declared: Input, value: Any, what: str) -> None:
    from .eager import Skipped

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
