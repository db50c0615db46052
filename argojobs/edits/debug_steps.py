"""Which templates are meant by the names of steps that are to wait for a debugger.

A name is that of a template, or of a step or task that calls one or has it inside. Templates go by
their keys, see `every_template`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from argojobs.edits.debug_program import is_pod
from argojobs.errors import UsageError
from argojobs.manifest.names import FULL_NAMES
from argojobs.manifest.nearest import suggestion
from argojobs.manifest.view import called, calls_of, inline_key, shown_name

Templates = Mapping[str, Mapping[str, Any]]


def chosen_templates(
    metadata: Mapping[str, Any], templates: Templates, steps: Collection[str]
) -> list[str]:
    """Return the keys of the templates that are meant, and of all that they call.

    Args:
        metadata: of the workflow, where names stand that were cut.
        templates: all of the workflow, by their keys.
        steps: their names as users give them; none means every template.

    Raises:
        UsageError: a name means nothing here, or a template on the server.
    """
    if not steps:
        return list(templates)
    whole = json.loads((metadata.get("annotations") or {}).get(FULL_NAMES) or "{}")
    meant = _meant(templates)
    names = {short: meant[short] for short in whole if short in meant}
    known = {**meant, **{whole[short]: keys for short, keys in names.items()}}
    found: set[str] = set()
    for step in steps:
        name = step.partition("(")[0]  # all items of a fan-out are calls of one template
        keys = known.get(step) or known.get(name) or known.get(name.replace("_", "-"))
        if keys is None:
            _check_here(templates, step)
            listed = [
                whole.get(name, name)
                for name, keys in meant.items()
                if any(is_pod(templates[key]) for key in keys)
            ]
            raise UsageError(
                f"there is no step {step!r} to debug",
                hint=suggestion(step, dict.fromkeys(listed), what="there are"),
            )
        found |= keys
    # The steps of a graph that is named are its own.
    found |= _reached(found, lambda key: _called(key, templates[key]) & templates.keys())
    return [key for key in templates if key in found]


def callers(templates: Templates, keys: Collection[str]) -> set[str]:
    """Return the templates from which some of these are reached."""
    by: dict[str, list[str]] = {}
    for key, template in templates.items():
        for one in _called(key, template):
            by.setdefault(one, []).append(key)
    return _reached(keys, lambda key: by.get(key, ()))


def _meant(templates: Templates) -> dict[str, set[str]]:
    """Return the keys of templates by the names that users may call them."""
    meant: dict[str, set[str]] = {}
    for key in templates:
        meant.setdefault(shown_name(key), set()).add(key)
    for template in templates.values():
        for call in calls_of(template):
            if call.get("template") in templates:
                meant.setdefault(str(call.get("name", "")), set()).add(str(call["template"]))
    return meant


def _called(key: str, template: Mapping[str, Any]) -> set[str]:
    """Return the keys of the templates that a template calls, or has inside."""
    inside = {inline_key(key, call) for call in calls_of(template) if call.get("inline")}
    return {*called(template), *inside}


def _reached(keys: Collection[str], leads: Callable[[str], Iterable[str]]) -> set[str]:
    """Return the keys that some lead to, in as many steps as it takes."""
    found: set[str] = set()
    left = [*keys]
    while left:
        grown = {*leads(left.pop())} - found
        found |= grown
        left += grown
    return found


def _check_here(templates: Templates, step: str) -> None:
    """Raise UsageError for a step or task whose template is on the server."""
    for template in templates.values():
        for call in calls_of(template):
            reference = call.get("templateRef")
            if call.get("name") == step and isinstance(reference, Mapping):
                raise on_server(f"the template of {step}", reference.get("name"))


def on_server(what: str, name: object) -> UsageError:
    """Return the error for what is not in the manifest. name: of its WorkflowTemplate."""
    return UsageError(
        f"{what} is on the server, in {name}: it cannot be told to wait for a debugger",
        hint=f"give the manifest with its templates: `templates` of {name} in its own `spec`",
    )
