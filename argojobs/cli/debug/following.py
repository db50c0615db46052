"""Steps of a run that wait for a debugger: the ways to them are opened, and the user told of them.

A thread reads the log, where our steps say that they wait; another looks which steps run, and which
have ended. Each way has an entry in `.vscode/launch.json`, which goes with it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argojobs.cli.debug.launch_json import PREFIX, Entry
from argojobs.cli.debug.ways import (
    Waiting,
    folder_of,
    own_port,
    said,
    template_of,
    way_to,
)
from argojobs.cli.follow import Tell
from argojobs.cli.phases import ENDED
from argojobs.cli.tree import Step, steps_of, walk
from argojobs.errors import ArgojobsError, NotFoundError, ServerError
from argojobs.runtime.debugger import ATTACHED
from argojobs.service import Service, is_final

if TYPE_CHECKING:
    from argojobs.cli.connect import Target

#: So often it is looked which steps run, in seconds.
_SECONDS = 2.0


@dataclass(slots=True)
class Way:
    """A way that is open: the step's name, the entry it has, and what closes it."""

    step: str
    entry: Entry
    stack: ExitStack = field(default_factory=ExitStack)


class Ways:
    """The open ways to the steps of one run.

    folder: of the user's project, where `.vscode` lies. tell: shows the user some lines about a
    step. only: the path of the step that is meant; all where it is empty.
    """

    def __init__(self, place: Target, run: str, folder: Path, tell: Tell, only: str = "") -> None:
        self._place = place
        self._run = run
        self._folder = folder
        self._tell = tell
        self._only = only
        self._lock = threading.Lock()
        self._ways: dict[str, Way] = {}
        self._tried: set[tuple[str, int]] = set()

    def take(self, service: Service, node_id: str, text: str) -> None:
        """Take a log line: open a way where a step says that it waits."""
        waiting = said(node_id, text)
        if waiting is not None:
            self.open(service.get(self._run), waiting)
        elif text == ATTACHED:
            with self._lock:
                way = self._ways.get(node_id)
            if way is not None:
                self._tell(way.step, [f"{way.step}: a debugger is attached"])

    def look(self, workflow: dict[str, Any]) -> None:
        """Look at the run: close the ways to what has ended, open those that no log tells of."""
        nodes = (workflow.get("status") or {}).get("nodes") or {}
        with self._lock:
            ended = [one for one in self._ways if nodes.get(one, {}).get("phase") in ENDED]
        for node_id in ended:
            self._close(node_id)
        for node_id, node in nodes.items():
            if node.get("type") == "Pod" and node.get("phase") == "Running":
                template = template_of(workflow, node_id)
                port = own_port(workflow, template)
                if port:
                    self._open_own(workflow, Waiting(node_id, port, folder_of(template), own=True))

    def open(self, workflow: dict[str, Any], waiting: Waiting) -> None:
        """Open the way to a step that waits, once, and tell of it; or tell why there is none."""
        try:
            self._open(workflow, waiting)
        except ArgojobsError as error:
            step = _name_of(_step_of(workflow, waiting.node_id), waiting.node_id)
            self._tell(step, _no_way(step, error, self._run, self._place.options))

    def _open_own(self, workflow: dict[str, Any], waiting: Waiting) -> None:
        """The same for a program that starts a debugger itself: until it has, it is tried again."""
        try:
            self._open(workflow, waiting)
        except ServerError:
            with self._lock:
                self._tried.discard((waiting.node_id, waiting.port))
        except ArgojobsError as error:
            step = _name_of(_step_of(workflow, waiting.node_id), waiting.node_id)
            self._tell(step, _no_way(step, error, self._run, self._place.options))

    def _open(self, workflow: dict[str, Any], waiting: Waiting) -> None:
        found = _step_of(workflow, waiting.node_id)
        if self._only and (found is None or not _is_in(found, self._only)):
            return
        node = ((workflow.get("status") or {}).get("nodes") or {}).get(waiting.node_id) or {}
        with self._lock:
            if node.get("phase") in ENDED or (waiting.node_id, waiting.port) in self._tried:
                return
            self._tried.add((waiting.node_id, waiting.port))
        step = _name_of(found, waiting.node_id)
        stack = ExitStack()
        host, port = stack.enter_context(way_to(self._place, workflow, waiting))
        name = f"{PREFIX}{step} of {self._run}"
        entry = Entry(name, host, port, waiting.code)
        with self._lock:
            self._ways[waiting.node_id] = Way(step, entry, stack)
        self._tell(step, [*_where(step, host, port, waiting.port), *self._noted(entry)])

    def close(self) -> None:
        """Close all ways, and take their entries out."""
        for node_id in list(self._ways):
            self._close(node_id)

    def _close(self, node_id: str) -> None:
        from argojobs.cli.debug.launch_file import take_out

        with self._lock:
            way = self._ways.pop(node_id, None)
        if way is None:
            return
        way.stack.close()
        self._tell(way.step, [])
        try:
            take_out(self._folder, [way.entry.name])
        except ArgojobsError as error:
            self._tell(way.step, [f"its entry is still in launch.json: {error}"])

    def _noted(self, entry: Entry) -> list[str]:
        """Put an entry into launch.json, and return what to press."""
        from argojobs.cli.debug.launch_file import put

        try:
            path = put(self._folder, [entry])
        except ArgojobsError as error:
            return [
                f"  launch.json is left as it is: {error}",
                f"  attach a debugger to {entry.host}:{entry.port}; its code is in {entry.remote}",
            ]
        return [
            f'  VS Code: Run and Debug (Ctrl+Shift+D), choose "{entry.name}", press F5',
            f"  the entry is in {path} until the step ends; breakpoints: those of {self._folder}",
        ]


