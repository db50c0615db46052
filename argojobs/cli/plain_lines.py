"""A run as lines, one a change and one a log line, for a stream that is not a terminal."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TextIO

from argojobs.cli import phases
from argojobs.cli.picture import Picture
from argojobs.cli.text import Line, show
from argojobs.cli.view import ITEMS, items_text
from argojobs.errors import ArgojobsError
from argojobs.runs.paths import Localise
from argojobs.runs.view.phases import BROKEN, ENDED
from argojobs.runs.view.steps import Step, progress
from argojobs.runs.view.times import clock, elapsed
from argojobs.runs.waiting import awaited
from argojobs.runs.wording import plain
from argojobs.service import LogLine, Service, Workflow


class PlainLines:
    """The lines of a run that is followed without a terminal, written by two threads.

    A step's log lines come before the line that it ended: what the thread that follows the logs
    has not brought by then is read here, and left out when it comes. kept: ids of the nodes that an
    earlier try of the run ended: nothing is written of them. Of the items of a large fan-out only
    those that broke are written one by one.
    """

    def __init__(
        self,
        service: Service,
        picture: Picture,
        stream: TextIO,
        local: Localise,
        now: Callable[[], float],
        kept: frozenset[str] = frozenset(),
    ) -> None:
        self._service = service
        self._picture = picture
        self._stream = stream
        self._local = local
        self._now = now
        self._kept = kept
        self._lock = threading.Lock()
        self._phases: dict[str, str] = {}
        self._tries: dict[str, int] = {}
        self._tenths: dict[str, int] = {}
        self._of_many: set[str] = set()
        self._reasons: set[str] = set()
        self._drained: set[str] = set()
        #: Log lines by pod: how many the following thread brought, and how many are written.
        self._brought: dict[str, int] = {}
        self._written: dict[str, int] = {}

    def changed(self, workflow: Workflow) -> None:
        """Write what is new in the steps, and what the run itself waits for."""
        with self._lock:
            waits = awaited(workflow, self._picture.options)
            if waits and waits not in self._reasons:
                self._reasons.add(waits)
                self._write([(f"{clock(self._now())}  ", "dim"), (waits, "yellow")])
            for step, one_of_many in _with_many(self._picture.steps):
                if one_of_many:
                    self._of_many.add(step.path)
                if step.node_id not in self._kept:
                    self._step(step)

    def take(self, line: LogLine) -> None:
        """Write a log line, unless it was read before; one that is unfinished counts for none."""
        with self._lock:
            if line.unfinished:
                if line.node_id not in self._drained:
                    self._runs(line.node_id)
                    self._show(line)
                return
            count = self._brought[line.node_id] = self._brought.get(line.node_id, 0) + 1
            if count > self._written.get(line.node_id, 0):
                self._runs(line.node_id)
                self._log(line)

    def _runs(self, node_id: str) -> None:
        """Write that a step runs, of which a log line came before the news of it."""
        step = self._picture.step_of(node_id)
        if step is not None and self._phases.get(step.path, "Pending") in {"", "Pending"}:
            self._step(replace(step, phase="Running"))

    def _step(self, step: Step) -> None:
        now = self._now()
        if step.attempts > max(1, self._tries.get(step.path, 1)):
            self._tries[step.path] = step.attempts
            self._drain(step.pods[:-1])
            self._write(_again(step, now))
        if step.phase == "Pending" and step.message and step.message not in self._reasons:
            self._reasons.add(step.message)
            self._write([(f"{clock(now)}  ", "dim"), (f"{step.title} {step.message}", "yellow")])
        if _is_many(step) and step.phase == "Running":
            self._tell_tenths(step, now)
        if step.phase in {"", "Pending"} or self._phases.get(step.path) == step.phase:
            return
        self._phases[step.path] = step.phase
        if step.phase in ENDED and not step.reused:
            self._drain(step.pods)
        if step.path not in self._of_many or step.phase in BROKEN:
            self._write(_change(step, now))

    def _tell_tenths(self, step: Step, now: float) -> None:
        """Write how far a large fan-out is, whenever a tenth more of it has ended."""
        done, count = progress(step.children)
        tenth = 10 * done // max(count, 1)
        if tenth > self._tenths.get(step.path, 0):
            self._tenths[step.path] = tenth
            self._write([(f"{clock(now)}  ", "dim"), (f"{step.title} {items_text(step, now)}", "")])

    def _drain(self, pods: tuple[str, ...]) -> None:
        """Write what is left of the logs of pods that ended."""
        name = str(self._picture.workflow["metadata"]["name"])
        for pod in pods:
            if pod in self._drained:
                continue
            self._drained.add(pod)
            written = self._written.get(pod, 0)
            try:
                for position, line in enumerate(self._service.logs(name, node_id=pod)):
                    if position >= written:
                        self._log(line)
            except ArgojobsError:  # the thread that follows the logs says so, once
                return

    def _log(self, line: LogLine) -> None:
        self._written[line.node_id] = self._written.get(line.node_id, 0) + 1
        self._show(line)

    def _show(self, line: LogLine) -> None:
        title = self._picture.step_name(line.node_id) or line.node_id
        self._write([(f"[{title}] {plain(self._local(line.text))}", "")])

    def _write(self, line: Line) -> None:
        show([line], stream=self._stream)


def _is_many(step: Step) -> bool:
    """Whether a step is a fan-out of so many items that each is not told of."""
    return step.is_fan_out and len(step.children) > ITEMS


def _with_many(steps: Iterable[Step], within: bool = False) -> Iterator[tuple[Step, bool]]:
    """Yield all steps, each before its children, and whether it is part of a large fan-out."""
    for step in steps:
        yield step, within
        yield from _with_many(step.children, within or _is_many(step))


def _again(step: Step, now: float) -> Line:
    of = f" of {step.limit}" if step.limit else ""
    return [(f"{clock(now)}  ", "dim"), (f"{step.title} attempt {step.attempts}{of}", "yellow")]


def _change(step: Step, now: float) -> Line:
    if step.reused:
        return [(f"{clock(now)}  ", "dim"), (f"{step.title} reused", phases.style("Skipped"))]
    broken = step.message and step.phase in BROKEN
    why = f": {plain(step.message.splitlines()[0])}" if broken else ""
    took = _took(step) if step.phase in ENDED - {"Skipped", "Omitted"} else ""
    return [
        (f"{clock(now)}  ", "dim"),
        (f"{step.title} {step.phase}", phases.style(step.phase)),
        (took + why, ""),
    ]


def _took(step: Step) -> str:
    if step.started is None or step.finished is None:
        return ""
    if not step.began:
        return " before it began"
    waited = f" (waited {elapsed(step.waited)})" if step.waited >= 1 else ""
    return f" in {elapsed(max(0.0, step.finished - step.started))}{waited}"
