"""Steps that a verb is about: `--node approve` as Argo's field selector, and which wait."""

from __future__ import annotations

from typing import Any

from argojobs.manifest import selectors


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
    terms = selectors.parse(selector) if selector else []
    nodes = ((workflow.get("status") or {}).get("nodes") or {}).values()
    names = [
        str(node["displayName"])
        for node in nodes
        if node["type"] == "Suspend"
        and node["phase"] == "Running"
        and selectors.matches(terms, node)
    ]
    if not selector and (workflow.get("spec") or {}).get("suspend"):
        names.insert(0, "the whole run")
    return names
