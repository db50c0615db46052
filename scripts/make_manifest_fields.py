"""Writes `argojobs/manifest/fields.json` and `argojobs/manifest/objects.py`, of Argo's own schema.

The first is a table: the known fields of a Workflow and its kin, and their types. It is made of
`api/jsonschema/schema.json` in github.com/argoproj/argo-workflows, at the tags of the versions that
are named, the oldest first. The table of today is of:

    python scripts/make_manifest_fields.py 4.0=v4.0.5.json 4.1=v4.1.2.json

The fields and types are the last one's. The file has three parts: `fields` maps an object's name to
its fields, and a field to its type: a kind of scalar ("string", "integer", "number", "boolean",
"quantity", "integer-or-string", "any"), the name of an object, `["list", TYPE]` or `["map", TYPE]`.
`since` has the first version of what the oldest lacks; `status` is as `fields`, of what the
controller writes.

The second has a TypedDict of each object that the code reads, for mypy; without arguments it is
written of the table that is there.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parent.parent / "argojobs" / "manifest" / "fields.json"
OBJECTS = TABLE.with_name("objects.py")

_ARGO = "io.argoproj.workflow.v1alpha1."
_ROOTS = ("Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow", "WorkflowStep")
_STATUS = ("WorkflowStatus", "NodeStatus")
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
    """Write both files. arguments: the schemas, VERSION=FILE each, or none for the types alone."""
    if arguments:
        TABLE.write_text(table_text(dict(one.split("=", 1) for one in arguments)), encoding="utf-8")
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    OBJECTS.write_text(types_text({**table["fields"], **table["status"]}), encoding="utf-8")


def table_text(files: Mapping[str, str]) -> str:
    """Return the table of schemas. files: the file of each version, the oldest first."""
    schemas = {
        version: json.loads(Path(file).read_text(encoding="utf-8"))
        for version, file in files.items()
    }
    tables = {version: table_of(schema, _ROOTS) for version, schema in schemas.items()}
    newest = list(tables.values())[-1]
    since = {name: found for name in newest if (found := dict(_since(tables, name)))}
    status = table_of(list(schemas.values())[-1], _STATUS)
    written = {name: fields for name, fields in status.items() if name not in newest}
    parts = {"fields": newest, "since": since, "status": written}
    return "{" + ",\n".join(f'"{name}": {_lines(part)}' for name, part in parts.items()) + "}\n"


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


def table_of(schema: Schema, roots: Iterable[str]) -> Fields:
    """Return some objects and those that they can hold, with their fields."""
    definitions = schema["definitions"]
    found: Fields = {}
    of: dict[str, str] = {}
    pending = [_ARGO + name for name in roots]
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


#: The objects that the code reads; whatever else is in them is a plain dict.
_TYPED = (
    "Workflow", "ObjectMeta", "WorkflowSpec", "WorkflowStatus", "NodeStatus", "NodeFlag",
    "Template", "Metadata", "TemplateRef", "DAGTemplate", "DAGTask", "LifecycleHook", "Arguments",
    "Inputs", "Outputs", "Parameter", "ValueFrom", "Artifact", "RetryStrategy", "Container",
    "ScriptTemplate", "ContainerSetTemplate", "EnvVar", "ResourceRequirements",
)  # fmt: skip
#: Objects that are others with a field more or less: a step is a task that depends on no other.
_AS = {"WorkflowStep": "DAGTask", "UserContainer": "Container", "ContainerNode": "Container"}
_PYTHON = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "integer-or-string": "int | str",
    "quantity": "float | str",
}
#: What is null until it is known.
_UNKNOWN_AT_FIRST = {"startedAt", "finishedAt"}
#: The status has its type here alone; a value that our own code and a user's file may give as what
#: it is, before it becomes text, has none.
_BY_HAND = {
    ("Workflow", "status"): "WorkflowStatus",
    ("Parameter", "value"): "Any",
    ("Parameter", "default"): "Any",
    ("ValueFrom", "default"): "Any",
}
_HEADER = '''"""Argo's objects as types: what mypy knows of a manifest. Written by a script, not by hand.

Made by `scripts/make_manifest_fields.py` of Argo's schema. Every field may be missing; a manifest
that nobody has checked may have null, or anything, in its place. Nothing here exists at run time:
import it below `if TYPE_CHECKING`.
"""

# ruff: noqa: UP013 - a line a field would be three times as long
# fmt: off
from __future__ import annotations

from typing import Any, TypedDict

#: What is in them that the code does not read.
Object = dict[str, Any]
'''


def types_text(fields: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the module with the types. fields: of every object."""
    return "\n".join([_HEADER, *(_typed(name, fields[name]) for name in _TYPED), ""])


def _typed(name: str, fields: Mapping[str, Any]) -> str:
    types = {
        field: _BY_HAND.get((name, field)) or _python(kind) + _or_null(field)
        for field, kind in sorted(fields.items())
    }
    # The types are texts, as some stand further below; a line breaks only between fields.
    parts = (f'"{field}": "{kind}"'.replace(" ", "~") for field, kind in types.items())
    head, body = f'{name} = TypedDict("{name}", {{', textwrap.fill(", ".join(parts), 95)
    body = body.replace("~", " ")
    if "\n" not in body and len(f"{head}{body}}}, total=False)") <= 100:
        return f"{head}{body}}}, total=False)"
    return f"{head}\n{textwrap.indent(body, '    ')},\n}}, total=False)"


def _or_null(field: str) -> str:
    return " | None" if field in _UNKNOWN_AT_FIRST else ""


def _python(kind: Any) -> str:
    if isinstance(kind, str):
        plain = "Any" if kind == "any" else "Object"
        kind = _AS.get(kind, kind)
        return _PYTHON.get(kind, kind if kind in _TYPED else plain)
    return f"list[{_python(kind[1])}]" if kind[0] == "list" else f"dict[str, {_python(kind[1])}]"


if __name__ == "__main__":
    main(sys.argv[1:])
