"""A workflow whose steps wait for a debugger: at their first line, or at the exception that ends them.

`runtime/debugger.py` comes to them as an input artifact, and debugpy with it where there is a store.
Our own program finds it there; any other that is Python gets it in front of its words. What would
end a step that waits is left out: its deadlines, those of what calls it and of the run, the probes
that can end it (`readinessProbe` cannot, and `daemon: true` waits for it); its attempts after the
first, as each would wait anew; and `memoize`, as a step that is not begun does not wait. A step
that is held at an exception keeps its attempts, so that a lost machine costs no training; its
probes, as it waits for nothing until it has failed; and `memoize`.

Templates inside steps and tasks wait, too. What `templateDefaults` say counts as a template's own.

Sources: Argo docs, fields (Template, `activeDeadlineSeconds`, `timeout`, `retryStrategy`,
`templateDefaults`, `memoize`, `daemon`) and retries (`limit: 0` is one attempt).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from argojobs.edits.debug_defaults import whole_container, without_defaults, without_probes
from argojobs.edits.debug_program import can_wait, is_pod, kind_of, started, waiting_words
from argojobs.edits.debug_steps import callers, chosen_templates, on_server
from argojobs.errors import UsageError
from argojobs.manifest.view import artifacts_of, every_template, metadata_of, shown_name, spec_of
from argojobs.runtime import debugger
from argojobs.service import Workflow

Object = dict[str, Any]

#: The input artifact with debugpy and the program that waits.
ARTIFACT = "argojobs-debugger"
_DEADLINES = ("activeDeadlineSeconds", "timeout")
_MEMOIZE = "memoize"
#: Those that end a container.
_PROBES = ("livenessProbe", "startupProbe")
_ONE_ATTEMPT = {"limit": "0"}
_WHEN = {False: debugger.FIRST_LINE, True: debugger.AT_ERROR}
_MODE = {"mode": 0o755, "recurseMode": True}


@dataclass(frozen=True, slots=True)
class Debugging:
    """Which steps wait for a debugger, and when.

    steps: by the names of templates, or of the steps and tasks that call them; empty means all
    whose program is Python. on_error: at the exception that ends them, not before they begin.
    """

    steps: frozenset[str] = frozenset()
    on_error: bool = False


def with_debugger(
    workflow: Workflow, wanted: Debugging, *, key: str = "", program: str = ""
) -> tuple[Workflow, list[str]]:
    """Return a workflow whose steps wait for a debugger, and what is to be told of it.

    Args:
        workflow: stays as it is.
        wanted: which steps wait, and when.
        key: of the archive with debugpy in the artifact repository.
        program: the source of what waits, where there is no such archive: then each image needs its
            own debugpy.

    Raises:
        UsageError: there is no such step, or it is on the server, or its program is not Python.
    """
    given, metadata = spec_of(workflow), metadata_of(workflow)
    spec: Any
    spec, notes = _with_spec(given, metadata, wanted, _artifact(key, program))
    return {**workflow, "spec": spec}, notes


def _with_spec(
    given: Mapping[str, Any], metadata: Mapping[str, Any], wanted: Debugging, artifact: Object
) -> tuple[Object, list[str]]:
    """Return a workflow's spec and what is to be told. Arguments and errors: `with_debugger`."""
    spec = dict(given)
    spec["templates"] = deepcopy(spec.get("templates") or [])
    reference = spec.get("workflowTemplateRef")
    if reference and not spec["templates"]:
        raise on_server("what this workflow starts", reference.get("name"))
    templates: dict[str, Any] = every_template({"spec": spec})
    defaults = spec.get("templateDefaults") or {}
    chosen = chosen_templates(metadata, templates, wanted.steps)
    wholes = {key: whole_container(defaults, templates[key]) for key in chosen}
    waiting = [key for key in chosen if can_wait(kind_of(templates[key]), wholes[key])]
    others = [key for key in chosen if key not in waiting and is_pod(templates[key])]
    if not waiting or (wanted.steps and others):
        raise _not_python({key: started(kind_of(templates[key]), wholes[key]) for key in others})
    _suspend_all(spec, templates, waiting, wanted.on_error)
    has_arguments = {kind for kind, one in defaults.items() if _has_arguments(one)}
    for key in waiting:
        kind = kind_of(templates[key])
        told = _told(wholes[key], wanted.on_error)
        words = _divided(waiting_words(kind, wholes[key]), kind in has_arguments)
        _let_wait(templates[key], told, words, artifact)
    named = ", ".join(dict.fromkeys(map(shown_name, others)))
    return spec, [f"not Python, and so without a debugger: {named}"] if others else []


