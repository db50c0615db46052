"""Writes `argojobs/manifest/fields.json`: the known fields of a Workflow and its kin, and their types.

The names come from hera's models, which are generated from Argo's own schema. Run it after
hera's version was raised, and look at the difference:

    python scripts/make_manifest_fields.py

The file maps an object's name to its fields, and a field to its type: a kind of scalar ("string",
"integer", "number", "boolean", "quantity", "integer-or-string", "any"), the name of an object,
`["list", TYPE]`, `["map", TYPE]` or `["enum", ...]`.
"""

from __future__ import annotations

import datetime as dt
import enum
import json
import types
import typing
from pathlib import Path
from typing import Any

from hera.workflows import models
from pydantic import BaseModel, RootModel

TARGET = Path(__file__).parent.parent / "argojobs" / "manifest" / "fields.json"

_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean"}
_BY_NAME = {
    "Quantity": "quantity",
    "IntOrString": "integer-or-string",
    "Item": "any",
    "Time": "string",
    "MicroTime": "string",
    "ParallelSteps": ["list", "WorkflowStep"],
    "FieldsV1": "any",
    "Amount": "any",
}
#: What the system writes, or other controllers read: taken as it is.
_OPAQUE = {("Workflow", "status"), ("CronWorkflow", "status"), ("ObjectMeta", "managedFields")}
#: In Argo, not in hera's models.
_ADDED: dict[str, dict[str, Any]] = {
    "WorkflowSpec": {
        "executorPlugins": ["list", "any"],
        "podResources": "ResourceRequirements",
        "resourceClaims": ["list", "any"],
    },
    "Template": {"plugin": "any", "resourceClaims": ["list", "any"]},
}


def main() -> None:
    """Write the table."""
    table: dict[str, dict[str, Any]] = {}
    pending: list[type[BaseModel]] = [
        models.Workflow,
        models.WorkflowTemplate,
        models.ClusterWorkflowTemplate,
        models.CronWorkflow,
        models.WorkflowStep,
    ]
    seen: dict[str, type[BaseModel]] = {}
    while pending:
        model = pending.pop()
        name = _name(model)
        if name not in seen:
            seen[name] = model
            table[name] = _fields(model, pending)
        elif seen[name] is not model:
            raise SystemExit(f"two models are called {name}: {seen[name]} and {model}")
    for name, fields in _ADDED.items():
        table[name].update(fields)
    lines = [
        f" {json.dumps(name)}: {json.dumps(dict(sorted(table[name].items())))}"
        for name in sorted(table)
    ]
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _name(model: type[BaseModel]) -> str:
    # Argo's HTTPHeader is not Kubernetes' own.
    ours = model.__name__ == "HTTPHeader" and "argoproj" in model.__module__
    return "ArgoHTTPHeader" if ours else model.__name__


def _fields(model: type[BaseModel], pending: list[type[BaseModel]]) -> dict[str, Any]:
    fields = {}
    for name, field in model.model_fields.items():
        alias = field.alias or name
        opaque = (model.__name__, alias) in _OPAQUE
        fields[alias] = "any" if opaque else _type(field.annotation, pending)
    return fields


def _type(annotation: Any, pending: list[type[BaseModel]]) -> Any:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _type(arguments[0], pending)
    if origin in (typing.Union, types.UnionType):
        kinds = [_type(one, pending) for one in arguments if one is not type(None)]
        return kinds[0] if len(kinds) == 1 else _one_of(kinds)
    if origin is list:
        return ["list", _type(arguments[0], pending)]
    if origin is dict:
        return ["map", _type(arguments[1], pending)]
    if origin is typing.Literal:
        return ["enum", *arguments]
    if isinstance(annotation, type):
        return _class_type(annotation, pending)
    return "any"


def _one_of(kinds: list[Any]) -> Any:
    if sorted(map(str, kinds)) == ["integer", "string"]:
        return "integer-or-string"
    raise SystemExit(f"no rule for a field that is one of {kinds}")


def _class_type(cls: type, pending: list[type[BaseModel]]) -> Any:
    if cls in _SCALARS:
        return _SCALARS[cls]
    if cls.__name__ in _BY_NAME:
        return _BY_NAME[cls.__name__]
    if issubclass(cls, enum.Enum):
        return ["enum", *(member.value for member in cls)]
    if issubclass(cls, RootModel):
        return _type(cls.model_fields["root"].annotation, pending)
    if issubclass(cls, BaseModel):
        pending.append(cls)
        return _name(cls)
    if issubclass(cls, (dt.datetime, bytes)):
        return "string"
    return "any"


if __name__ == "__main__":
    main()
