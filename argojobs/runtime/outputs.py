"""What a step hands on: its outputs at the places and in the form that the manifest collects."""

from __future__ import annotations

import os

from ..errors import OutputError, ParameterError, StepError
from . import places
from .wire import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..dsl.signature import Field

_MISSING: Any = object()


def prepare(fields: Mapping[str, Field]) -> None:
    """Make the folders that outputs are written to, before the step begins.

    Raises StepError where this user may not write there: the user's code has not begun.
    """
    try:
        os.makedirs(f"{places.outputs()}/.parameters", exist_ok=True)
        for name, field in fields.items():
            if field.kind == "artifact" and field.cls.is_directory:
                os.makedirs(places.output_path(name), exist_ok=True)
    except OSError as error:
        raise StepError(
            f"cannot write outputs: {error.strerror}",
            where=error.filename or places.outputs(),
            hint="A manifest of ours mounts a folder there. By hand, ARGOJOBS_ROOT=/tmp/step moves "
            "inputs and outputs below another folder.",
        ) from error


def write(step: str, fields: Mapping[str, Field], returns: Any, result: Any) -> None:
    """Write what the function returned. Raises OutputError that names each field left unset."""
    if not fields:
        return
    values = _values(step, fields, returns, result)
    unset = [
        name for name, field in fields.items() if not _is_set(field, values.get(name, _MISSING))
    ]
    if unset:
        raise OutputError(
            f"{step} returned without setting {', '.join(unset)}",
            hint="Assign each field of its outputs, or write to its path, before it returns.",
        )
    for name, field in fields.items():
        if field.kind == "artifact":
            _write_artifact(step, name, values[name])
        else:
            _write_parameter(step, field, values[name])


def _values(step: str, fields: Mapping[str, Field], returns: Any, result: Any) -> dict[str, Any]:
    """Return the values by field; a single return value is the field `result`."""
    from ..dsl.artifacts import SINGLE
    from ..dsl.outputs import takes_fields

    if not takes_fields(returns):
        _check_single(step, fields[SINGLE], result)
        return {SINGLE: result}
    if not isinstance(result, returns):
        raise OutputError(
            f"{step} returned {result!r:.80}, not {returns.__name__}",
            hint=f"Make one with {returns.__name__}(), fill it and return it.",
        )
    return dict(result.__dict__)


def _check_single(step: str, field: Field, result: Any) -> None:
    if (
        field.kind == "artifact"
        and not isinstance(result, str)
        and not hasattr(result, "__fspath__")
    ):
        raise OutputError(
            f"{step} returned {result!r:.80}, not a {field.cls.__name__}",
            hint=f"Return {field.cls.__name__}(path), or {field.cls.__name__}() after writing to it.",
        )


def _is_set(field: Field, value: Any) -> bool:
    if value is _MISSING:
        return False
    return field.kind == "parameter" or os.path.lexists(os.fspath(value))


def _write_parameter(step: str, field: Field, value: Any) -> None:
    try:
        text = encode(_without_array(value), field.schema)
    except ParameterError as error:
        raise OutputError(
            f"{step} set {field.name}: {error.what}",
            hint=error.hint or f"The field is declared as {field.annotation!r}.",
        ) from error
    _write_text(places.parameter_path(field.name), text)


def _without_array(value: Any) -> Any:
    """Return the Python number in a numpy, JAX or torch scalar."""
    item = getattr(value, "item", None)
    if item is None or type(value).__module__ == "builtins" or getattr(value, "shape", ()) != ():
        return value
    return item()


def _write_text(path: str, text: str) -> None:
    """Write a parameter's file: its text and one newline, which Argo takes off again."""
    try:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text + "\n")
    except OSError as error:
        raise OutputError(
            f"cannot write an output: {error.strerror}",
            where=path,
            hint="Look at the space that is left there, and whether the step removed the folder.",
        ) from error


def _write_artifact(step: str, name: str, value: Any) -> None:
    """Bring an artifact to its place, if it is somewhere else, and save what a store would lose."""
    path, place = os.fspath(value), places.output_path(name)
    try:
        if os.path.realpath(path) != os.path.realpath(place):
            _copy(path, place)
    except OSError as error:
        raise OutputError(
            f"{step} set {name}, which cannot be copied to {place}: {error}",
            where=path,
            hint=f"Write it where it is collected: to the path of {name} itself.",
        ) from error
    if os.path.isdir(place):
        from . import tree

        tree.save(place)


def _copy(path: str, place: str) -> None:
    import shutil

    if os.path.isdir(path):
        shutil.copytree(path, place, symlinks=True, dirs_exist_ok=True)
    else:
        if os.path.isdir(place):
            shutil.rmtree(place)
        shutil.copy2(path, place)


def save_what_is_there(fields: Mapping[str, Field]) -> None:
    """After a failure: let the folders written so far be collected whole (a log, checkpoints)."""
    for name, field in fields.items():
        place = places.output_path(name)
        if field.kind == "artifact" and os.path.isdir(place):
            from . import tree

            tree.save(place)


def read_command_parameters(step: str, fields: Mapping[str, Field], made: Any) -> None:
    """Set the parameters that a command's program wrote to their files on its outputs.

    Raises OutputError for a text that is no value of the declared type.
    """
    from .wire import decode

    for name, field in fields.items():
        path = places.parameter_path(name)
        if field.kind != "parameter" or not os.path.exists(path):
            continue
        try:
            with open(path, encoding="utf-8", newline="") as file:
                text = file.read()
            text = text.removesuffix("\n")
            made.__dict__[name] = decode(text, field.annotation)
        except (ParameterError, UnicodeDecodeError) as error:
            raise OutputError(
                f"{step} wrote {name}: {getattr(error, 'what', error)}",
                where=path,
                hint=f"The field is declared as {field.annotation!r}.",
            ) from error
