"""Rules for loops: what Argo's controller cannot do with one that its validation lets pass.

Source: Argo's controller: it gathers a loop's outputs wherever something follows the loop, and
looks for the loop's template by its name.
"""

from __future__ import annotations

from collections.abc import Iterator

from argojobs.errors import ExpressionError
from argojobs.expressions.depends import parse
from argojobs.lint.subject import Caller, Subject, callers
from argojobs.manifest.findings import Finding, error


def check_loops(subject: Subject) -> Iterator[Finding]:
    """Inline templates of loops whose outputs are gathered."""
    for place in subject.places:
        found = list(callers(place.template, place.path))
        needed = None if place.template.get("dag") is None else _needed(found)
        for caller in found:
            gathered = needed is None or caller.name in needed
            if gathered and caller.loops and caller.value.get("inline"):
                yield error(
                    "inline-loop",
                    (*caller.path, "inline"),
                    "once the loop is over Argo ends here with `failed to get a template`",
                    "give the template a name among `templates:`, and call it by `template:`",
                )


def _needed(found: list[Caller]) -> set[str]:
    """The tasks that others depend on."""
    names: set[str] = set()
    for caller in found:
        names.update(caller.value.get("dependencies") or ())
        try:
            names.update(parse(caller.value.get("depends") or "").tasks)
        except ExpressionError:
            continue  # another rule tells of it
    return names
