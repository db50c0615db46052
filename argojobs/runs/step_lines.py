"""The log lines of one step as they come, until the step has ended; its run may go on."""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Callable, Iterator

from argojobs.errors import ArgojobsError
from argojobs.runs.following import states
from argojobs.runs.view.phases import ENDED
from argojobs.runs.view.steps import Step, steps_of, walk
from argojobs.service import LogLine, Service, Workflow, is_final


def step_lines(
    connect: Callable[[], Service], workflow: Workflow, step: Step, tail: int = 0
) -> Iterator[LogLine]:
    """Yield the lines of a step's pods, of later attempts and items too, until the step has ended.

    One thread follows the lines and one the run, with services of their own. Whatever the former
    has not brought when the step has ended is read then.

    Args:
        connect: makes a service for a thread of its own.
        workflow: the run.
        step: of the run.
        tail: begin with so many of the last lines, 0 for all.

    Raises:
        ArgojobsError: what either thread raised.
    """
    name = str(workflow["metadata"]["name"])
    told: queue.SimpleQueue[LogLine | Workflow | ArgojobsError] = queue.SimpleQueue()
    node_id = step.pods[0] if len(step.pods) == 1 and not step.attempts else ""

    def read() -> None:
        try:
            for line in connect().logs(name, node_id=node_id, follow=True):
                told.put(line)
        except ArgojobsError as error:
            told.put(error)

    def look() -> None:
        try:
            for state in states(connect(), name):
                if is_final(state) or _has_ended(state, step):
                    told.put(state)
                    return
        except ArgojobsError as error:
            told.put(error)

    skipped: Counter[str] = Counter()
    if tail:
        before = list(connect().logs(name, node_id=node_id))
        skipped.update(line.node_id for line in before)
        yield from before[-tail:]
    for target in (read, look):
        threading.Thread(target=target, name=target.__name__, daemon=True).start()
    seen: Counter[str] = Counter()
    while isinstance(one := told.get(), LogLine):
        seen[one.node_id] += not one.unfinished
        if one.unfinished or seen[one.node_id] > skipped[one.node_id]:
            yield one
    if isinstance(one, ArgojobsError):
        raise one
    shown, again = seen | skipped, Counter[str]()
    for line in connect().logs(name, node_id=node_id):
        again[line.node_id] += 1
        if again[line.node_id] > shown[line.node_id]:
            yield line


def _has_ended(workflow: Workflow, step: Step) -> bool:
    return any(one.path == step.path and one.phase in ENDED for one in walk(steps_of(workflow)))
