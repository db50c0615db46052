"""What the verbs that change a run say of it: what is done, its parameters and its steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from argojobs.cli.door import put
from argojobs.cli.formats import Format, print_object
from argojobs.cli.text import columns, show
from argojobs.edits.reuse import Reuse
from argojobs.runs.changes import Change
from argojobs.runs.view.facts import parameters
from argojobs.runs.wording import one_line
from argojobs.service import Workflow


def make(
    change: Change, verb: str, doing: str, *, dry_run: bool, output: Format | None, more: str = ""
) -> int:
    """Make a change, or say that it would be made, and return the exit code.

    Args:
        change: of a run.
        verb: the word for what would be done.
        doing: the word for what is done.
        dry_run: nothing is changed.
        output: prints the run in place of the line.
        more: the end of the line.
    """
    workflow = change.workflow if dry_run else change.make()
    if output is not None:
        print_object(workflow, output)
    else:
        say_made(change, verb, doing, dry_run=dry_run, more=more)
    return 0


def say_made(change: Change, verb: str, doing: str, *, dry_run: bool, more: str = "") -> None:
    """Say in a line that a change was made, or would be.

    Args:
        change: of a run.
        verb: the word for what would be done.
        doing: the word for what is done.
        dry_run: whether it would only be made.
        more: the end of the line.
    """
    put(f"{f'would {verb}' if dry_run else doing} {change.name}{change.whose}{more}\n")


def say_changed(old: Workflow, spec: Mapping[str, Any]) -> None:
    """Say in a line each which parameters a run has otherwise than the one before it."""
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
