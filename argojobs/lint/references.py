"""Rules for tags: that what each `{{name}}` names is there, and there in time.

Source: Argo docs, variables; `workflow/validate/validate.go` (resolveAllVariables).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from argojobs.errors import ExpressionError
from argojobs.expressions.depends import parse
from argojobs.lint.ancestry import Ancestry
from argojobs.lint.globals import Globals
from argojobs.lint.members import OF_NODE_IN_EXPRESSIONS, outputs_of, tag_names
from argojobs.lint.referenced import check_referenced, without_defaults
from argojobs.lint.rule import Fault, Faults, error, warning
from argojobs.lint.subject import NOTHING, POD_TYPES, Caller, Object, Subject, callers, items
from argojobs.lint.texts import (
    ALWAYS,
    RETRIES,
    Resolver,
    check_texts,
    unknown_variable,
    unresolved_reference,
)
from argojobs.manifest.findings import Finding
from argojobs.manifest.nearest import suggestion
from argojobs.manifest.places import Path


@error("variables/", beyond=True)
def reference_not_before(path: Path, message: str, hint: str) -> Faults:
    """The output of something that has not ended.

    What a task uses must end before it begins.
    Remedy: Add it to `depends`, or move the step to a later group.
    Wrong:
        templates:
        - name: main
          dag:
            tasks:
            - {name: a, template: work}
            - name: b
              template: t
              arguments:
                parameters:
                - {name: x, value: '{{tasks.a.outputs.result}}'}
        - name: t
          inputs:
            parameters:
            - {name: x}
          container: {image: 'busybox:1.36'}
    Right:
        templates:
        - name: main
          dag:
            tasks:
            - {name: a, template: work}
            - name: b
              depends: a
              template: t
              arguments:
                parameters:
                - {name: x, value: '{{tasks.a.outputs.result}}'}
        - name: t
          inputs:
            parameters:
            - {name: x}
          container: {image: 'busybox:1.36'}
    """
    yield Fault(path, message, hint)


@error("walk-through/loops/", beyond=True)
def item_outside_loop(name: str, path: Path) -> Faults:
    """`{{item}}` outside a loop.

    It stays as it is: only the task or step that loops knows it.
    Remedy: Pass it as an argument.
    Wrong:
        container:
          image: busybox:1.36
          args: ['{{item}}']
    Right:
        templates:
        - name: main
          steps:
          - - name: each
              template: one
              withItems: [a, b]
              arguments:
                parameters:
                - {name: x, value: '{{item}}'}
        - name: one
          inputs:
            parameters:
            - {name: x}
          container:
            image: busybox:1.36
            args: ['{{inputs.parameters.x}}']
    """
    hint = "pass it as an argument from the task or step with withItems or withParam"
    yield Fault(path, f"{{{{{name}}}}} stands outside a loop", hint)


@error("walk-through/loops/", beyond=True)
def gathered_artifact(other: Caller, path: Path) -> Faults:
    """An artifact gathered from a loop.

    Argo gathers the parameters of a loop's items into a list, but no artifacts: its lint passes
    this, its controller errors.
    Remedy: Let each item write below one key, and take that key as one artifact.
    Wrong:
        templates:
        - name: main
          dag:
            tasks:
            - name: a
              template: make
              withItems: [1, 2]
            - name: b
              depends: a
              template: use
              arguments:
                artifacts:
                - {name: m, from: '{{tasks.a.outputs.artifacts.m}}'}
        - name: make
          container: {image: 'busybox:1.36'}
          outputs:
            artifacts:
            - {name: m, path: /m}
        - name: use
          inputs:
            artifacts:
            - {name: m, path: /m}
          container: {image: 'busybox:1.36'}
    Right:
        templates:
        - name: main
          dag:
            tasks:
            - name: a
              template: make
              withItems: [1, 2]
              arguments:
                parameters:
                - {name: item, value: '{{item}}'}
            - name: b
              depends: a
              template: use
              arguments:
                artifacts:
                - {name: m, s3: {key: '{{workflow.name}}/a'}}
        - name: make
          inputs:
            parameters:
            - {name: item}
          container: {image: 'busybox:1.36'}
          outputs:
            artifacts:
            - {name: m, path: /m, s3: {key: '{{workflow.name}}/a/{{inputs.parameters.item}}'}}
        - name: use
          inputs:
            artifacts:
            - {name: m, path: /m}
          container: {image: 'busybox:1.36'}
    """
    what = f"{other.name!r} loops: Argo gathers parameters of its items, no artifacts"
    yield Fault(path, what)


@warning("conditional-artifacts-parameters/")
def skipped_output(path: Path, message: str, hint: str) -> Faults:
    """The output of something that may be skipped.

    With a `when` that does not hold there is no output, and what needs it errors. Before 4.1 Argo
    does not take a default then either; `run --context` says so where the server is older.
    Remedy: Give the output a valueFrom.default, or both the same `when`.
    Wrong:
        templates:
        - name: main
          inputs:
            parameters:
            - {name: go, default: 'no'}
          steps:
          - - {name: a, template: work, when: '''{{inputs.parameters.go}}'' == ''yes'''}
          - - name: b
              template: t
              arguments:
                parameters:
                - {name: x, value: '{{steps.a.outputs.result}}'}
        - name: t
          inputs:
            parameters:
            - {name: x}
          container: {image: 'busybox:1.36'}
    Right:
        templates:
        - name: main
          inputs:
            parameters:
            - {name: go, default: 'no'}
          steps:
          - - {name: a, template: make, when: "'{{inputs.parameters.go}}' == 'yes'"}
          - - name: b
              template: t
              arguments:
                parameters:
                - {name: x, value: '{{steps.a.outputs.parameters.o}}'}
        - name: make
          container: {image: 'busybox:1.36'}
          outputs:
            parameters:
            - name: o
              valueFrom: {path: /tmp/o, default: none}
        - name: t
          inputs:
            parameters:
            - {name: x}
          container: {image: 'busybox:1.36'}
    """
    yield Fault(path, message, hint)


def check_references(subject: Subject) -> Iterator[Finding]:
    """Every tag of every template, and of the spec's arguments and volumes."""
    globals_ = Globals(subject)
    for field in ("arguments", "volumes", "volumeClaimTemplates", "hooks"):
        value = subject.spec.get(field)
        if value:
            names = _Names(subject, globals_, NOTHING)
            resolver = names.of_volumes if field == "volumes" else names.fault
            yield from check_texts(value, (*subject.at, field), resolver)
    given = _given_by_all(subject)
    for index, whole in items(subject.spec, "templates"):
        template = without_defaults(whole, given.get(str(whole.get("name")), frozenset()))
        names = _Names(subject, globals_, template)
        yield from _template(subject, globals_, template, (*subject.at, "templates", index), names)
    yield from check_referenced(subject, globals_)


