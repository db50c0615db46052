"""Every template of a workflow: those with a name, and those that stand inside a step or task.

An inline template has no name of its own that anybody sees: it is known by where it stands.
Source: Argo docs, inline templates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

#: Between the parts of a key; no name of a template, step or task has it.
_INSIDE = "/"


def calls_in(template: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the steps and tasks of a template; a lone step may stand without its list."""
    tasks: list[Any] = [*((template.get("dag") or {}).get("tasks") or ())]
    for group in template.get("steps") or ():
        tasks += group if isinstance(group, list) else [group]
    return [one for one in tasks if isinstance(one, Mapping)]


def inline_key(key: str, call: Mapping[str, Any]) -> str:
    """Return the key of the template inside a step or task of the template with a key."""
    return f"{key}{_INSIDE}{call.get('name', '')}"


def shown_name(key: str) -> str:
    """Return how users call the template with a key: its name, or that of its step or task."""
    return key.rpartition(_INSIDE)[2]


def every_template(templates: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return templates by their keys, those with a name first: the same objects, not copies."""
    found: dict[str, Any] = {}
    left: list[tuple[str, Any]] = [(str(one.get("name", "")), one) for one in templates]
    for key, template in left:  # which grows meanwhile
        found[key] = template
        left += [
            (inline_key(key, call), call["inline"])
            for call in calls_in(template)
            if isinstance(call.get("inline"), Mapping)
        ]
    return found
