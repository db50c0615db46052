"""Rules for loops, and for what Argo's controller cannot do with one that its validation lets pass.

Source: Argo's controller: it gathers a loop's outputs wherever something follows the loop, and
looks for the loop's template by its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from argojobs.errors import ExpressionError
from argojobs.expressions.depends import parse
from argojobs.lint.rule import Fault, Faults, error, warning
from argojobs.lint.subject import Caller, Object, Place
from argojobs.manifest.findings import Finding
from argojobs.manifest.places import Path

_WHOLE = re.compile(r"-?\d+")


@error("walk-through/loops/")
def loop_several(caller: Caller) -> Faults:
    """Two loops on one task.

    Argo takes one of withItems, withParam and withSequence.
    Remedy: Keep one.
    Wrong:
        dag:
          tasks:
          - name: a
            template: work
            withItems: [a]
            withParam: '[1]'
    Right:
        dag:
          tasks:
          - name: a
            template: work
            withItems: [a, b]
    """
    ways = [way for way in ("withItems", "withParam", "withSequence") if caller.value.get(way)]
    if len(ways) > 1:
        yield Fault(caller.path, f"it loops over {' and '.join(ways)}")


@warning("walk-through/loops/")
def loop_empty(caller: Caller) -> Faults:
    """A loop over nothing.

    It never runs, and outputs of it never are.
    Remedy: Add an item, or remove the task.
    Wrong:
        dag:
          tasks:
          - name: a
            template: work
            withItems: []
    Right:
        dag:
          tasks:
          - name: a
            template: work
            withItems: [a]
    """
    others = caller.value.get("withParam") and caller.value.get("withSequence")
    if caller.value.get("withItems") == [] and not others:
        yield Fault((*caller.path, "withItems"), "there are no items: it never runs")


@error("walk-through/loops/", beyond=True)
def loop_parameter(text: str, path: Path) -> Faults:
    """A withParam that is not a JSON list.

    The node errors when Argo reads it.
    Remedy: A JSON list, or a tag that becomes one.
    Wrong:
        dag:
          tasks:
          - {name: a, template: work, withParam: 'a, b'}
    Right:
        dag:
          tasks:
          - {name: a, template: work, withParam: '["a", "b"]'}
    """
    if "{{" in text:
        return
    try:
        fits = isinstance(json.loads(text), list)
    except ValueError:
        fits = False
    if not fits:
        yield Fault(path, "it is not a JSON list", 'write ["a", "b"] or a tag of one')


@error("walk-through/loops/", beyond=True)
def sequence(value: Object, path: Path) -> Faults:
    """A sequence without one end.

    It has a count or an end, in whole numbers.
    Remedy: Give it one of them.
    Wrong:
        dag:
          tasks:
          - name: a
            template: work
            withSequence: {count: 2, end: 5}
    Right:
        dag:
          tasks:
          - name: a
            template: work
            withSequence: {count: 2}
    """
    given = [way for way in ("count", "end") if value.get(way) is not None]
    if len(given) != 1:
        what = "both count and end" if given else "neither count nor end"
        yield Fault(path, f"the sequence has {what}")
    for field in ("count", "start", "end"):
        number = value.get(field)
        if number is not None and "{{" not in str(number) and not _WHOLE.fullmatch(str(number)):
            yield Fault((*path, field), f"{number!r} is not a whole number", "write one")


@error("walk-through/loops/", beyond=True)
def inline_loop(caller: Caller) -> Faults:
    """A loop's inline template.

    Argo's lint passes it and the loop runs, but what follows it, or the end of the steps, looks for
    the template by its name: `failed to get a template`, after all the work.
    Remedy: Give the template a name.
    Wrong:
        steps:
        - - name: a
            withItems: [1, 2]
            inline:
              container: {image: 'busybox:1.36', args: ['{{item}}']}
    Right:
        templates:
        - name: main
          steps:
          - - name: a
              withItems: [1, 2]
              template: work
              arguments:
                parameters:
                - {name: item, value: '{{item}}'}
        - name: work
          inputs:
            parameters:
            - {name: item}
          container: {image: 'busybox:1.36', args: ['{{inputs.parameters.item}}']}
    """
    yield Fault(
        (*caller.path, "inline"),
        "once the loop is over Argo ends here with `failed to get a template`",
        "give the template a name among `templates:`, and call it by `template:`",
    )


def check_loops(place: Place, found: list[Caller]) -> Iterator[Finding]:
    """The tasks or steps of a template that loop. found: all that there are."""
    looping = [caller for caller in found if caller.loops]
    needed = None if not looping or place.template.get("dag") is None else _needed(found)
    for caller in looping:
        yield from loop_several(caller)
        yield from loop_empty(caller)
        if caller.value.get("withParam"):
            yield from loop_parameter(caller.value["withParam"], (*caller.path, "withParam"))
        if caller.value.get("withSequence") is not None:
            yield from sequence(caller.value["withSequence"], (*caller.path, "withSequence"))
        gathered = needed is None or caller.name in needed
        if gathered and caller.value.get("inline"):
            yield from inline_loop(caller)


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
