"""Fan-outs: the items of withItems, withParam and withSequence, and a step made for each.

Source: Argo docs, loops; Argo's Item. Items keep the JSON text they were written with (`1.50`
stays `1.50`); node names show the item without parentheses, keys of a map sorted.
"""

from __future__ import annotations

import re
from typing import Any

from argojobs.engine.operator import go_json
from argojobs.engine.operator.scope import Scope, Values, fill
from argojobs.engine.operator.variables import compact
from argojobs.errors import ManifestError, TagError
from argojobs.expressions import condition
from argojobs.expressions.texts import from_json, to_json

_NESTED = frozenset({"object", "array"})

#: The most items of a fan-out. Argo has no number for it, but its Workflow object, which holds a
#: node for each, has to fit into etcd's 1.5 MiB, packed: it does not with so many.
MOST_ITEMS = 100_000
_WIDTH = re.compile(r"%[^%a-zA-Z]*?\d{3}")


def items_of(step: dict[str, Any]) -> list[str]:
    """The items of a fan-out whose tags are resolved, each as its compact JSON text.

    Raises ManifestError when withParam is not a JSON list or withSequence no sequence.
    """
    if step.get("withItems"):
        # As a cluster keeps them: its API sorts the keys, and Go writes the numbers.
        return [to_json(item, escape_html=False) for item in step["withItems"]]
    if step.get("withParam"):
        text = str(step["withParam"])
        if problem := go_json.fault(text):
            raise _not_a_list(text, problem)
        whole = go_json.compact(text)
        kind = go_json.kind(whole)
        if kind not in {"array", "null"}:
            problem = f"json: cannot unmarshal {kind} into Go value of type []v1alpha1.Item"
            raise _not_a_list(text, problem)
        return go_json.parts(whole)
    return [to_json(text) for text in _sequence(step["withSequence"])]


def _not_a_list(text: str, reason: str) -> ManifestError:
    return ManifestError(
        f"withParam value could not be parsed as a JSON list: {text.strip()}: {reason}",
        hint="withParam needs the text of a JSON list.",
    )


def _sequence(sequence: dict[str, Any]) -> list[str]:
    try:
        start = int(str(sequence.get("start") or 0))
        if sequence.get("end") is not None:
            end = int(str(sequence["end"]))
        elif sequence.get("count") is not None:
            count = int(str(sequence["count"]))
            if not count:
                return []
            end = start + count - 1
        else:
            raise ManifestError(
                "neither end nor count was specified in withSequence", hint="give one of them."
            )
        step = 1 if start <= end else -1
        _check_count(abs(end - start) + 1)
        form = str(sequence.get("format") or "%d")
        if _WIDTH.search(form):
            raise ValueError(f"the format {form[:20]!r} is wider than 99 characters")
        return [form % number for number in range(start, end + step, step)]
    except (ValueError, TypeError) as error:
        raise ManifestError(
            f"withSequence is not valid: {error}", hint="start, end and count are whole numbers."
        ) from error


def _check_count(count: int) -> None:
    """Raise ManifestError for more items than a run can have, before anything is made of them."""
    if count > MOST_ITEMS:
        raise ManifestError(
            f"the fan-out has {count} items, more than {MOST_ITEMS}",
            hint="let each step do many of them: give it a range or a part of the list.",
        )


def expand(step: dict[str, Any], scope: Scope) -> list[tuple[str, dict[str, Any]]]:
    """Name and step of each item, in order; `{{item}}` and `{{item.key}}` put in.

    Raises ManifestError when the list is wrong and the step is not skipped anyway, and for a tag
    that nothing resolves.
    """
    try:
        items = items_of(step)
    except ManifestError:
        if skipped(step.get("when", "")):
            return []
        raise
    _check_count(len(items))
    body = {k: v for k, v in step.items() if k not in {"withItems", "withParam", "withSequence"}}
    strict = not skipped(body.get("when", ""))
    expanded = []
    for index, item in enumerate(items):
        values, shown = _variables(item)
        inner = Scope(Values(values), scope)
        try:
            made = fill(body, inner, strict=strict)
        except TagError:
            if strict:
                raise
            made = body
        name = f"{step['name']}({index}:{shown.replace('(', '').replace(')', '')})"
        expanded.append((name, {**made, "name": name}))
    return expanded


def skipped(when: str) -> bool:
    """Whether a `when` is plainly false, without needing an item to say so."""
    if not when:
        return False
    try:
        return not condition.holds(when)
    except ManifestError:
        return False


def _variables(item: str) -> tuple[dict[str, Any], str]:
    """What `{{item}}` and `{{item.key}}` are, and how the node's name shows the item."""
    kind = go_json.kind(item)
    if kind == "object":
        members = {key: go_json.spoken(text) for key, text in go_json.members(item).items()}
        values: dict[str, Any] = {f"item.{key}": text for key, text in members.items()}
        values["item"] = _sorted(item)
        return values, ",".join(sorted(f"{key}:{text}" for key, text in members.items()))
    if kind == "array":
        shown = "[" + " ".join(map(go_json.spoken, go_json.parts(item))) + "]"
        return {"item": go_json.escaped(item)}, shown
    if kind == "null":
        return {"item": "null"}, "[]"
    text = go_json.decoded(item) if kind == "string" else item
    return {"item": text}, go_json.spoken(item)


def _sorted(item: str) -> str:
    """A map's text with its own keys sorted; what is inside its values stays as it was written."""
    members = sorted(go_json.members(item).items())
    return "{" + ",".join(f"{compact(k)}:{go_json.escaped(text)}" for k, text in members) + "}"


def joined(results: list[str]) -> str:
    """A JSON list of texts that are JSON each. Raises ManifestError, in Go's words, for others."""
    for text in results:
        if problem := go_json.fault(text):
            raise ManifestError(
                problem,
                hint="a step of a loop whose results are gathered prints one JSON value.",
            )
    return "[" + ",".join(go_json.escaped(go_json.compact(text)) for text in results) + "]"


def joined_values(values: list[str]) -> str:
    """A JSON list of parameter values: as they are when all are maps or lists, else strings."""
    if any(go_json.fault(text) or go_json.kind(text.strip()) not in _NESTED for text in values):
        return compact(values)
    return to_json([from_json(text) for text in values])
