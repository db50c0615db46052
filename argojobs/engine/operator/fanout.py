"""Fan-outs: the items of withItems, withParam and withSequence, and a step made for each.

Source: Argo docs, loops. Items keep the JSON text they were written with (`1.50` stays `1.50`);
node names show the item without parentheses, keys of maps sorted.
"""

from __future__ import annotations

import json
import re
from typing import Any

from argojobs.engine.operator.scope import Scope, Values, fill
from argojobs.engine.operator.variables import compact
from argojobs.errors import ManifestError, TagError
from argojobs.manifest.expressions import condition

#: The most items of a fan-out. Argo has no number for it, but its Workflow object, which holds a
#: node for each, has to fit into etcd's 1.5 MiB, packed: it does not with so many.
MOST_ITEMS = 100_000
_WIDTH = re.compile(r"%[^%a-zA-Z]*?\d{3}")


class _Number(str):
    """A JSON number with the text it was written with."""

    __slots__ = ()


def expands(step: dict[str, Any]) -> bool:
    """Whether a step or task is a fan-out."""
    return bool(step.get("withItems") or step.get("withParam") or step.get("withSequence"))


def items_of(step: dict[str, Any]) -> list[Any]:
    """The items of a fan-out whose tags are resolved.

    Raises ManifestError when withParam is no JSON list or withSequence no sequence.
    """
    if step.get("withItems"):
        return [_exact(item) for item in step["withItems"]]
    if step.get("withParam"):
        text = str(step["withParam"])
        try:
            items = json.loads(text, parse_float=_Number, parse_int=_Number)
        except ValueError as error:
            raise _not_a_list(text, str(error)) from error
        if items is None:
            return []
        if not isinstance(items, list):
            raise _not_a_list(text, "it is not a list")
        return items
    return _sequence(step["withSequence"])


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


def _exact(item: Any) -> Any:
    """A value from YAML as withParam would have parsed its JSON."""
    return json.loads(json.dumps(item), parse_float=_Number, parse_int=_Number)


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
    hooks = {k: body.pop(k) for k in ("hooks", "onExit") if k in body}
    strict = not skipped(body.get("when", ""))
    expanded = []
    for index, item in enumerate(items):
        values, shown = _variables(item, index)
        inner = Scope(Values(values), scope)
        try:
            made = fill(body, inner, strict=strict)
        except TagError:
            if strict:
                raise
            made = body
        name = f"{step['name']}({index}:{shown.replace('(', '').replace(')', '')})"
        expanded.append((name, {**made, **fill(hooks, Scope(Values(values))), "name": name}))
    return expanded


def skipped(when: str) -> bool:
    """Whether a `when` is plainly false, without needing an item to say so."""
    if not when:
        return False
    try:
        return not condition.holds(when)
    except ManifestError:
        return False


def _variables(item: Any, index: int) -> tuple[dict[str, Any], str]:
    if isinstance(item, dict):
        values: dict[str, Any] = {f"item.{key}": _spoken(value) for key, value in item.items()}
        values["item"] = _compact(item)
        return values, ",".join(sorted(f"{key}:{_spoken(value)}" for key, value in item.items()))
    if isinstance(item, list):
        return {"item": _compact(item)}, "[" + " ".join(_spoken(v) for v in item) + "]"
    if item is None:
        return {"item": "null"}, "[]"
    if isinstance(item, str) and not isinstance(item, _Number):
        return {"item": item}, _spoken(item)
    del index
    return {"item": _spoken(item)}, _spoken(item)


def _spoken(value: Any) -> str:
    """A value inside a name: strings without their quotes, all else as JSON."""
    if isinstance(value, str) and not isinstance(value, _Number):
        return json.dumps(value, ensure_ascii=False)[1:-1]
    return _compact(value)


def _compact(value: Any) -> str:
    """JSON with sorted keys and numbers as they were written."""
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        inner = ",".join(f"{compact(key)}:{_compact(value[key])}" for key in sorted(value))
        return "{" + inner + "}"
    if isinstance(value, list):
        return "[" + ",".join(_compact(item) for item in value) + "]"
    return compact(value)


def joined(results: list[str]) -> str:
    """A JSON list of texts that are JSON each. Raises ManifestError for one that is not."""
    values = []
    for text in results:
        try:
            values.append(json.loads(text, parse_float=_Number, parse_int=_Number))
        except ValueError as error:
            raise ManifestError(
                f"the result {text[:60]!r} of a fan-out is no JSON: {error}",
                hint="a step of a fan-out whose results are gathered prints one JSON value.",
            ) from error
    return _compact(values)


def joined_values(values: list[str]) -> str:
    """A JSON list of parameter values: as they are when all are maps or lists, else strings."""
    parsed = []
    for text in values:
        try:
            value = json.loads(text, parse_float=_Number, parse_int=_Number)
        except ValueError:
            return compact(values)
        if not isinstance(value, dict | list):
            return compact(values)
        parsed.append(value)
    return _compact(parsed)
