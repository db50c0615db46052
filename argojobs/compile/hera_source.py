"""A manifest as a readable hera program: `argojobs compile FILE --to hera`.

One variable a template, in the manifest's order, and a Workflow at the end, named `workflow`.
Executed, it builds an equal manifest; a test does so for every golden manifest.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from argojobs.compile.hera_out import to_hera

if TYPE_CHECKING:
    from pydantic import BaseModel

_WIDTH = 100
_TAKEN = frozenset({"m", "workflow", "Workflow"})
#: What `Workflow` says by itself.
_IMPLIED = frozenset({"api_version", "kind", "status", "workflows_service", "templates"})


class _Name:
    """A variable, as it stands in the program."""

    def __init__(self, name: str) -> None:
        self.name = name


class _Call:
    """A constructor and its keyword arguments."""

    def __init__(self, name: str, arguments: Mapping[str, Any]) -> None:
        self.name = name
        self.arguments = arguments


def to_hera_source(manifest: Mapping[str, Any]) -> str:
    """Return the program. Raises what `to_hera` raises for the same manifest."""
    workflow = to_hera(manifest)
    lines = ["from hera.workflows import Workflow", "from hera.workflows import models as m", ""]
    variables: list[_Name] = []
    for template in workflow.templates:
        name = _variable(getattr(template, "name", None) or "template", variables)
        variables.append(_Name(name))
        lines += [f"{name} = {_printed(_described(template), len(name) + 3)}", ""]
    arguments = {
        name: _described(value)
        for name, value in vars(workflow).items()
        if name not in _IMPLIED and value is not None and value != []
    }
    lines.append(
        "workflow = " + _printed(_Call("Workflow", arguments | {"templates": variables}), 11)
    )
    body = "\n".join(lines)
    return body + '\n\nif __name__ == "__main__":\n    print(workflow.to_yaml())\n'


def _variable(name: str, taken: list[_Name]) -> str:
    """Return an identifier for a template that no other one has."""
    base = re.sub(r"\W", "_", name, flags=re.ASCII)
    if not base.isidentifier() or keyword.iskeyword(base) or base in _TAKEN:
        base = f"template_{base}"
    used = {each.name for each in taken}
    found, number = base, 2
    while found in used:
        found, number = f"{base}_{number}", number + 1
    return found


def _set_fields(model: BaseModel) -> list[tuple[str, Any]]:
    """Return the fields of a hera object that were set, its name first, then by its class."""
    names = [name for name in type(model).model_fields if name in model.model_fields_set]
    names.sort(key=lambda name: name != "name")
    return [(name, value) for name in names if (value := getattr(model, name)) is not None]


def _described(value: Any) -> Any:
    """Turn hera's objects into calls, all else stays."""
    from enum import Enum

    from pydantic import BaseModel

    if isinstance(value, BaseModel):
        names = list(type(value).model_fields)
        if names == ["root"]:
            return _described(value.root)  # type: ignore[attr-defined]
        fields = {name: _described(each) for name, each in _set_fields(value)}
        return _Call(f"m.{type(value).__name__}", fields)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list | tuple):
        return [_described(each) for each in value]
    if isinstance(value, dict):
        return {key: _described(each) for key, each in value.items()}
    return value


def _printed(value: Any, column: int, indentation: int = 0) -> str:
    """Print a value on one line if it fits after `column`, else one part a line."""
    flat = _flat(value)
    if len(flat) + column <= _WIDTH and not _has_lines(value):
        return flat
    inner = indentation + 4
    margin = " " * inner
    if isinstance(value, _Call):
        parts = [
            f"{margin}{name}={_printed(each, inner + len(name) + 2, inner)},"
            for name, each in value.arguments.items()
        ]
        opening, closing = f"{value.name}(", ")"
    elif isinstance(value, dict):
        parts = [
            f"{margin}{_literal(key)}: {_printed(each, inner + len(repr(key)) + 3, inner)},"
            for key, each in value.items()
        ]
        opening, closing = "{", "}"
    elif isinstance(value, list):
        parts = [f"{margin}{_printed(each, inner + 1, inner)}," for each in value]
        opening, closing = "[", "]"
    elif isinstance(value, str) and _has_lines(value):
        parts = [f"{margin}{_literal(line)}" for line in value.splitlines(keepends=True)]
        opening, closing = "(", ")"
    else:
        return flat
    return "\n".join([opening, *parts, " " * indentation + closing])


def _has_lines(value: Any) -> bool:
    """Whether there is a text of several lines in it, which is shown line by line."""
    if isinstance(value, str):
        return "\n" in value[:-1]
    if isinstance(value, _Call | dict):
        parts = value.arguments if isinstance(value, _Call) else value
        return any(_has_lines(each) for each in parts.values())
    return isinstance(value, list) and any(_has_lines(each) for each in value)


def _flat(value: Any) -> str:
    if isinstance(value, _Name):
        return value.name
    if isinstance(value, _Call):
        arguments = ", ".join(f"{name}={_flat(each)}" for name, each in value.arguments.items())
        return f"{value.name}({arguments})"
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{_literal(key)}: {_flat(each)}" for key, each in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(_flat(each) for each in value) + "]"
    return _literal(value)


def _literal(value: Any) -> str:
    """Return a constant as source, text in double quotes where that needs no escapes."""
    text = repr(value)
    if isinstance(value, str) and text.startswith("'") and '"' not in text:
        text = f'"{text[1:-1]}"'
    return text
