"""All there is to know of a run in one look, as plain data and as lines: what `query` shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argojobs.cli import facts, phases
from argojobs.cli.links import results_folder, storage_link, ui_link
from argojobs.cli.owners import owner_of
from argojobs.cli.report import typed
from argojobs.cli.text import Line, Screen, columns, plain
from argojobs.cli.tree import Step, leaves, steps_of
from argojobs.service import phase_of

if TYPE_CHECKING:
    from argojobs.cli.connect import Target

#: So many of the log files are shown.
MOST_LOGS = 30


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A look at a run. step: whose log lines are in `lines`. logs: files by the pods' node ids.

    waits: what the run waits for, "" if it does not. why: why it failed, where more than the message
    is known.
    """

    workflow: dict[str, Any]
    place: Target
    now: float
    step: Step | None = None
    lines: list[str] = field(default_factory=list)
    logs: dict[str, Path] = field(default_factory=dict)
    waits: str = ""
    why: str = ""

    @property
    def name(self) -> str:
        """The run's name."""
        return str(self.workflow["metadata"]["name"])


def as_data(look: Inquiry) -> dict[str, Any]:
    """Return a look for programs."""
    from argojobs.cli.summary import outputs_of, where_in
    from argojobs.cli.times import run_seconds

    run, context = look.workflow, look.place.context
    where = where_in(look.place, run)
    outputs = outputs_of(run)
    results = {str(p["name"]): p.get("value") for p in outputs.get("parameters") or ()}
    results |= {str(a["name"]): where(a) for a in _artifacts(outputs)}
    return {
        "id": look.name,
        "short_id": facts.short_id(run),
        "uid": str(run["metadata"].get("uid", "")),
        "state": phases.of_run(run),
        "message": str((run.get("status") or {}).get("message") or ""),
        "waits_for": look.waits,
        "why": look.why,
        "context": context.name,
        "user": owner_of(run),
        "command_line": _command_line(run),
        "parameters": facts.parameters(run),
        "images": facts.images(run),
        "commit": facts.commit(run),
        "gpus": facts.gpus(run),
        "created": run["metadata"].get("creationTimestamp"),
        "started": (run.get("status") or {}).get("startedAt"),
        "elapsed_seconds": run_seconds(run, look.now),
        "steps": [
            {
                "name": step.title,
                "state": step.phase or "Pending",
                "message": step.message,
                "logs": [str(look.logs[pod]) for pod in step.pods if pod in look.logs],
            }
            for step in leaves(steps_of(run))
        ],
        "log_of": look.step.title if look.step is not None else "",
        "log": look.lines,
        "results": results,
        "results_in": results_folder(run, look.place),
        "ui": ui_link(run, context),
        "storage": storage_link(run, context),
        "next": next_commands(look),
    }


def lines_of(look: Inquiry, screen: Screen) -> list[Line]:
    """Lay a look out: the newest log lines first, so that what counts is last on the screen."""
    from argojobs.cli.summary import output_lines, outputs_of, where_in
    from argojobs.cli.view import ended_counts, tree_lines

    run = look.workflow
    phase, steps = phases.of_run(run), steps_of(run)
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
    lines += _indented(columns(_fact_rows(look)))
    where = where_in(look.place, run)
    parts = (
        ("Steps", tree_lines(steps, look.now, screen)),
        ("Logs", _indented([[(text, "")] for text in _log_texts(look)])),
        ("Results", _indented([*output_lines(outputs_of(run), where), *_folder_line(look)])),
        ("Next", _indented([[(text, "")] for text in next_commands(look)])),
    )
    for title, part in parts:
        if part:
            lines += [[], [(title, "bold")], *part]
    return lines


def next_commands(look: Inquiry) -> list[str]:
    """Return what a reader may want to do now."""
    name, options, run = look.name, look.place.options, look.workflow
    phase = phase_of(run)
    step = f" {typed(look.step)}" if look.step is not None else ""
    if phase == "Succeeded":
        return [f"argojobs artifacts ls {name}{options}", f"argojobs resubmit {name}{options}"]
    if phase in phases.BROKEN:
        again = [f"argojobs retry {name}{options}"]
        if step:
            again.append(f"argojobs resubmit {name} --from{step}{options}")
        return [f"argojobs logs {name}{step}{options}", *again]
    logs = [f"argojobs logs -f {name}{step}{options}"] if step else []
    return [f"argojobs watch {name}{options}", *logs, f"argojobs stop {name}{options}"]


def _fact_rows(look: Inquiry) -> list[Line]:
    from argojobs.cli.summary import one_line
    from argojobs.cli.times import ago, elapsed, local, moment, run_seconds

    run, context = look.workflow, look.place.context
    started = moment((run.get("status") or {}).get("startedAt"))
    seconds = run_seconds(run, look.now)
    age = ago(max(0.0, look.now - started)) if started is not None else ""
    gpus = facts.gpus(run)
    given = [f"{key}={one_line(value)}" for key, value in facts.parameters(run).items()]
    rows = (
        ("short id", facts.short_id(run)),
        ("waits", look.waits),
        ("why", plain(look.why)),
        ("message", plain(str((run.get("status") or {}).get("message") or "").partition("\n")[0])),
        ("context", context.name),
        ("user", owner_of(run)),
        ("experiment", facts.label(run, "experiment")),
        ("command", plain(_command_line(run))),
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


def _log_texts(look: Inquiry) -> list[str]:
    paths = [str(path) for path in look.logs.values()]
    if len(paths) <= MOST_LOGS:
        return paths
    folder = next(iter(look.logs.values())).parent
    return [*paths[:MOST_LOGS], f"... and {len(paths) - MOST_LOGS} more in {folder}"]


def _folder_line(look: Inquiry) -> list[Line]:
    folder = results_folder(look.workflow, look.place)
    return [[("all in ", "dim"), (folder, "")]] if folder else []


def _artifacts(outputs: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in outputs.get("artifacts") or () if one["name"] != "main-logs"]


def _command_line(run: dict[str, Any]) -> str:
    return str((run["metadata"].get("annotations") or {}).get(facts.COMMAND_LINE, ""))


def _indented(lines: Any) -> list[Line]:
    return [[("  ", ""), *line] for line in lines]
