"""Runs as a table, and for programs: what `list` shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from argojobs.cli.formats import Format, print_objects
from argojobs.cli.phases import sign, style
from argojobs.cli.text import Line, Span, columns
from argojobs.manifest.view import annotations_of, spec_of, status_of
from argojobs.runs.listing import Listed
from argojobs.runs.owners import owner_of
from argojobs.runs.view.facts import COMMAND_LINE, commit, images, label, parameters
from argojobs.runs.view.phases import of_run
from argojobs.runs.view.times import ago, moment, run_time
from argojobs.runs.wording import one_line, plain
from argojobs.service import STOP_MESSAGE, Workflow


class Shown(NamedTuple):
    """What a table shows beside the usual: users, contexts, all facts of each run."""

    users: bool = False
    contexts: bool = False
    extended: bool = False


def table(listed: Sequence[Listed], now: float, shown: Shown, *, signs: bool) -> list[Line]:
    """Lay the runs out: sign, name, phase, progress, duration, age, experiment or message.

    Args:
        listed: the runs, in order.
        now: seconds since 1970, for durations and ages.
        shown: what else the table has.
        signs: whether the screen can show signs beyond ASCII.
    """
    if not listed:
        return []
    optional = [("USER", shown.users), ("CONTEXT", shown.contexts)]
    heads = ["  RUN", *(head for head, wanted in optional if wanted)]
    heads += ["PHASE", "DONE", "TIME", "STARTED", ""]
    rows = [[(head, "dim") for head in heads], *(_row(one, now, shown, signs) for one in listed)]
    if all(not row[-1][0] for row in rows):
        rows = [row[:-1] for row in rows]
    lines: list[Line] = list(columns(rows))
    if not shown.extended:
        return lines
    laid_out = [lines[0]]
    for one, line in zip(listed, lines[1:], strict=True):
        laid_out.append(line)
        laid_out.extend([("    ", ""), *fact] for fact in columns(_extended_facts(one.run)))
    return laid_out


def _row(one: Listed, now: float, shown: Shown, signs: bool) -> list[Span]:
    run = one.run
    status = status_of(run)
    phase = of_run(run)
    created = moment(run["metadata"].get("creationTimestamp")) or now
    cells: list[Span] = [(f"{sign(phase, signs=signs)[0]} {one.name}", "")]
    if shown.users:
        cells.append((owner_of(run), ""))
    if shown.contexts:
        cells.append((one.context, ""))
    return [
        *cells,
        (phase, style(phase)),
        (str(status.get("progress", "")), ""),
        (run_time(run, now), ""),
        (ago(max(0.0, now - created)), "dim"),
        (_note(one, phase), "dim"),
    ]


def _note(one: Listed, phase: str) -> str:
    """Say what a run belongs to, and why it waits, was stopped or failed."""
    metadata = one.run["metadata"]
    why = (metadata.get("annotations") or {}).get(STOP_MESSAGE, "") or one.waits
    if not why and phase != "Stopped":
        why = status_of(one.run).get("message", "")
    parts = (label(one.run, "experiment"), plain(str(why or "").partition("\n")[0]))
    return "  ".join(filter(None, parts))


def _extended_facts(run: Workflow) -> list[list[Span]]:
    """Return what there is to know of a run beside its row, a title and a text each."""
    given = "  ".join(f"{name}={one_line(value)}" for name, value in parameters(run).items())
    notes: Mapping[str, Any] = annotations_of(run)
    facts = (
        ("user", owner_of(run)),
        ("priority", str(spec_of(run).get("priority") or "")),
        ("parameters", given),
        ("image", ", ".join(images(run))),
        ("commit", commit(run)),
        ("command", plain(str(notes.get(COMMAND_LINE, "")))),
    )
    return [[(title, "dim"), (text, "")] for title, text in facts if text]


CONTEXT_NOTE = "argojobs.dev/context"


def print_for_programs(found: Sequence[Listed], output: Format, *, contexts: bool) -> None:
    """Print runs for programs.

    Args:
        found: the runs, in order.
        output: as JSON, YAML or names.
        contexts: whether each says in an annotation which context it is in.
    """
    runs: list[dict[str, Any]] = [{**one.run} for one in found]
    if contexts:
        for one, run in zip(found, runs, strict=True):
            metadata = run["metadata"]
            notes = {**(metadata.get("annotations") or {}), CONTEXT_NOTE: one.context}
            run["metadata"] = {**metadata, "annotations": notes}
    print_objects(runs, output)
