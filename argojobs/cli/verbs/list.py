"""`argojobs list`: the runs, newest first."""

import time
from typing import Annotated, Any

import typer

from argojobs.cli import options
from argojobs.cli.text import Span, columns, plain, screen_of, show
from argojobs.manifest.names import label_value
from argojobs.service import STOP_MESSAGE, Workflow

EXPERIMENT_LABEL = "argojobs.dev/experiment"


def command(
    failed: Annotated[bool, typer.Option("--failed", help="Only runs that failed.")] = False,
    running: Annotated[bool, typer.Option("--running", help="Only runs not yet ended.")] = False,
    since: Annotated[
        str, typer.Option("--since", metavar="TIME", help="Only younger ones: 30m, 2h, 2026-01-31.")
    ] = "",
    experiment: Annotated[
        str, typer.Option("--experiment", metavar="NAME", help="Only runs of one experiment.")
    ] = "",
    last: Annotated[
        int, typer.Option("--last", "-n", metavar="N", min=0, help="At most N runs; 0: all.")
    ] = 0,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """List runs, newest first."""
    from argojobs.cli.connect import connect
    from argojobs.cli.formats import print_objects

    labels = {EXPERIMENT_LABEL: label_value(experiment)} if experiment else None
    now = time.time()
    runs = connect(context, server).list(labels=labels)
    runs = chosen(runs, failed=failed, running=running, since=since, now=now)
    if last:
        runs = runs[:last]
    if output is not None:
        print_objects(runs, output)
        return 0
    import sys

    screen = screen_of(sys.stdout)
    show(table(runs, now, signs=screen.signs), screen=screen)
    if not runs:
        hint = "no such runs" if failed or running or since or experiment else "no runs yet"
        show([[(f"{hint}; start one: argojobs run FILE", "dim")]], stream=sys.stderr)
    return 0


def chosen(
    runs: list[Workflow], *, failed: bool, running: bool, since: str, now: float
) -> list[Workflow]:
    """Return the runs that the options ask for."""
    from argojobs.cli.phases import BROKEN
    from argojobs.cli.times import moment
    from argojobs.cli.times import since as read_since
    from argojobs.service import FINAL_PHASES

    oldest = read_since(since, now) if since else 0.0
    kept = []
    for run in runs:
        phase = (run.get("status") or {}).get("phase", "")
        created = moment(run["metadata"].get("creationTimestamp")) or now
        if failed and phase not in BROKEN:
            continue
        if running and phase in FINAL_PHASES:
            continue
        if created < oldest:
            continue
        kept.append(run)
    return kept


def table(runs: list[Workflow], now: float, *, signs: bool) -> list[list[Span]]:
    """Lay the runs out: sign, name, phase, progress, duration, age, experiment or message."""
    from argojobs.cli.phases import of_run, sign, style
    from argojobs.cli.times import ago, moment, run_time

    if not runs:
        return []
    rows: list[list[Span]] = [
        [(head, "dim") for head in ("  RUN", "PHASE", "STEPS", "TIME", "STARTED", "")]
    ]
    for run in runs:
        status: dict[str, Any] = run.get("status") or {}
        phase = of_run(run)
        mark = sign(phase, signs=signs)[0]
        created = moment(run["metadata"].get("creationTimestamp")) or now
        metadata = run["metadata"]
        whole = {**(metadata.get("labels") or {}), **(metadata.get("annotations") or {})}
        why = whole.get(STOP_MESSAGE, "")
        why = why or (status.get("message", "") if phase != "Stopped" else "")
        note = "  ".join(filter(None, (whole.get(EXPERIMENT_LABEL, ""), _first_line(why))))
        rows.append(
            [
                (f"{mark} {run['metadata']['name']}", ""),
                (phase, style(phase)),
                (str(status.get("progress", "")), ""),
                (run_time(run, now), ""),
                (ago(max(0.0, now - created)), "dim"),
                (note, "dim"),
            ]
        )
    if all(not row[5][0] for row in rows):
        rows = [row[:5] for row in rows]
    return columns(rows)


def _first_line(text: Any) -> str:
    return plain(str(text).partition("\n")[0])
