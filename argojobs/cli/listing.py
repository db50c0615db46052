"""Which runs a list shows, of one context or of all of them, and what each waits for."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from argojobs.cli.run_table import Listed
from argojobs.cli.text import plural, show, warn
from argojobs.errors import UsageError
from argojobs.service import EXPERIMENT_LABEL, Workflow, is_final, phase_of

if TYPE_CHECKING:
    from argojobs.cli.connect import Target
    from argojobs.cli.formats import Format

CONTEXT_NOTE = "argojobs.dev/context"
#: So many runs of which no step seems to run are looked at for what they wait for.
LOOKED_AT = 10


@dataclass(frozen=True, eq=False, repr=False)
class Wish:
    """Which runs are wanted. last: at most so many, 0 for all. now: what --since counts from."""

    failed: bool = False
    running: bool = False
    since: str = ""
    experiment: str = ""
    last: int = 0
    all_users: bool = False
    now: float = field(default_factory=time.time)


def listed(runs: list[Workflow], place: Target, wish: Wish) -> list[Listed]:
    """Return those of a context's runs that are wanted, with what they wait for.

    How many runs others have there is said, where they are left out.
    """
    from argojobs.cli.owners import owner_of, user_name
    from argojobs.cli.waiting import queue_places, shell_awaited

    me = "" if wish.all_users or place.context.is_local else user_name()
    mine = [one for one in runs if owner_of(one) == me] if me else runs
    if len(mine) < len(runs):
        count = plural(len(runs) - len(mine), "run")
        text = f"and {count} of others: argojobs list --all-users{place.options}"
        show([[(text, "dim")]], stream=sys.stderr)
    places = queue_places(runs)
    kept = chosen(mine, wish)
    waits = {**reasons_of(kept, place), **places}
    name = place.context.name
    return [
        Listed(run, name, waits.get(str(run["metadata"]["name"])) or shell_awaited(run))
        for run in kept
    ]


def chosen(runs: list[Workflow], wish: Wish) -> list[Workflow]:
    """Return the runs that are wanted. Raises UsageError for a time that is none."""
    from argojobs.cli.phases import BROKEN
    from argojobs.cli.times import moment
    from argojobs.cli.times import since as read_since
    from argojobs.manifest.names import label_value

    oldest = read_since(wish.since, wish.now) if wish.since else 0.0
    experiment = label_value(wish.experiment) if wish.experiment else ""
    kept = []
    for run in runs:
        if wish.failed and phase_of(run) not in BROKEN:
            continue
        if wish.running and is_final(run):
            continue
        if oldest and (moment(run["metadata"].get("creationTimestamp")) or wish.now) < oldest:
            continue
        labels = run["metadata"].get("labels") or {}
        if experiment and labels.get(EXPERIMENT_LABEL) != experiment:
            continue
        kept.append(run)
    return kept[: wish.last] if wish.last else kept


def reasons_of(runs: list[Workflow], place: Target) -> dict[str, str]:
    """Return by name what the pods of runs wait for of which none runs; of the newest few."""
    from argojobs.cli.waiting import may_wait, pods_waiting
    from argojobs.errors import NotFoundError

    found: dict[str, str] = {}
    for run in [one for one in runs if may_wait(one)][:LOOKED_AT]:
        name = str(run["metadata"]["name"])
        try:
            found[name] = pods_waiting(place.service.get(name))
        except NotFoundError:  # deleted just now
            continue
    return found


def everywhere(wish: Wish, context: str, server: str, *, short: bool) -> list[Listed]:
    """Return the runs of all contexts, newest first.

    A context that does not answer is said in a line. Raises its error where none answers.
    """
    from concurrent.futures import ThreadPoolExecutor
    from pathlib import Path

    from argojobs.cli import connect
    from argojobs.config.choosing import project_of
    from argojobs.config.context_files import load_contexts
    from argojobs.errors import ArgojobsError, ServerError

    if context or server:
        raise UsageError(
            "--all-contexts and a context exclude each other", hint="leave one of them out"
        )
    errors: list[ArgojobsError] = []

    def look(name: str) -> list[Listed] | ArgojobsError:
        try:
            place = connect.target(name)
            return listed(connect.runs_of(place, short=short), place, wish)
        except ArgojobsError as error:
            return error

    names = load_contexts(project_of(Path.cwd())).names()
    found: list[Listed] = []
    with ThreadPoolExecutor(max_workers=max(1, len(names))) as pool:
        for name, answer in zip(names, pool.map(look, names), strict=True):
            if isinstance(answer, ArgojobsError):
                errors.append(answer)
                warn([f"{name}: {answer.what}"])
            else:
                found += answer
    if len(errors) == len(names):
        raise next((error for error in errors if isinstance(error, ServerError)), errors[0])
    ordered = sorted(found, key=_created, reverse=True)
    return ordered[: wish.last] if wish.last else ordered


def _created(listed: Listed) -> str:
    return str(listed.run["metadata"].get("creationTimestamp") or "9999")


def print_for_programs(found: Sequence[Listed], output: Format, *, contexts: bool) -> None:
    """Print runs for programs; of several contexts each says in an annotation where it is."""
    from argojobs.cli.formats import print_objects

    runs = [dict(one.run) for one in found]
    if contexts:
        for one, run in zip(found, runs, strict=True):
            metadata = run["metadata"]
            notes = {**(metadata.get("annotations") or {}), CONTEXT_NOTE: one.context}
            run["metadata"] = {**metadata, "annotations": notes}
    print_objects(runs, output)
