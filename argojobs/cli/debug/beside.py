"""What goes on beside a run that is followed: the ways to its debuggers, where it has any."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from argojobs.cli.follow import Tell
from argojobs.compile.project import project_root
from argojobs.runs.debug_steps import debugs
from argojobs.runs.target import Target
from argojobs.service import Workflow


def beside_of(
    place: Target, workflow: Workflow, folder: Path | None = None
) -> Callable[[Tell], AbstractContextManager[object]] | None:
    """Return what opens ways to a run's debuggers while it is followed; None where it has none.

    Args:
        place: where the run is.
        workflow: the run.
        folder: of the user's project, that of the current one unless given.
    """
    if not debugs(workflow):
        return None
    from argojobs.cli.debug.following import debugged  # it knows much of editors

    root = project_root(Path.cwd()) if folder is None else folder
    return partial(debugged, place, str(workflow["metadata"]["name"]), root)