def _not_python(programs: Mapping[str, str]) -> UsageError:
    """Return the error for templates, by their keys, with what each starts."""
    if not programs:
        return UsageError(
            "no step of this workflow can wait for a debugger",
            hint="its templates are elsewhere, or none of them starts a program",
        )
    listed = dict.fromkeys(f"{shown_name(key)} starts {what}" for key, what in programs.items())
    return UsageError(
        f"only Python can wait for a debugger: {', '.join(listed)}",
        hint="a container has to say it: command: [python3, ...]; what an image starts by itself, "
        "or a shell, is not looked into",
    )


def _suspend_all(
    spec: Object, templates: Mapping[str, Object], waiting: Collection[str], on_error: bool
) -> None:
    """Take away what would end the templates that wait, or those that call them."""
    held = {*waiting, *callers(templates, waiting)}
    fields = _DEADLINES if on_error else (*_DEADLINES, _MEMOIZE)
    without_defaults(spec, templates, held, fields)
    if not on_error:
        without_probes(spec, templates, waiting, _PROBES)
        for key in waiting:
            container = templates[key][kind_of(templates[key])]
            for name in _PROBES:
                container.pop(name, None)
    spec.pop("activeDeadlineSeconds", None)
    for key in held:
        template = templates[key]
        for field in fields:
            template.pop(field, None)
        if not on_error and (template.get("retryStrategy") or spec.get("retryStrategy")):
            # Still there, as `{{retries}}` is known only beside one; and so the run's is overruled.
            template["retryStrategy"] = dict(_ONE_ATTEMPT)


def _let_wait(template: Object, told: list[Object], words: Object, artifact: Object) -> None:
    """Let the program of a template wait: it is told so, and started by other words, if any."""
    container = template[kind_of(template)]
    names = {one["name"] for one in told}
    others = [one for one in container.get("env") or () if one.get("name") not in names]
    container["env"] = [*others, *told]
    if words:
        container.pop("args", None)
        container.update(words)
    inputs = template["inputs"] = template.get("inputs") or {}
    before = [one for one in artifacts_of(inputs) if one.get("name") != ARTIFACT]
    inputs["artifacts"] = [*before, {**artifact}]


def _told(container: Mapping[str, Any], on_error: bool) -> list[Object]:
    """Return the variables that tell a container when to wait, and where to listen."""
    told = [{"name": debugger.WANTED, "value": _WHEN[on_error]}]
    if any(one.get("hostPort") for one in container.get("ports") or () if _is_ours(one)):
        told.append({"name": debugger.ADDRESS, "value": f"0.0.0.0:{debugger.PORT}"})
    return told


def _has_arguments(default: object) -> bool:
    return isinstance(default, Mapping) and bool(default.get("args"))


def _divided(words: list[str], has_arguments: bool) -> Object:
    """Return words as a container has them.

    has_arguments: the defaults have some, which only arguments of its own keep away.
    """
    if not words:
        return {}
    if has_arguments:
        return {"command": words[:1], "args": words[1:]}
    return {"command": words}


def _is_ours(port: Mapping[str, Any]) -> bool:
    """Whether a container's port is the debugger's: one that the node opens is meant to be used."""
    return port.get("containerPort") == debugger.PORT


def _artifact(key: str, program: str) -> Object:
    """Return what brings the debugger: what is stored, or only the program that waits."""
    if key:
        return {"name": ARTIFACT, "path": debugger.PACKED, **_MODE, "s3": {"key": key}}
    path = f"{debugger.PACKED}/{debugger.PROGRAM}"
    return {"name": ARTIFACT, "path": path, "raw": {"data": program}}
