"""Writes `argojobs/manifest/fields.json`: the known fields of a Workflow and its kin, and their types.

It is made of Argo's own schema, `api/jsonschema/schema.json` in github.com/argoproj/argo-workflows, at
the tags of the versions that are named, the oldest first. The table of today is of:

    python scripts/make_manifest_fields.py 4.0=v4.0.5.json 4.1=v4.1.2.json

The fields and types are the last one's. The file has two parts: `fields` maps an object's name to
its fields, and a field to its type: a kind of scalar ("string", "integer", "number", "boolean",
"quantity", "integer-or-string", "any"), the name of an object, `["list", TYPE]` or `["map", TYPE]`.
`since` has the first version of what the oldest lacks.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parent.parent / "argojobs" / "manifest" / "fields.json"

_ARGO = "io.argoproj.workflow.v1alpha1."
_ROOTS = ("Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow", "WorkflowStep")
_SCALARS = {"string", "integer", "number", "boolean"}
_BY_NAME = {
    "Quantity": "quantity",
    "IntOrString": "integer-or-string",
    "Time": "string",
    "MicroTime": "string",
    "FieldsV1": "any",
    "Amount": "any",
    "Item": "any",
    "Plugin": "any",
    "ExecutorPlugin": "any",
}
#: What the system writes, or other controllers read: taken as it is.
_OPAQUE = {("Workflow", "status"), ("CronWorkflow", "status"), ("ObjectMeta", "managedFields")}
Schema = Mapping[str, Any]
Fields = dict[str, dict[str, Any]]


def main(arguments: list[str]) -> None:
    """Write the table of the schemas that are named: VERSION=FILE each."""
    if not arguments:
        raise SystemExit(__doc__)
    tables: dict[str, Fields] = {}
    for argument in arguments:
        version, _, file = argument.partition("=")
        tables[version] = table_of(json.loads(Path(file).read_text(encoding="utf-8")))
    newest = list(tables.values())[-1]
    since = {name: found for name in newest if (found := dict(_since(tables, name)))}
    parts = [f'"fields": {_lines(newest)}', f'"since": {_lines(since)}']
    TARGET.write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")


def _lines(table: Mapping[str, Mapping[str, Any]]) -> str:
    lines = [
        f" {json.dumps(name)}: {json.dumps(dict(sorted(table[name].items())))}"
        for name in sorted(table)
    ]
    return "{\n" + ",\n".join(lines) + "\n}"


def _since(tables: Mapping[str, Fields], name: str) -> Iterator[tuple[str, str]]:
    """Yield the fields of an object that the oldest version lacks, and the first that has each."""
    oldest, *_ = tables.values()
    *_, newest = tables.values()
    for field in newest[name] if name in oldest else ():
        if field not in oldest[name]:
            yield field, next(v for v, one in tables.items() if field in one.get(name, ()))


def table_of(schema: Schema) -> Fields:
    """Return the objects that a manifest can hold, with their fields."""
    definitions = schema["definitions"]
    found: Fields = {}
    of: dict[str, str] = {}
    pending = [_ARGO + name for name in _ROOTS]
    while pending:
        definition = pending.pop()
        name = _name(definition)
        if of.setdefault(name, definition) != definition:
            raise SystemExit(f"two objects are called {name}: {of[name]} and {definition}")
        if name not in found:
            properties = definitions[definition].get("properties") or {}
            found[name] = {
                field: "any" if (name, field) in _OPAQUE else _type(one, definitions, pending)
                for field, one in properties.items()
            }
    return found


def _name(definition: str) -> str:
    # Argo's HTTPHeader is not Kubernetes' own.
    last = definition.rpartition(".")[2]
    return "ArgoHTTPHeader" if definition == _ARGO + "HTTPHeader" else last


def _type(one: Schema, definitions: Schema, pending: list[str]) -> Any:
    reference = one.get("$ref")
    if reference is None:
        kind = one.get("type", "any")
        if kind == "array":
            return ["list", _type(one["items"], definitions, pending)]
        if kind == "object" and "additionalProperties" in one:
            return ["map", _type(one["additionalProperties"], definitions, pending)]
        return kind if kind in _SCALARS else "any"
    definition = reference.rpartition("/")[2]
    name = _name(definition)
    if name in _BY_NAME:
        return _BY_NAME[name]
    if definitions[definition].get("type") != "object":
        return _type(definitions[definition], definitions, pending)
    pending.append(definition)
    return name


if __name__ == "__main__":
    main(sys.argv[1:])
