"""What a step hands on: its outputs at the places and in the form that the manifest collects."""

from __future__ import annotations

import errno
import os
import sys

from ..errors import OutputError, ParameterError, StepError
from . import places
from .types import name_of
from .wire import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..dsl.fields import Field

_MISSING: Any = object()


def prepare(fields: Mapping[str, Field]) -> None:
    """Make the folders that outputs are written to, before the step begins.

    Raises StepError where this user may not write there: the user's code has not begun.
    """
    folders = [places.outputs(), f"{places.outputs()}/.parameters"]
    folders += [
        places.output_path(name)
        for name, field in fields.items()
        if field.kind == "artifact" and field.cls.is_directory
    ]
    try:
        for folder in folders:
            os.makedirs(folder, exist_ok=True)
            if not os.access(folder, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)
    except OSError as error:
        raise StepError(
            f"cannot write outputs: {error.strerror}",
            where=error.filename or places.outputs(),
            hint="a manifest of ours mounts a folder there. By hand, ARGOJOBS_ROOT=/tmp/step moves "
            "inputs and outputs below another folder.",
        ) from error


def write(step: str, fields: Mapping[str, Field], returns: Any, result: Any) -> list[str]:
    """Write what the function returned, and return the paths of the artifacts in it.

    Raises OutputError that names each field left unset.
    """
    written = []
    for name, value in checked(step, fields, returns, result).items():
        if fields[name].kind == "artifact":
            _write_artifact(step, name, value)
            written.append(os.fspath(value))
        else:
            _write_text(places.parameter_path(name), value)
    return written


def checked(step: str, fields: Mapping[str, Field], returns: Any, result: Any) -> dict[str, Any]:
    """Return what the function returned by field: artifacts, and the wire texts of parameters.

    Raises OutputError for a field that is unset or of another type than declared.
    """
    if not fields:
        return {}
    values = _values(step, fields, returns, result)
    unset = [
        name for name, field in fields.items() if not _is_set(field, values.get(name, _MISSING))
    ]
    if unset:
        raise OutputError(
            f"{step} returned without setting {', '.join(unset)}",
            hint="assign each field of its outputs, or write to its path, before it returns.",
        )
    return {
        name: values[name] if field.kind == "artifact" else _text(step, field, values[name])
        for name, field in fields.items()
    }


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
            hint=f"make one with {returns.__name__}(), fill it and return it.",
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
            hint=f"return {field.cls.__name__}(path), or {field.cls.__name__}() after writing to it.",
        )


def _is_set(field: Field, value: Any) -> bool:
    if value is _MISSING:
        return False
    return field.kind == "parameter" or os.path.lexists(os.fspath(value))


def _text(step: str, field: Field, value: Any) -> str:
    try:
        return encode(without_arrays(value), field.schema)
    except ParameterError as error:
        raise OutputError(
            f"{step} set {field.name}: {error.what}",
            hint=error.hint or f"the field is declared as {name_of(field.annotation)}.",
        ) from error


def without_arrays(value: Any) -> Any:
    """Return a value with Python's numbers and lists for those of numpy, JAX or torch in it."""
    if isinstance(value, dict):
        return {key: without_arrays(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_arrays(item) for item in value]
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None and not hasattr(type(value), "__members__"):  # no member of an Enum
        made = {name: getattr(value, name) for name in fields if hasattr(value, name)}
        return {name: without_arrays(item) for name, item in made.items()}
    shape = getattr(value, "shape", None)
    if shape is None or type(value).__module__ == "builtins":
        return value
    convert = getattr(value, "item" if shape == () else "tolist", None)
    return value if convert is None else convert()


def _write_text(path: str, text: str) -> None:
    """Write a parameter's file: its text and one newline, which Argo takes off again."""
    try:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text + "\n")
    except OSError as error:
        raise OutputError(
            f"cannot write an output: {error.strerror}",
            where=path,
            hint="look at the space that is left there, and whether the step removed the folder.",
        ) from error


# travels with: artifacts script
def _write_artifact(step: str, name: str, value: Any) -> None:
    """Bring an artifact to its place, if it is somewhere else, and save what a store would lose."""
    path, place = os.fspath(value), places.output_path(name)
    try:
        if os.path.realpath(path) != os.path.realpath(place):
            _copy(path, place)
        _without_link(place)
    except OSError as error:
        raise OutputError(
            f"{step} set {name}, which cannot be copied to {place}: {error}",
            where=path,
            hint=f"write it where it is collected: to the path of {name} itself.",
        ) from error
    if os.path.isdir(place):
        from . import tree

        tree.save(place)


# travels with: artifacts script
def _copy(path: str, place: str) -> None:
    if os.path.islink(place):  # what it leads to is not ours to write to
        os.unlink(place)
    if os.path.isdir(path):
        from . import links

        links.copy(path, place, dangling=True)
        return
    import shutil

    # The file may lie in the folder that it replaces.
    whole = os.path.join(os.path.dirname(place), ".argojobs-copy")
    shutil.copy2(path, whole)
    if os.path.isdir(place):
        shutil.rmtree(place)
    os.replace(whole, place)


# travels with: artifacts script
def _without_link(place: str) -> None:
    """Put what an output's place leads to in its place: a link elsewhere is nothing elsewhere."""
    if os.path.islink(place):
        from . import links

        links.replace_by_copy(place)


# travels with: artifacts script
def hint(error: BaseException) -> str:
    """Return what to do where a place for an output is, or is not, the folder it was taken for."""
    place = os.path.join(os.path.realpath(places.container_outputs()), "")
    path = getattr(error, "filename", None)
    if not isinstance(path, (str, os.PathLike)) or not os.path.realpath(path).startswith(place):
        return ""
    if isinstance(error, FileExistsError):
        return "the folder of a Directory output is there before the step: leave out mkdir()."
    if isinstance(error, IsADirectoryError):
        return "a Directory output is a folder: write into it, or declare the output as a File."
    if isinstance(error, FileNotFoundError):
        return "an output that may be a file is not there before the step: make its folder first."
    return ""


def save_what_is_there(fields: Mapping[str, Field]) -> None:
    """After a failure: let the folders written so far be collected whole (a log, checkpoints).

    What cannot be saved is told on stderr: the failure itself is what matters.
    """
    for name, field in fields.items():
        place = places.output_path(name)
        if field.kind != "artifact" or not os.path.isdir(place):
            continue
        from . import tree

        try:
            _without_link(place)
            tree.save(place)
        except (OutputError, OSError) as error:
            print(f"argojobs: the output {name} is not saved whole: {error}", file=sys.stderr)


# travels with: command
def read_command_parameters(step: str, fields: Mapping[str, Field], made: Any) -> None:
    """Set the parameters that a command's program wrote to their files on its outputs.

    Raises OutputError for a text that is not a value of the declared type.
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
                hint=f"the field is declared as {name_of(field.annotation)}.",
            ) from error
