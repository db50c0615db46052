"""Puts overrides into a workflow: checked against what it declares, encoded as it expects.

A workflow that argojobs compiled carries its signature (annotation `argojobs.dev/signature`): the
types of its parameters. Overrides are checked against them and travel encoded (`runtime/wire.py`).
A hand-written manifest declares names and, at most, an `enum`; its values travel as text, and a
text that Argo or Kubernetes would alter on the way is refused.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from argojobs.edits.overrides import (
    Given,
    Overrides,
    from_python,
    parse_assignment,
    parse_params,
    refuse_duplicates,
)
from argojobs.errors import ParameterError
from argojobs.manifest.nearest import nearest, suggestion
from argojobs.manifest.signature import signature_of
from argojobs.manifest.view import arguments_of, containers_of, parameters_of, spec_of, templates_of
from argojobs.runtime import types, wire
from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.manifest.objects import Arguments, Container, Parameter, WorkflowSpec

__all__ = [
    "Applied", "ArtifactArgument", "Given", "Overrides", "apply", "from_python", "parse_assignment",
    "parse_params", "require", "resolve", "split_artifacts", "split_debug",
]  # fmt: skip

DEBUG = "debug"

_TRUE = frozenset({"true", "1", "yes", "on"})
_FALSE = frozenset({"false", "0", "no", "off"})


class ArtifactArgument(NamedTuple):
    """What was given for an artifact of the workflow; the caller resolves it.

    kind and text: "run" `run:NAME/STEP/output`, "s3" `s3://bucket/key`, "claim"
    `claim://name/path`, "path" a file or folder here.
    """

    name: str
    kind: Literal["path", "run", "s3", "claim"]
    text: str


class Applied(NamedTuple):
    """A workflow with its overrides in place. debug: whether `debug` asked for `--debug`."""

    workflow: Workflow
    artifacts: tuple[ArtifactArgument, ...]
    debug: bool


def resolve(workflow: Workflow, overrides: Overrides) -> Applied:
    """Do `split_debug`, `split_artifacts` and `apply`; what is to be run needs `require`, too.

    Raises ParameterError for the first override that is unknown, ill-typed, too large or would
    be altered.
    """
    parameters, debug = split_debug(workflow, overrides)
    parameters, artifacts = split_artifacts(workflow, parameters)
    return Applied(apply(workflow, parameters), artifacts, debug)


def _declared(workflow: Workflow, kind: str) -> dict[str, Any]:
    """Return the parameters (or artifacts) that can be given, by name.

    Those that spec.arguments declares; with a signature, those in it: what compile added for
    itself (the code) is not for a user to give.
    """
    arguments: Mapping[str, Any] = arguments_of(spec_of(workflow))
    named = {one["name"]: one for one in arguments.get(kind) or [] if one and one.get("name")}
    signature = signature_of(workflow)
    if signature is None:
        return named
    return {
        name: named.get(name) or {"name": name, "optional": not one.get("required", True)}
        for name, one in (signature.get(kind) or {}).items()
    }


def _is_open(workflow: Workflow) -> bool:
    """Whether its parameters are declared elsewhere: by the template that it refers to."""
    return bool(spec_of(workflow).get("workflowTemplateRef"))


def split_debug(workflow: Workflow, overrides: Overrides) -> tuple[Overrides, bool]:
    """Take `debug` out of the overrides where the workflow does not declare it.

    Returns the others and whether it asks for `--debug`. Declared, it is passed on like any
    other parameter, and False is returned.
    """
    if DEBUG not in overrides or DEBUG in _declared(workflow, "parameters"):
        return overrides, False
    rest = {name: given for name, given in overrides.items() if name != DEBUG}
    text = overrides[DEBUG].text.lower()
    if text not in _TRUE | _FALSE:
        raise ParameterError(
            f"debug is true or false, not {_shown(overrides[DEBUG].text)}",
            hint="the workflow declares no parameter `debug`, so it means --debug",
        )
    return rest, text in _TRUE


def split_artifacts(
    workflow: Workflow, overrides: Overrides
) -> tuple[Overrides, tuple[ArtifactArgument, ...]]:
    """Take out the overrides that name an artifact of spec.arguments."""
    declared = _declared(workflow, "artifacts")
    rest = {name: given for name, given in overrides.items() if name not in declared}
    artifacts = tuple(
        _artifact(name, given) for name, given in overrides.items() if name in declared
    )
    return rest, artifacts


_RUN = re.compile(r"run:[^/\s]+/[^/\s]+/[^/\s]+")
_S3 = re.compile(r"s3://[^/\s]+/.+")
_CLAIM = re.compile(r"claim://[^/\s]+(/.*)?")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://")
_ARTIFACT_FORMS = "./folder, s3://bucket/key, claim://name/path or run:NAME/STEP/output"


def _artifact(name: str, given: Given) -> ArtifactArgument:
    text = given.text
    if given.kind == "json" or not text:
        raise ParameterError(
            f"{name} is an artifact, not {_shown(text)}", hint=f"give {name}={_ARTIFACT_FORMS}"
        )
    if text.startswith("run:"):
        _want(_RUN, text, name, "run:NAME/STEP/output")
        return ArtifactArgument(name, "run", text)
    if text.startswith("s3://"):
        _want(_S3, text, name, "s3://bucket/key")
        return ArtifactArgument(name, "s3", text)
    if text.startswith("claim://"):
        _want(_CLAIM, text, name, "claim://name/path")
        return ArtifactArgument(name, "claim", text)
    scheme = _SCHEME.match(text)
    if scheme is not None:
        raise ParameterError(
            f"{name}: {scheme.group(1)}:// is not a place an artifact can come from",
            hint=f"give {name}={_ARTIFACT_FORMS}",
        )
    return ArtifactArgument(name, "path", text)


def _want(form: re.Pattern[str], text: str, name: str, shown: str) -> None:
    if not form.fullmatch(text):
        raise ParameterError(f"{name}: {_shown(text)} is not {shown}", hint=f"give {name}={shown}")


def apply(workflow: Workflow, overrides: Overrides) -> Workflow:
    """Return a new workflow with the overrides in spec.arguments.parameters.

    Parameters with a default and no value get the default. Raises ParameterError for an unknown
    name, a wrong type, a value outside the choices, too large, or one that would be altered.
    """
    declared = _declared(workflow, "parameters")
    signature = signature_of(workflow)
    for name in overrides:
        if name not in declared and not _is_open(workflow):
            raise _unknown(name, workflow, declared)
    values = {
        name: _value(name, given, declared.get(name, {}), signature, workflow)
        for name, given in overrides.items()
    }
    spec: WorkflowSpec = {**spec_of(workflow)}
    arguments: Arguments = {**arguments_of(spec)}
    parameters = [_with_value(one, values) for one in parameters_of(arguments)]
    present = {one.get("name") for one in parameters}
    parameters.extend(
        {"name": name, "value": value} for name, value in values.items() if name not in present
    )
    if parameters:
        arguments["parameters"] = parameters
        spec["arguments"] = arguments
    return {**workflow, "spec": spec}


def _with_value(parameter: Parameter, values: Mapping[str, str]) -> Parameter:
    name = parameter.get("name", "")
    if name in values:
        given: Parameter = {**parameter, "value": values[name]}
        given.pop("valueFrom", None)
        return given
    if _has_value(parameter) or parameter.get("default") is None:
        return parameter
    return {**parameter, "value": parameter["default"]}


def _has_value(parameter: Parameter) -> bool:
    return parameter.get("value") is not None or parameter.get("valueFrom") is not None


def _unknown(name: str, workflow: Workflow, declared: Mapping[str, Any]) -> ParameterError:
    artifacts = _declared(workflow, "artifacts")
    near = nearest(name, artifacts)
    if near and not nearest(name, declared):
        return ParameterError(
            f"there is no parameter {name!r}", hint=f"did you mean the artifact {near!r}?"
        )
    return ParameterError(
        f"there is no parameter {name!r}",
        hint=suggestion(name, declared, what="the parameters are"),
    )


def _list_hint(name: str, given: Given) -> str:
    """Say how values with commas between them, `0.1,0.2`, are written as a list."""
    try:
        values = json.loads(f"[{given.text}]")
    except ValueError:
        values = [one.strip() for one in given.text.strip("[]").split(",")]
    return f"a list is JSON: -p {shlex.quote(f'{name}={json.dumps(values)}')}"


def _value(
    name: str,
    given: Given,
    parameter: Mapping[str, Any],
    signature: Mapping[str, Any] | None,
    workflow: Workflow,
) -> str:
    """Return the text of an override as it stands in the manifest."""
    entry = (signature or {}).get("parameters", {}).get(name)
    if entry is not None:
        to_text = wire.wire_as_text if entry.get("plain") else wire.wire
        try:
            text = to_text(_plain(given, entry["schema"]), entry["schema"])
        except ParameterError as error:
            is_list = entry["schema"]["type"] == "list" and isinstance(error.__cause__, ValueError)
            hint = _list_hint(name, given) if is_list else error.hint
            raise ParameterError(f"{name}: {error.what}", hint=hint) from error
        if entry.get("plain") and text.startswith(wire.MARK):
            raise ParameterError(
                f"{name} would reach a template from elsewhere encoded: {_shown(given.text)}",
                hint="leave out what Argo or Kubernetes alters: '$', '{{', control characters",
            )
        return text
    if given.is_null:
        raise ParameterError(
            f"{name} is null, which is not a value", hint=f'leave it out, or give "": -p {name}='
        )
    _check_choice(name, given.text, parameter.get("enum"))
    _check_unaltered(name, given.text, workflow)
    return given.text


def _plain(given: Given, schema: types.Schema) -> Any:
    """Return a given value as the plain value of its declared type."""
    kind = schema["type"]
    text = given.text
    if given.is_null:
        return types.plain_of(None, schema)
    if kind in ("str", "path"):
        return text  # `2` for a text is the text "2", a list its JSON text
    if given.kind == "string" or (given.kind == "text" and _is_optional_text(schema)):
        try:
            return types.plain_of(text, schema)
        except ParameterError:
            return wire.plain_from_text(text, schema)
    if given.kind == "text":
        refuse_duplicates(text)
    if given.kind == "text" and kind == "any":
        try:
            return wire.plain_from_text(text, schema)
        except ParameterError:
            return text
    if given.kind == "json" and _is_optional_text(schema):
        return text
    return wire.plain_from_text(text, schema)


def _is_optional_text(schema: types.Schema) -> bool:
    """Whether it is text or None: then no text means anything but itself."""
    return schema["type"] == "union" and all(
        member["type"] in ("str", "path", "none") for member in schema["any"]
    )


def _check_choice(name: str, text: str, choices: Any) -> None:
    if isinstance(choices, list) and choices and text not in choices:
        raise ParameterError(
            f"{name} cannot be {_shown(text)}",
            hint=suggestion(text, map(str, choices), what="the manifest allows"),
        )


# What Go quotes as \x.., \a or \v: Argo's replacement of the tag then fails altogether.
_BREAKING = re.compile("[\x00-\x07\x0b\x0e-\x1f\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_VARIABLE = re.compile(r"\$\(([^()\s]+)\)")


def _check_unaltered(name: str, text: str, workflow: Workflow) -> None:
    """Refuse what would not arrive in a hand-written manifest as it was given."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > wire.LARGEST:
        raise ParameterError(
            f"{name} has {size} bytes, a program's argument holds {wire.LARGEST} (128 KiB)",
            hint="pass it as an artifact: declare it under spec.arguments.artifacts",
        )
    if "{{" in text:
        raise ParameterError(
            f"{name} holds `{{{{`, which Argo replaces as one of its tags",
            hint="write it into the manifest if that is meant; else pass it as an artifact",
        )
    broken = _BREAKING.search(text) or _SURROGATE.search(text)
    if broken is None:
        broken = next(iter(_unprintable(text)), None)
    if broken is not None:
        raise ParameterError(
            f"{name} holds the character U+{ord(broken.group()):04X}, which breaks Argo's "
            "replacement of tags",
            hint="leave it out, encode the value (base64), or pass it as an artifact",
        )
    _check_expansion(name, text, workflow)


