"""What the steps of a run reported: series, epochs, summaries; of the place where the run is."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from argojobs.errors import NotFoundError, UsageError
from argojobs.manifest.nearest import suggestion
from argojobs.results.job import Job, Series
from argojobs.results.pace import Pace, pace_of
from argojobs.runs.job_folders import MOST_NAMES, JobFolder, newest_ends
from argojobs.runs.names import step_named
from argojobs.runs.target import Target
from argojobs.runs.view.phases import ENDED
from argojobs.runs.view.steps import steps_of, walk
from argojobs.service import Workflow

#: What is told to who has no metrics.
HOW = "a step logs some by: from argojobs import job; job.log(loss=0.5, step=1)"

_REMEDY = (
    "steps store what they log by the keys of a Kubernetes Secret: give the context's S3 its name"
    " (secret_name, or --s3-secret-name of argojobs context add)"
)

#: Of so many steps it is looked how far they are, those that run first, in so many bytes each.
_MOST_PACES, _END = 32, 64 << 10


class Reported(NamedTuple):
    """What one step reported. step: as it is typed; the node's id where the run has no such step."""

    step: str
    node_id: str
    has_ended: bool
    job: Job

    def pace(self, now: float) -> Pace | None:
        """Return how far it is, if it said so."""
        return pace_of(self.job.epochs, self.job.progress, None if self.has_ended else now)


class Metrics:
    """What a run reports, read again and again while it grows.

    bring: returns the folder of all results, with what the run has reported by then. step: only
    what this one and those within it report.
    """

    def __init__(self, bring: Callable[[Sequence[Workflow]], Path], step: str = "") -> None:
        self._bring = bring
        self._step = step
        self._jobs: dict[str, JobFolder] = {}

    def read(self, workflow: Workflow) -> list[Reported]:
        """Return what has been reported, step by step in the run's order.

        workflow: the run as it is now. Raises NotFoundError for a step that it does not have.
        """
        folder = _folder_of(self._bring([workflow]), workflow)
        known = {step.node_id: step for step in walk(steps_of(workflow)) if step.node_id}
        wanted = None
        if self._step:
            meant = step_named(workflow, self._step)
            wanted = {step.node_id for step in walk([meant])}
        place = {node_id: number for number, node_id in enumerate(known)}
        found = []
        for node_id in sorted(_names(folder), key=lambda n: (place.get(n, len(place)), n)):
            if wanted is not None and node_id not in wanted:
                continue
            if node_id not in self._jobs:
                copy = folder / f".{node_id}.columns"
                self._jobs[node_id] = JobFolder(folder / node_id, copy)
            job, step = self._jobs[node_id].read(), known.get(node_id)
            if not job.attempts:
                continue
            ended = step is None or step.phase in ENDED
            found.append(Reported(step.typed if step else node_id, node_id, ended, job))
        return found


def metrics_of(place: Target, step: str = "") -> Metrics:
    """Return what runs report, to be read. step: only this step.

    Raises UsageError where what runs report cannot be read.
    """
    if place.results is None:
        raise UsageError(why_not(place), hint=_REMEDY)
    return Metrics(place.results, step)


def why_not(place: Target) -> str:
    """Return why what runs report cannot be read where they are."""
    name = place.context.name
    if place.context.storage:
        return f"what steps of {name} log is on its claim, which cannot be read from here yet"
    return f"what steps log is not stored where it can be read: {name} has no S3 with a Secret"


def check_names(reported: Sequence[Reported], names: Sequence[str]) -> None:
    """Raise NotFoundError for a name that nobody logged; the nearest is named."""
    known = names_of(reported)
    for name in names:
        if not _meant(name, known):
            raise NotFoundError(
                f"no metric {name!r} was logged",
                hint=suggestion(name, known, what="there are") if known else HOW,
            )


def chosen(
    reported: Sequence[Reported],
    names: Sequence[str],
    rank: int | None = None,
    *,
    every: bool = False,
) -> list[Reported]:
    """Return what was reported, with only some of the series.

    Args:
        reported: all that was.
        names: of series, or patterns such as `val/*`; none for all of them.
        rank: of which rank; None for any.
        every: of each name the series of all processes, and not only of the first that logged it.
    """
    known = names_of(reported)
    wanted = {meant for name in names for meant in _meant(name, known)} if names else known

    def kept(job: Job) -> tuple[Series, ...]:
        found = [one for one in job.series if one.name in wanted and rank in (None, one.rank)]
        first = {one.name: one for one in reversed(found)}
        return tuple(one for one in found if every or one is first[one.name])

    return [each._replace(job=replace(each.job, series=kept(each.job))) for each in reported]


def names_of(reported: Iterable[Reported]) -> dict[str, None]:
    """Return the names that were logged, in their order."""
    return dict.fromkeys(one.name for each in reported for one in each.job.series)


def _meant(name: str, known: Collection[str]) -> list[str]:
    if name in known:
        return [name]
    return [one for one in known if fnmatchcase(one, name)] if set(name) & {"*", "?"} else []


def paces(place: Target, workflow: Workflow, now: float) -> dict[str, Pace]:
    """Return how far the steps of a run are that said so, by their nodes' ids.

    Little is read: the ends of the newest attempts of some steps, those that run first; and nothing
    where it would have to be fetched.
    """
    if place.results is None or not place.artifacts_here:
        return {}
    folder = _folder_of(place.results([workflow]), workflow)
    there = set(_names(folder))
    steps = [step for step in walk(steps_of(workflow)) if step.node_id in there]
    steps.sort(key=lambda step: step.phase in ENDED)
    found = {}
    for step in steps[:_MOST_PACES]:
        at = None if step.phase in ENDED else now
        ends = newest_ends(folder / step.node_id, _END)
        said = (pace_of(one.epochs, one if one.progress else None, at) for one in ends)
        pace = next((one for one in said if one is not None), None)
        if pace is not None:
            found[step.node_id] = pace
    return found


def _folder_of(results: Path, workflow: Workflow) -> Path:
    return results / str(workflow["metadata"]["name"])


def _names(folder: Path) -> list[str]:
    """Return the names of the jobs' folders of a run."""
    try:
        with os.scandir(folder) as entries:
            return [
                entry.name
                for entry in islice(entries, MOST_NAMES)
                if entry.is_dir(follow_symlinks=False)
            ]
    except OSError:  # it has none
        return []
