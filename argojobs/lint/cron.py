"""Rules for what a CronWorkflow says beside its workflow: when it starts, and when no more.

Sources: Argo docs, cron workflows, and variables (CronWorkflows); `workflow/cron/operator.go`.
"""

from __future__ import annotations

from collections.abc import Iterator

from argojobs.lint.conditions import check_condition
from argojobs.lint.rule import Fault, Faults, error
from argojobs.lint.schedule import schedule_fault
from argojobs.lint.subject import NOTHING, Object, Subject
from argojobs.lint.texts import check_expression, check_text, unresolved_reference
from argojobs.manifest.findings import Finding
from argojobs.manifest.nearest import nearest, suggestion
from argojobs.manifest.places import Path

_LONGEST_NAME = 52
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


@error("cron-workflows/")
def cron_name(metadata: Object) -> Faults:
    """A CronWorkflow's name that is too long.

    Its workflows are called by its name and the time, and must fit into 63 characters.
    Remedy: At most 52 characters.
    Wrong:
        kind: CronWorkflow
        metadata: {name: nightly-training-of-the-segmentation-model-with-all-data}
    Right:
        kind: CronWorkflow
        metadata: {name: nightly-training}
    """
    name = metadata.get("name") or ""
    if len(name) > _LONGEST_NAME:
        hint = "at most 52: its workflows append the time"
        yield Fault(("metadata", "name"), f"the name has {len(name)} characters", hint)


@error("cron-workflows/")
def cron_schedule(spec: Object) -> Faults:
    """A schedule that cannot be read.

    The controller cannot read it, and nothing ever runs.
    Remedy: Five fields: minute, hour, day, month, weekday.
    Wrong:
        kind: CronWorkflow
        spec:
          schedules: [61 3 * * *]
    Right:
        kind: CronWorkflow
        spec:
          schedules: [0 3 * * *]
          timezone: Europe/Berlin
    """
    schedules = spec.get("schedules") or []
    zone = spec.get("timezone")
    if zone and zone not in (zones := _zones()):
        hint = f"did you mean {nearest(zone, zones) or 'Europe/Berlin'}?"
        yield Fault(("spec", "timezone"), f"there is no time zone {zone!r}", hint)
    if not schedules and not spec.get("schedule"):  # which is said to be `schedules` now
        yield Fault(("spec",), "it has no schedule", 'add `schedules: ["0 3 * * *"]`')
    for index, text in enumerate(schedules):
        if fault := schedule_fault(str(text)):
            hint = "minute, hour, day, month, weekday: `0 3 * * *`"
            yield Fault(("spec", "schedules", index), fault, hint)


def _zones() -> list[str]:
    """Return the time zones that this machine knows; Argo has the same list of its own."""
    import zoneinfo  # CronWorkflows are rare, and it is not cheap

    return ["Local", *sorted(zoneinfo.available_timezones(), key=lambda name: "/" not in name)]


@error("cron-workflows/")
def cron_policy(spec: Object) -> Faults:
    """An unknown setting of a CronWorkflow.

    concurrencyPolicy is Allow, Forbid or Replace; startingDeadlineSeconds is not negative.
    Remedy: Use one of these.
    Wrong:
        kind: CronWorkflow
        spec: {concurrencyPolicy: Queue}
    Right:
        kind: CronWorkflow
        spec: {concurrencyPolicy: Forbid}
    """
    policy = spec.get("concurrencyPolicy")
    if policy and policy not in _CONCURRENCY:
        what = f"{policy!r} is not a policy"
        yield Fault(("spec", "concurrencyPolicy"), what, f"one of {', '.join(_CONCURRENCY)}")
    deadline = spec.get("startingDeadlineSeconds")
    if isinstance(deadline, int) and deadline < 0:
        where: Path = ("spec", "startingDeadlineSeconds")
        yield Fault(where, f"{deadline} is below 0", "write a number of seconds")


def check_cron(spec: Object, subject: Subject) -> Iterator[Finding]:
    """Everything of a CronWorkflow but the workflow in it."""
    yield from cron_name(subject.metadata)
    yield from cron_schedule(spec)
    yield from cron_policy(spec)
    names = _Names(subject.metadata)
    if when := spec.get("when"):
        path: Path = ("spec", "when")
        yield from check_text(when, path, names.fault)
        yield from check_condition(when, path)
    if expression := (spec.get("stopStrategy") or NOTHING).get("expression"):
        yield from check_expression(expression, ("spec", "stopStrategy", "expression"), names.fault)


class _Names:
    """The names that `when` and `stopStrategy` of a CronWorkflow know."""

    def __init__(self, metadata: Object) -> None:
        self.known = set(_NAMES)
        for field in ("labels", "annotations"):
            self.known.update(f"cronworkflow.{field}.{key}" for key in metadata.get(field) or ())

    def fault(self, name: str, path: Path) -> list[Finding]:
        """Return what is wrong with a name."""
        if name in self.known:
            return []
        hint = suggestion(name, sorted(self.known), what="there are")
        if not name.startswith("cronworkflow."):
            hint = "before a workflow there is only cronworkflow.*: " + ", ".join(
                sorted(one.partition(".")[2] for one in self.known)
            )
        return unresolved_reference(path, f"a CronWorkflow does not know {{{{{name}}}}} here", hint)
