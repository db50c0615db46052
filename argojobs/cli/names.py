"""Which run or step a short name means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from argojobs.cli.tree import Step, steps_of, walk
from argojobs.errors import NotFoundError
from argojobs.manifest.names import object_name
from argojobs.manifest.nearest import nearest, suggestion
from argojobs.service import Service

LATEST = "@latest"
#: So many candidates are listed when a name means several.
SHOWN = 8
#: So many letters of a name's end are enough to read about a run.
LEAST = 3


def run_name(service: Service, given: str, *, changes: bool = False) -> str:
    """Return the whole name of a run that a short one means: `@latest`, or what only it has.

    That is an ending of at least three letters or the whole suffix, or the name without its
    suffix. For a verb that changes the run an ending must hold the whole suffix, and the name
    without it is only answered with the runs that it may mean. Raises NotFoundError when no run
    is meant (the nearest are named), or several (listed).
    """
    names = all_names(service)
    if not names:
        raise NotFoundError(
            f"there is no run {given!r}: no runs here yet", hint="start one: argojobs run FILE"
        )
    if given == LATEST:
        return names[0]
    if given in names:
        return given
    if object_name(given) in names:  # what `--name` was given, if Kubernetes takes no such name
        return object_name(given)
    matches = [name for name in names if _ends(name, given, changes=changes)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise NotFoundError(_several(matches, f"end in {given!r}"), hint="give more of the name")
    called = [name for name in names if name.rpartition("-")[0] == given]
    if len(called) == 1 and not changes:
        return called[0]
    if len(called) > 1:
        raise NotFoundError(
            _several(called, f"are called {given!r}"), hint="give the whole name, or its ending"
        )
    close = called[0] if called else nearest(given, names)
    hint = f"did you mean {close}? " if close else ""
    raise NotFoundError(f"there is no run {given!r}", hint=f"{hint}argojobs list shows all runs")


def _ends(name: str, given: str, *, changes: bool) -> bool:
    """Tell whether what is given is enough of a name's end to mean the run."""
    suffix = name.rpartition("-")[2]
    least = len(suffix) if changes else min(LEAST, len(suffix))
    return name.endswith(given) and len(given) >= least


def _several(names: Sequence[str], what: str) -> str:
    more = f"\n  ... and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{len(names)} runs {what}:\n  " + "\n  ".join(names[:SHOWN]) + more


def all_names(service: Service) -> list[str]:
    """Return the names of all runs, newest first; a service that can, gives them without more."""
    names: Callable[[], list[str]] | None = getattr(service, "names", None)
    if names is not None:
        return names()
    return [str(run["metadata"]["name"]) for run in service.list()]


def run_names(service: Service, given: Sequence[str], *, changes: bool = False) -> list[str]:
    """Return the whole names of several runs, each once, in the order given."""
    return list(dict.fromkeys(run_name(service, name, changes=changes) for name in given))


def step_named(workflow: dict[str, Any], given: str) -> Step:
    """Return the step of a run that a name means: its path or name, its node's name or id.

    An item of a fan-out may be given by its place alone: `train(0)` is `train(0:mnist)`.

    Raises NotFoundError when there is none (the nearest are named), or several.
    """
    steps = list(walk(steps_of(workflow)))
    run = workflow["metadata"]["name"]
    for matches in (
        [s for s in steps if given in {s.path, s.node_id}],
        [s for s in steps if s.key == given],
        [s for s in steps if s.name == given],
        [s for s in steps if s.path.endswith(given)],
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
