"""The parts of a spec that edits change, in a copy; what is not as Argo has it is passed over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Object = dict[str, Any]

_SEVERAL = ("initContainers", "sidecars")


def copied(value: Any) -> Any:
    """Return a copy of plain data, down to its scalars."""
    if isinstance(value, dict):
        return {key: copied(one) for key, one in value.items()}
    return [copied(one) for one in value] if isinstance(value, list) else value


def members(holder: Any, field: str) -> Iterator[Object]:
    """Yield the mappings in a list."""
    found = holder.get(field) if isinstance(holder, dict) else None
    yield from (one for one in found if isinstance(one, dict)) if isinstance(found, list) else ()


def calls_in(template: Object) -> Iterator[Object]:
    """Yield the steps and tasks of a template; a lone step may stand without its list."""
    groups = template.get("steps")
    for group in groups if isinstance(groups, list) else ():
        yield from members({"steps": group if isinstance(group, list) else [group]}, "steps")
    yield from members(template.get("dag"), "tasks")


def templates_in(spec: Object) -> Iterator[Object]:
    """Yield the templates of a spec, each before those inside it."""
    for template in members(spec, "templates"):
        yield from with_inline(template)


def with_inline(template: Object) -> Iterator[Object]:
    """Yield a template, then those inside its steps and tasks."""
    yield template
    for call in calls_in(template):
        if isinstance(call.get("inline"), dict):
            yield from with_inline(call["inline"])


def _main_containers(template: Object) -> list[Object]:
    """Return the containers of a template that do its work."""
    alone = [template.get("container"), template.get("script")]
    found = [one for one in alone if isinstance(one, dict)]
    return [*found, *members(template.get("containerSet"), "containers")]


def containers_in(template: Object) -> list[Object]:
    """Return all containers of a template: those that do its work, and those beside them."""
    return [
        *_main_containers(template),
        *(one for field in _SEVERAL for one in members(template, field)),
    ]
