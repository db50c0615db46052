"""Rules for what calls templates: tasks and steps, hooks, the workflow itself.

Source: Argo `workflow/validate/validate.go` (validateSteps, validateDAG).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from argojobs.lint.ancestry import needed_by
from argojobs.lint.arguments import Needs, check_given, input_missing, needs_of
from argojobs.lint.dags import check_dag
from argojobs.lint.loops import check_loops
from argojobs.lint.rule import Fault, Faults, error, warning
from argojobs.lint.subject import NOTHING, Caller, Object, Subject, callers, items
from argojobs.lint.templates import name_faults
from argojobs.manifest.findings import Finding, Level
from argojobs.manifest.graph import find_cycle
from argojobs.manifest.kinds import TEMPLATES
from argojobs.manifest.nearest import suggestion
from argojobs.manifest.places import Path

#: What the templates of an object need, by name; None where they are those of another one.
_Known = Mapping[str, Needs] | None


@error("walk-through/steps/")
def step_name(caller: Caller) -> Faults:
    """A step without a legal name.

    Names have letters, digits and `-`.
    Remedy: Rename it.
    Wrong:
        steps:
        - - {name: do_it, template: work}
    Right:
        steps:
        - - {name: do-it, template: work}
    """
    yield from _name(caller)


@error("walk-through/dag/")
def task_name(caller: Caller) -> Faults:
    """A task without a legal name.

    Names have letters, digits and `-`, and no digit first where tasks depend on each other.
    Remedy: Rename it.
    Wrong:
        dag:
          tasks:
          - {name: do_it, template: work}
    Right:
        dag:
          tasks:
          - {name: do-it, template: work}
    """
    yield from _name(caller)
    if caller.name[:1].isdigit() and needed_by(caller):
        what = "the name of a task with dependencies begins with a digit"
        yield Fault((*caller.path, "name"), what, "begin it with a letter")


def _name(caller: Caller) -> Faults:
    if not caller.name:
        yield Fault(caller.path, f"the {caller.kind} has no name", "add `name:`")
    elif "{{" not in caller.name:  # Argo reads it when the tags in it are replaced
        yield from name_faults(caller.name, (*caller.path, "name"), caller.kind)


@error("walk-through/steps/")
def duplicate_step(caller: Caller) -> Faults:
    """Two steps of one name.

    Their outputs could not be told apart.
    Remedy: Rename one.
    Wrong:
        steps:
        - - {name: a, template: work}
        - - {name: a, template: work}
    Right:
        steps:
        - - {name: a, template: work}
        - - {name: b, template: work}
    """
    yield from _twice(caller)


@error("walk-through/dag/")
def duplicate_task(caller: Caller) -> Faults:
    """Two tasks of one name.

    Dependencies could not tell them apart.
    Remedy: Rename one.
    Wrong:
        dag:
          tasks:
          - {name: a, template: work}
          - {name: a, template: work}
    Right:
        dag:
          tasks:
          - {name: a, template: work}
          - {name: b, template: work}
    """
    yield from _twice(caller)


def _twice(caller: Caller) -> Faults:
    what = f"{caller.kind} {caller.name!r} stands here twice"
    yield Fault((*caller.path, "name"), what)


@error("workflow-concepts/")
def template_reference(caller: Caller) -> Faults:
    """A task or step that calls nothing, or two things.

    It has exactly one of template, templateRef and inline.
    Remedy: Keep one.
    Wrong:
        dag:
          tasks:
          - {name: a}
    Right:
        dag:
          tasks:
          - {name: a, template: work}
    """
    ways = [way for way in ("template", "templateRef", "inline") if caller.value.get(way)]
    if len(ways) != 1:
        what = f"it has {' and '.join(ways) or 'no template'}"
        yield Fault(caller.path, what, "give it exactly one of template, templateRef and inline")


@error("workflow-concepts/")
def template_unknown(name: str, path: Path, known: Collection[str]) -> Faults:
    """A call of a template that is not there.

    Argo refuses the workflow.
    Remedy: Correct the name.
    Wrong:
        dag:
          tasks:
          - {name: a, template: missing}
    Right:
        dag:
          tasks:
          - {name: a, template: work}
    """
    hint = suggestion(name, known, what="the templates are")
    yield Fault(path, f"there is no template {name!r}", hint)


@error("workflow-templates/")
def template_ref(reference: Object, path: Path) -> Faults:
    """An incomplete templateRef.

    It needs the name of the object and of the template in it.
    Remedy: Add both.
    Wrong:
        dag:
          tasks:
          - name: a
            templateRef: {name: shared}
    Right:
        dag:
          tasks:
          - name: a
            templateRef: {name: shared, template: train}
    """
    if not reference.get("name") or not reference.get("template"):
        missing = "template" if reference.get("name") else "name"
        yield Fault(path, f"the reference has no {missing}", f"add `{missing}:`")


@error("workflow-templates/")
def template_ref_unknown(
    subject: Subject, cluster: bool, name: str, template: str, path: Path
) -> Faults:
    """A reference to a template that cannot be found.

    The object is not among the files that are checked, or has no such template. It may be on the
    server: `--refs off` says nothing, `--refs strict` makes it an error.
    Remedy: Give its file with --templates, or correct the name.
    Wrong:
        dag:
          tasks:
          - name: a
            templateRef: {name: shared, template: train}
    Right:
        dag:
          tasks:
          - {name: a, template: train}
    """
    kind = "ClusterWorkflowTemplate" if cluster else "WorkflowTemplate"
    if (cluster, name) in subject.known:
        there = [one for scope, owner, one in subject.library if (scope, owner) == (cluster, name)]
        hint = suggestion(template, there, what="its templates are")
        yield Fault(path, f"the {kind} {name!r} has no template {template!r}", hint)
    elif subject.refs != "off":
        what = f"the {kind} {name!r} is not among the files that are checked"
        level: Level | None = None if subject.refs == "strict" else "warning"
        yield Fault(path, what, "give its file with --templates", level)


@error("lifecyclehook/")
def hook_expression(name: str, hook: Object, path: Path) -> Faults:
    """A hook that does not say when.

    Only the hook `exit` needs no expression.
    Remedy: Add `expression:`.
    Wrong:
        hooks:
          running: {template: note}
        templates:
        - name: main
          suspend: {}
        - name: note
          suspend: {}
    Right:
        hooks:
          running:
            template: note
            expression: workflow.status == 'Running'
        templates:
        - name: main
          suspend: {}
        - name: note
          suspend: {}
    """
    if name != "exit" and not hook.get("expression"):
        hint = "say when it runs, or call it `exit`"
        yield Fault(path, f"the hook {name!r} has no expression", hint)


@error("fields/#workflowspec")
def entrypoint_missing(path: Path, message: str, hint: str) -> Faults:
    """No entrypoint.

    Argo does not know where to begin.
    Remedy: Name one of the templates.
    Wrong:
        {entrypoint: ''}
    Right:
        {entrypoint: main}
    """
    yield Fault(path, message, hint)


@error("workflow-templates/")
def workflow_template_ref(reference: Object, subject: Subject) -> Faults:
    """A workflowTemplateRef that does not fit.

    With a workflowTemplateRef, all templates come from the other object; it must be named.
    Remedy: Remove `templates:`, or call the other's templates by templateRef.
    Wrong:
        spec:
          workflowTemplateRef: {name: shared}
          templates:
          - name: main
            container: {image: 'busybox:1.36'}
    Right:
        spec:
          workflowTemplateRef: {name: shared}
    """
    if subject.spec.get("templates"):
        what = "a workflow with a workflowTemplateRef has no templates of its own"
        yield Fault((*subject.at, "templates"), what)
    if not reference.get("name"):
        path = (*subject.at, "workflowTemplateRef")
        yield Fault(path, "the reference has no name", "add `name:`")


@warning("walk-through/recursion/")
def template_recursion(subject: Subject) -> Faults:
    """Templates that call each other without end.

    A template may call itself, but something must end it: Argo stops a workflow that goes too deep,
    with an error.
    Remedy: Give one of the calls a `when`.
    Wrong:
        dag:
          tasks:
          - {name: again, template: main}
    Right:
        steps:
        - - {name: flip, template: work}
        - - name: again
            template: main
            when: "'{{steps.flip.outputs.result}}' == 'tails'"
    """
    edges: dict[str, list[str]] = {}
    for place in subject.places:
        if place.name:
            edges[place.name] = [
                str(caller.value["template"])
                for caller in callers(place.template, place.path)
                if caller.value.get("template") in subject.named and _always_runs(caller.value)
            ]
    cycle = find_cycle(edges)
    if cycle:
        index = next(
            index for index, one in items(subject.spec, "templates") if one.get("name") == cycle[0]
        )
        what = f"the templates call each other without end: {' -> '.join(cycle[:12])}"
        yield Fault((*subject.at, "templates", index), what)


def _always_runs(value: Object) -> bool:
    """Whether a call has no condition: no `when`, no loop that may be empty, no `depends` on an end."""
    loops = any(value.get(way) for way in ("withParam", "withSequence"))
    return not (value.get("when") or loops or "." in (value.get("depends") or ""))


@warning("workflow-concepts/")
def template_unused(subject: Subject) -> Faults:
    """A template that nothing calls.

    It is checked and stored, and never runs.
    Remedy: Remove it, or call it.
    Wrong:
        templates:
        - name: main
          suspend: {}
        - name: old
          suspend: {}
    Right:
        templates:
        - name: main
          steps:
          - - {name: wait, template: wait}
        - name: wait
          suspend: {}
    """
    if subject.kind != "Workflow" or subject.spec.get("workflowTemplateRef"):
        return
    used = {subject.spec.get("entrypoint")} | _called_names(subject.spec)
    for place in subject.places:
        for caller in callers(place.template, place.path):
            used.add(caller.value.get("template"))
            used |= _called_names(caller.value)
    if any(name and "{{" in name for name in used):
        return
    for index, template in items(subject.spec, "templates"):
        name = template.get("name")
        if name and name not in used:
            where = (*subject.at, "templates", index, "name")
            yield Fault(where, f"nothing calls the template {name!r}")


def _called_names(value: Object) -> set[Any]:
    """Return which templates the handlers of a workflow, task or step call."""
    hooks = (value.get("hooks") or NOTHING).values()
    return {value.get("onExit"), *(hook.get("template") for hook in hooks if hook)}


def check_calls(subject: Subject) -> Iterator[Finding]:
    """Every task and step of every template, and what the workflow itself starts."""
    reference = subject.spec.get("workflowTemplateRef")
    if reference:
        yield from workflow_template_ref(reference, subject)
        yield from _referred(subject, reference)
        hooks = {"hooks": subject.spec.get("hooks")}
        yield from _handlers(subject, subject.at, hooks, None, None)
        return
    needs = {name: needs_of(template) for name, template in subject.named.items()}
    for place in subject.places:
        found = list(callers(place.template, place.path))
        seen: set[str] = set()
        for caller in found:
            yield from _caller_name(caller, seen)
            yield from template_reference(caller)
            yield from _call(subject, caller.path, caller.value, needs)
            yield from _handlers(subject, caller.path, caller.value, NOTHING, needs)
        yield from check_loops(place, found)
        if (dag := place.template.get("dag")) is not None:
            yield from check_dag(dag, (*place.path, "dag"), found)
    yield from _starts(subject, needs)
    yield from template_recursion(subject)
    yield from template_unused(subject)


def _caller_name(caller: Caller, seen: set[str]) -> Iterator[Finding]:
    is_task = caller.kind == "task"
    if caller.name and caller.name in seen:
        yield from (duplicate_task if is_task else duplicate_step)(caller)
    else:
        yield from (task_name if is_task else step_name)(caller)
    seen.add(caller.name)


def _starts(subject: Subject, needs: Mapping[str, Needs]) -> Iterator[Finding]:
    """The entrypoint and the handlers; a template needs no entrypoint and no arguments of its own."""
    spec = subject.spec
    is_template = subject.kind in TEMPLATES
    arguments = None if is_template else spec.get("arguments") or NOTHING
    if spec.get("entrypoint"):
        yield from _by_name(spec["entrypoint"], arguments, (*subject.at, "entrypoint"), needs)
    elif not is_template:
        hint = suggestion("", needs, what="name one of its templates")
        yield from entrypoint_missing(subject.at, "the workflow has no entrypoint", hint)
    yield from _handlers(subject, subject.at, spec, arguments, needs)


def _handlers(
    subject: Subject, path: Path, value: Object, given: Object | None, needs: _Known
) -> Iterator[Finding]:
    """What a workflow, task or step calls later. given: to its exit handler, None if unknown."""
    if value.get("onExit"):
        yield from _by_name(value["onExit"], given, (*path, "onExit"), needs)
    for name, hook in (value.get("hooks") or NOTHING).items():
        if hook:
            where = (*path, "hooks", name)
            yield from hook_expression(name, hook, where)
            yield from _call(subject, where, hook, needs)


def _call(subject: Subject, path: Path, value: Object, needs: _Known) -> Iterator[Finding]:
    """What a task, step or hook calls, and with which arguments."""
    arguments = value.get("arguments") or NOTHING
    if value.get("template"):
        yield from _by_name(value["template"], arguments, (*path, "template"), needs)
    if value.get("templateRef"):
        yield from _elsewhere(subject, value["templateRef"], arguments, (*path, "templateRef"))
    if value.get("inline"):
        inline = needs_of(value["inline"])
        yield from input_missing("inline", inline, arguments, (*path, "inline"))
    if arguments:
        yield from check_given(arguments, (*path, "arguments"), subject.called(value))


def _by_name(name: str, arguments: Object | None, path: Path, needs: _Known) -> Iterator[Finding]:
    """That a template of this object exists, and is supplied. arguments: None if unknown."""
    if needs is None or "{{" in name:
        return
    if name not in needs:
        yield from template_unknown(name, path, needs)
    elif arguments is not None:
        yield from input_missing(name, needs[name], arguments, path)


def _elsewhere(
    subject: Subject, reference: Object, arguments: Object, path: Path
) -> Iterator[Finding]:
    """A templateRef: whole, known as far as other objects are, and supplied."""
    faults = template_ref(reference, path)
    yield from faults
    name, template = str(reference.get("name")), str(reference.get("template"))
    if not faults and "{{" not in name and "{{" not in template:
        cluster = bool(reference.get("clusterScope"))
        yield from _of_object(subject, (cluster, name, template), arguments, path)


def _of_object(
    subject: Subject, key: tuple[bool, str, str], arguments: Object, path: Path
) -> Iterator[Finding]:
    """A template of another object, by whether it is cluster-wide, its object and its name."""
    cluster, name, template = key
    found = subject.library.get(key)
    if found is None:
        yield from template_ref_unknown(subject, cluster, name, template, path)
    else:
        yield from input_missing(f"{name}/{template}", needs_of(found), arguments, path)


def _referred(subject: Subject, reference: Object) -> Iterator[Finding]:
    """A workflow whose templates are those of another object: what it starts there."""
    cluster, name = bool(reference.get("clusterScope")), reference.get("name")
    path = (*subject.at, "workflowTemplateRef")
    if not name:
        return
    if (cluster, name) not in subject.known:
        yield from template_ref_unknown(subject, cluster, name, "", path)
        return
    spec, theirs = subject.spec, subject.known[cluster, name].get("spec") or NOTHING
    arguments = {
        kind: [one for holder in (spec, theirs) for _, one in items(holder.get("arguments"), kind)]
        for kind in ("parameters", "artifacts")
    }
    for field in ("entrypoint", "onExit"):
        called = spec.get(field) or theirs.get(field)
        where = (*subject.at, field) if spec.get(field) else path
        if called:
            yield from _of_object(subject, (cluster, name, called), arguments, where)
        elif field == "entrypoint":
            what = f"neither the workflow nor {name!r} has an entrypoint"
            yield from entrypoint_missing(where, what, "name one of its templates")