def _given_by_all(subject: Subject) -> dict[str, frozenset[str]]:
    """Return the parameters that every caller of a template gives it: its own values never count."""
    own = subject.spec.get("arguments")
    hooks = list((subject.spec.get("hooks") or NOTHING).values())
    calls: list[Object] = [
        {"template": subject.spec.get(field), "arguments": own}
        for field in ("entrypoint", "onExit")
    ]
    for place in subject.places:
        for caller in callers(place.template, place.path):
            calls.append(caller.value)
            calls.append({"template": caller.value.get("onExit")})
            hooks += (caller.value.get("hooks") or NOTHING).values()
    found: dict[str, frozenset[str]] = {}
    for call in [*calls, *filter(None, hooks)]:
        name = call.get("template")
        if name and not call.get("templateRef"):
            given = frozenset(
                str(one.get("name")) for _, one in items(call.get("arguments"), "parameters")
            )
            found[name] = found.get(name, given) & given
    return found


class _Names:
    """The names that the text of a template may use, those of its tasks and steps left out."""

    def __init__(
        self, subject: Subject, globals_: Globals, template: Object, outer: Resolver | None = None
    ) -> None:
        self.globals = globals_
        self.outer = outer
        inputs = template.get("inputs") or NOTHING
        self.inputs = {
            f"inputs.{kind}.{one.get('name')}"
            for kind in ("parameters", "artifacts")
            for _, one in items(inputs, kind)
        }
        self.known = set(self.inputs)
        self.known |= {f"{name}.path" for name in self.inputs if ".artifacts." in name}
        if inputs.get("parameters"):
            self.known.add("inputs.parameters")
        if any(template.get(kind) is not None for kind in (*POD_TYPES, "data", "resource")):
            self.known.add("pod.name")
        strategies = (subject.spec, subject.defaults, template)
        self.known.update(
            RETRIES if any(one.get("retryStrategy") is not None for one in strategies) else ()
        )

    def of_volumes(self, name: str, path: Path) -> list[Finding]:
        """Return what is wrong with a name in the workflow's volumes: those of tasks stand there."""
        return [] if name.startswith(("tasks.", "steps.")) else self.fault(name, path)

    def fault(self, name: str, path: Path) -> list[Finding]:
        """Return what is wrong with a name."""
        if name in self.known or name in ALWAYS or name.startswith("outputs."):
            return []
        if self.outer is not None and not self.outer(name, path):
            return []
        if name.startswith("workflow."):
            return self.globals.fault(name, path)
        if name == "item" or name.startswith("item."):
            return item_outside_loop(name, path)
        known = RETRIES if name.startswith("lastRetry.") else sorted(self.inputs)
        hint = suggestion(
            name, known, what="there are" if known is RETRIES else "the template's inputs are"
        )
        if name.startswith(("tasks.", "steps.")):
            hint = "only the template with these tasks or steps knows them: pass it as an argument"
        if name in RETRIES:
            hint = "only a template with a retryStrategy knows it"
        return unresolved_reference(path, f"there is no {{{{{name}}}}} here", hint)


