"""Which run or step a short name means."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from argojobs.dsl.names import label
from argojobs.errors import NotFoundError
from argojobs.manifest.names import FULL_NAMES, name_start, object_name
from argojobs.manifest.nearest import nearest, suggestion
from argojobs.manifest.view import annotations_of
from argojobs.runs.owners import latest_name, names_and_mine
from argojobs.runs.view.steps import Step, steps_of, walk
from argojobs.service import Service, Workflow

LATEST = "@latest"
#: So many candidates are listed when a name means several.
SHOWN = 8
#: So many letters of a name's end are enough to read about a run.
LEAST = 3


def find_run(service: Service, given: str, *, changes: bool = False, options: str = "") -> Workflow:
    """Return the run that a name means; a whole name is asked for at once.

    Args:
        service: where the runs are.
        given: a name as `run_name` takes it.
        changes: for a verb that changes the run.
        options: what a command must say to get there, for hints.

    Raises:
        NotFoundError: no run is meant, or several are.
    """
    if _is_whole(given):
        try:
            return service.get(given)
        except NotFoundError:  # a short name, then, or none
            pass
    return service.get(run_name(service, given, changes=changes, options=options))


def find_runs(
    service: Service, given: Sequence[str], *, changes: bool = False, options: str = ""
) -> list[Workflow]:
    """Return the runs that several names mean, each once, in the order given.

    Args:
        service: where the runs are.
        given: names as `run_name` takes them.
        changes: for a verb that changes the runs.
        options: what a command must say to get there, for hints.

    Raises:
        NotFoundError: a name means no run, or several.
    """
    found = [find_run(service, name, changes=changes, options=options) for name in given]
    return list({str(run["metadata"]["name"]): run for run in found}.values())


def run_name(service: Service, given: str, *, changes: bool = False, options: str = "") -> str:
    """Return the whole name of a run that a short one means.

    That is an ending of at least three letters or the whole suffix, or the name without its
    suffix. On a shared server an ending of one of my runs means that one, whatever others' end in,
    and `@latest` is my latest.

    Args:
        service: where the runs are.
        given: a whole name, what only one run has, or `@latest`.
        changes: for a verb that changes the run: an ending must hold the whole suffix, and
            the name without it is only answered with the runs that it may mean.
        options: what a command must say to get there, for hints.

    Raises:
        NotFoundError: no run is meant (the nearest are named), or several are (listed).
    """
    if given == LATEST:
        latest = latest_name(service)
        if latest:
            return latest
    elif _is_whole(given):
        # A server that can look for a part of a name is spared all the others.
        found = _meant(*names_and_mine(service, given), given, changes=changes, options=options)
        if found:
            return found
    names, mine = names_and_mine(service)
    if not names:
        raise NotFoundError(
            f"there is no run {given!r}: no runs here yet",
            hint=f"start one: argojobs run FILE{options}",
        )
    found = _meant(names, mine, given, changes=changes, options=options)
    if found:
        return found
    raise _no_run(given, nearest(given, names) or "", options)


def _is_whole(given: str) -> bool:
    """Tell whether a run can have this very name, and no other name is made of it."""
    return object_name(given) == given and name_start(f"{given}-") == f"{given}-"


def _meant(
    names: list[str], mine: Collection[str], given: str, *, changes: bool, options: str
) -> str:
    """Return which of the names is meant; "" for none.

    Raises NotFoundError for several, and for one that is not to be changed by so short a name.
    """
    if given in names:
        return given
    if object_name(given) in names:  # the full name, if Kubernetes takes no such name
        return object_name(given)
    matches = _mine_first([n for n in names if _ends(n, given, changes=changes)], mine)
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise NotFoundError(_several(matches, f"end in {given!r}"), hint="give more of the name")
    begun = name_start(f"{given}-").rstrip("-")
    starts = {given, begun} - {""}
    called = _mine_first([name for name in names if name.rpartition("-")[0] in starts], mine)
    if len(called) == 1 and not changes:
        return called[0]
    if len(called) > 1:
        raise NotFoundError(
            _several(called, f"are called {given!r}"), hint="give the whole name, or its ending"
        )
    if called:
        raise _no_run(given, called[0], options)
    return ""


def _no_run(given: str, close: str, options: str) -> NotFoundError:
    close = LATEST if given.startswith("@") else close
    hint = f"did you mean {close}? " if close else ""
    return NotFoundError(
        f"there is no run {given!r}", hint=f"{hint}argojobs list{options} shows all runs"
    )


def _mine_first(names: list[str], mine: Collection[str]) -> list[str]:
    """Return those of the names that are my runs; all of them where none is."""
    return [name for name in names if name in mine] or names


def _ends(name: str, given: str, *, changes: bool) -> bool:
    """Tell whether what is given is enough of a name's end to mean the run."""
    suffix = name.rpartition("-")[2]
    least = len(suffix) if changes else min(LEAST, len(suffix))
    return name.endswith(given) and len(given) >= least


def _several(names: Sequence[str], what: str) -> str:
    more = f"\n  ... and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{len(names)} runs {what}:\n  " + "\n  ".join(names[:SHOWN]) + more


def step_named(workflow: Workflow, given: str) -> Step:
    """Return the step of a run that a name means: its path or name, its node's name or id.

    An item of a fan-out may be given by its place alone: `train(0)` is `train(0:mnist)`. A name
    that was cut, or a function's, may be given in full.

    Raises NotFoundError when there is none (the nearest are named), or several.
    """
    steps = list(walk(steps_of(workflow)))
    run = workflow["metadata"]["name"]
    texts = dict.fromkeys((given, _as_cut(workflow, given), label(given)))
    for matches in (
        kind
        for text in texts
        for kind in (
            [s for s in steps if text in {s.path, s.node_id}],
            [s for s in steps if s.key == text],
            [s for s in steps if s.name == text],
            [s for s in steps if s.path.endswith(text)],
        )
    ):
        if len(matches) == 1:
            return matches[0]
        if matches:
            listed = "\n  ".join(s.title for s in matches[:SHOWN])
            raise NotFoundError(
                f"{len(matches)} steps of {run} are called {given!r}:\n  {listed}",
                hint="give the whole path",
            )
    raise NotFoundError(
        f"{run} has no step {given!r}",
        hint=suggestion(given, [s.title for s in steps], what="its steps are"),
    )


def _as_cut(workflow: Workflow, given: str) -> str:
    """Return a path with the full names in it as the run has them (see `names.FULL_NAMES`)."""
    notes = annotations_of(workflow).get(FULL_NAMES)
    full_names: dict[str, str] = json.loads(notes) if notes else {}
    for short, full in sorted(full_names.items(), key=lambda one: -len(one[1])):
        given = given.replace(full, short)
    return given
