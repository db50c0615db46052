"""All there is to know of a run in one look, as lines: what `query` shows."""

from __future__ import annotations

from argojobs.cli import phases
from argojobs.cli.summary import output_lines
from argojobs.cli.text import Line, Screen, columns, indented
from argojobs.cli.view import ended_counts, tree_lines
from argojobs.manifest.view import status_of
from argojobs.runs.links import results_folder, storage_link, ui_link
from argojobs.runs.owners import owner_of
from argojobs.runs.report import RunReport, command_line_of, next_commands
from argojobs.runs.stores import where_in
from argojobs.runs.view import facts
from argojobs.runs.view.facts import outputs_of
from argojobs.runs.view.phases import of_run
from argojobs.runs.view.steps import steps_of
from argojobs.runs.view.times import ago, elapsed, local, moment, run_seconds
from argojobs.runs.wording import one_line, plain

#: So many of the log files are shown.
MOST_LOGS = 30


def lines_of(look: RunReport, screen: Screen) -> list[Line]:
    """Lay a look out: the newest log lines first, so that what counts is last on the screen."""
    run = look.workflow
    phase, steps = of_run(run), steps_of(run)
    mark, style = phases.sign(phase, signs=screen.signs)
    lines: list[Line] = []
    if look.step is not None and look.lines:
        lines.append([(f"The last lines of {look.step.title}", "bold")])
        lines += [[(plain(text), "")] for text in look.lines]
        lines.append([])
    lines.append(
        [
            (f"{mark} ", style),
            (look.name, "bold"),
            (f"  {phase}", style),
            (f"  {ended_counts(run, steps)}", "dim"),
        ]
    )
    lines += indented(columns(_fact_rows(look)))
    where = where_in(look.place, run)
    parts = (
        ("Steps", tree_lines(steps, look.now, screen)),
        ("Logs", indented([[(text, "")] for text in _log_texts(look)])),
        ("Results", indented([*output_lines(outputs_of(run), where), *_folder_line(look)])),
        ("Next", indented([[(text, "")] for text in next_commands(look)])),
    )
    for title, part in parts:
        if part:
            lines += [[], [(title, "bold")], *part]
    return lines


def _fact_rows(look: RunReport) -> list[Line]:
    run, context = look.workflow, look.place.context
    started = moment(status_of(run).get("startedAt"))
    seconds = run_seconds(run, look.now)
    age = ago(max(0.0, look.now - started)) if started is not None else ""
    gpus = facts.gpus(run)
    given = [f"{key}={one_line(value)}" for key, value in facts.parameters(run).items()]
    rows = (
        ("short id", facts.short_id(run)),
        ("waits", look.waits),
        ("why", plain(look.why)),
        ("message", plain(str(status_of(run).get("message") or "").partition("\n")[0])),
        ("context", context.name),
        ("user", owner_of(run)),
        ("experiment", facts.label(run, "experiment")),
        ("command", plain(command_line_of(run))),
        ("parameters", "  ".join(given)),
        ("image", ", ".join(facts.images(run))),
        ("commit", facts.commit(run)),
        ("gpus", f"{gpus} a step" if gpus else ""),
        ("started", f"{local(started)} ({age})" if started is not None else ""),
        ("elapsed", elapsed(seconds) if seconds is not None else ""),
        ("ui", ui_link(run, context)),
        ("storage", storage_link(run, context)),
    )
    return [[(title, "dim"), (text, "")] for title, text in rows if text]


def _log_texts(look: RunReport) -> list[str]:
    paths = [str(path) for path in look.logs.values()]
    if len(paths) <= MOST_LOGS:
        return paths
    folder = next(iter(look.logs.values())).parent
    return [*paths[:MOST_LOGS], f"... and {len(paths) - MOST_LOGS} more in {folder}"]


def _folder_line(look: RunReport) -> list[Line]:
    folder = results_folder(look.workflow, look.place)
    return [[("all in ", "dim"), (folder, "")]] if folder else []
