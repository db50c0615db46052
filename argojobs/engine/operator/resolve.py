"""A step or task with its references put in: `when` first, then arguments and artifacts.

Source: Argo docs, variables, conditionals, artifacts. A step that its `when` skips is not
resolved further, since what it refers to may not exist.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from argojobs.engine.operator.arguments import ABSENT
from argojobs.engine.operator.frames import Frame, expands
from argojobs.engine.operator.references import Members
from argojobs.engine.operator.scope import MISSING, Scope, Values, fill
from argojobs.engine.operator.turn import Turn
from argojobs.engine.operator.variables import Globals
from argojobs.errors import ManifestError, TagError
from argojobs.expressions import condition, expr, tags

_HOOKS = ("hooks", "onExit")


def scope_in(turn: Turn, frame: Frame, members: Members) -> Scope:
    """What a step, task, hook or output of a template may mention.

    Args:
        turn: the one under way.
        frame: the template's.
        members: what it may mention of the steps or tasks beside it.
    """
    inputs = frame.template.get("inputs") or {}
    own: dict[str, Any] = {
        f"inputs.parameters.{p['name']}": p["value"]
        for p in inputs.get("parameters") or ()
        if p.get("value") is not None
    }
    for artifact in inputs.get("artifacts") or ():
        own[f"inputs.artifacts.{artifact['name']}"] = artifact
    return Scope(Values(own), members, Globals(turn, final=frame.final))


def resolve(step: dict[str, Any], scope: Scope, *, is_task: bool) -> dict[str, Any]:
    """The step with references to other members put in; hooks stay as they are.

    Args:
        step: a step or task, as the template has it.
        scope: what it may mention.
        is_task: whether it is of a DAG (a missing artifact is an error there even after a skipped
            step).

    Raises:
        ManifestError: a reference or an expression is wrong. One that can never be resolved, for
            which Argo would wait for ever, is an error that names the tag.
    """
    body = {key: value for key, value in step.items() if key not in _HOOKS}
    hooks = {key: step[key] for key in _HOOKS if key in step}
    if body.get("when"):
        _check_closed(body["when"])
        when = _fill_all(body["when"], scope)
        try:
            if not condition.holds(when):
                return {**step, "when": when}
        except ManifestError:
            if not expands(step):
                raise
    body = _mark_absent(body, scope)
    artifacts = (body.get("arguments") or {}).get("artifacts") or []
    plain = {**body, "arguments": {**body["arguments"], "artifacts": []}} if artifacts else body
    filled = _fill_all(plain, scope)
    if artifacts:
        sent = [a for item in artifacts if (a := artifact(item, scope, lenient=not is_task))]
        filled["arguments"] = {**filled["arguments"], "artifacts": sent}
    result: dict[str, Any] = {**filled, **hooks}
    return result


def _check_closed(when: str) -> None:
    """Raise what Argo says of a `{{` without its end, which a value may have brought into a `when`."""
    if (rest := tags.unclosed(when)) is not None:
        raise ManifestError(
            f'Cannot find end tag="}}}}" in the template={_go_quoted(when)} starting from '
            f"{_go_quoted(rest, whole=False)}",
            hint="a value that a `when` compares has no `{{` in it.",
        )


def _go_quoted(text: str, *, whole: bool = True) -> str:
    """A part of a text's JSON, up to its end, in Go's quotes."""
    inner = json.dumps(text, ensure_ascii=False)[0 if whole else 1 :]
    return json.dumps(inner, ensure_ascii=False)


def _fill_all(value: Any, scope: Scope) -> Any:
    """Put references in; one to a step or task that nothing gives is an error that names it."""
    try:
        return fill(value, scope, strict=("steps", "tasks"))
    except TagError as error:
        if error.what.startswith("failed to resolve {{") or error.what.endswith(" is missing"):
            raise TagError(
                f"{error.what}: it can never be resolved, what it names has no such output",
                hint="Argo would wait for it for ever. Give the output a default, or use `??`.",
            ) from error
        raise


def _mark_absent(body: dict[str, Any], scope: Scope) -> dict[str, Any]:
    """Arguments that are nothing but an absent optional output become `ABSENT`."""
    arguments = body.get("arguments") or {}
    parameters = arguments.get("parameters") or []
    marked = [
        {**p, "value": ABSENT} if _is_absent(p.get("value"), scope) else p for p in parameters
    ]
    if marked == parameters:
        return body
    return {**body, "arguments": {**arguments, "parameters": marked}}


def _is_absent(value: Any, scope: Scope) -> bool:
    if not (isinstance(value, str) and value.startswith("{{") and value.endswith("}}")):
        return False
    inner = value[2:-2].strip()
    return "{{" not in inner and "}}" not in inner and scope.find(inner) is None


def artifact(item: dict[str, Any], scope: Scope, *, lenient: bool) -> dict[str, Any] | None:
    """An artifact argument with the location that its `from` or `fromExpression` means.

    Args:
        item: the argument.
        scope: what it may mention.
        lenient: whether any failure of an optional one is forgiven.

    Returns:
        The artifact; None when it is optional and there is none.

    Raises:
        ManifestError: what it comes from cannot be resolved.
    """
    item = fill(item, scope) if not (item.get("from") or item.get("fromExpression")) else item
    if not item.get("from") and not item.get("fromExpression"):
        return item
    try:
        found = _artifact_value(item, scope)
    except ManifestError as error:
        if item.get("optional") and (lenient or error.what.startswith("Unable to resolve")):
            return None
        raise ManifestError(
            f"unable to resolve references: {error.what}", hint=error.hint
        ) from error
    found = {**found, "name": item["name"]}
    if item.get("subPath"):
        found = _with_sub_path(found, str(fill(item["subPath"], scope)))
    return found


def _artifact_value(item: dict[str, Any], scope: Scope) -> dict[str, Any]:
    if item.get("fromExpression"):
        source = item["fromExpression"]
        value = expr.evaluate(source, scope.environment(source))
    else:
        source = str(fill(item["from"], _ParametersOnly(scope)))
        value = look_up(source, scope)
    if not isinstance(value, dict):
        raise ManifestError(
            f"Variable {{{{{source}}}}} is not an artifact", hint="name an output artifact."
        )
    return value


class _ParametersOnly(Scope):
    """A scope without artifacts, for tags inside a `from` such as `{{steps.{{item}}...}}`."""

    def find(self, name: str) -> Any:
        """The value of a dotted name that is not an artifact, or MISSING."""
        value = super().find(name)
        return MISSING if value is None or isinstance(value, dict) else value

    def under(self, root: str, members: frozenset[str] | None) -> Mapping[str, Any]:
        """Nothing."""
        del root, members
        return {}


def look_up(text: str, scope: Scope) -> Any:
    """The value that `{{name}}`, a bare `name` or `{{=expression}}` means.

    Raises ManifestError ("Unable to resolve") when there is none.
    """
    tag = text.strip().removeprefix("{{").removesuffix("}}").strip()
    if tag.startswith("="):
        value = expr.evaluate(tag[1:], scope.environment(tag[1:]))
        if value is not None:
            return value
    else:
        value = scope.find(tag)
        if value is not MISSING:
            return value
    raise ManifestError(
        f'Unable to resolve: "{tag}"', hint="no step that ran has an output of that name."
    )


def _with_sub_path(found: dict[str, Any], sub_path: str) -> dict[str, Any]:
    for store in ("s3", "gcs", "oss", "azure", "hdfs"):
        place = found.get(store)
        if place and place.get("key"):
            key = place["key"].rstrip("/") + "/" + sub_path.lstrip("/")
            return {**found, store: {**place, "key": key}}
    raise ManifestError(
        f"artifact {found.get('name', '')} has no key that subPath {sub_path!r} could extend",
        hint="subPath needs an artifact in a store, saved with archive none.",
    )
