"""The arguments of a step's function: parameters from the environment, artifacts from their places."""

from __future__ import annotations

import os

from ..errors import InputError, ParameterError
from . import places
from .environment import parameter_variable
from .wire import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..dsl.fields import Field
    from ..dsl.signature import Input


def arguments(inputs: Mapping[str, Input], environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments by name. Raises InputError for one that did not arrive as declared.

    An optional artifact that is not there is None. A parameter that is not there has its default.
    """
    return {name: _argument(each, environment) for name, each in inputs.items()}


def _argument(declared: Input, environment: Mapping[str, str]) -> Any:
    name = declared.name
    if declared.kind == "parameter":
        if _text(name, environment) is None and not declared.required:
            return declared.default
        return _parameter(name, declared.annotation, name, environment)
    if declared.kind == "artifact":
        return _artifact(name, declared.cls, places.input_path(name), declared.optional)
    if declared.kind == "gathered":
        return _gathered(declared, environment)
    return _outputs(declared, environment)


def _text(name: str, environment: Mapping[str, str]) -> str | None:
    """Return the wire text of a parameter: of its variable, or of its file; None without either."""
    text = environment.get(parameter_variable(name))
    path = places.parameter_file(name)
    if text is None and os.path.exists(path):
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            text = file.read()
    return text


def _parameter(label: str, annotation: Any, name: str, environment: Mapping[str, str]) -> Any:
    text = _text(name, environment)
    if text is None:
        raise _not_set(label, name)
    try:
        return _decoded(text, annotation)
    except ParameterError as error:
        raise InputError(
            f"the parameter {label!r}: {error.what}",
            hint=error.hint or "look at the value the step before handed on, or at --params.",
        ) from error


def _decoded(text: str, annotation: Any) -> Any:
    """Decode a parameter's text, or the list that Argo makes of the texts of a fan-out's items."""
    if not text.startswith("[") or getattr(annotation, "__origin__", None) is not list:
        return decode(text, annotation)
    try:
        return decode(text, annotation)
    except ParameterError:
        try:
            return _each_decoded(text, annotation.__args__[0])
        except ParameterError:
            pass
        raise


def _each_decoded(text: str, annotation: Any) -> list[Any]:
    """Decode the texts of all items: Argo gathers them in a JSON list of strings.

    Texts that are JSON lists or objects stand in it as such if all of them are (Argo docs: loops,
    aggregation).
    """
    import json

    try:
        items = json.loads(text)
    except ValueError as error:
        raise ParameterError(f"expected a JSON list, got {text!r:.60}") from error
    texts = [item if isinstance(item, str) else json.dumps(item) for item in items]
    return [_decoded(each, annotation) for each in texts]


# travels with: gathered
def _gathered(declared: Input, environment: Mapping[str, str]) -> Any:
    """Return the outputs of all items of a fan-out, in their order."""
    values: dict[str, Any] = {}
    for name, field in declared.fields.items():
        label = f"{declared.name}.{name}"
        if field.kind == "artifact":
            values[name] = _gathered_artifacts(places.input_path(declared.name, name), field.cls)
            continue
        text = _text(f"{declared.name}-{name}", environment)
        if text is None:
            raise _not_set(label, f"{declared.name}-{name}")
        try:
            values[name] = _each_decoded(text, field.annotation)
        except ParameterError as error:
            raise InputError(f"the parameter {label!r}: {error.what}", hint=error.hint) from error
    return declared.annotation(**values)


# travels with: gathered
def _gathered_artifacts(path: str, kind: Any) -> Any:
    """Return the artifacts of all items; an empty list had none, and nothing is at their place."""
    from ..dsl.gathered import GatheredArtifacts, empty_folder

    if not os.path.isdir(path):
        return empty_folder(kind)
    from . import tree

    tree.restore_all(path)
    return GatheredArtifacts(path, kind)


def _not_set(label: str, name: str) -> InputError:
    return InputError(
        f"the parameter {label!r} did not arrive: {parameter_variable(name)} is not set, and "
        f"there is no {places.parameter_file(name)}",
        hint="the manifest and the code do not belong together: compile the pipeline again.",
    )


# travels with: artifacts
def _artifact(label: str, cls: Any, path: str, optional: bool) -> Any:
    """Return an artifact at its place, a directory restored to what it was when it was saved."""
    is_directory = os.path.isdir(path)
    if is_directory:
        # Without a volume around it, Argo mounts an empty folder for one that is not there.
        if optional and not os.listdir(path):
            return None
        from . import tree

        tree.restore_all(path)
    elif not os.path.lexists(path):
        if optional:
            return None
        if cls.__name__ == "Directory":
            # What an empty fan-out gathers. Any other artifact that is not there ends a run before.
            return cls(places.fresh_outputs())
        raise InputError(
            f"the artifact {label!r} did not arrive: there is nothing at {path}",
            hint="look at the outputs of the step it comes from; an artifact that may be missing "
            f"is declared `{cls.__name__} | None`.",
        )
    return cls(path)


# travels with: outputs
def _outputs(declared: Input, environment: Mapping[str, str]) -> Any:
    """Return what another step handed on, the declared fields of it."""
    made = object.__new__(declared.cls)  # the constructor would make places to write to
    for name, field in declared.fields.items():
        made.__dict__[name] = _field(declared.name, field, environment)
    return made


# travels with: outputs
def _field(argument: str, field: Field, environment: Mapping[str, str]) -> Any:
    label = f"{argument}.{field.name}"
    if field.kind == "artifact":
        return _artifact(label, field.cls, places.input_path(argument, field.name), field.optional)
    return _parameter(label, field.annotation, f"{argument}-{field.name}", environment)
