"""What a template of another object wants of the workflow that calls it.

A `templateRef` brings the template, not what its WorkflowTemplate has beside it: its
`{{workflow.parameters.x}}` and the volumes that it mounts are the caller's. Source: Argo docs,
workflow templates.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from argojobs.lint.globals import Globals
from argojobs.lint.pods import containers_of, foreign_mounts, volume_names, volume_undeclared
from argojobs.lint.subject import NOTHING, Object, Place, Subject, callers, items
from argojobs.lint.texts import check_texts, unresolved_reference
from argojobs.manifest.findings import Finding
from argojobs.manifest.nearest import suggestion
from argojobs.manifest.places import Path

_PARAMETERS = "workflow.parameters."


class _Key(NamedTuple):
    """A call of a template of another object: which, and the parameters that it is given."""

    cluster: bool
    owner: str
    template: str
    given: frozenset[str]


class _Wanted(NamedTuple):
    """What a template, and those that it calls, want and no one declares."""

    parameters: dict[str, None]
    volumes: dict[str, None]


def check_referenced(subject: Subject, globals_: Globals) -> Iterator[Finding]:
    """Every templateRef to a template that is known: that the workflow has what it wants."""
    if globals_.open or globals_.unseen or not subject.library:
        return
    wanted: dict[_Key, _Wanted] = {}
    volumes = volume_names(subject)
    for place in subject.places:
        for caller in callers(place.template, place.path):
            if not caller.value.get("templateRef"):
                continue
            key = _key_of(caller.value)
            if key not in wanted:
                wanted[key] = _missing(subject, globals_, key, volumes)
            path = (*caller.path, "templateRef")
            whose = f"template {key.template!r} of {key.owner!r}"
            for name in wanted[key].parameters:
                beside = "the arguments of a WorkflowTemplate do not come with a template of it"
                what = f"{whose} wants {{{{{name}}}}}: {beside}"
                yield from unresolved_reference(path, what, globals_.hint(name))
            for name in wanted[key].volumes:
                beside = "the volumes of a WorkflowTemplate do not come with a template of it"
                hint = suggestion(name, sorted(volumes), what="the volumes here are")
                yield from volume_undeclared(path, f"{whose} mounts {name!r}: {beside}", hint)


def _key_of(caller: Object, owner: _Key | None = None) -> _Key:
    """Return which template a task or step calls. owner: of the object that it stands in."""
    reference = caller.get("templateRef") or NOTHING
    given = frozenset(
        str(one.get("name")) for _, one in items(caller.get("arguments"), "parameters")
    )
    if owner is not None and not reference:
        return owner._replace(template=str(caller.get("template") or ""), given=given)
    return _Key(
        bool(reference.get("clusterScope")),
        str(reference.get("name") or ""),
        str(reference.get("template") or ""),
        given,
    )


def _missing(subject: Subject, globals_: Globals, start: _Key, volumes: set[str]) -> _Wanted:
    """Return what a template, or one that it calls, wants and no one declares."""
    found = _Wanted({}, {})

    def note(name: str, path: Path) -> list[Finding]:
        if name.startswith(_PARAMETERS) and globals_.fault(name, path):
            found.parameters[name] = None
        return []

    seen = {start}
    pending = [start]
    while pending:
        key = pending.pop()
        template = subject.library.get((key.cluster, key.owner, key.template))
        if template is None:
            continue
        for _ in check_texts(without_defaults(template, key.given), (), note):
            pass  # only the names are asked for; the object itself is linted where it stands
        for container in containers_of(Place((), template)):
            names = foreign_mounts(container).values()
            found.volumes.update(dict.fromkeys(name for name in names if name not in volumes))
        for caller in callers(template, ()):
            inner = _key_of(caller.value, key)
            if inner not in seen:
                seen.add(inner)
                pending.append(inner)
    return found


def without_defaults(template: Object, given: frozenset[str]) -> Object:
    """Return a template whose inputs that are given have no values of their own: none counts."""
    inputs = template.get("inputs") or NOTHING
    if not given or not inputs.get("parameters"):
        return template
    parameters = [
        {"name": one.get("name")} if one and one.get("name") in given else one
        for one in inputs["parameters"]
    ]
    return {**template, "inputs": {**inputs, "parameters": parameters}}
