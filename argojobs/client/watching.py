"""Watching a run over a connection that may end at any time, until its state is final.

The object is read first, then watched from its resource version on. When the stream ends or
breaks, the object is read again: what matters is what the server says is so, never that a stream
has ended. A run that is gone is looked for in the archive; if it is not there either, its state
is unknown, which is not a success.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from argojobs.client.failures import AmbiguousResponseError
from argojobs.client.paths import path_of, workflow_path
from argojobs.client.shapes import workflow_of
from argojobs.client.streams import messages
from argojobs.errors import ArgojobsError, NotFoundError, ServerError
from argojobs.net.bounds import LONGEST_WAIT
from argojobs.service import WatchEvent, Workflow, is_final

if TYPE_CHECKING:
    from argojobs.client.http import Transport

#: Seconds between two tries to reach the server again: first, at most.
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0
#: Seconds without any answer after which the state of a run is called unknown.
OUTAGE = 600.0
#: Seconds after which a further break is worth a line.
NOTE_AGAIN = 60.0

#: What a watch need not carry; parts of an object that no reader here uses.
LEFT_OUT = "-result.object.metadata.managedFields"


class Backoff:
    """Growing pauses while a server is out of reach, up to a limit; any answer begins anew.

    options: what a command of ours must say to get to the server, for the hint. note: is told, in
    a line, that an outage has begun, at most once in `NOTE_AGAIN` seconds.
    """

    def __init__(
        self,
        sleep: Callable[[float], None],
        clock: Callable[[], float] = time.monotonic,
        *,
        options: str = "",
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._options = options
        self._note = note
        self._noted: float | None = None
        self._sleep = sleep
        self._clock = clock
        self._since: float | None = None
        self._pause = FIRST_PAUSE

    def answered(self) -> None:
        """The server said something."""
        self._since, self._pause = None, FIRST_PAUSE

    def wait(self, name: str, error: ArgojobsError | None = None) -> None:
        """Wait before the next try. Raises ServerError when it has been too long."""
        now = self._clock()
        self._since = now if self._since is None else self._since
        if error is not None and (self._noted is None or now - self._noted > NOTE_AGAIN):
            self._noted = now
            self._note(f"{name} is followed again once it can be: {error.what}")
        if now - self._since > OUTAGE:
            raise ServerError(
                f"the state of {name} is unknown: {error.what if error else 'no answer comes'}",
                where=error.where if error else "",
                hint=f"ask once the server answers again: argojobs get {name}{self._options}",
            ) from error
        asked = error.retry_after if isinstance(error, AmbiguousResponseError) else 0
        self._sleep(max(self._pause, min(asked, LONGEST_WAIT)))
        self._pause = min(self._pause * 2, LONGEST_PAUSE)


def watch(
    transport: Transport, namespace: str, name: str, backoff: Backoff
) -> Iterator[WatchEvent]:
    """Yield the run now and after each change, until it is final or deleted.

    Args:
        transport: to the server.
        namespace: of the run.
        name: of the run.
        backoff: with a server that is out of reach.

    Raises:
        NotFoundError: there is no such run.
        ServerError: its state is not to be had.
    """
    last = workflow_of(transport.get(workflow_path(namespace, name)), transport.address.called)
    yield WatchEvent("ADDED", last)
    while not is_final(last):
        lost: ArgojobsError | None = None
        try:
            for event in _events(transport, namespace, name, _version(last)):
                backoff.answered()
                newer = _newer(event, last, transport.address.called)
                if newer is None:
                    continue
                if event.get("type") == "DELETED" or _uid(newer) != _uid(last):
                    yield _deleted(transport, namespace, newer, last)
                    return
                last = newer
                yield WatchEvent("MODIFIED", last)
                if is_final(last):
                    return
        except AmbiguousResponseError as error:
            lost = error
        except NotFoundError:
            yield _vanished(transport, namespace, last)
            return
        backoff.wait(name, lost)
        state = _read_again(transport, namespace, name, backoff)
        if state is None or _uid(state) != _uid(last):
            yield _vanished(transport, namespace, last)
            return
        if not _is_same(state, last):
            last = state
            yield WatchEvent("MODIFIED", last)


def _events(
    transport: Transport, namespace: str, name: str, version: str
) -> Iterator[dict[str, Any]]:
    query = {
        "listOptions.fieldSelector": f"metadata.name={name}",
        "fields": LEFT_OUT,
    }
    if version:
        query["listOptions.resourceVersion"] = version
    return messages(transport, path_of("api", "v1", "workflow-events", namespace), query)


def _newer(event: Mapping[str, Any], last: Workflow, called: str) -> Workflow | None:
    """Return the object of an event unless it is the one that was seen, or an older one."""
    found = event.get("object")
    if not isinstance(found, dict) or "metadata" not in found:
        return None
    found = workflow_of(found, called)
    if event.get("type") == "DELETED" or _uid(found) != _uid(last):
        return found
    new, old = _version(found), _version(last)
    older = new.isdecimal() and old.isdecimal() and int(new) < int(old)
    return None if older or _is_same(found, last) else found


def _is_same(one: Workflow, other: Workflow) -> bool:
    """Whether two readings of a run are the same: by their versions, by content without these."""
    new, old = _version(one), _version(other)
    if new and old:
        return new == old
    return all(one.get(part) == other.get(part) for part in ("spec", "status"))


def _read_again(
    transport: Transport, namespace: str, name: str, backoff: Backoff
) -> Workflow | None:
    """Return the run as it is now, however long the server needs to answer; None if it is gone."""
    while True:
        try:
            found = transport.get(workflow_path(namespace, name), retry=False)
        except AmbiguousResponseError as error:
            backoff.wait(name, error)
        except NotFoundError:
            return None
        else:
            backoff.answered()
            return workflow_of(found, transport.address.called)


def _deleted(transport: Transport, namespace: str, newest: Workflow, last: Workflow) -> WatchEvent:
    """Return the last event of a run that was deleted: its end, if it had come to that."""
    if _uid(newest) == _uid(last) and is_final(newest):
        return WatchEvent("MODIFIED", newest)
    archived = _archived_run(transport, namespace, last)
    return WatchEvent("MODIFIED", archived) if archived else WatchEvent("DELETED", last)


def _vanished(transport: Transport, namespace: str, last: Workflow) -> WatchEvent:
    """Return the end of a run that is not there any more, from the archive."""
    archived = _archived_run(transport, namespace, last)
    if archived is None:
        name = last["metadata"]["name"]
        raise ServerError(
            f"{name} is gone, and not in the archive: how it ended is unknown",
            where=transport.address.called,
            hint="it was deleted while nobody watched, or its time to live was over; the "
            "workflow archive of Argo keeps runs",
        )
    return WatchEvent("MODIFIED", archived)


def _archived_run(transport: Transport, namespace: str, last: Workflow) -> Workflow | None:
    """Return a run from the archive, if it is there and final; servers without one have none."""
    query = {"namespace": namespace, "name": str(last["metadata"]["name"])}
    try:
        answer = transport.get(
            path_of("api", "v1", "archived-workflows", _uid(last)), query, retry=False
        )
        found = workflow_of(answer, transport.address.called)
    except ArgojobsError:  # no archive, or not allowed to read it: it is not known
        return None
    return found if is_final(found) and _uid(found) == _uid(last) else None


def _uid(workflow: Workflow) -> str:
    return str(workflow["metadata"].get("uid", ""))


def _version(workflow: Workflow) -> str:
    return str(workflow["metadata"].get("resourceVersion") or "")