def _where(step: str, host: str, port: int, wanted: int) -> list[str]:
    other = "" if port == wanted else f" ({wanted} is in use here)"
    return [f"{step} waits for a debugger: {host}:{port}{other}"]


def _no_way(step: str, error: ArgojobsError, run: str, options: str) -> list[str]:
    again = f"then: argojobs debug {run} {step}{options}"
    return [f"{step} waits for a debugger, and there is no way to it: {error}", f"  {again}"]


def _step_of(workflow: dict[str, Any], node_id: str) -> Step | None:
    return next((step for step in walk(steps_of(workflow)) if node_id in step.pods), None)


def _is_in(step: Step, path: str) -> bool:
    """Whether a step is that of a path, or inside of it: an item, or a step of its graph."""
    return step.path == path or step.path.startswith((f"{path}.", f"{path}("))


def _name_of(step: Step | None, node_id: str) -> str:
    """Return the name of the step of a pod, as it can be typed; of an attempt with its number."""
    if step is None:
        return node_id
    attempt = step.pods.index(node_id)
    return f"{step.key}({attempt})" if attempt else step.key


@contextmanager
def debugged(place: Target, run: str, folder: Path, tell: Tell, only: str = "") -> Iterator[Ways]:
    """Open ways to the steps of a run that wait, as they come to wait, while it is open.

    Arguments as `Ways` has them.
    """
    ways = Ways(place, run, folder, tell, only)
    over = threading.Event()
    threads = [
        threading.Thread(
            target=_read, args=(place, run, ways, tell), name="debug-log", daemon=True
        ),
        threading.Thread(target=_look, args=(place, run, ways, over), name="debug", daemon=True),
    ]
    for thread in threads:
        thread.start()
    try:
        yield ways
    finally:
        over.set()
        threads[1].join()
        ways.close()


def _read(place: Target, run: str, ways: Ways, tell: Tell) -> None:
    """Read the log to its end, which is that of the run."""
    try:
        service = place.again()
        for line in service.logs(run, follow=True):
            ways.take(service, line.node_id, line.text)
    except NotFoundError:
        return  # it was deleted: whoever follows it says so
    except ArgojobsError as error:
        again = f"argojobs debug {run}{place.options}"
        tell("", [f"no more of steps that wait for a debugger: {error}", f"  again: {again}"])


def _look(place: Target, run: str, ways: Ways, over: threading.Event) -> None:
    """Look at the run until it has ended; what cannot be had now will be had later."""
    service = place.again()
    while not over.wait(_SECONDS):
        try:
            workflow = service.get(run)
        except NotFoundError:
            return
        except ArgojobsError:
            continue
        ways.look(workflow)
        if is_final(workflow):
            return
