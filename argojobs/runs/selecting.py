"""Steps that a verb is about: `--node approve` as Argo's field selector, and which wait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from argojobs.errors import UsageError
from argojobs.manifest import selectors
from argojobs.manifest.nearest import suggestion
from argojobs.manifest.parameters import parse_assignment
from argojobs.manifest.suspended import Node, supplied_outputs, waiting


def selector_of(given: str) -> str:
    """Return a field selector for what the user gave: one, or a step's name as it is shown.

    Raises UsageError for a selector that is none.
    """
    if not given:
        return ""
    if "=" not in given:
        escaped = given.replace("\\", "\\\\").replace(",", "\\,")
        return f"displayName={escaped}"
    selectors.parse(given)
    return given


def waiting_for_resume(workflow: dict[str, Any], selector: str) -> list[str]:
    """Return what a resume would let go on: steps by name, and `the whole run`."""
    names = [str(node["displayName"]) for node in _waiting(workflow, selector)]
    if not selector and (workflow.get("spec") or {}).get("suspend"):
        names.insert(0, "the whole run")
    return names


def outputs_given(
    workflow: dict[str, Any], selector: str, assignments: Sequence[str]
) -> tuple[str, dict[str, str]]:
    """Return the selector of the step whose outputs are given by `NAME=VALUE`, and their values.

    Without a selector it is the one step that waits. Raises UsageError for an output that the step
    does not wait for, for one that is missing and has no default, and where several steps wait.
    """
    given = (parse_assignment(text) for text in assignments)
    values = {name: value.text for name, value in given}
    steps = _waiting(workflow, selector)
    names = list(dict.fromkeys(str(step["displayName"]) for step in steps))
    if values and len(names) > 1 and not selector:
        raise UsageError(
            f"{len(names)} steps wait: which one gets the values?",
            hint=f"name it: --node STEP, one of {', '.join(names)}",
        )
    for step in steps:
        awaited, name = supplied_outputs(step), str(step["displayName"])
        for unknown in (one for one in values if one not in awaited):
            raise UsageError(
                f"{name} does not wait for an output {unknown!r}",
                hint=suggestion(unknown, awaited, what="it waits for"),
            )
        missing = [one for one, default in awaited.items() if default is None and one not in values]
        if missing:
            raise UsageError(
                f"{name} waits for a value of {', '.join(missing)}",
                hint=f"give it: {' '.join(f'-p {one}=VALUE' for one in missing)}",
            )
    return selector or (selector_of(names[0]) if values and names else ""), values


def _waiting(workflow: dict[str, Any], selector: str) -> list[Node]:
    return waiting(((workflow.get("status") or {}).get("nodes") or {}).values(), selector)
