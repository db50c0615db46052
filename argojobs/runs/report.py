"""All there is to know of a run in one look, as plain data: what `query` shows."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from argojobs.manifest.view import annotations_of, artifacts_of, parameters_of, status_of
from argojobs.runs import step_logs
from argojobs.runs.diagnosis import why
from argojobs.runs.links import results_folder, storage_link, ui_link
from argojobs.runs.owners import owner_of
from argojobs.runs.paths import localiser
from argojobs.runs.stores import LOGS, where_in
from argojobs.runs.target import Target
from argojobs.runs.view import facts, phases
from argojobs.runs.view.facts import outputs_of
from argojobs.runs.view.phases import BROKEN
from argojobs.runs.view.steps import Step, leaves, steps_of, typed
from argojobs.runs.view.times import run_seconds
from argojobs.runs.waiting import waits_for
from argojobs.service import Workflow, phase_of

#: So many of the newest log lines are shown.
SHOWN = 100


@dataclass(frozen=True, slots=True)
class RunReport:
    """A look at a run. step: whose log lines are in `lines`. logs: files by the pods' node ids.

    waits: what the run waits for, "" if it does not. why: why it failed, where more than the message
    is known.
    """

    workflow: Workflow
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


def report_of(place: Target, workflow: Workflow, folder: Path | None) -> RunReport:
    """Read what there is to read of a run.

    Args:
        place: where it is.
        workflow: the run as it is now.
        folder: below it a folder of the run's name gets its logs; None writes none.
    """
    name = str(workflow["metadata"]["name"])
    step = step_logs.step_of_interest(workflow)
    logs: dict[str, Path] = {}
    lines: list[str] = []
    if folder is not None:
        logs = step_logs.download(place.service, workflow, folder / name)
    if step is not None:
        path = logs.get(step.pods[-1])
        if path is not None:
            lines = step_logs.last_lines(path, SHOWN)
        else:
            lines = list(step_logs.tail(place.service, workflow, step, SHOWN))
    local = localiser(place.service, name)
    told = [local(text) for text in lines]
    broken = phase_of(workflow) in BROKEN
    return RunReport(
        workflow,
        place,
        time.time(),
        step,
        told,
        logs,
        waits_for(place.service, workflow, place.options),
        why(workflow, told, options=place.options, local=place.steps_here) if broken else "",
    )


def as_data(look: RunReport) -> dict[str, Any]:
    """Return a look for programs."""
    run, context = look.workflow, look.place.context
    where = where_in(look.place, run)
    outputs = outputs_of(run)
    results = {str(p["name"]): p.get("value") for p in parameters_of(outputs)}
    artifacts = (one for one in artifacts_of(outputs) if one["name"] != LOGS)
    results |= {str(one["name"]): where(one) for one in artifacts}
    return {
        "id": look.name,
        "short_id": facts.short_id(run),
        "uid": str(run["metadata"].get("uid", "")),
        "state": phases.of_run(run),
        "message": str(status_of(run).get("message") or ""),
        "waits_for": look.waits,
        "why": look.why,
        "context": context.name,
        "user": owner_of(run),
        "command_line": command_line_of(run),
        "parameters": facts.parameters(run),
        "images": facts.images(run),
        "commit": facts.commit(run),
        "gpus": facts.gpus(run),
        "created": run["metadata"].get("creationTimestamp"),
        "started": status_of(run).get("startedAt"),
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


def command_line_of(run: Workflow) -> str:
    """Return the command line that asked for a run, "" where it does not say."""
    return str(annotations_of(run).get(facts.COMMAND_LINE, ""))


def next_commands(look: RunReport) -> list[str]:
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