def _template(
    subject: Subject, globals_: Globals, template: Object, path: Path, names: _Names
) -> Iterator[Finding]:
    if template.get("dag") is None and template.get("steps") is None:
        yield from check_texts(template, path, names.fault)
        return
    found = list(callers(template, path))
    graph = _Graph(subject, template, found, names)
    for field, value in template.items():
        if field not in ("dag", "steps", "outputs", "name"):
            yield from check_texts(value, (*path, field), names.fault)
    target = (template.get("dag") or NOTHING).get("target")
    if target:
        yield from check_texts(target, (*path, "dag", "target"), names.fault)
    for caller in found:
        resolver, of_tags = graph.resolver(caller), graph.resolver(caller, tag=True)
        for field, value in caller.value.items():
            if field == "inline" and value:
                own = _Names(subject, globals_, value, resolver)
                yield from _template(subject, globals_, value, (*caller.path, field), own)
            elif field in ("hooks", "onExit"):
                after = graph.ancestry is not None or _has_exit_hook(caller)
                yield from check_texts(
                    value,
                    (*caller.path, field),
                    graph.resolver(caller, after=True),
                    graph.resolver(caller, after=after, tag=True),
                )
            elif field in ("name", "template", "depends", "dependencies") and "{{" not in str(
                value
            ):
                continue
            else:
                yield from check_texts(value, (*caller.path, field), resolver, of_tags)
    if template.get("outputs"):
        resolver, of_tags = graph.resolver(None), graph.resolver(None, tag=True)
        yield from check_texts(template["outputs"], (*path, "outputs"), resolver, of_tags)


class _Graph:
    """The tasks or steps of a template, and what they know of each other."""

    def __init__(
        self, subject: Subject, template: Object, found: list[Caller], names: _Names
    ) -> None:
        self.subject = subject
        self.names = names
        self.root = "tasks" if template.get("dag") is not None else "steps"
        self.by_name = {caller.name: caller for caller in found}
        self.ancestry = Ancestry(found) if self.root == "tasks" else None
        self.outputs: dict[int, frozenset[str]] = {}
        self.tags: dict[tuple[int, bool, bool], frozenset[str]] = {}

    def resolver(
        self, caller: Caller | None, *, after: bool = False, tag: bool = False
    ) -> Resolver:
        """Return what a task or step knows.

        Args:
            caller: which; None for the template's outputs.
            after: its own outputs are there, too.
            tag: a tag names it.
        """

        def fault(name: str, path: Path) -> list[Finding]:
            if name == "item" or name.startswith("item."):
                if caller is not None and caller.loops:
                    if after and self.ancestry is not None:
                        what = f"in a dag the hooks of a loop do not know {{{{{name}}}}}: it stays as it is"
                        return unknown_variable(path, what, "loop in steps")
                    return _item_fault(name, path, caller)
            elif name.startswith(self.root + ".") and name not in ALWAYS:
                return self._node_fault(name, path, caller, after=after, tag=tag)
            return self.names.fault(name, path)

        return fault

    def _node_fault(
        self, name: str, path: Path, caller: Caller | None, *, after: bool, tag: bool
    ) -> list[Finding]:
        what, _, rest = name[len(self.root) + 1 :].partition(".")
        other = self.by_name.get(what)
        if other is None:
            hint = suggestion(what, list(self.by_name)[:200], what=f"the {self.root} are")
            return unresolved_reference(path, f"there is no {self.root[:-1]} {what!r}", hint)
        found = self._output_fault(other, rest, name, path, caller, tag=tag)
        if found or caller is None:
            return found
        if other is caller or other.name == caller.name:
            if after or not rest or rest == "status":
                return []
            hint = "name an earlier one; of steps only an `exit` hook knows what its own step made"
            return reference_not_before(path, f"{what!r} names itself", hint)
        if not self.is_before(other, caller):
            hint = f"add {what!r} to `depends`"
            if self.ancestry is None:
                hint = "move one of them to another group of steps"
            message = f"{what!r} has not ended when {caller.name!r} begins"
            return reference_not_before(path, message, hint)
        return self._skipped_fault(other, path, caller, rest)

    def is_before(self, other: Caller, caller: Caller) -> bool:
        if self.ancestry is not None:
            return self.ancestry.before(other.name, caller.name)
        return int(other.path[-2]) < int(caller.path[-2])

    def _output_fault(
        self, other: Caller, rest: str, name: str, path: Path, caller: Caller | None, *, tag: bool
    ) -> list[Finding]:
        """Return what is wrong with what is named of a task or step, by which caller."""
        kind, _, output = rest.partition("outputs.")[2].partition(".")
        if other.loops and kind == "artifacts" and output:
            return gathered_artifact(other, path)
        template = self.subject.called(other.value)
        if template is None:
            return []
        if tag:
            known = self._tag_names(other, template, caller)
            if rest in known:
                return []
        else:
            known = self.outputs_of(template)
            if not rest or _may_be(rest, known) or (other.loops and rest == "outputs.parameters"):
                return []
        if rest == "outputs.parameters" and other.value.get("withSequence"):
            message = f"Argo's lint does not know {{{{{name}}}}} of a withSequence"
            hint = "name one of them (outputs.parameters.x), or loop over a list, with withParam"
            return unresolved_reference(path, message, hint)
        hint = suggestion(rest, sorted(known), what="it has")
        message = f"template {template.get('name', 'inline')!r} has no {rest}: {{{{{name}}}}}"
        return unresolved_reference(path, message, hint)

    def outputs_of(self, template: Object) -> frozenset[str]:
        known = self.outputs.get(id(template))
        if known is None:
            known = self.outputs[id(template)] = outputs_of(template)
        return known

    def _tag_names(self, other: Caller, template: Object, caller: Caller | None) -> frozenset[str]:
        is_dag = self.ancestry is not None
        own = caller is not None and other.name == caller.name
        key = id(other), caller is None, own
        known = self.tags.get(key)
        if known is None:
            known = self.tags[key] = tag_names(
                template, other, status=caller is not None or not is_dag, gathered=is_dag or not own
            )
        return known

    def _skipped_fault(self, other: Caller, path: Path, caller: Caller, rest: str) -> list[Finding]:
        """Return that the output may be missing because a condition skipped its maker."""
        when = other.value.get("when")
        if not when or not rest.startswith("outputs.") or when == caller.value.get("when"):
            return []
        if self.ancestry is not None and not _goes_on_when_skipped(caller, other.name):
            return []
        if _has_default(self.subject.called(other.value), rest):
            return self._older_fault(rest, path, other.name) if self.subject.older else []
        message = f"{other.name!r} may be skipped (`when`), and {caller.name!r} needs its output"
        default = "make the artifact optional"
        if not rest.startswith("outputs.artifacts."):
            default = "give the output a valueFrom.default"
        hint = f"{default}, or give both the same `when`"
        return skipped_output(path, message, hint)

    def _older_fault(self, rest: str, path: Path, what: str) -> list[Finding]:
        """Return what an Argo before 4.1 makes of the default of what was skipped (seen with 4.0.5)."""
        if not rest.startswith("outputs.parameters."):
            return []
        does = "waits for it for ever" if self.ancestry is None else "gives an empty text"
        message = f"{what!r} may be skipped (`when`): before 4.1 Argo does not take the default then, and {does}"
        return skipped_output(path, message, "give both the same `when`, or update the server")


