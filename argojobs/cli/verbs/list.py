"""`argojobs list`: the runs, newest first."""

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from argojobs.cli import options
from argojobs.cli.run_table import Listed, Shown, table
from argojobs.cli.text import plural, screen_of, show, warn
from argojobs.errors import UsageError
from argojobs.service import EXPERIMENT_LABEL, Workflow, is_final, phase_of

if TYPE_CHECKING:
    from argojobs.cli.connect import Target
    from argojobs.cli.formats import Format

CONTEXT_NOTE = "argojobs.dev/context"
#: So many runs of which no step seems to run are looked at for what they wait for.
LOOKED_AT = 10


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
        int,
        typer.Option("--last", "--nlast", "-n", metavar="N", min=0, help="At most N runs; 0: all."),
    ] = 0,
    all_users: Annotated[
        bool, typer.Option("--all-users", "--all_users", help="Other users' runs too.")
    ] = False,
    extended: Annotated[
        bool, typer.Option("--extended", help="With user, parameters, image, commit, command.")
    ] = False,
    all_contexts: Annotated[
        bool, typer.Option("--all-contexts", help="The runs of every context.")
    ] = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """List runs, newest first.

    Of a server the runs of others are left out. A run that waits shows its place among those that
    wait for the same lock, or what its pods cannot get.
    """
    now = time.time()

    def wanted(runs: list[Workflow]) -> list[Workflow]:
        kept = chosen(
            runs, failed=failed, running=running, since=since, experiment=experiment, now=now
        )
        return kept[:last] if last else kept

    short = output is None and not extended
    found = everywhere(wanted, context, server, all_users, short) if all_contexts else None
    if found is None:
        found = listed_in(_target(context, server), wanted, all_users=all_users, short=short)
    if last:
        found = found[:last]
    if output is not None:
        _print(found, output, contexts=all_contexts)
        return 0
    screen = screen_of(sys.stdout)
    shown = Shown(users=all_users, contexts=all_contexts, extended=extended)
    show(table(found, now, shown, signs=screen.signs), screen=screen)
    if not found:
        hint = "no such runs" if failed or running or since or experiment else "no runs yet"
        said = f" --context {context}" if context else f" --server {server}" if server else ""
        show([[(f"{hint}; start one: argojobs run FILE{said}", "dim")]], stream=sys.stderr)
    return 0


def listed_in(
    place: "Target",
    wanted: Callable[[list[Workflow]], list[Workflow]],
    *,
    all_users: bool,
    short: bool = False,
) -> list[Listed]:
    """Return the runs of one context that are wanted, with what they wait for.

    short: what a line about each needs is enough.
    How many runs others have there is said, where they are left out.
    """
    from argojobs.cli.owners import is_mine
    from argojobs.cli.waiting import queue_places

    summaries = getattr(place.service, "summaries", None) if short else None
    runs: list[Workflow] = summaries() if summaries is not None else place.service.list()
    mine = runs if all_users or place.context.is_local else [one for one in runs if is_mine(one)]
    if len(mine) < len(runs):
        count = plural(len(runs) - len(mine), "run")
        text = f"and {count} of others: argojobs list --all-users{place.options}"
        show([[(text, "dim")]], stream=sys.stderr)
    places = queue_places(runs)
    kept = wanted(mine)
    reasons = reasons_of(kept, place)
    name = place.context.name
    waits = {**reasons, **places}
    return [Listed(run, name, waits.get(str(run["metadata"]["name"]), "")) for run in kept]


def reasons_of(runs: list[Workflow], place: "Target") -> dict[str, str]:
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


def everywhere(
    wanted: Callable[[list[Workflow]], list[Workflow]],
    context: str,
    server: str,
    all_users: bool,
    short: bool = False,
) -> list[Listed]:
    """Return the runs of all contexts, newest first.

    A context that does not answer is said in a line. Raises its error where none answers.
    """
    from concurrent.futures import ThreadPoolExecutor
    from pathlib import Path

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
            return listed_in(_target(name, ""), wanted, all_users=all_users, short=short)
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
    return sorted(found, key=_created, reverse=True)


def chosen(
    runs: list[Workflow], *, failed: bool, running: bool, since: str, experiment: str, now: float
) -> list[Workflow]:
    """Return the runs that the options ask for."""
    from argojobs.cli.phases import BROKEN
    from argojobs.cli.times import moment
    from argojobs.cli.times import since as read_since
    from argojobs.manifest.names import label_value

    oldest = read_since(since, now) if since else 0.0
    wanted = label_value(experiment) if experiment else ""
    kept = []
    for run in runs:
        phase = phase_of(run)
        created = moment(run["metadata"].get("creationTimestamp")) or now
        if failed and phase not in BROKEN:
            continue
        if running and is_final(run):
            continue
        if created < oldest:
            continue
        if wanted and (run["metadata"].get("labels") or {}).get(EXPERIMENT_LABEL) != wanted:
            continue
        kept.append(run)
    return kept


def _target(context: str, server: str) -> "Target":
    from argojobs.cli import connect

    return connect.target(context, server)


def _created(listed: Listed) -> str:
    return str(listed.run["metadata"].get("creationTimestamp") or "9999")


def _print(found: list[Listed], output: "Format", *, contexts: bool) -> None:
    """Print runs for programs; of several contexts each says in an annotation where it is."""
    from argojobs.cli.formats import print_objects

    runs = [dict(one.run) for one in found]
    if contexts:
        for one, run in zip(found, runs, strict=True):
            metadata = run["metadata"]
            notes = {**(metadata.get("annotations") or {}), CONTEXT_NOTE: one.context}
            run["metadata"] = {**metadata, "annotations": notes}
    print_objects(runs, output)
