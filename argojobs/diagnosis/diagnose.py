"""Why a run is pending or failed: the steps that do not go on, and what the table says of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from argojobs.diagnosis.evidence import Evidence, Object, Subject, subject_of
from argojobs.diagnosis.finding import Answer, Finding
from argojobs.diagnosis.table import CAUSES
from argojobs.service import is_final

_BROKEN = frozenset({"Failed", "Error"})
#: Nodes that are made of others, which say why.
_GROUPS = frozenset({"DAG", "Steps", "StepGroup", "TaskGroup", "Retry"})


def diagnose(evidence: Evidence) -> tuple[Finding, ...]:
    """Return why a run is as it is, what failed first; nothing where all is well.

    Steps with the same cause are one finding.
    """
    found = [_finding(subject) for subject in _subjects(evidence)]
    return tuple(_merged(filter(None, found)))


def _subjects(evidence: Evidence) -> Iterator[Subject]:
    """Yield what is to be looked at: broken steps, those that wait, else the run as a whole."""
    nodes = _counted(evidence)
    broken = sorted(
        (node for node in nodes if node.get("phase") in _BROKEN),
        key=lambda node: str(node.get("finishedAt") or "~"),
    )
    waiting = [node for node in nodes if node.get("phase") in {"Pending", "Running"}]
    told_of = broken if is_final(evidence.workflow) else [*broken, *waiting]
    if evidence.message.startswith("Stopped with strategy") or not told_of:
        yield _whole(evidence)
    for node in told_of:
        yield subject_of(evidence, node)


def _counted(evidence: Evidence) -> list[Object]:
    """Return the nodes that stand for themselves: no groups with members, no attempts before the last."""
    nodes = evidence.status.get("nodes") or {}
    earlier: set[str] = set()
    for node in nodes.values():
        if node.get("type") == "Retry":
            attempts = [child for child in node.get("children") or () if child in nodes]
            mended = node.get("phase") not in _BROKEN and node.get("phase") != "Running"
            earlier.update(attempts if mended else attempts[:-1])
    own = [node for key, node in nodes.items() if key not in earlier]
    leaves = [n for n in own if n.get("type") not in _GROUPS]
    if any(n.get("phase") in _BROKEN for n in leaves):
        return leaves
    told_of = [n for n in own if n.get("type") in _GROUPS and n.get("phase") in _BROKEN]
    inner = [n for n in told_of if n.get("message") and not str(n["message"]).startswith("child ")]
    return [*inner, *leaves]


def _whole(evidence: Evidence) -> Subject:
    phase = evidence.status.get("phase") or "Pending"
    node = {"id": evidence.run, "phase": phase, "message": evidence.message}
    return Subject(evidence, node, {}, evidence.events_by_object.get(evidence.run, ()), ())


def _finding(subject: Subject) -> Finding | None:
    for cause in CAUSES:
        answer = cause.look(subject)
        if answer is not None:
            return _as_finding(cause.code, subject, answer)
    if not subject.message or subject.node.get("phase") not in {*_BROKEN, "Pending"}:
        return None
    return _as_finding("message", subject, Answer(subject.message.partition("\n")[0]))


def _as_finding(code: str, subject: Subject, answer: Answer) -> Finding:
    step = subject.title if subject.node.get("type") else ""
    return Finding(
        code,
        " ".join(answer.what.split()),
        step,
        subject.pod_name,
        answer.remedy,
        answer.command,
        file=answer.file,
    )


def _merged(found: Iterable[Finding]) -> list[Finding]:
    """Put the same cause of several steps together."""
    first: dict[tuple[str, str], Finding] = {}
    for finding in found:
        key = finding.cause, finding.what
        known = first.get(key)
        first[key] = finding if known is None else replace(known, others=known.others + 1)
    return list(first.values())
