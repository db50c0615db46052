"""The logs of all steps of a run as files: `assets/RUN/train.log`, one a pod."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from argojobs.runs.view.steps import Step, failed_steps, leaves, steps_of, walk
from argojobs.service import LogLine, Service, Workflow

#: So many files are open at once while log lines of many pods come in.
MOST_OPEN = 100
_UNSAFE = re.compile(r"[^\w.()=,+@-]+")
_LONGEST = 120


def download(service: Service, workflow: Workflow, folder: Path) -> dict[str, Path]:
    """Write the log of each pod to a file in the folder; return the paths by the pods' node ids.

    Args:
        service: where the run is.
        workflow: the run.
        folder: made if it is not there; a file of an earlier look is written anew.

    Raises:
        ArgojobsError: what reading logs raises.
    """
    names = file_names(steps_of(workflow))
    paths = {pod: folder / name for pod, name in names.items()}
    folder.mkdir(parents=True, exist_ok=True)
    for path in paths.values():
        path.write_text("", encoding="utf-8")
    _write(service.logs(str(workflow["metadata"]["name"])), paths)
    return paths


def file_names(steps: Iterable[Step]) -> dict[str, str]:
    """Return a file's name for each pod: its step's path; attempts of a retry are numbered."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for step in walk(steps):
        for number, pod in enumerate(step.pods):
            attempt = f".attempt-{number + 1}" if len(step.pods) > 1 else ""
            base = _UNSAFE.sub("_", step.key)[:_LONGEST]
            name, more = f"{base}{attempt}.log", 1
            while name in taken:
                more += 1
                name = f"{base}{attempt}-{more}.log"
            taken.add(name)
            names[pod] = name
    return names


def _write(lines: Iterable[LogLine], paths: dict[str, Path]) -> None:
    """Append each line to the file of its pod; lines of pods that came meanwhile are left out."""
    files: dict[str, TextIO] = {}
    try:
        for line in lines:
            if line.node_id not in paths:
                continue
            if line.node_id not in files:
                if len(files) >= MOST_OPEN:
                    _close(files)
                files[line.node_id] = paths[line.node_id].open(
                    "a", encoding="utf-8", errors="backslashreplace"
                )
            files[line.node_id].write(line.text + "\n")
    finally:
        _close(files)


def _close(files: dict[str, TextIO]) -> None:
    for file in files.values():
        file.close()
    files.clear()


def step_of_interest(workflow: Workflow) -> Step | None:
    """Return the step whose log says most: the first that failed, else what runs or ran last.

    An exit handler says little of the run itself.
    """
    steps = steps_of(workflow)
    failed = [step for step in failed_steps(steps) if step.pods]
    if failed:
        return failed[0]
    with_log = [step for step in leaves(steps) if step.pods]
    own = [step for step in with_log if step.path.partition(".")[0] != "onExit"]
    running = [step for step in own if step.phase == "Running"]
    newest_last = reversed(running or own or with_log)
    return max(newest_last, key=lambda step: step.started or 0.0, default=None)


def last_lines(path: Path, count: int) -> list[str]:
    """Return the last lines of a file."""
    with path.open(encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        return [line.rstrip("\n") for line in deque(file, maxlen=count)]


def tail(service: Service, workflow: Workflow, step: Step, count: int) -> Iterator[str]:
    """Yield the last log lines of a step's last attempt, without a file.

    Args:
        service: where the run is.
        workflow: the run.
        step: one that has pods.
        count: so many lines at most.
    """
    name = str(workflow["metadata"]["name"])
    for line in service.logs(name, node_id=step.pods[-1], tail=count):
        yield line.text
