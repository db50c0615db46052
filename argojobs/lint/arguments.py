"""Rules for parameters and artifacts: their names, and what a caller gives of them.

Source: Argo `workflow/validate/validate.go` and `workflow/common/util.go` (ProcessArgs).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from argojobs.lint.inputs_outputs import ARTIFACT_SOURCES, PARAMETER_NAME, check_location
from argojobs.lint.rule import Fault, Faults, error, warning
from argojobs.lint.subject import NOTHING, Object, Subject, items
from argojobs.manifest.findings import Finding, Level
from argojobs.manifest.nearest import suggestion
from argojobs.manifest.places import Path


class Needs(NamedTuple):
    """The inputs that a caller of a template has to supply."""

    parameters: frozenset[str]
    artifacts: frozenset[str]


def needs_of(template: Object) -> Needs:
    """Return the inputs of a template that have no value of their own."""
    inputs = template.get("inputs")
    own = ("value", "default", "valueFrom")
    parameters = [
        one.get("name", "")
        for _, one in items(inputs, "parameters")
        if not any(one.get(source) is not None for source in own)
    ]
    artifacts = [
        one.get("name", "")
        for _, one in items(inputs, "artifacts")
        if not one.get("optional") and not _has_source(one)
    ]
    return Needs(frozenset(parameters), frozenset(artifacts))


def _has_source(artifact: Object) -> bool:
    return any(artifact.get(source) is not None for source in ARTIFACT_SOURCES)


@error("walk-through/parameters/")
def parameter_name(one: Object, path: Path) -> Faults:
    """A parameter or artifact without a legal name.

    Names of parameters and artifacts have letters, digits, `-` and `_`.
    Remedy: Rename it.
    Wrong:
        arguments:
          parameters:
          - {name: learning.rate, value: '1'}
    Right:
        arguments:
          parameters:
          - {name: learning_rate, value: '1'}
    """
    name = one.get("name") or ""
    if not PARAMETER_NAME.fullmatch(name):
        what = "a parameter" if path[-2] == "parameters" else "an artifact"
        yield Fault(path, f"{name!r} cannot name {what}", "letters, digits, `-` and `_`")


@error("walk-through/parameters/")
def duplicate_name(name: str, path: Path) -> Faults:
    """Two parameters or artifacts of one name.

    Argo refuses the workflow.
    Remedy: Keep one.
    Wrong:
        arguments:
          parameters:
          - {name: a, value: '1'}
          - {name: a, value: '2'}
    Right:
        arguments:
          parameters:
          - {name: a, value: '1'}
          - {name: b, value: '2'}
    """
    yield Fault((*path, "name"), f"{name!r} stands here twice")


def _names(holder: Object | None, path: Path) -> Iterator[Finding]:
    """Names of parameters and artifacts: legal, and each once."""
    for kind in ("parameters", "artifacts"):
        seen: set[str] = set()
        for index, one in items(holder, kind):
            name = one.get("name") or ""
            # Argo reads the names of outputs, tasks and steps when their tags are replaced.
            if path[-1] == "outputs" and "{{" in name:
                continue
            if name in seen:
                yield from duplicate_name(name, (*path, kind, index))
            elif found := parameter_name(one, (*path, kind, index)):
                yield from found
            else:
                seen.add(name)


@error("walk-through/parameters/")
def argument_value(one: Object, path: Path) -> Faults:
    """An argument without a value.

    Argo refuses the call; an argument's artifact cannot have fromExpression.
    Remedy: Add `value:` or `from:`, or leave it out.
    Wrong:
        templates:
        - name: main
          dag:
            tasks:
            - name: a
              template: t
              arguments:
                parameters:
                - {name: x}
        - name: t
          inputs:
            parameters:
            - {name: x, default: '1'}
          container: {image: 'busybox:1.36'}
    Right:
        templates:
        - name: main
          dag:
            tasks:
            - name: a
              template: t
              arguments:
                parameters:
                - {name: x, value: '2'}
        - name: t
          inputs:
            parameters:
            - {name: x, default: '1'}
          container: {image: 'busybox:1.36'}
    """
    name = one.get("name", "")
    if path[-2] == "parameters":
        if one.get("value") is None and one.get("valueFrom") is None:
            hint = "add `value:`, or leave the argument out"
            yield Fault(path, f"the argument {name!r} has no value", hint)
    # Argo takes a fromExpression in the outputs of a template only.
    elif not one.get("optional") and not _has_source({**one, "fromExpression": None}):
        hint = "add `from:`, `raw:` or a location"
        hint += " (an argument cannot have fromExpression)" if "fromExpression" in one else ""
        yield Fault(path, f"the artifact {name!r} comes from nowhere", hint)


@error("fields/#valuefrom")
def argument_source(source: Object, path: Path) -> Faults:
    """An argument's valueFrom that Argo does not take.

    A workflow's argument comes from its value or from a ConfigMap; outputs have the other sources.
    Remedy: Write `value:`, or configMapKeyRef.
    Wrong:
        arguments:
          parameters:
          - name: a
            valueFrom: {path: /tmp/a}
    Right:
        arguments:
          parameters:
          - name: a
            valueFrom:
              configMapKeyRef: {name: settings, key: a}
    """
    wrong = [way for way in ("path", "jsonPath", "parameter", "expression") if source.get(way)]
    known = any(source.get(way) is not None for way in ("configMapKeyRef", "event", "supplied"))
    if wrong or not known:
        what = f"an argument cannot come from {' and '.join(wrong) or 'nothing'}"
        yield Fault((*path, "valueFrom"), what)


@warning("walk-through/parameters/")
def argument_unknown(one: Object, path: Path, wanted: set[Any], template: Object) -> Faults:
    """An argument that the template does not take.

    Argo drops it without a word.
    Remedy: Correct its name, or declare the input.
    Wrong:
        dag:
          tasks:
          - name: a
            template: work
            arguments:
              parameters:
              - {name: x, value: '1'}
    Right:
        templates:
        - name: main
          dag:
            tasks:
            - name: a
              template: work
              arguments:
                parameters:
                - {name: x, value: '1'}
        - name: work
          inputs:
            parameters:
            - {name: x}
          container: {image: 'busybox:1.36'}
    """
    name, kind = one.get("name"), str(path[-2])[:-1]
    what = f"template {template.get('name', 'inline')!r} does not take the {kind} {name!r}"
    yield Fault(path, what, suggestion(str(name), sorted(filter(None, wanted)), what="it takes"))


@error("walk-through/parameters/")
def input_missing(name: str, needs: Needs, arguments: Object, path: Path) -> Faults:
    """A call that leaves out an input.

    The template has an input without a default.
    Remedy: Add the argument, or a default.
    Wrong:
        templates:
        - name: main
          dag:
            tasks:
            - {name: a, template: t}
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
            - name: a
              template: t
              arguments:
                parameters:
                - {name: x, value: '1'}
        - name: t
          inputs:
            parameters:
            - {name: x}
          container: {image: 'busybox:1.36'}
    """
    for kind, wanted in (("parameters", needs.parameters), ("artifacts", needs.artifacts)):
        given = {one.get("name") for _, one in items(arguments, kind)} if wanted else ()
        for missing in sorted(wanted.difference(given)):
            what = f"template {name!r} needs the {kind[:-1]} {missing!r}"
            hint = f"add it to arguments.{kind}, or give the template's input a default"
            yield Fault(path, what, hint)


@error("fields/#parameter")
def enum(one: Object, path: Path, *, of_argument: bool) -> Faults:
    """A value that its enum does not allow.

    A parameter with an enum takes the values that it lists, and it lists at least one. Argo looks
    at the values of arguments alone: in a default, or a template's input, it is a warning.
    Remedy: Choose one of them.
    Wrong:
        arguments:
          parameters:
          - name: size
            value: big
            enum: [small, large]
    Right:
        arguments:
          parameters:
          - name: size
            value: large
            enum: [small, large]
    """
    allowed = one["enum"]
    level: Level | None = None if of_argument else "warning"
    if not allowed:
        yield Fault((*path, "enum"), "the enum allows nothing", "list the values, or none", level)
        return
    for field in ("value", "default"):
        value = one.get(field)
        if value is not None and value not in allowed and "{{" not in str(value):
            what = f"{value!r} is not among the values that the enum allows"
            hint = f"one of {', '.join(map(str, allowed[:20]))}"
            yield Fault((*path, field), what, hint, level if field == "value" else "warning")


def check_given(arguments: Object, path: Path, template: Object | None) -> Iterator[Finding]:
    """Check the arguments of one task, step or hook.

    Args:
        arguments: the mapping with `parameters` and `artifacts`.
        path: of that mapping.
        template: what is called, None where it is not known.
    """
    yield from _names(arguments, path)
    for index, one in items(arguments, "parameters"):
        where: Path = (*path, "parameters", index)
        yield from argument_value(one, where)
        yield from _source_and_enum(one, where)
    for index, one in items(arguments, "artifacts"):
        where = (*path, "artifacts", index)
        yield from argument_value(one, where)
        if len(one) > 2:
            yield from check_location(one, where)
    if template is None:
        return
    inputs: Mapping[str, Any] = template.get("inputs") or NOTHING
    for kind in ("parameters", "artifacts"):
        if arguments.get(kind):
            wanted = {one.get("name") for _, one in items(inputs, kind)}
            for index, one in items(arguments, kind):
                if one.get("name") not in wanted:
                    yield from argument_unknown(one, (*path, kind, index), wanted, template)


def _source_and_enum(one: Object, path: Path) -> Iterator[Finding]:
    if one.get("valueFrom") is not None:
        yield from argument_source(one["valueFrom"], path)
    if one.get("enum") is not None:
        yield from enum(one, path, of_argument=True)


def check_arguments(subject: Subject) -> Iterator[Finding]:
    """The workflow's own arguments, and the names of what templates take and give."""
    path = (*subject.at, "arguments")
    yield from _names(subject.spec.get("arguments"), path)
    for index, one in items(subject.spec.get("arguments"), "parameters"):
        yield from _source_and_enum(one, (*path, "parameters", index))
    for place in subject.places:
        for side in ("inputs", "outputs"):
            yield from _names(place.template.get(side), (*place.path, side))
        for index, one in items(place.template.get("inputs"), "parameters"):
            if one.get("enum") is not None:
                where = (*place.path, "inputs", "parameters", index)
                yield from enum(one, where, of_argument=False)
