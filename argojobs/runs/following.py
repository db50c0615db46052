"""A run watched to its end by whoever asks, in any thread: its states come from one of the watch."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence

from argojobs.errors import ArgojobsError, NotFoundError, ServerError
from argojobs.runs.pending import Pending
from argojobs.service import Service, Workflow, is_final

#: A watch may end early (a server restarts); so often in a row it may, without any change.
EARLY_ENDS = 5
#: So often it is looked whether a run waits, in seconds.
_LOOKS = 1.0


class Watch:
    """The states of a run as they come, read by a thread with a service of its own.

    connect: makes that service. options: what a command must say to get there, for hints.
    """

    def __init__(self, connect: Callable[[], Service], name: str, options: str = "") -> None:
        self.name = name
        self._connect = connect
        self._options = options
        self._came: queue.SimpleQueue[Workflow | BaseException | None] = queue.SimpleQueue()
        self._reading = False

    def next(self, seconds: float) -> Workflow | None:
        """Return the next state; None where none came in so many seconds, or after `wake`.

        Raises what `states` raises; asked again, the run is watched anew.
        """
        if not self._reading and self._came.empty():
            self._reading = True
            threading.Thread(target=self._read, name="watch", daemon=True).start()
        try:
            came = self._came.get(timeout=seconds)
        except queue.Empty:
            return None
        if isinstance(came, BaseException):
            raise came
        return came

    def wake(self) -> None:
        """Let whoever waits in `next` go on."""
        self._came.put(None)

    def _read(self) -> None:
        try:
            for workflow in states(self._connect(), self.name, self._options):
                self._came.put(workflow)
        except BaseException as error:  # noqa: BLE001 - it is raised where the states are taken
            self._came.put(error)
        finally:
            self._reading = False


def states(service: Service, name: str, options: str = "") -> Iterator[Workflow]:
    """Yield the states of a run until it is final, across streams that end early.

    Args:
        service: where the run is.
        name: of the run.
        options: what a command must say to get there, for hints.

    Raises:
        NotFoundError: the run was deleted meanwhile.
        ServerError: its state is not to be had.
    """
    newest: Workflow = {}
    ends, before = 0, ""
    while ends < EARLY_ENDS:
        for event in service.watch(name):
            if event.type == "DELETED":
                raise NotFoundError(f"{name} was deleted while it was followed")
            newest = event.workflow
            yield newest
            if is_final(newest):
                return
        state = repr(newest.get("status"))
        ends = ends + 1 if state == before else 0
        before = state
    raise ServerError(
        f"the watch of {name} keeps ending before the run does: its state is unknown",
        hint=f"ask again: argojobs get {name}{options}",
    )


def to_end(
    watch: Watch,
    changed: Callable[[Workflow], None],
    look: Callable[[], None],
    pending: Pending | None = None,
) -> Workflow:
    """Return the final state of a run.

    Args:
        watch: of the run.
        changed: gets each state, the final one too.
        look: called after each state and once a second; it asks `pending` for how the run waits.
        pending: gives the run up once it has waited for too long.

    Raises:
        NotFoundError: when the run is deleted meanwhile.
        ServerError: when its state is not to be had.
        RunFailedError: when it was pending for too long.
    """
    while True:
        newest = watch.next(_LOOKS)
        if newest is not None:
            changed(newest)
            if is_final(newest):
                return newest
        look()
        if pending is not None and pending.gave_up:
            raise pending.error(watch.name)


def first_ended(connect: Callable[[], Service], names: Sequence[str], count: int) -> list[Workflow]:
    """Return the final states of the first runs to end, in the order of their ends.

    Args:
        connect: makes a service for a thread of its own.
        names: of the runs that are watched.
        count: so many ends are waited for.

    Raises:
        ArgojobsError: what watching one of them raised.
    """
    came: queue.SimpleQueue[Workflow | ArgojobsError] = queue.SimpleQueue()

    def watch(name: str) -> None:
        try:
            *_, final = states(connect(), name)
            came.put(final)
        except ArgojobsError as error:
            came.put(error)

    for name in names:
        threading.Thread(target=watch, args=(name,), name=name, daemon=True).start()
    ended: list[Workflow] = []
    while len(ended) < count:
        one = came.get()
        if isinstance(one, ArgojobsError):
            raise one
        ended.append(one)
    return ended