def _unprintable(text: str) -> Iterable[re.Match[str]]:
    r"""Characters beyond U+FFFF that Go writes as \U000....., which no JSON is."""
    if text.isascii() or text.isprintable():
        return []
    return (one for one in re.finditer("[\U00010000-\U0010ffff]", text) if not one[0].isprintable())


def _check_expansion(name: str, text: str, workflow: Workflow) -> None:
    """Kubernetes expands `$(NAME)` and `$$` in command, args and env of containers."""
    if "$$" not in text and "$(" not in text:
        return
    containers = list(_containers(workflow))
    known = {
        variable.get("name")
        for container in containers
        for variable in container.get("env") or []
        if variable
    }
    expanded = [one for one in _VARIABLE.findall(text) if one in known or one.startswith("ARGO_")]
    if containers and ("$$" in text or expanded):
        what = "$$" if "$$" in text else f"$({expanded[0]})"
        raise ParameterError(
            f"{name} holds `{what}`, which Kubernetes expands in args and env",
            hint="leave it out, encode the value (base64), or pass it as an artifact",
        )


def _containers(workflow: Workflow) -> Iterable[Container]:
    for template in templates_of(workflow):
        for one in containers_of(template or {}):
            if isinstance(one, dict):
                yield one


def require(workflow: Workflow, artifacts: Iterable[ArtifactArgument] = ()) -> None:
    """Raise ParameterError naming every required parameter and artifact that has no value.

    artifacts: those that were given and are not yet in the workflow.
    """
    if _is_open(workflow):
        return
    missing = [
        name for name, one in _declared(workflow, "parameters").items() if not _has_value(one)
    ]
    missing_artifacts = _without_source(workflow, artifacts)
    if missing or missing_artifacts:
        raise _missing(workflow, missing, missing_artifacts)


