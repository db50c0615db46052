"""Steps of a run that wait for a debugger: the ways to them are opened, and the user told of them.

A thread reads the log, where our steps say that they wait; another looks which steps run, and which
have ended. Each way has an entry in `.vscode/launch.json`, which goes with it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from argojobs.cli.debug.launch_json import PREFIX, Entry, put, take_out
from argojobs.cli.follow import Tell
from argojobs.errors import ArgojobsError, NotFoundError, ServerError
from argojobs.images.unwinding import unwinding
from argojobs.manifest.view import nodes_of
from argojobs.runs.debug_steps import Waiting, folder_of, own_port, said, template_of
from argojobs.runs.debug_tunnels import FIRST_PORT, way_to
from argojobs.runs.target import Target
from argojobs.runs.view.phases import ENDED
from argojobs.runs.view.steps import Step, steps_of, walk
from argojobs.runtime.debugger import ATTACHED
from argojobs.service import Workflow, is_final

#: So often it is looked which steps run, and after so long a broken stream is tried again; seconds.
_SECONDS, _AGAIN = 2.0, 5.0
#: So long threads that ask a server are waited for in the end, in seconds.
_LEAVE = 2.0

#: A step's pod and the port of a debugger in it.
_Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Way:
    """A way that is open: the step's name, its entry in launch.json if it has one, what closes it."""

    step: str
    entry: Entry | None
    stack: ExitStack


class Ways:
    """The open ways to the steps of one run.

    folder: of the user's project, where `.vscode` lies. tell: shows the user some lines about a
    step. only: the path of the step that is meant; all where it is empty. over: set once what is
    meant has ended.
    """

    def __init__(self, place: Target, run: str, folder: Path, tell: Tell, only: str = "") -> None:
        self._place = place
        self._run = run
        self._folder = folder
        self._show = tell
        self._only = only
        self.over = threading.Event()
        self._lock = threading.RLock()
        self._closed = False
        self._tried: set[_Key] = set()
        self._ways: dict[_Key, Way] = {}

    def take(self, workflow: Callable[[], Workflow], node_id: str, text: str) -> None:
        """Take a log line: open a way where a step says that it waits.

        Args:
            workflow: gets the run; what it raises is raised.
            node_id: of the node whose line it is.
            text: of the line, without its newline.
        """
        waiting = said(node_id, text)
        if waiting is not None:
            self.open(workflow(), waiting)
        elif text == ATTACHED:
            with self._lock:
                steps = {way.step for key, way in self._ways.items() if key[0] == node_id}
            for step in steps:
                self._tell(step, [f"{step}: a debugger is attached"])

    def look(self, workflow: Workflow) -> None:
        """Look at the run: close the ways to what has ended, open those that no log tells of."""
        if is_final(workflow) or self._only_ended(workflow):
            self.over.set()
        nodes = nodes_of(workflow)
        with self._lock:
            ended = [key for key in self._ways if nodes.get(key[0], {}).get("phase") in ENDED]
        for key in ended:
            self._close(key)
        for node_id, node in nodes.items():
            if node.get("type") == "Pod" and node.get("phase") == "Running":
                template = template_of(workflow, node_id)
                port = own_port(workflow, template)
                if port:
                    self.open(workflow, Waiting(node_id, port, folder_of(template), own=True))

    def open(self, workflow: Workflow, waiting: Waiting) -> None:
        """Open the way to a step that waits, once, and tell of it; or tell why there is none.

        A program that starts its debugger itself is tried again until it has.
        """
        key = (waiting.node_id, waiting.port)
        step = _step_of(workflow, waiting.node_id)
        if self._only and (step is None or not _is_in(step, self._only)):
            return
        nodes = nodes_of(workflow)
        with self._lock:
            ended = (nodes.get(waiting.node_id) or {}).get("phase") in ENDED
            if self._closed or ended or key in self._tried:
                return
            self._tried.add(key)
        name = self._name(step, waiting)
        try:
            self._enter(workflow, waiting, name)
        except ArgojobsError as error:
            if waiting.own and isinstance(error, ServerError):
                with self._lock:
                    self._tried.discard(key)
                return
            self._tell(name, _no_way(name, error, self._run, self._place.options))

    def close(self) -> None:
        """Take all entries out and close all ways; from now on nothing is opened or told."""
        with self._lock:
            self._closed = True
            ways = [*self._ways.values()]
            self._ways.clear()
            self._take_out(ways)
        for way in ways:
            way.stack.close()

    def _only_ended(self, workflow: Workflow) -> bool:
        steps = walk(steps_of(workflow)) if self._only else ()
        return any(step.path == self._only and step.phase in ENDED for step in steps)

    def _enter(self, workflow: Workflow, waiting: Waiting, step: str) -> None:
        with ExitStack() as stack:
            host, port = stack.enter_context(way_to(self._place, workflow, waiting))
            # All of a file tree has no counterpart in the user's folder.
            code = waiting.code if waiting.code != "/" else ""
            entry = Entry(f"{PREFIX}{step} of {self._run}", host, port, code)
            with self._lock:
                if self._closed:  # meanwhile
                    return
                is_there, pressed = self._put(entry)
                way = Way(step, entry if is_there else None, stack.pop_all())
                self._ways[waiting.node_id, waiting.port] = way
        here = self._place.steps_here and not waiting.own
        usual = FIRST_PORT if here else waiting.port
        self._tell(step, [*_where(step, host, port, usual), *pressed])

    def _name(self, step: Step | None, waiting: Waiting) -> str:
        """Return what a step is called; a further debugger of its pod with its port."""
        name = waiting.node_id if step is None else _name_of(step, waiting.node_id)
        with self._lock:
            others = any(key[0] == waiting.node_id for key in self._ways)
        return f"{name}:{waiting.port}" if others else name

    def _close(self, key: _Key) -> None:
        with self._lock:
            way = self._ways.pop(key, None)
            if way is None:
                return
            self._take_out([way])
        way.stack.close()
        self._tell(way.step, [])

    def _put(self, entry: Entry) -> tuple[bool, list[str]]:
        """Put an entry into launch.json; return whether it is there, and what to press."""
        try:
            path = put(self._folder, entry)
        except ArgojobsError as error:
            return False, [
                "  launch.json is left as it is:",
                f"    {error.where or 'launch.json'}: {error.what}",
                f"  attach a debugger to {entry.host}:{entry.port}; its code is in {entry.remote}",
                f"  or mend it, and then: argojobs debug {self._run}{self._place.options}",
            ]
        return True, [
            f'  VS Code: Ctrl+Shift+D, choose "{entry.name}", press F5',
            f"  its entry is in {path} until the step ends",
        ]

    def _take_out(self, ways: Sequence[Way]) -> None:
        there = {way.step: way.entry for way in ways if way.entry is not None}
        try:
            take_out(self._folder, [*there.values()])
        except ArgojobsError as error:
            for step in there:
                self._show(step, ["its entry is still in launch.json:", f"  {error}"])

    def _tell(self, step: str, lines: Sequence[str]) -> None:
        with self._lock:
            if not self._closed:
                self._show(step, lines)


