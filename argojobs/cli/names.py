"""Which run or step a short name means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from argojobs.cli.tree import Step, steps_of, walk
from argojobs.errors import NotFoundError
from argojobs.manifest.nearest import nearest, suggestion
from argojobs.service import Service

LATEST = "@latest"
#: So many candidates are listed when a name means several.
SHOWN = 8


def run_name(service: Service, given: str) -> str:
    """Return the whole name of a run: a whole name, a unique ending of one, or `@latest`.

    Raises NotFoundError when no run is meant (the nearest are named), or several (listed).
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
    matches = [name for name in names if given and name.endswith(given)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        more = f"\n  ... and {len(matches) - SHOWN} more" if len(matches) > SHOWN else ""
        raise NotFoundError(
            f"{len(matches)} runs end in {given!r}:\n  " + "\n  ".join(matches[:SHOWN]) + more,
            hint="give more of the name",
        )
    close = nearest(given, names)
    hint = f"did you mean {close}? " if close else ""
    raise NotFoundError(f"there is no run {given!r}", hint=f"{hint}argojobs list shows all runs")


def all_names(service: Service) -> list[str]:
    """Return the names of all runs, newest first; a service that can, gives them without more."""
    names: Callable[[], list[str]] | None = getattr(service, "names", None)
    if names is not None:
        return names()
    return [str(run["metadata"]["name"]) for run in service.list()]


def run_names(service: Service, given: Sequence[str]) -> list[str]:
    """Return the whole names of several runs, each once, in the order given."""
    return list(dict.fromkeys(run_name(service, name) for name in given))


def step_named(workflow: dict[str, Any], given: str) -> Step:
    """Return the step of a run that a name means: its path, its name, or its node's id.

    Raises NotFoundError when there is none (the nearest are named), or several.
    """
    steps = list(walk(steps_of(workflow)))
    run = workflow["metadata"]["name"]
    for matches in (
        [s for s in steps if given in {s.path, s.node_id}],
        [s for s in steps if s.name == given],
        [s for s in steps if s.path.endswith(given)],
    ):
        if len(matches) == 1:
            return matches[0]
        if matches:
            listed = "\n  ".join(s.path for s in matches[:SHOWN])
            raise NotFoundError(
                f"{len(matches)} steps of {run} are called {given!r}:\n  {listed}",
                hint="give the whole path",
            )
    raise NotFoundError(
        f"{run} has no step {given!r}",
        hint=suggestion(given, [s.path for s in steps], what="its steps are"),
    )
