"""The log lines of a run on a real server: each once, none lost, whatever the connections do.

Argo streams the lines of all pods together, in batches of a second. It opens each pod's log only
once, and not at all when the container was not ready at that moment; it ends when the run does,
when the server restarts, or when anything on the way breaks. So after a stream has ended the run
is read; while it is not final the stream is opened again; and in the end all logs are read once
more, from which only what was not seen is given. What pods that are gone had written is read from
the archived logs.
Source: Argo `util/logs/workflow-logger.go`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from argojobs.client.failures import AmbiguousResponseError
from argojobs.client.log_position import Position
from argojobs.client.paths import workflow_path
from argojobs.client.shapes import workflow_of
from argojobs.client.streams import messages
from argojobs.client.watching import Backoff
from argojobs.edits.reused import is_reused
from argojobs.errors import NotFoundError
from argojobs.manifest.names import pod_of_node
from argojobs.manifest.view import nodes_of, spec_of
from argojobs.service import LogLine, Workflow, is_final

if TYPE_CHECKING:
    from argojobs.client.http import Transport
    from argojobs.manifest.objects import NodeStatus
    from argojobs.storage.repository import Repository

#: What Argo's executor itself writes into a container's log, beside the program's own lines.
_VALUE = r'(?:"(?:[^"\\]|\\.)*"|[^ "]*)'
_EXECUTOR = re.compile(
    rf"time={_VALUE} level=(?:INFO|DEBUG|info|debug) msg={_VALUE}(?: \w+={_VALUE})*? argo=true(?: |$)"
)
#: So many lines of the executor may stand among the last ones of a pod.
EXECUTOR_LINES = 64

#: Phases of a pod node whose pod has ended.
_ENDED = frozenset({"Succeeded", "Failed", "Error"})

_SMALL = (
    "metadata.name,metadata.uid,metadata.annotations,metadata.labels,metadata.namespace,"
    "spec.podGC,status.phase,status.nodes"
)


class LogReader:
    """Reads the logs of one run.

    note: is told, in a line, where lines come from or why not. repository: where archived logs
    are read directly, if it has them.
    """

    def __init__(
        self,
        transport: Transport,
        namespace: str,
        name: str,
        *,
        backoff: Backoff,
        note: Callable[[str], None],
        node_id: str = "",
        repository: Callable[[], Repository] | None = None,
    ) -> None:
        self._transport = transport
        self._repository = repository
        self._path = workflow_path(namespace, name, "log")
        self._workflow_path = workflow_path(namespace, name)
        self._name = name
        self._backoff = backoff
        self._note = note
        self._node_id = node_id
        self._pod = ""
        self._positions: dict[str, Position] = {}

    def read(self, *, follow: bool, tail: int) -> Iterator[LogLine]:
        """Yield the lines. Raises NotFoundError, and ServerError after too long an outage."""
        workflow = self._run()
        self._pod = self._pod_of(workflow)
        goes_on = follow and not is_final(workflow)
        if tail:
            yield from self._tails(tail, workflow)
        elif not goes_on or spec_of(workflow).get("podGC"):
            yield from self._rest(workflow)
        if goes_on:
            workflow = yield from self._followed(workflow)
            yield from self._rest(workflow, own=True)

    def _followed(self, workflow: Workflow) -> Generator[LogLine, None, Workflow]:
        """Follow until the run is final, and return it."""
        while not is_final(workflow):
            lost: AmbiguousResponseError | None = None
            try:
                for line in self._lines(follow=True):
                    self._backoff.answered()
                    yield line
            except AmbiguousResponseError as error:
                lost = error
            workflow = self._run_again(lost)
            if not is_final(workflow):
                self._backoff.wait(self._name, lost)
            self._pod = self._pod or self._pod_of(workflow)
        return workflow

    def _rest(self, workflow: Workflow, *, own: bool = False) -> Iterator[LogLine]:
        """Yield what was not seen yet: of pods that are there, then of those that are gone.

        own: without what steps wrote in an earlier run, which this one takes as they were.
        """
        present: set[str] = set()
        while True:
            try:
                yield from self._lines(follow=False, present=present)
            except AmbiguousResponseError as error:
                self._backoff.wait(self._name, error)
            except NotFoundError:  # the run is in the archive only, and its pods are gone
                break
            else:
                break
        yield from self._of_gone_pods(workflow, present, own=own)

    def _tails(self, tail: int, workflow: Workflow) -> Iterator[LogLine]:
        """Yield the last lines of each pod."""
        last: dict[str, deque[LogLine]] = {}
        order: list[LogLine] = []
        present: set[str] = set()
        with suppress(NotFoundError):  # the run is in the archive only, and its pods are gone
            for line in self._lines(follow=False, tail=tail + EXECUTOR_LINES, present=present):
                last.setdefault(line.pod, deque(maxlen=tail)).append(line)
                order.append(line)
        kept = {id(line) for lines in last.values() for line in lines}
        yield from (line for line in order if id(line) in kept)
        yield from self._of_gone_pods(workflow, present, tail)

    def _lines(
        self, *, follow: bool, tail: int = 0, present: set[str] | None = None
    ) -> Iterator[LogLine]:
        """Yield what is new in one stream. present: gets the pods that had any line."""
        for position in self._positions.values():
            position.rewind()
        query = {"logOptions.container": "main", "logOptions.timestamps": "true"}
        if follow:
            query["logOptions.follow"] = "true"
        if tail:
            query["logOptions.tailLines"] = str(tail)
        if self._pod:
            query["podName"] = self._pod
            known = self._positions.get(self._pod)
            if follow and known is not None and known.since:
                query["logOptions.sinceTime"] = known.since
        pods: dict[str, tuple[str, Position]] = {}
        for message in messages(self._transport, self._path, query):
            pod, stamped = (str(message.get(name) or "") for name in ("podName", "content"))
            if pod not in pods:
                pods[pod] = _node_of(self._name, pod), self._position_of(pod, stamped, tail)
                if present is not None and self._wants(pods[pod][0]):
                    present.add(pod)
            node_id, position = pods[pod]
            if not self._wants(node_id):
                continue
            text = position.take(stamped)
            if text is None or (text.startswith("time=") and _EXECUTOR.match(text)):
                continue
            position.count += 1
            yield LogLine(node_id, pod, text.removesuffix("\r"))

    def _wants(self, node_id: str) -> bool:
        return not self._node_id or node_id == self._node_id

    def _position_of(self, pod: str, stamped: str, tail: int) -> Position:
        """Return how far a pod's log was read; with a tail it begins at its first line here."""
        position = self._positions.get(pod)
        if position is None:
            position = self._positions[pod] = Position()
            if tail:
                position.begin_here(stamped)
        return position

    def _of_gone_pods(
        self, workflow: Workflow, present: set[str], tail: int = 0, *, own: bool = False
    ) -> Iterator[LogLine]:
        """Yield from the archive what was not seen of pods that are not there any more."""
        from argojobs.client.archived_logs import archived_or_note

        ended = _ENDED | ({"Running"} if is_final(workflow) else set())
        nodes = [
            node
            for node in _nodes(workflow)
            if node.get("type") == "Pod" and node.get("phase") in ended
        ]
        for node in sorted(nodes, key=lambda node: str(node.get("startedAt"))):
            pod = pod_of_node(workflow, node)
            if pod in present or (self._node_id and node["id"] != self._node_id):
                continue
            if own and is_reused(node):
                continue
            position = self._positions.setdefault(pod, Position())
            notes: list[str] = []
            lines = list(archived_or_note(self._transport, workflow, node, notes, self._repository))
            unseen = lines[position.count :]
            if unseen or not lines:
                for text in notes:
                    self._note(text)
            position.count = max(position.count, len(lines))
            yield from (LogLine(node["id"], pod, text) for text in unseen[-tail:])

    def _run(self) -> Workflow:
        return self._shaped(self._transport.get(self._workflow_path, {"fields": _SMALL}))

    def _shaped(self, answer: dict[str, Any]) -> Workflow:
        return workflow_of(answer, self._transport.address.called)

    def _run_again(self, lost: AmbiguousResponseError | None) -> Workflow:
        while True:
            try:
                answer = self._transport.get(self._workflow_path, {"fields": _SMALL}, retry=False)
            except AmbiguousResponseError as error:
                self._backoff.wait(self._name, error)
            else:
                if lost is None:
                    self._backoff.answered()
                return self._shaped(answer)

    def _pod_of(self, workflow: Workflow) -> str:
        """The pod of the node whose lines are wanted; "" for all, or while it is not there."""
        for node in _nodes(workflow):
            if node["id"] == self._node_id:
                return pod_of_node(workflow, node)
        return ""


def _node_of(name: str, pod: str) -> str:
    """Return the id of the node that a pod is of: both end in the hash of the node's name."""
    return name if pod == name else f"{name}-{pod.rpartition('-')[2]}"


def _nodes(workflow: Workflow) -> list[NodeStatus]:
    return list(nodes_of(workflow).values())
