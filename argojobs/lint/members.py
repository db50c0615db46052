"""What may be named of a task or step: `outputs.parameters.x`, `status`, and so on.

A tag names what Argo's own lint has on its list, word for word; an expression may name what holds
it as well (`toJson(tasks.a.outputs.parameters)`) and is found out when it runs.
Source: `workflow/validate/validate.go` of Argo 4.0.5 (addOutputsToScope).
"""

from __future__ import annotations

from argojobs.lint.subject import NOTHING, Caller, Object, items

#: Of each node. An expression may ask for more of them, and gets nothing where there is nothing.
OF_NODE = frozenset({"id", "startedAt", "finishedAt", "hostNodeName"})
OF_NODE_IN_EXPRESSIONS = OF_NODE | {"status", "name", "exitCode", "ip"}

_PRINTING = ("container", "script", "data", "http", "plugin")
_RESULT = frozenset({"outputs.result", "exitCode"})


def outputs_of(template: Object) -> frozenset[str]:
    """Return the outputs that a template declares, and what it prints."""
    outputs = template.get("outputs") or NOTHING
    names = {
        f"outputs.{kind}.{one.get('name')}"
        for kind in ("parameters", "artifacts")
        for _, one in items(outputs, kind)
    }
    if _prints(template):
        names.add("outputs.result")
    return frozenset(names)


def _prints(template: Object) -> bool:
    if any(template.get(kind) is not None for kind in _PRINTING):
        return True
    containers = items(template.get("containerSet") or NOTHING, "containers")
    return any(one.get("name") == "main" for _, one in containers)


def tag_names(template: Object, caller: Caller, *, status: bool, gathered: bool) -> frozenset[str]:
    """Return what a tag may name of a task or step that calls this template.

    Args:
        template: what is called.
        caller: the task or step.
        status: the place of the tag knows how it ended.
        gathered: the place knows what a loop gathers: of withItems and withParam; of withSequence
            Argo's lint knows the single outputs alone.
    """
    names = OF_NODE | outputs_of(template)
    if "outputs.result" in names:
        names |= _RESULT
    if template.get("daemon") is True:
        names |= {"ip"}
    if status:
        names |= {"status"}
    if gathered and (caller.value.get("withItems") or caller.value.get("withParam")):
        names |= {"outputs.parameters"}
        if template.get("containerSet") is not None:
            names |= _RESULT
    return names
