"""What the verbs that change a run share: which run, whether it may be, other parameters for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from argojobs.cli.door import put
from argojobs.errors import ConflictError, UsageError
from argojobs.service import USER_LABEL, Workflow, is_final, phase_of

if TYPE_CHECKING:
    from argojobs.cli.connect import Target
    from argojobs.manifest.reuse import Reuse


@dataclass(frozen=True, slots=True)
class Chosen:
    """A run that is about to be changed. whose: ` of alex` for another's, as its name is told."""

    place: Target
    workflow: Workflow
    whose: str

    @property
    def name(self) -> str:
        """The run's whole name."""
        return str(self.workflow["metadata"]["name"])


def chosen_run(run: str, context: str, server: str, *, force: bool, verb: str) -> Chosen:
    """Return the run that a name means. Raises NotFoundError, UsageError for another's."""
    from argojobs.cli.connect import target
    from argojobs.cli.names import find_run
    from argojobs.cli.owners import check_owner

    place = target(context, server)
    workflow = find_run(place.service, run, changes=True, options=place.options)
    return Chosen(place, workflow, check_owner(workflow, place, force=force, verb=verb))


def refuse_ended(chosen: Chosen, remedy: str = "get") -> None:
    """Raise ConflictError for a run that has ended, naming the verb that helps."""
    if is_final(chosen.workflow):
        raise ConflictError(
            f"{chosen.name} has already ended: {phase_of(chosen.workflow)}",
            hint=f"argojobs {remedy} {chosen.name}{chosen.place.options}",
        )


@dataclass(frozen=True, slots=True)
class Overridden:
    """A spec with other parameters, and the same as texts: `name=value` of each that was given."""

    spec: dict[str, Any]
    assignments: tuple[str, ...]


def overridden(workflow: Workflow, params: str, assignments: Sequence[str]) -> Overridden:
    """Put `--params` and `-p` into a run's spec, checked as `run` checks them.

    Raises ParameterError, and UsageError for an artifact, which stays as it was.
    """
    from argojobs.cli.preparing import Wish, overrides_of
    from argojobs.manifest.parameters import resolve

    given = overrides_of(Wish(file="", params=params, assignments=assignments))
    if not given:
        return Overridden(dict(workflow["spec"]), ())
    applied = resolve(workflow, given)
    if applied.artifacts:
        raise UsageError(
            f"{applied.artifacts[0].name} is an artifact: it stays as the run had it",
            hint="start a new run with another one: argojobs run FILE -p NAME=PATH",
        )
    spec: dict[str, Any] = applied.workflow["spec"]
    parameters = (spec.get("arguments") or {}).get("parameters") or ()
    texts = [f"{p['name']}={p.get('value', '')}" for p in parameters if p["name"] in given]
    return Overridden(spec, tuple(texts))


def owned(workflow: Workflow, command_line: str) -> Workflow:
    """Return a new run's object as one of whoever asks for it by this command line."""
    from argojobs.cli.facts import COMMAND_LINE
    from argojobs.cli.owners import user_name

    metadata = workflow["metadata"]
    labels = {**(metadata.get("labels") or {}), USER_LABEL: user_name()}
    notes = {**(metadata.get("annotations") or {}), COMMAND_LINE: command_line}
    return {**workflow, "metadata": {**metadata, "labels": labels, "annotations": notes}}


def say_changed(old: Workflow, spec: Mapping[str, Any]) -> None:
    """Say in a line each which parameters a run has otherwise than the one before it."""
    from argojobs.cli.facts import parameters
    from argojobs.cli.summary import one_line
    from argojobs.cli.text import show

    before, now = parameters(old), parameters({"spec": spec})
    for name, value in now.items():
        if value != before.get(name, ""):
            change = f"{one_line(before.get(name, ''))} -> {one_line(value)}"
            show([[("  ", ""), (name, "bold"), (f"  {change}", "")]])


def say_steps(names: Iterable[str], what: str) -> None:
    """Say in a line which steps it is about, items of a fan-out counted."""
    told = [_counted(name, count) for name, count, _ in _gathered((name, "") for name in names)]
    if told:
        put(f"{what}: {', '.join(told)}\n")


def say_reuse(steps: Iterable[Reuse]) -> None:
    """Say of each step whether it is reused, and why; items of a fan-out with one reason as one."""
    from argojobs.cli.text import columns, show

    found = list(_gathered((step.step, step.why) for step in steps))
    rows = [[(_counted(name, count), "bold"), (why, "")] for name, count, why in found]
    show([("  ", ""), *row] for row in columns(rows))


def _gathered(steps: Iterable[tuple[str, str]]) -> Iterable[tuple[str, int, str]]:
    """Return (name, how many, why): items of one fan-out with the same reason together."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, why in steps:
        found.setdefault((re.sub(r"\(\d+:.*\)$", "", name, flags=re.DOTALL), why), []).append(name)
    for (base, why), names in found.items():
        yield (names[0] if len(names) == 1 else base), len(names), why


def _counted(name: str, count: int) -> str:
    return name if count == 1 else f"{name} ({count} of them)"