def _where(step: str, host: str, port: int, wanted: int) -> list[str]:
    other = "" if port == wanted else f" ({wanted} is in use here)"
    return [f"{step} waits for a debugger: {host}:{port}{other}"]


def _no_way(step: str, error: ArgojobsError, run: str, options: str) -> list[str]:
    told = [f"  {line}" for line in (error.what, *error.hint.splitlines()) if line]
    return [
        f"{step} waits for a debugger, and there is no way to it:",
        *told,
        f"  then: argojobs debug {run} {step}{options}",
    ]


def _step_of(workflow: Workflow, node_id: str) -> Step | None:
    return next((step for step in walk(steps_of(workflow)) if node_id in step.pods), None)


def _is_in(step: Step, path: str) -> bool:
    """Whether a step is that of a path, or inside of it: an item, or a step of its graph."""
    return step.path == path or step.path.startswith((f"{path}.", f"{path}("))


def _name_of(step: Step, node_id: str) -> str:
    """Return the name of the step of a pod, as it can be typed; of an attempt with its number."""
    attempt = step.pods.index(node_id)
    return f"{step.key}({attempt})" if attempt else step.key


@contextmanager
def debugged(place: Target, run: str, folder: Path, tell: Tell, only: str = "") -> Iterator[Ways]:
    """Open ways to the steps of a run that wait, as they come to wait, while it is open.

    A signal that ends us closes them, too.

    Args:
        place: where the run is.
        run: its name.
        folder: of the user's project, where `.vscode` lies.
        tell: shows the user some lines about a step.
        only: the path of the step that is meant; "" for all of them.
    """
    ways = Ways(place, run, folder, tell, only)
    leaving = threading.Event()
    threads = [
        threading.Thread(target=target, args=(place, run, ways, leaving), daemon=True)
        for target in (_read, _look)
    ]
    for thread in threads:
        thread.start()
    try:
        with unwinding():
            yield ways
    finally:
        leaving.set()
        ways.close()
        for thread in threads:
            thread.join(_LEAVE)


def _read(place: Target, run: str, ways: Ways, leaving: threading.Event) -> None:
    """Read the log to its end, which is that of the run; what was read before says nothing new."""
    service = place.again()
    while not leaving.is_set():
        try:
            for line in service.logs(run, follow=True):
                if leaving.is_set():
                    return
                if line.unfinished:
                    continue
                ways.take(lambda: service.get(run), line.node_id, line.text)
        except NotFoundError:
            return  # it was deleted: whoever follows it says so
        except ArgojobsError:
            leaving.wait(_AGAIN)
        else:
            return


def _look(place: Target, run: str, ways: Ways, leaving: threading.Event) -> None:
    """Look at the run until it has ended; what cannot be had now will be had later."""
    service = place.again()
    while not leaving.wait(_SECONDS):
        try:
            workflow = service.get(run)
        except NotFoundError:
            ways.over.set()
            return
        except ArgojobsError:
            continue
        ways.look(workflow)
        if is_final(workflow):
            return
