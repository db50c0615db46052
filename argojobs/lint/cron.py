"""Rules for what a CronWorkflow says beside its workflow: when it starts, and when no more.

Sources: Argo docs, cron workflows, and variables (CronWorkflows); `workflow/cron/operator.go`.
"""

from __future__ import annotations

from collections.abc import Iterator

from argojobs.lint.conditions import check_condition
from argojobs.lint.schedule import schedule_fault
from argojobs.lint.subject import NOTHING, Object, Subject
from argojobs.lint.texts import Fault, check_expression, check_text
from argojobs.manifest.findings import Finding, error
from argojobs.manifest.nearest import nearest, suggestion
from argojobs.manifest.places import Path

_CONCURRENCY = ("Allow", "Forbid", "Replace")
_NAMES = frozenset(
    f"cronworkflow.{name}"
    for name in (
        "name",
        "namespace",
        "labels",
        "labels.json",
        "annotations",
        "annotations.json",
        "lastScheduledTime",
        "failed",
        "succeeded",
    )
)


def check_cron(spec: Object, subject: Subject) -> Iterator[Finding]:
    """Everything of a CronWorkflow's spec but the workflow in it."""
    yield from _schedules(spec)
    policy = spec.get("concurrencyPolicy")
    if policy and policy not in _CONCURRENCY:
        yield error(
            "cron-policy",
            ("spec", "concurrencyPolicy"),
            f"{policy!r} is not a policy",
            f"one of {', '.join(_CONCURRENCY)}",
        )
    deadline = spec.get("startingDeadlineSeconds")
    if isinstance(deadline, int) and deadline < 0:
        yield error(
            "cron-policy",
            ("spec", "startingDeadlineSeconds"),
            f"{deadline} is below 0",
            "write a number of seconds",
        )
    names = _Names(subject.metadata)
    when = spec.get("when")
    if when:
        path: Path = ("spec", "when")
        yield from check_text(when, path, names.fault)
        yield from check_condition(when, path)
    expression = (spec.get("stopStrategy") or NOTHING).get("expression")
    if expression:
        yield from check_expression(expression, ("spec", "stopStrategy", "expression"), names.fault)


def _zones() -> list[str]:
    """Return the time zones that this machine knows; Argo has the same list of its own."""
    import zoneinfo

    return ["Local", *sorted(zoneinfo.available_timezones(), key=lambda name: "/" not in name)]


class _Names:
    """The names that `when` and `stopStrategy` of a CronWorkflow know."""

    def __init__(self, metadata: Object) -> None:
        self.known = set(_NAMES)
        for field in ("labels", "annotations"):
            self.known.update(f"cronworkflow.{field}.{key}" for key in metadata.get(field) or ())

    def fault(self, name: str) -> Fault | None:
        """Return what is wrong with a name."""
        if name in self.known:
            return None
        hint = suggestion(name, sorted(self.known), what="there are")
        if not name.startswith("cronworkflow."):
            hint = "before a workflow there is only cronworkflow.*: " + ", ".join(
                sorted(one.partition(".")[2] for one in self.known)
            )
        return error, "unresolved-reference", f"a CronWorkflow knows no {{{{{name}}}}} here", hint


def _schedules(spec: Object) -> Iterator[Finding]:
    schedules = spec.get("schedules") or []
    zone = spec.get("timezone")
    if zone and zone not in _zones():
        yield error(
            "cron-schedule",
            ("spec", "timezone"),
            f"there is no time zone {zone!r}",
            f"did you mean {nearest(zone, _zones()) or 'Europe/Berlin'}?",
        )
    if not schedules and not spec.get("schedule"):  # which is said to be `schedules` now
        yield error(
            "cron-schedule", ("spec",), "it has no schedule", 'add `schedules: ["0 3 * * *"]`'
        )
    for index, text in enumerate(schedules):
        fault = schedule_fault(str(text))
        if fault:
            yield error(
                "cron-schedule",
                ("spec", "schedules", index),
                fault,
                "minute, hour, day, month, weekday: `0 3 * * *`",
            )