def _has_exit_hook(caller: Caller) -> bool:
    """Whether a step has an exit handler: only then Argo lets its hooks name its own outputs."""
    return bool(caller.value.get("onExit") or (caller.value.get("hooks") or NOTHING).get("exit"))


def _may_be(rest: str, outputs: frozenset[str]) -> bool:
    """Whether an expression may name this: an output, what is in one, or what one is in."""
    if rest in OF_NODE_IN_EXPRESSIONS or "[" in rest:
        return True
    return any(
        one == rest or one.startswith(f"{rest}.") or rest.startswith(f"{one}.") for one in outputs
    )


def _goes_on_when_skipped(caller: Caller, other: str) -> bool:
    text = caller.value.get("depends")
    if not text:
        return other in (caller.value.get("dependencies") or ())
    try:
        asked = [one.condition for one in parse(text).conditions() if one.task == other]
    except ExpressionError:
        return False
    return any(condition in ("", "Skipped") for condition in asked)


def _has_default(template: Object | None, rest: str) -> bool:
    if template is None:
        return True
    kind, _, name = rest.removeprefix("outputs.").partition(".")
    for _, one in items(
        template.get("outputs"), kind if kind in ("parameters", "artifacts") else ""
    ):
        if one.get("name") == name:
            default = (one.get("valueFrom") or NOTHING).get("default")
            return (
                bool(one.get("optional")) or default is not None or one.get("default") is not None
            )
    return False


def _item_fault(name: str, path: Path, caller: Caller) -> list[Finding]:
    values = caller.value.get("withItems")
    key = name.partition(".")[2]
    if not key or not values or not all(isinstance(one, Mapping) for one in values):
        return []
    known = set().union(*values)
    if key in known or key.partition(".")[0] in known or "[" in key:
        return []
    hint = suggestion(key, known, what="the items have")
    return unresolved_reference(path, f"no item has {key!r}: {{{{{name}}}}}", hint)
