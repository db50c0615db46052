"""What is compared of runs: gathered where they are, as plain values."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from argojobs.manifest.view import nodes_of
from argojobs.results.comparing import RUN, Run
from argojobs.results.digest import Digest, merged, named_twice
from argojobs.runs.csv_runs import csv_run
from argojobs.runs.digests import digests_of
from argojobs.runs.listing import Wanted, chosen
from argojobs.runs.names import find_runs, run_name
from argojobs.runs.target import Target
from argojobs.runs.view.facts import gpu_seconds, gpus, parameters
from argojobs.runs.view.phases import of_run
from argojobs.runs.view.steps import steps_of, walk
from argojobs.runs.view.times import run_seconds
from argojobs.service import Workflow

#: So many runs are asked for one by one.
_FEW = 20
_HOUR = 3600


@dataclass(frozen=True)
class Gathered:
    """Runs as they are compared; and those of them of which nothing, or not all, can be read."""

    runs: list[Run]
    bare: list[str] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)


def gathered(
    place: Target, names: Sequence[str], experiment: str = "", now: float | None = None
) -> Gathered:
    """Return what is compared of runs.

    Args:
        place: where the runs are.
        names: as they were typed; files of CSV stand among them.
        experiment: all runs of one, newest first, after the named ones; files come last.
        now: the time.

    Returns:
        The runs, each once, the named ones in their order.

    Raises:
        NotFoundError: for a name that means no run, or several.
        UsageError: for a file that is none of rows.
    """
    at = time.time() if now is None else now
    with _no_collecting():
        return _gathered(place, names, experiment, at)


@contextmanager
def _no_collecting() -> Iterator[None]:
    """Leave out the search for circles: plain values of many runs have none, and are many."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _gathered(place: Target, names: Sequence[str], experiment: str, at: float) -> Gathered:
    files = [name for name in names if name.endswith(".csv") and Path(name).is_file()]
    workflows = _workflows(place, [one for one in names if one not in files], experiment)
    if place.results is not None and not place.artifacts_here:
        # What is fetched is found by the nodes, which a list lacks.
        workflows = {
            name: run if nodes_of(run) else place.service.get(name)
            for name, run in workflows.items()
        }
    digests = _digests(place, workflows)
    found = {
        name: Run(_facts(place, run, at), parameters(run), digests.get(name, Digest()))
        for name, run in workflows.items()
    }
    runs = [*found.values(), *(csv_run(Path(name)) for name in dict.fromkeys(files))]
    own = [run for run in runs if run.facts[RUN] not in files]
    return Gathered(
        runs,
        [str(run.facts[RUN]) for run in own if run.digest.is_empty],
        [str(run.facts[RUN]) for run in own if not run.digest.is_whole],
    )


def _workflows(place: Target, names: Sequence[str], experiment: str) -> dict[str, Workflow]:
    """Return the objects of runs by their names: of a few whole, else without nodes."""
    service = place.service
    if not experiment and len(names) <= _FEW:
        return _by_name(find_runs(service, names, options=place.options))
    every = list(service.summaries(given=True))
    known = _by_name(every)
    named = [
        name if name in known else run_name(service, name, options=place.options) for name in names
    ]
    picked = [known[name] for name in named if name in known]
    if experiment:
        picked += chosen(every, Wanted(experiment=experiment))
    return _by_name(picked)


def _by_name(runs: Sequence[Workflow]) -> dict[str, Workflow]:
    return {str(run["metadata"]["name"]): run for run in runs}


def _facts(place: Target, run: Workflow, now: float) -> dict[str, float | str | None]:
    """Return what all runs have; those with a point in front are shown only if they are asked for."""
    name = str(run["metadata"]["name"])
    seconds = gpu_seconds(run, now)
    if seconds is None and gpus(run):
        seconds = gpu_seconds(place.service.get(name), now)
    return {
        RUN: name,
        "phase": of_run(run),
        "duration": run_seconds(run, now),
        "gpu_hours": None if seconds is None else seconds / _HOUR,
        ".created": str(run["metadata"].get("creationTimestamp") or ""),
    }


def _digests(place: Target, workflows: Mapping[str, Workflow]) -> dict[str, Digest]:
    """Return what each run reported as one; where steps share a name it is told with the step."""
    if place.results is None:
        return {}
    found = digests_of(place.results([*workflows.values()]), list(workflows))
    shared: tuple[set[str], set[str]] = (set(), set())
    for jobs in found.values():
        if len(jobs) > 1:
            series, summaries = named_twice(list(jobs.values()))
            shared[0].update(series)
            shared[1].update(summaries)
    return {
        name: merged(_by_step(place, workflows[name], jobs, *shared), *shared)
        for name, jobs in found.items()
    }


def _by_step(
    place: Target,
    workflow: Workflow,
    jobs: Mapping[str, Digest],
    series: set[str],
    summaries: set[str],
) -> Mapping[str, Digest]:
    """Return jobs by their steps, where that is told; else by the ids of their nodes."""
    told = any(
        series.intersection(one.names) or summaries & set(one.summary) for one in jobs.values()
    )
    if len(jobs) <= 1 and not told:
        return jobs
    run = workflow if "nodes" in (workflow.get("status") or {}) else None
    run = run or place.service.get(str(workflow["metadata"]["name"]))
    steps = {step.node_id: step.typed for step in walk(steps_of(run)) if step.node_id}
    place_of = {node_id: number for number, node_id in enumerate(steps)}
    ordered = sorted(jobs, key=lambda job: (place_of.get(job, len(place_of)), job))
    return {steps.get(job, job): jobs[job] for job in ordered}
