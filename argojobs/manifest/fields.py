"""The known fields of a Workflow, and what stands where no field is.

A known field in a wrong place is a warning and dropped, as Argo does over REST: the table of
these is closed (`MISPLACED`). Any other unknown field is an error with the nearest name: over
REST Argo would drop it without a word. Types are checked as far as Argo's own reader refuses
them; a number or boolean where text belongs is a warning and taken as its text.

The table of fields (`fields.json`) is made by `scripts/make_manifest_fields.py` from Argo's own
schemas; it says, too, which fields an older Argo does not have. What a newer one no longer has is
in `removed`.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any

from argojobs.units import quantity

from .findings import Finding, error, warning
from .json_read import scalar_text
from .nearest import nearest
from .places import Path
from .removed import REMOVED
from .scalars import WORDS, WrittenText

#: A scalar's kind, an object's name, or ["list", TYPE], ["map", TYPE], ["enum", ...].
FieldType = str | list[Any]

_CRON = "CronWorkflowSpec"
_TEMPLATE_FIELDS_OF_PODS = (
    "activeDeadlineSeconds", "affinity", "annotations", "archiveLocation",
    "automountServiceAccountToken", "hostAliases", "initContainers", "memoize", "metadata",
    "metrics", "nodeSelector", "parallelism", "podSpecPatch", "priorityClassName", "retryStrategy",
    "schedulerName", "serviceAccountName", "sidecars", "synchronization", "timeout", "tolerations",
    "volumes",
)  # fmt: skip
_TO_TEMPLATE = dict.fromkeys(_TEMPLATE_FIELDS_OF_PODS, "the template, beside `container`")
_TO_CONTAINER = dict.fromkeys(
    ("env", "envFrom", "imagePullPolicy", "ports", "resources", "volumeMounts", "workingDir"),
    "the template's `container` or `script`",
)
_TO_METADATA = {"annotations": "`metadata`", "labels": "`metadata`"}

#: Known fields in a wrong place: object, field -> where it belongs.
MISPLACED: dict[str, dict[str, str]] = {
    "Workflow": _TO_METADATA,
    "WorkflowTemplate": _TO_METADATA,
    "ClusterWorkflowTemplate": _TO_METADATA,
    "CronWorkflow": _TO_METADATA,
    "CronWorkflowSpec": _TO_METADATA,
    "WorkflowSpec": {
        **_TO_METADATA,
        "priorityClassName": "`podPriorityClassName`",
        "timeout": "`activeDeadlineSeconds`",
    },
    "Template": {**_TO_CONTAINER, "labels": "the template's `metadata`"},
    "Container": _TO_TEMPLATE,
    "ScriptTemplate": _TO_TEMPLATE,
    "ContainerNode": _TO_TEMPLATE,
    "DAGTask": {**_TO_TEMPLATE, **_TO_CONTAINER, "labels": "the template's `metadata`"},
    "WorkflowStep": {**_TO_TEMPLATE, **_TO_CONTAINER, "labels": "the template's `metadata`"},
}


#: Where a parameter has its value: text, whose list or mapping Argo drops.
_VALUES = frozenset({("Parameter", "value"), ("Parameter", "default"), ("ValueFrom", "default")})


@functools.cache
def _read() -> Mapping[str, Any]:
    text = resources.files(__package__).joinpath("fields.json").read_text(encoding="utf-8")
    made: dict[str, Any] = json.loads(text)
    return made


def table() -> Mapping[str, Mapping[str, FieldType]]:
    """Return the known fields: object -> field -> type."""
    fields: Mapping[str, Mapping[str, FieldType]] = _read()["fields"]
    return fields


def since() -> Mapping[str, Mapping[str, str]]:
    """Return the fields that older versions of Argo lack: object -> field -> first version."""
    versions: Mapping[str, Mapping[str, str]] = _read()["since"]
    return versions


def check_fields(workflow: Mapping[str, Any], kind: str = "Workflow") -> list[Finding]:
    """Return what is wrong with the fields of an object and with their types.

    kind: the object's name in the table (`Workflow`, `Template`, ...).
    """
    walk = _Walk(table(), since())
    walk.object(workflow, kind, ())
    if walk.strangers > _MOST_STRANGERS:
        more = f"and {walk.strangers - _MOST_STRANGERS} more fields that Argo does not know"
        walk.findings.append(error("unknown-field", (), more, "correct those that are named first"))
    return walk.findings


#: How many unknown fields are named, and for how many of them the nearest known name is looked up:
#: a file that is none of Argo's must not cost minutes.
_MOST_STRANGERS = 1000
_MOST_NEAREST = 100


class _Walk:
    """Compares values with the table, and collects what does not fit."""

    def __init__(
        self,
        known: Mapping[str, Mapping[str, FieldType]],
        since: Mapping[str, Mapping[str, str]],
    ) -> None:
        self.known = known
        self.since = since
        self.findings: list[Finding] = []
        self.strangers = 0

    def _value(self, value: Any, kind: FieldType, path: Path) -> None:
        if value is None:
            return  # the same as absent to Argo
        if isinstance(kind, str):
            scalar = _SCALARS.get(kind)
            if scalar is None:
                self.object(value, kind, path)
            elif not scalar[0](value):
                self.findings.append(_scalar_finding(value, kind, path))
            elif kind == "quantity" and quantity(value) is None:
                self.findings.append(_quantity_finding(str(value), path))
        elif kind[0] == "list":
            self._list(value, kind[1], path)
        elif kind[0] == "map":
            self._map(value, kind[1], path)
        elif not isinstance(value, str):  # an enumeration; its values are not checked here
            self.findings.append(_scalar_finding(value, "string", path))

    def object(self, value: Any, kind: str, path: Path) -> None:
        """Compare the fields of an object with those of its kind.

        Args:
            value: a mapping; anything else is a finding.
            kind: its name in the table (`Template`, ...).
            path: where it is, from the top of the object.
        """
        if not isinstance(value, dict):
            self.findings.append(_type_finding("a mapping", value, path))
            return
        fields, newer = self.known[kind], self.since.get(kind, {})
        for name, item in value.items():
            known = fields.get(name)
            if known is None:
                finding = self._stranger(name, kind, path)
                if finding is not None:
                    self.findings.append(finding)
                continue
            if name in newer and item is not None:
                self.findings.append(_newer_finding((*path, name), newer[name]))
            if known == "string" and type(item) is str:
                continue
            if (kind, name) in _VALUES and isinstance(item, (dict, list)):
                self.findings.append(_value_finding(item, (*path, name)))
            else:
                self._value(item, known, (*path, name))

    def _list(self, value: Any, kind: FieldType, path: Path) -> None:
        if not isinstance(value, list):
            self.findings.append(_type_finding("a list", value, path))
            return
        for index, item in enumerate(value):
            if item is None and kind != "any":
                self.findings.append(_empty_finding((*path, index)))
            self._value(item, kind, (*path, index))

    def _map(self, value: Any, kind: FieldType, path: Path) -> None:
        if not isinstance(value, dict):
            self.findings.append(_type_finding("a mapping", value, path))
            return
        for key, item in value.items():
            self._value(item, kind, (*path, key))

    def _stranger(self, name: str, kind: str, path: Path) -> Finding | None:
        belongs = MISPLACED.get(kind, {}).get(name)
        if belongs == "`metadata`" and path[-1:] == ("workflowSpec",):
            belongs = "`workflowMetadata`, beside `workflowSpec`"
        if belongs is not None:
            return warning(
                "misplaced-field",
                (*path, name),
                f"`{name}` has no effect here: Argo drops it",
                f"move it to {belongs}",
            )
        removed = REMOVED.get(kind, {}).get(name)
        if removed is not None:
            what = f"Argo 4 does not have `{name}` any more"
            fixed = ": argojobs lint --fix does it" if removed.name else ""
            return error("removed-field", (*path, name), what, f"{removed.now}{fixed}")
        self.strangers += 1
        if self.strangers > _MOST_STRANGERS:
            return None
        return error(
            "unknown-field",
            (*path, name),
            f"`{name}` is not a field of {_article(kind)}",
            self.hint(name, kind),
        )

    def hint(self, name: str, kind: str) -> str:
        """Return what to do about a field that an object does not have."""
        if kind == "WorkflowSpec" and name in {*self.known[_CRON], *REMOVED[_CRON]}:
            return "a CronWorkflow has it, in its spec beside `workflowSpec`"
        near = nearest(name, self.known[kind]) if self.strangers <= _MOST_NEAREST else None
        return f"did you mean `{near}`?" if near else f"its fields: {', '.join(self.known[kind])}"


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind}"


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


#: Kinds of scalars: whether a value is one, and what messages call it.
_SCALARS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "string": (
        lambda value: isinstance(value, str) and not isinstance(value, WrittenText),
        "text",
    ),
    "integer": (_is_integer, "a whole number"),
    "number": (_is_number, "a number"),
    "boolean": (lambda value: isinstance(value, bool), "true or false"),
    "integer-or-string": (
        lambda value: isinstance(value, str) or _is_integer(value),
        "a whole number or text",
    ),
    "quantity": (
        lambda value: isinstance(value, str) or _is_number(value),
        'a quantity such as "500m" or "40Gi"',
    ),
    "any": (lambda _: True, ""),
}


_TAG_HINT = "Argo reads it before it replaces tags: write the value, or set it by a podSpecPatch"


def _scalar_finding(value: Any, kind: str, path: Path) -> Finding:
    if kind != "string" or isinstance(value, (dict, list)):
        return _type_finding(_SCALARS[kind][1], value, path)
    text = scalar_text(value)
    what = "a number"
    if isinstance(value, bool):
        what = f"a boolean to YAML (so is {'yes, on, y' if value else 'no, off, n'})"
    elif text in WORDS:
        what = "a boolean to YAML"
    return warning(
        "not-text",
        path,
        f"{text} is {what}, and text belongs here",
        f'taken as "{text}"; put it in quotes',
    )


def _newer_finding(path: Path, version: str) -> Finding:
    what = f"`{path[-1]}` is there since Argo {version}: an older server drops it"
    return warning("newer-field", path, what, "argojobs doctor says which version a server has")


def _value_finding(value: Any, path: Path) -> Finding:
    what = f"the {path[-1]} of a parameter is {_shown(value)}: Argo takes it as an empty text"
    return error("list-value", path, what, "put it in quotes, as JSON text: '[1, 2]'")


def _quantity_finding(text: str, path: Path) -> Finding:
    hint = 'a number with a unit such as "500m", 2 or "40Gi"'
    return error(
        "quantity", path, f"{text!r} is not a quantity", _TAG_HINT if "{{" in text else hint
    )


def _empty_finding(path: Path) -> Finding:
    hint = 'fill it, or take its `-` out; an empty text is ""'
    return error("wrong-type", path, "the entry of the list is empty", hint)


def _type_finding(wanted: str, value: Any, path: Path) -> Finding:
    hint = "no quotes around it" if isinstance(value, str) and wanted != "a mapping" else ""
    hint = _TAG_HINT if isinstance(value, str) and "{{" in value else hint
    return error("wrong-type", path, f"{wanted} belongs here, not {_shown(value)}", hint)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
