"""The whole lint of one object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from argojobs.lint.arguments import check_arguments
from argojobs.lint.calls import check_calls
from argojobs.lint.conditions import check_conditions
from argojobs.lint.cron import check_cron
from argojobs.lint.fields import as_lint
from argojobs.lint.ignored import without_ignored
from argojobs.lint.inputs_outputs import check_inputs_and_outputs
from argojobs.lint.limits import check_limits, check_retries
from argojobs.lint.objects import check_object, object_size
from argojobs.lint.pods import check_pods
from argojobs.lint.ports import check_host_ports
from argojobs.lint.references import check_references
from argojobs.lint.resources import check_resources
from argojobs.lint.rules import RULES
from argojobs.lint.subject import NOTHING, Refs, Subject, subject_of
from argojobs.lint.templates import check_templates
from argojobs.lint.values import check_values
from argojobs.manifest.clean import with_text
from argojobs.manifest.fields import check_fields
from argojobs.manifest.findings import Finding
from argojobs.manifest.kinds import CRON, KINDS, TEMPLATES

_GROUPS = (
    check_templates,
    check_limits,
    check_inputs_and_outputs,
    check_arguments,
    check_calls,
    check_references,
    check_conditions,
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
    """Return all that is wrong or unwise in an object, each finding once; errors stop a run.

    Paths begin at the object. Where a value has the wrong type altogether, only fields and types
    are judged: the other rules rely on them.

    Args:
        workflow: the object.
        refs: what a reference to a template that cannot be found is: an error, a warning, or
            nothing.
        templates: WorkflowTemplate and ClusterWorkflowTemplate objects to look them up in.
        kind: one of KINDS.
        older: whether it is for an Argo before 4.1.
    """
    assert kind in KINDS, f"lint does not know {kind}"
    fields = check_fields(workflow, kind)
    found = as_lint(fields)
    if not any(finding.code == "wrong-type" for finding in found):
        usable = [one for template in templates if (one := _usable(template)) is not None]
        text = with_text(workflow, fields)
        subject = replace(subject_of(text, kind, refs, usable), older=older)
        found += _rules(text, subject)
        found = list(without_ignored(found, text.get("metadata") or NOTHING, RULES))
    return list(dict.fromkeys(found))


def _rules(workflow: Mapping[str, Any], subject: Subject) -> Iterator[Finding]:
    yield from check_object(workflow, subject)
    if subject.kind == CRON:
        yield from check_cron(workflow.get("spec") or NOTHING, subject)
    for check in _GROUPS:
        yield from check(subject)
    yield from object_size(workflow)


def _usable(template: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return an object to look templates up in, as text where text belongs; None for any other."""
    kind = str(template.get("kind") or "WorkflowTemplate")
    if kind not in TEMPLATES:
        return None
    fields = check_fields(template, kind)
    if any(one.code == "wrong-type" for one in fields):
        return None
    return with_text(template, fields)
