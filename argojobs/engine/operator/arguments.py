"""A template with its inputs: arguments over defaults, then all tags that are known by then.

Source: Argo docs, fields: inputs, arguments; Argo's order of substitution is globals and locals
first, then the inputs, so that an input may itself mention a global.
"""

from __future__ import annotations

from typing import Any

from argojobs.engine.model import Template
from argojobs.engine.operator.scope import Scope, Source, Values, fill
from argojobs.engine.operator.variables import parameters_json, text_of
from argojobs.errors import ManifestError

#: Stands for an argument that is nothing but a skipped step's output without a default.
ABSENT = "\x00argojobs: absent optional output"

_KEYED = ("s3", "gcs", "oss", "azure", "hdfs")


def _has_location(artifact: dict[str, Any]) -> bool:
    """Whether an artifact says where it is: a key, a URL, a repository or raw data."""
    for store in _KEYED:
        place = artifact.get(store)
        if place and (place.get("key") or place.get("blob") or place.get("path")):
            return True
    http, git = artifact.get("http"), artifact.get("git")
    return bool(
        artifact.get("raw") is not None
        or (http and http.get("url"))
        or (git and git.get("repo"))
        or (artifact.get("artifactory") or {}).get("url")
        or artifact.get("plugin")
    )


def bind(template: Template, arguments: dict[str, Any]) -> Template:
    """The template with its inputs given: argument, else its own value, else its default.

    Raises ManifestError, with Argo's message, for an input that nothing gives.
    """
    inputs = template.get("inputs")
    if not inputs:
        return template
    given = {p["name"]: p for p in arguments.get("parameters") or ()}
    sent = {a["name"]: a for a in arguments.get("artifacts") or ()}
    bound = dict(inputs)
    if inputs.get("parameters"):
        bound["parameters"] = [_parameter(p, given.get(p["name"])) for p in inputs["parameters"]]
    if inputs.get("artifacts"):
        bound["artifacts"] = [_artifact(a, sent.get(a["name"])) for a in inputs["artifacts"]]
    return {**template, "inputs": bound}


def _parameter(declared: dict[str, Any], argument: dict[str, Any] | None) -> dict[str, Any]:
    parameter = dict(declared)
    name = parameter["name"]
    if parameter.get("value") is None and parameter.get("default") is not None:
        parameter["value"] = parameter["default"]
    if argument is not None:
        value = argument.get("value")
        if value == ABSENT:
            if parameter.get("value") is None and parameter.get("valueFrom") is None:
                raise ManifestError(
                    f"inputs.parameters.{name}: argument references an absent optional "
                    "(skipped/omitted node output with no default)",
                    hint=f"give the input {name} a default, or the output valueFrom.default.",
                )
        elif value is not None:
            parameter["value"] = value
            parameter.pop("valueFrom", None)
        else:
            parameter.pop("value", None)
            parameter.pop("valueFrom", None)
            if argument.get("valueFrom") is not None:
                parameter["valueFrom"] = argument["valueFrom"]
    if parameter.get("value") is None:
        fallback = (parameter.get("valueFrom") or {}).get("default")
        if fallback is None:
            raise ManifestError(
                f"inputs.parameters.{name} was not supplied",
                hint=f"pass an argument {name}, or give the input a default.",
            )
        parameter["value"] = fallback
    parameter["value"] = text_of(parameter["value"])
    return parameter


def _artifact(declared: dict[str, Any], argument: dict[str, Any] | None) -> dict[str, Any]:
    name = declared["name"]
    if not declared.get("optional") and not _has_location(declared):
        if argument is None:
            raise ManifestError(
                f"inputs.artifacts.{name} was not supplied",
                hint=f"pass an artifact {name}, or mark the input optional.",
            )
        if not _has_location(argument):
            raise ManifestError(
                f"inputs.artifacts.{name} missing location information",
                hint="the step that makes it has not made it.",
            )
    if argument is None:
        return declared
    own: dict[str, Any] = {
        field: declared[field]
        for field in ("path", "mode", "recurseMode", "optional")
        if field in declared
    }
    passed = {
        key: value
        for key, value in argument.items()
        if key not in {"path", "mode", "recurseMode", "from", "fromExpression", "subPath"}
    }
    return {**passed, "name": name, **own}


def substitute(template: Template, local: dict[str, Any], *sources: Source) -> Template:
    """The template with globals, locals and then its own inputs put in; other tags stay.

    Args:
        template: with its inputs bound.
        local: what is known in this call alone, by flat dotted names.
        sources: where all other names come from.

    Raises:
        TagError: a value would break the text around it.
    """
    first: Template = fill(template, Scope(Values(local), *sources))
    return fill(first, Scope(Values({**local, **_input_values(first)}), *sources))  # type: ignore[no-any-return]


def _input_values(template: Template) -> dict[str, Any]:
    """What `inputs.*` and `outputs.*.path` mean inside the template."""
    inputs, outputs = template.get("inputs") or {}, template.get("outputs") or {}
    parameters = inputs.get("parameters") or []
    values: dict[str, Any] = {"inputs.parameters": parameters_json(parameters)}
    for parameter in parameters:
        if parameter.get("value") is not None:
            values[f"inputs.parameters.{parameter['name']}"] = text_of(parameter["value"])
    for artifact in inputs.get("artifacts") or ():
        if artifact.get("path"):
            values[f"inputs.artifacts.{artifact['name']}.path"] = artifact["path"]
    for artifact in outputs.get("artifacts") or ():
        if artifact.get("path"):
            values[f"outputs.artifacts.{artifact['name']}.path"] = artifact["path"]
    for parameter in outputs.get("parameters") or ():
        if path := (parameter.get("valueFrom") or {}).get("path"):
            values[f"outputs.parameters.{parameter['name']}.path"] = path
    return values
