"""The log lines of a run or a step as they are shown: localised, and headed by their step."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from argojobs.runs.names import step_named
from argojobs.runs.paths import localiser
from argojobs.runs.step_lines import step_lines
from argojobs.runs.view.followed import Followed
from argojobs.runs.view.phases import ENDED
from argojobs.runs.view.steps import walk
from argojobs.service import LogLine, Service, Workflow, phase_of


def log_texts(
    service: Service,
    workflow: Workflow,
    step: str,
    connect: Callable[[], Service],
    *,
    follow: bool,
    tail: int,
) -> Iterator[str]:
    """Yield the lines as shown: as they are for one pod, headed by `[step]` for several.

    Args:
        service: where the run is.
        workflow: the run.
        step: its name, "" for all steps.
        connect: makes a service for a thread of its own.
        follow: until the run has ended, or the step that is meant.
        tail: only so many of the last lines, 0 for all.
    """
    name = str(workflow["metadata"]["name"])
    known, local = Followed(workflow), localiser(service, name)
    wanted = step_named(workflow, step) if step else None
    pods = [pod for one in walk([wanted] if wanted else known.steps) for pod in one.pods]
    if wanted is not None and len(pods) == 1 and (not follow or not wanted.attempts):
        if follow and wanted.phase not in ENDED:
            lines = step_lines(connect, workflow, wanted, tail)
        else:
            lines = service.logs(name, node_id=pods[0], tail=tail)
        yield from (local(line.text) for line in lines)
        return
    ended = phase_of(workflow) != "" and not follow
    single = wanted is None and ended and len(pods) == 1
    heads: dict[str, str] = {}  # by node; most lines are of a node that had one before
    if follow and wanted is not None and wanted.phase not in ENDED:
        found = step_lines(connect, workflow, wanted)
    else:
        found = service.logs(name, follow=follow and wanted is None, tail=0 if wanted else tail)
    for line in found:
        head = heads.get(line.node_id)
        if head is None:
            if not known.step_name(line.node_id):
                known.update(service.get(name))
                heads.clear()
            head = f"[{known.step_name(line.node_id) or line.node_id}] "
            heads[line.node_id] = head
        if wanted is not None and not _belongs(known, line, wanted.title):
            continue
        yield local(line.text) if single else f"{head}{local(line.text)}"


def _belongs(known: Followed, line: LogLine, path: str) -> bool:
    """Tell whether a line is of the step with this path, one of its attempts, items or steps."""
    title = known.step_name(line.node_id)
    return title == path or title.startswith((path + ".", path + "("))
