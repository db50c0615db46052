"""Which runs a list shows, of one context or of all of them, and what each waits for."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from argojobs.config.choosing import project_of
from argojobs.config.context_files import load_contexts
from argojobs.errors import ArgojobsError, NotFoundError, ServerError
from argojobs.manifest.names import label_value
from argojobs.manifest.view import labels_of
from argojobs.runs.owners import owner_of, user_name
from argojobs.runs.progress import Tell
from argojobs.runs.target import Target
from argojobs.runs.view.phases import BROKEN
from argojobs.runs.view.times import moment
from argojobs.runs.view.times import since as read_since
from argojobs.runs.waiting import may_wait, pods_waiting, queue_places, shell_awaited
from argojobs.runs.wording import plural
from argojobs.service import EXPERIMENT_LABEL, Workflow, is_final, phase_of

#: So many runs of which no step seems to run are looked at for what they wait for.
LOOKED_AT = 10


class Listed(NamedTuple):
    """A run of a list: its object, its context, and what it waits for."""

    run: Workflow
    context: str = ""
    waits: str = ""

    @property
    def name(self) -> str:
        """The run's name."""
        return str(self.run["metadata"]["name"])


@dataclass(frozen=True, eq=False, repr=False)
class Wanted:
    """Which runs are wanted. last: at most so many, 0 for all. now: what --since counts from."""

    failed: bool = False
    running: bool = False
    since: str = ""
    experiment: str = ""
    last: int = 0
    all_users: bool = False
    now: float = field(default_factory=time.time)


def listed(place: Target, wanted: Wanted, *, short: bool) -> list[Listed]:
    """Return the runs of a context that are wanted, newest first, with what they wait for.

    How many runs others have there is said, where they are left out.

    Args:
        place: the context.
        wanted: which of its runs.
        short: what a line about each needs is enough.
    """
    runs = place.service.summaries() if short else place.service.list()
    me = user_name() if place.has_owners and not wanted.all_users else ""
    mine = [one for one in runs if owner_of(one) == me] if me else runs
    if len(mine) < len(runs):
        count = plural(len(runs) - len(mine), "run")
        text = f"and {count} of others: argojobs list --all-users{place.options}"
        place.tell("progress", text)
    places = queue_places(runs)
    kept = chosen(mine, wanted)
    waits = {**_reasons_of(kept, place), **places}
    name = place.context.name
    return [
        Listed(run, name, waits.get(str(run["metadata"]["name"])) or shell_awaited(run))
        for run in kept
    ]


def chosen(runs: Sequence[Workflow], wanted: Wanted) -> list[Workflow]:
    """Return the runs that are wanted. Raises UsageError for a time that is none."""
    oldest = read_since(wanted.since, wanted.now) if wanted.since else 0.0
    experiment = label_value(wanted.experiment) if wanted.experiment else ""
    kept = []
    for run in runs:
        if wanted.failed and phase_of(run) not in BROKEN:
            continue
        if wanted.running and is_final(run):
            continue
        if oldest and (moment(run["metadata"].get("creationTimestamp")) or wanted.now) < oldest:
            continue
        labels = labels_of(run)
        if experiment and labels.get(EXPERIMENT_LABEL) != experiment:
            continue
        kept.append(run)
    return kept[: wanted.last] if wanted.last else kept


def _reasons_of(runs: list[Workflow], place: Target) -> dict[str, str]:
    """Return by name what the pods of runs wait for of which none runs; of the newest few."""
    found: dict[str, str] = {}
    for run in [one for one in runs if may_wait(one)][:LOOKED_AT]:
        name = str(run["metadata"]["name"])
        try:
            found[name] = pods_waiting(place.service.get(name))
        except NotFoundError:  # deleted just now
            continue
    return found


def everywhere(
    wanted: Wanted, connect: Callable[[str], Target], tell: Tell, *, short: bool
) -> list[Listed]:
    """Return the runs of all contexts, newest first.

    A context that does not answer is said in a line. Raises its error where none answers.

    Args:
        wanted: which runs.
        connect: opens a context by its name.
        tell: hears of contexts that do not answer.
        short: what a line about each run needs is enough.
    """
    errors: list[ArgojobsError] = []

    def look(name: str) -> list[Listed] | ArgojobsError:
        try:
            return listed(connect(name), wanted, short=short)
        except ArgojobsError as error:
            return error

    names = load_contexts(project_of(Path.cwd())).names()
    found: list[Listed] = []
    with ThreadPoolExecutor(max_workers=max(1, len(names))) as pool:
        for name, answer in zip(names, pool.map(look, names), strict=True):
            if isinstance(answer, ArgojobsError):
                errors.append(answer)
                tell("warning", f"{name}: {answer.what}")
            else:
                found += answer
    if len(errors) == len(names):
        raise next((error for error in errors if isinstance(error, ServerError)), errors[0])
    ordered = sorted(found, key=_created, reverse=True)
    return ordered[: wanted.last] if wanted.last else ordered


def _created(listed: Listed) -> str:
    return str(listed.run["metadata"].get("creationTimestamp") or "9999")
