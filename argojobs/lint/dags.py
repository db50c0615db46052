"""Rules for dags: what their tasks depend on.

Source: Argo `workflow/validate/validate.go` (validateDAG).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from argojobs.errors import ExpressionError
from argojobs.expressions.depends import parse
from argojobs.lint.ancestry import needed_by
from argojobs.lint.rule import Fault, Faults, error
from argojobs.lint.subject import Caller, Object
from argojobs.manifest.findings import Finding
from argojobs.manifest.graph import find_cycle
from argojobs.manifest.nearest import suggestion
from argojobs.manifest.places import Path


@error("walk-through/dag/")
def dag_empty(tasks: Sequence[Caller], path: Path) -> Faults:
    """A dag without tasks.

    Argo refuses the template.
    Remedy: Add a task.
    Wrong:
        dag:
          tasks: []
    Right:
        dag:
          tasks:
          - {name: a, template: work}
    """
    if not tasks:
        yield Fault(path, "the dag has no tasks")


@error("enhanced-depends-logic/")
def depends_and_dependencies(tasks: Sequence[Caller], path: Path) -> Faults:
    """`depends` and `dependencies` in one dag.

    Argo refuses the mixture.
    Remedy: Use `depends` everywhere.
    Wrong:
        dag:
          tasks:
          - {name: a, template: work}
          - {name: b, template: work, depends: a}
          - name: c
            template: work
            dependencies: [a]
    Right:
        dag:
          tasks:
          - {name: a, template: work}
          - {name: b, template: work, depends: a}
          - {name: c, template: work, depends: a}
    """
    if all(any(one.value.get(way) for one in tasks) for way in ("depends", "dependencies")):
        what = "some tasks use `depends`, others `dependencies`"
        yield Fault((*path, "tasks"), what)


@error("enhanced-depends-logic/")
def continue_on_depends(tasks: Sequence[Caller]) -> Faults:
    """A continueOn in a dag with `depends`.

    Argo refuses it: `depends` says the same more precisely.
    Remedy: Write NAME.Succeeded || NAME.Failed.
    Wrong:
        dag:
          tasks:
          - name: a
            template: work
            continueOn: {failed: true}
          - {name: b, template: work, depends: a}
    Right:
        dag:
          tasks:
          - {name: a, template: work}
          - {name: b, template: work, depends: a.Succeeded || a.Failed}
    """
    if any(task.value.get("depends") for task in tasks):
        for task in tasks:
            if task.value.get("continueOn") is not None:
                where = (*task.path, "continueOn")
                hint = "say in `depends` of the tasks behind it: NAME.Succeeded || NAME.Failed"
                yield Fault(where, "a dag with `depends` cannot have continueOn", hint)


@error("enhanced-depends-logic/", beyond=True)
def depends_syntax(task: Caller) -> Faults:
    """A `depends` that does not parse.

    Argo's lint may pass it, and the dag errors when it runs.
    Remedy: Names with .Succeeded, .Failed and so on, joined by && and ||.
    Wrong:
        dag:
          tasks:
          - {name: a, template: work}
          - {name: b, template: work, depends: a &&}
    Right:
        dag:
          tasks:
          - {name: a, template: work}
          - {name: b, template: work, depends: a.Succeeded || a.Failed}
    """
    try:
        parse(task.value["depends"])
    except ExpressionError as fault:
        yield Fault((*task.path, "depends"), fault.what, fault.hint)


@error("enhanced-depends-logic/")
def depends_items(task: Caller, by_name: Mapping[str, Caller]) -> Faults:
    """AnySucceeded or AllFailed of a task without items.

    They ask about the items of a loop.
    Remedy: Use .Succeeded or .Failed.
    Wrong:
        dag:
          tasks:
          - {name: a, template: work}
          - {name: b, template: work, depends: a.AnySucceeded}
    Right:
        dag:
          tasks:
          - {name: a, template: work}
          - {name: b, template: work, depends: a.Succeeded}
    """
    text = task.value.get("depends") or ""
    if "AnySucceeded" not in text and "AllFailed" not in text:
        return
    for one in parse(text).conditions():
        other = by_name.get(one.task)
        if one.condition in ("AnySucceeded", "AllFailed") and other and not other.loops:
            what = f"{one.task}.{one.condition} asks about items, and {one.task!r} has none"
            yield Fault((*task.path, "depends"), what)


@error("walk-through/dag/")
def dependency_unknown(needed: Sequence[str], path: Path, by_name: Mapping[str, Caller]) -> Faults:
    """A dependency that is not a task.

    Argo refuses the dag.
    Remedy: Correct the name.
    Wrong:
        dag:
          tasks:
          - {name: a, template: work, depends: zz}
    Right:
        dag:
          tasks:
          - {name: a, template: work}
          - {name: b, template: work, depends: a}
    """
    for other in needed:
        if other not in by_name:
            hint = suggestion(other, filter(None, by_name), what="the tasks are")
            yield Fault(path, f"there is no task {other!r}", hint)


@error("walk-through/dag/")
def cycle(edges: Mapping[str, Sequence[str]], by_name: Mapping[str, Caller]) -> Faults:
    """Tasks that wait for each other.

    None of them could begin.
    Remedy: Remove one of the dependencies.
    Wrong:
        dag:
          tasks:
          - {name: a, template: work, depends: b}
          - {name: b, template: work, depends: a}
    Right:
        dag:
          tasks:
          - {name: a, template: work}
          - {name: b, template: work, depends: a}
    """
    found = find_cycle(edges)
    if found:
        what = f"the tasks wait for each other: {' -> '.join(found[:12])}"
        hint = "an arrow means `depends on`: remove one of them"
        yield Fault(by_name[found[0]].path, what, hint)


@error("walk-through/dag/")
def target_unknown(dag: Object, path: Path, by_name: Mapping[str, Caller]) -> Faults:
    """A target that is not a task.

    Argo refuses the dag.
    Remedy: Correct the name.
    Wrong:
        dag:
          target: zz
          tasks:
          - {name: a, template: work}
    Right:
        dag:
          target: a
          tasks:
          - {name: a, template: work}
    """
    for target in (dag.get("target") or "").split():
        if target not in by_name and "{{" not in target:
            hint = suggestion(target, filter(None, by_name), what="the tasks are")
            yield Fault((*path, "target"), f"there is no task {target!r}", hint)


def check_dag(dag: Object, path: Path, tasks: Sequence[Caller]) -> Iterator[Finding]:
    """Check what the tasks of a dag depend on.

    Args:
        dag: the mapping with `tasks` and `target`.
        path: of the dag.
        tasks: of the dag, in order.
    """
    yield from dag_empty(tasks, path)
    yield from depends_and_dependencies(tasks, path)
    yield from continue_on_depends(tasks)
    by_name = {task.name: task for task in tasks}
    edges: dict[str, Sequence[str]] = {}
    for task in tasks:
        field = "depends" if task.value.get("depends") else "dependencies"
        needed = needed_by(task)
        edges[task.name] = needed or ()
        if needed is None:
            yield from depends_syntax(task)
        elif needed:
            yield from depends_items(task, by_name)
            yield from dependency_unknown(needed, (*task.path, field), by_name)
    yield from cycle(edges, by_name)
    yield from target_unknown(dag, path, by_name)