def require_artifacts(workflow: Workflow, artifacts: Iterable[ArtifactArgument] = ()) -> None:
    """Raise ParameterError naming every required artifact that has no source.

    Argo's lint refuses a Workflow with one; parameters may be given when it is submitted.
    """
    missing = [] if _is_open(workflow) else _without_source(workflow, artifacts)
    if missing:
        raise _missing(workflow, [], missing)


def _without_source(workflow: Workflow, artifacts: Iterable[ArtifactArgument]) -> list[str]:
    given = {artifact.name for artifact in artifacts}
    return [
        name
        for name, one in _declared(workflow, "artifacts").items()
        if name not in given and not one.get("optional") and set(one) <= _NO_SOURCE
    ]


#: Fields of an artifact argument that say nothing about where it comes from.
_NO_SOURCE = frozenset({"name", "optional", "path", "mode", "recurseMode", "archive", "globalName"})


def _missing(workflow: Workflow, parameters: list[str], artifacts: list[str]) -> ParameterError:
    signature = signature_of(workflow) or {}
    hints = []
    for name in parameters:
        entry = signature.get("parameters", {}).get(name)
        described = f" ({types.describe(entry['schema'])})" if entry else ""
        hints.append(f"-p {name}=VALUE{described}")
    for name in artifacts:
        kind = signature.get("artifacts", {}).get(name, {}).get("kind", "artifact")
        hints.append(f"-p {name}=./PATH ({kind}; or {_ARTIFACT_FORMS.partition(', ')[2]})")
    names = ", ".join([*parameters, *artifacts])
    return ParameterError(f"no value is given for {names}", hint="give " + "\n  ".join(hints))


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
