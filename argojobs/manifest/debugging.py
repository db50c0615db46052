"""A workflow whose steps wait for a debugger: at their first line, or at the exception that ends them.

`runtime/debugger.py` comes to them as an input artifact, and debugpy with it where there is a store.
Our own program finds it there; any other that is Python gets it in front of its words. What would end a step that waits is left out: its
deadlines, those of what calls it and of the run, its probes; and its attempts after the first, as
each would wait anew. A step that is held at an exception keeps its attempts, so that a lost machine
costs no training.

Sources: Argo docs, fields (Template, `activeDeadlineSeconds`, `timeout`, `retryStrategy`,
`templateDefaults`) and retries (`limit: 0` is one attempt).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import UsageError
from ..runtime import debugger
from .called import called
from .names import FULL_NAMES
from .nearest import suggestion
from .own_program import is_own_program

Object = dict[str, Any]

#: The input artifact with debugpy and the program that waits.
ARTIFACT = "argojobs-debugger"
_DEADLINES = ("activeDeadlineSeconds", "timeout")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_ONE_ATTEMPT = {"limit": "0"}
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
    workflow: Mapping[str, Any], wanted: Debugging, *, key: str = "", program: str = ""
) -> tuple[Object, list[str]]:
    """Return a workflow whose steps wait for a debugger, and what is to be told of it.

    key: of the archive with debugpy in the artifact repository. program: the source of what waits,
    where there is no such archive: then each image needs its own debugpy. Raises UsageError for a step that there is not, or whose program is not Python.
    """
    spec = dict(workflow.get("spec") or {})
    templates = [dict(one) for one in spec.get("templates") or ()]
    by_name = {str(one.get("name", "")): one for one in templates}
    chosen = _chosen(workflow, by_name, wanted.steps)
    waiting = [name for name in chosen if _can_wait(by_name[name])]
    others = [name for name in chosen if name not in waiting and _is_pod(by_name[name])]
    if not waiting or (wanted.steps and others):
        raise _not_python(others)
    held = {*waiting, *_callers(by_name, waiting)}
    _push_defaults(spec, templates, held)
    spec.pop("activeDeadlineSeconds", None)
    for template in templates:
        name = str(template.get("name", ""))
        if name in held:
            _suspend(template, keep_attempts=wanted.on_error)
        if name in waiting:
            _let_wait(template, wanted.on_error, _artifact(key, program))
    spec["templates"] = templates
    notes = [f"not Python, and so without a debugger: {', '.join(others)}"] if others else []
    return {**workflow, "spec": spec}, notes


def _chosen(
    workflow: Mapping[str, Any], by_name: Mapping[str, Object], steps: Collection[str]
) -> list[str]:
    """Return the names of the templates that are meant. Raises UsageError for a name of none."""
    if not steps:
        return list(by_name)
    meant: dict[str, set[str]] = {name: {name} for name in by_name}
    for template in by_name.values():
        for call, target in _calls(template):
            if target in by_name:
                meant.setdefault(call, set()).add(target)
    notes = (workflow.get("metadata") or {}).get("annotations") or {}
    for short, whole in json.loads(notes.get(FULL_NAMES) or "{}").items():
        if short in meant:
            meant.setdefault(whole, set()).update(meant[short])
    found: set[str] = set()
    for step in steps:
        targets = meant.get(step) or meant.get(step.replace("_", "-"))
        if targets is None:
            names = [name for name in meant if any(_is_pod(by_name[one]) for one in meant[name])]
            raise UsageError(
                f"there is no step {step!r} to debug",
                hint=suggestion(step, names, what="there are"),
            )
        found |= targets
    inside = _below(by_name, found)
    return [name for name in by_name if name in inside]


def _calls(template: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the calls of a template: the name of the step or task, and of what it calls."""
    tasks: list[Any] = [*((template.get("dag") or {}).get("tasks") or ())]
    for group in template.get("steps") or ():
        tasks += group if isinstance(group, list) else [group]
    return [(str(one.get("name", "")), str(one.get("template", ""))) for one in tasks if one]


def _below(by_name: Mapping[str, Object], names: Collection[str]) -> set[str]:
    """Return templates and all that they call: the steps of a graph that is named are its own."""
    found, left = set(names), list(names)
    while left:
        for name in called(by_name[left.pop()]):
            if name in by_name and name not in found:
                found.add(name)
                left.append(name)
    return found


