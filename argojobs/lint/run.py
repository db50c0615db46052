"""The whole lint of one object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from argojobs.lint.calls import check_calls, check_recursion, check_used
from argojobs.lint.conditions import check_conditions
from argojobs.lint.ignored import without_ignored
from argojobs.lint.kinds import check_object
from argojobs.lint.leaves import check_leaves, check_workflow_limits
from argojobs.lint.loops import check_loops
from argojobs.lint.outputs import check_inputs_and_outputs
from argojobs.lint.pods import check_pods
from argojobs.lint.ports import check_host_ports
from argojobs.lint.references import check_references
from argojobs.lint.resources import check_resources
from argojobs.lint.retries import check_retries
from argojobs.lint.subject import NOTHING, Refs, Subject, subject_of
from argojobs.lint.values import check_size, check_values
from argojobs.manifest.check import check_workflow, with_text
from argojobs.manifest.fields import check_fields
from argojobs.manifest.findings import Finding, error
from argojobs.manifest.kinds import KINDS, TEMPLATES
from argojobs.manifest.places import Path

_RULES = (
    check_leaves,
    check_workflow_limits,
    check_inputs_and_outputs,
    check_calls,
    check_recursion,
    check_used,
    check_references,
    check_conditions,
    check_loops,
    check_retries,
    check_pods,
    check_host_ports,
    check_resources,
    check_values,
)


def lint(
    workflow: Mapping[str, Any],
    *,
    refs: Refs = "warn",
    templates: Sequence[Mapping[str, Any]] = (),
    kind: str = "Workflow",
    older: bool = False,
) -> list[Finding]:
    """Return all that is wrong or unwise in an object, each finding once.

    refs: what a reference to a template that is nowhere to be seen is: an error, a warning, or
    nothing. templates: WorkflowTemplate and ClusterWorkflowTemplate objects to look them up in.
    kind: one of KINDS. older: for an Argo before 4.1. Paths begin at the object. Where a value has the wrong type altogether,
    only fields and types are judged: the other rules rely on them.
    """
    assert kind in KINDS, f"lint knows no {kind}"
    fields = check_fields(workflow, kind)
    found = [_as_lint(one) for one in fields if not _is_taken(one)]
    if not any(finding.code == "wrong-type" for finding in found):
        usable = [one for template in templates if (one := _usable(template)) is not None]
        text = with_text(workflow, fields)
        subject = replace(subject_of(text, kind, refs, usable), older=older)
        found.extend(_rules(text, subject))
        found = list(without_ignored(found, text.get("metadata") or NOTHING))
    return list(dict.fromkeys(found))


def _rules(workflow: Mapping[str, Any], subject: Subject) -> Iterator[Finding]:
    yield from _check(subject)
    yield from check_object(workflow, subject)
    for rules in _RULES:
        yield from rules(subject)
    yield from check_size(workflow)


def _check(subject: Subject) -> Iterator[Finding]:
    """What every run is checked for; a template needs no entrypoint and no arguments of its own."""
    view = {"metadata": subject.metadata, "spec": subject.spec}
    if subject.kind != "Workflow":
        view["metadata"] = NOTHING
    template = subject.kind in TEMPLATES
    for finding in check_workflow(view):
        if template and finding.code in ("entrypoint-missing", "input-missing"):
            at_spec = len(finding.path) <= 2
            if at_spec:
                continue
        yield _moved(finding, subject.at)


def _moved(finding: Finding, at: Path) -> Finding:
    if at == ("spec",) or finding.path[:1] != ("spec",):
        return finding
    path = (*at, *finding.path[1:])
    return Finding(finding.level, finding.code, path, finding.message, finding.hint)


#: Fields of parameters that Argo takes as text, number or boolean. Source: Argo
#: `workflow_types.go`, AnyString.
_ANY_STRING = frozenset({"value", "default", "enum"})


def _is_taken(finding: Finding) -> bool:
    """Whether a finding is a number that Argo takes: as a parameter's value."""
    at_value = any(step in _ANY_STRING for step in finding.path[-2:])
    return finding.code == "not-text" and at_value and "parameters" in finding.path


def _as_lint(finding: Finding) -> Finding:
    """A number where text belongs: a run takes it as its text, Argo's reader refuses it."""
    if finding.code != "not-text":
        return finding
    return error("not-quoted", finding.path, finding.message, "put it in quotes")


def _usable(template: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return an object to look templates up in, as text where text belongs; None for any other."""
    kind = str(template.get("kind") or "WorkflowTemplate")
    if kind not in TEMPLATES:
        return None
    fields = check_fields(template, kind)
    if any(one.code == "wrong-type" for one in fields):
        return None
    return with_text(template, fields)
