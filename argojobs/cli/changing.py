"""What `retry` and `resubmit` share: parameters for a run that has run, and following it."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from argojobs.cli.formats import Format
from argojobs.errors import UsageError
from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.cli.connect import Target
    from argojobs.manifest.reuse import Reuse


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
    from argojobs.cli.owners import USER_LABEL, user_name

    metadata = workflow["metadata"]
    labels = {**(metadata.get("labels") or {}), USER_LABEL: user_name()}
    notes = {**(metadata.get("annotations") or {}), COMMAND_LINE: command_line}
    return {**workflow, "metadata": {**metadata, "labels": labels, "annotations": notes}}


def say_steps(names: Iterable[str], what: str) -> None:
    """Say in a line which steps it is about, items of a fan-out counted."""
    told = [_counted(name, count) for name, count, _ in _gathered((name, "") for name in names)]
    if told:
        sys.stdout.write(f"{what}: {', '.join(told)}\n")


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


def follow_run(place: Target, workflow: Workflow, output: Format | None) -> int:
    """Follow a run that was just started to its end. Returns the exit code.

    Ctrl-C stops one of this machine, and leaves one of a server to go on.
    """
    from argojobs.cli.follow import Follow, follow, goes_on, leave, mode_for
    from argojobs.cli.formats import print_object
    from argojobs.cli.main import INTERRUPTED
    from argojobs.cli.summary import show_end
    from argojobs.cli.verbs.run import stopper

    name = str(workflow["metadata"]["name"])
    stream = sys.stdout if output is None else sys.stderr
    pressed: list[int] = []
    stop = stopper(place.service, name, pressed) if place.context.is_local else leave
    how = Follow(place.service, place.again, stream, mode_for(stream), stop)
    try:
        final = follow(how, workflow)
        code = show_end(place, final, stream, time.time(), streamed=how.mode == "plain")
    except KeyboardInterrupt:
        sys.stderr.write(goes_on(name, place.options))
        return INTERRUPTED
    if output is not None:
        print_object(final, output)
    return INTERRUPTED if pressed else code
