"""What a template of another object wants of the workflow that calls it.

A `templateRef` brings the template, not the arguments of its WorkflowTemplate: its
`{{workflow.parameters.x}}` is the caller's. Source: Argo docs, workflow templates.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Finding, error
from .globals import Globals
from .subject import Object, Subject, callers
from .texts import check_texts

_PARAMETERS = "workflow.parameters."
_Key = tuple[bool, str, str]


def check_referenced(subject: Subject, globals_: Globals) -> Iterator[Finding]:
    """Every templateRef to a template that is known: that the workflow has the parameters."""
    if globals_.open or not subject.library:
        return
    wanted: dict[_Key, list[str]] = {}
    for place in subject.places:
        for caller in callers(place.template, place.path):
            key = _key_of(caller.value)
            if key is None:
                continue
            if key not in wanted:
                wanted[key] = list(_missing(subject, globals_, key))
            for name in wanted[key]:
                yield error(
                    "unresolved-reference",
                    (*caller.path, "templateRef"),
                    f"template {key[2]!r} of {key[1]!r} wants {{{{{name}}}}}: "
                    "the arguments of a WorkflowTemplate do not come with a template of it",
                    globals_.hint(name),
                )


def _key_of(caller: Object) -> _Key | None:
    """Return which template of which object a task or step calls, None where it calls none."""
    reference = caller.get("templateRef")
    if not reference:
        return None
    return (
        bool(reference.get("clusterScope")),
        str(reference.get("name") or ""),
        str(reference.get("template") or ""),
    )


def _missing(subject: Subject, globals_: Globals, start: _Key) -> Iterator[str]:
    """Yield the parameters that a template, or one that it calls, names and no one declares."""
    found: dict[str, None] = {}

    def note(name: str) -> None:
        if name.startswith(_PARAMETERS) and globals_.fault(name) is not None:
            found[name] = None

    seen = {start}
    pending = [start]
    while pending:
        key = pending.pop()
        template = subject.library.get(key)
        if template is None:
            continue
        for _ in check_texts(template, (), note):
            pass  # only the names are asked for; the object itself is linted where it stands
        for caller in callers(template, ()):
            inner = _key_of(caller.value) or (*key[:2], str(caller.value.get("template") or ""))
            if inner not in seen:
                seen.add(inner)
                pending.append(inner)
    yield from found