def _callers(by_name: Mapping[str, Object], names: Collection[str]) -> set[str]:
    """Return the templates from which some of these are reached."""
    calls = {name: set(called(template)) for name, template in by_name.items()}
    found: set[str] = set()
    grown = set(names)
    while grown:
        grown = {name for name, targets in calls.items() if targets & grown} - found
        found |= grown
    return found


def _is_pod(template: Mapping[str, Any]) -> bool:
    return any(kind in template for kind in ("container", "script", "containerSet"))


def _can_wait(template: Mapping[str, Any]) -> bool:
    if isinstance(template.get("script"), Mapping):
        return bool(_script_command(template["script"]))
    container = template.get("container")
    if not isinstance(container, Mapping):
        return False
    return is_own_program(container) or bool(debugger.python_words(_words(container))[1])


def _words(container: Mapping[str, Any]) -> list[str]:
    """Return the words of a container that names its program; none where the image has it."""
    command = [str(word) for word in container.get("command") or ()]
    return [*command, *(str(word) for word in container.get("args") or ())] if command else []


def _script_command(script: Mapping[str, Any]) -> list[str]:
    """Return the command of a Python script with our program in it; Argo puts the file after it."""
    flags, target = debugger.python_words([*map(str, script.get("command") or ()), "script"])
    return [*flags, debugger.PACKED] if target == ["script"] else []


def _not_python(names: Collection[str]) -> UsageError:
    if not names:
        return UsageError(
            "no step of this workflow can wait for a debugger",
            hint="its templates are elsewhere, or none of them starts a program",
        )
    return UsageError(
        f"only Python can wait for a debugger, which is not what {', '.join(names)} start"
        + ("s" if len(names) == 1 else ""),
        hint="a container has to say it: command: [python3, ...]; what an image starts by itself, "
        "or a shell, is not looked into",
    )


def _push_defaults(spec: Object, templates: list[Object], held: Collection[str]) -> None:
    """Give the defaults that are about to be suspended to those templates that keep them."""
    defaults = dict(spec.get("templateDefaults") or {})
    for field in (*_DEADLINES, "retryStrategy"):
        value = defaults.pop(field, None)
        if value is None:
            continue
        for template in templates:
            own = template.get(field)
            if field == "retryStrategy":
                template[field] = {**value, **(own or {})}
            elif own is None and template.get("name") not in held:
                template[field] = value
    if "templateDefaults" in spec:
        spec["templateDefaults"] = defaults


def _suspend(template: Object, *, keep_attempts: bool) -> None:
    """Take away what would end a step that waits, or begin it again."""
    for field in _DEADLINES:
        template.pop(field, None)
    if "retryStrategy" in template and not keep_attempts:
        # Still there, as `{{retries}}` is known only beside one.
        template["retryStrategy"] = dict(_ONE_ATTEMPT)


def _let_wait(template: Object, on_error: bool, artifact: Object) -> None:
    """Let the program of a template wait."""
    kind = "script" if isinstance(template.get("script"), Mapping) else "container"
    container = {name: value for name, value in template[kind].items() if name not in _PROBES}
    when = debugger.AT_ERROR if on_error else debugger.FIRST_LINE
    told = [{"name": debugger.WANTED, "value": when}]
    if any(one.get("hostPort") for one in container.get("ports") or () if _is_ours(one)):
        told.append({"name": debugger.ADDRESS, "value": f"0.0.0.0:{debugger.PORT}"})
    names = {one["name"] for one in told}
    others = [one for one in container.get("env") or () if one.get("name") not in names]
    container["env"] = [*others, *told]
    if kind == "script":
        container["command"] = _script_command(container)
    elif not is_own_program(container):
        flags, target = debugger.python_words(_words(container))
        container["command"] = [*flags, debugger.PACKED, *target]
        container.pop("args", None)
    template[kind] = container
    inputs = dict(template.get("inputs") or {})
    before = [one for one in inputs.get("artifacts") or () if one.get("name") != ARTIFACT]
    inputs["artifacts"] = [*before, artifact]
    template["inputs"] = inputs


def _is_ours(port: Mapping[str, Any]) -> bool:
    """Whether a container's port is the debugger's: one that the node opens is meant to be used."""
    return port.get("containerPort") == debugger.PORT


def _artifact(key: str, program: str) -> Object:
    """Return what brings the debugger: what is stored, or only the program that waits."""
    if key:
        return {"name": ARTIFACT, "path": debugger.PACKED, **_MODE, "s3": {"key": key}}
    path = f"{debugger.PACKED}/{debugger.PROGRAM}"
    return {"name": ARTIFACT, "path": path, "raw": {"data": program}}
