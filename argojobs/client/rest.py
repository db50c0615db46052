"""The service on a real Argo server."""

from __future__ import annotations

import builtins
import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self, cast

from argojobs.client import listing
from argojobs.client.address import ServerAddress
from argojobs.client.failures import AmbiguousResponseError, ForeignAnswerError
from argojobs.client.http import VERSION_PATH, Request, Transport
from argojobs.client.logs import LogReader
from argojobs.client.paths import path_of, workflow_path
from argojobs.client.shapes import workflow_of
from argojobs.client.submitting import submit
from argojobs.client.watching import Backoff, watch
from argojobs.edits.resubmit import PREVIOUS
from argojobs.errors import ArgojobsError, ConflictError, NotFoundError, ServerError
from argojobs.manifest.suspended import waiting
from argojobs.manifest.view import labels_of, nodes_of, spec_of
from argojobs.service import LogLine, WatchEvent, Workflow, is_final
from argojobs.storage.repository import Repository


class ArgoService:
    """Workflows on an Argo server, in one namespace. Keeps `service.Service`.

    note: told in a line what is worth knowing and no error (logs that come from the archive, a
    server that takes long).
    repository: where artifacts are read directly, if the caller can; else the server gives them.
    sleep, clock, jitter: for tests.
    """

    def __init__(
        self,
        address: ServerAddress,
        *,
        note: Callable[[str], None] = lambda _: None,
        repository: Callable[[], Repository] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.address = address
        self.namespace = address.namespace
        self._note = note
        self._repository = repository
        self._clock = clock
        self.transport = Transport(address, note=note, sleep=sleep, jitter=jitter)

    def close(self) -> None:
        """Let go of the connections."""
        self.transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Service

    def prepare(self) -> None:
        """See `Service.prepare`: a server is always ready."""

    def create(self, workflow: Workflow) -> Workflow:
        """See `Service.create`; an unclear answer is cleared up, so nothing is created twice."""
        return submit(self.transport, self.namespace, workflow, note=self._note)

    def check(self, workflow: Workflow) -> list[str]:
        """See `Service.check`: the server's own lint, which notes nothing. Raises UsageError."""
        self.lint(workflow)
        return []

    def get(self, name: str) -> Workflow:
        """See `Service.get`; runs that only the archive has are found as well."""
        return self._workflow(self.transport.get(self._path(name)))

    def list(self, *, labels: Mapping[str, str] | None = None, limit: int = 0) -> list[Workflow]:
        """See `Service.list`."""
        return listing.newest(
            self.transport,
            self.namespace,
            labels=listing.selector(labels),
            limit=limit,
            fields=listing.LEFT_OUT,
        )

    def summaries(self, *, given: bool = False) -> builtins.list[Workflow]:  # noqa: ARG002 - it is little
        """Return all runs, newest first, with what a line about each needs and nothing else."""
        return listing.newest(self.transport, self.namespace, fields=listing.SUMMARIES)

    def names(self) -> tuple[str, ...]:
        """Return the names of all runs, newest first: what completion and short names need."""
        found = listing.newest(self.transport, self.namespace, fields=listing.NAMES_ONLY)
        return tuple(str(workflow["metadata"]["name"]) for workflow in found)

    def names_and_labels(
        self, part: str = "", *, labels: Mapping[str, str] | None = None
    ) -> tuple[tuple[str, Mapping[str, str]], ...]:
        """Return the names of all runs with their labels, newest first: whose each is.

        part: only names that hold this text; none where the server cannot tell which do. labels:
        else only runs that have these.
        """
        where, fields = (self.transport, self.namespace), listing.NAMES_AND_LABELS
        if part:
            found = listing.named_with(*where, part, fields=fields)
        else:
            found = listing.newest(*where, labels=listing.selector(labels), fields=fields)
        return tuple((str(run["metadata"]["name"]), labels_of(run)) for run in found)

    def watch(self, name: str) -> Iterator[WatchEvent]:
        """See `Service.watch`; it goes on over connections that break and servers that restart."""
        yield from watch(self.transport, self.namespace, name, self._backoff())

    def logs(
        self, name: str, *, node_id: str = "", follow: bool = False, tail: int = 0
    ) -> Iterator[LogLine]:
        """See `Service.logs`."""
        reader = LogReader(
            self.transport,
            self.namespace,
            name,
            backoff=self._backoff(),
            note=self._note,
            node_id=node_id,
            repository=self._repository,
        )
        return reader.read(follow=follow, tail=tail)

    def stop(self, name: str, message: str = "") -> Workflow:
        """See `Service.stop`. Argo keeps the message only of single nodes that are stopped."""
        body = {"message": message} if message else {}
        return self._change(name, "stop", body, lambda run: _shutdown(run) == "Stop")

    def terminate(self, name: str, message: str = "") -> Workflow:  # noqa: ARG002
        """See `Service.terminate`. Argo has no place for a message here."""
        return self._change(name, "terminate", {}, lambda run: _shutdown(run) == "Terminate")

    def suspend(self, name: str) -> Workflow:
        """See `Service.suspend`."""
        return self._change(name, "suspend", {}, lambda run: bool(run["spec"].get("suspend")))

    def resume(
        self, name: str, *, node_selector: str = "", outputs: Mapping[str, str] | None = None
    ) -> Workflow:
        """See `Service.resume`. Outputs are given by Argo's `set`, which ends the nodes as well."""

        def left(run: Workflow) -> bool:
            nodes = nodes_of(run)
            return bool(waiting(nodes.values(), node_selector))

        if outputs:
            body = {
                "nodeFieldSelector": node_selector,
                "outputParameters": json.dumps(dict(outputs)),
                "phase": "Succeeded",
            }
            return self._change(name, "set", body, lambda run: not left(run))
        body = {"nodeFieldSelector": node_selector} if node_selector else {}
        return self._change(name, "resume", body, lambda _: False)

    def retry(
        self,
        name: str,
        *,
        restart_successful: bool = False,
        node_selector: str = "",
        parameters: Sequence[str] = (),
    ) -> Workflow:
        """See `Service.retry`; when no answer comes, the run says whether it was retried."""
        body = {
            "restartSuccessful": restart_successful,
            "nodeFieldSelector": node_selector,
            "parameters": [*parameters],
        }
        return self._change(name, "retry", body, lambda run: not is_final(run))

    def resubmit(
        self, name: str, *, memoized: bool = False, parameters: Sequence[str] = ()
    ) -> Workflow:
        """See `Service.resubmit`; when no answer comes, the new run is looked for, not made twice."""
        before = set(self._resubmissions(name))
        body = {"memoized": memoized, "parameters": [*parameters], **self._who(name)}
        try:
            request = Request("PUT", self._path(name, "resubmit"), body=body)
            made = self.transport.call(request, repeat=False)
            return self._workflow(made)
        except (AmbiguousResponseError, ForeignAnswerError) as error:
            if isinstance(error, AmbiguousResponseError) and not error.sent:
                raise
            new = [found for found in self._resubmissions(name) if found not in before]
            if len(new) == 1:
                return self.get(new[0])
            raise ServerError(
                f"it is not known whether {name} was resubmitted: {error.what}",
                where=self.address.called,
                hint=f"perhaps as one of {', '.join(new)}"
                if new
                else f"argojobs list{self.address.options} shows it",
            ) from error

    def delete(self, name: str) -> None:
        """See `Service.delete`; it goes from the archive too. Artifacts stay in their repository."""
        found = self.transport.get(self._path(name), {"fields": "metadata,status.phase"})
        run = self._workflow(found)
        if not is_final(run):
            with suppress(ConflictError):  # it has ended meanwhile
                self.terminate(name)
        with suppress(
            NotFoundError
        ):  # only the archive has it, or an attempt without answer did it
            self.transport.call(Request("DELETE", self._path(name)), repeat=True)
        if listing.is_archived(run):
            archived = path_of("api", "v1", "archived-workflows", run["metadata"]["uid"])
            with suppress(NotFoundError):
                self.transport.call(Request("DELETE", archived), repeat=True)

    def artifact(self, name: str, node_id: str, artifact: str, target: Path) -> Path:
        """See `Service.artifact`: an archive is unpacked, a folder is copied file by file."""
        from argojobs.client import artifacts  # tar, zip and HTML, which only this needs
        from argojobs.storage.retrieve import copy_artifact

        run = self.get(name)
        if self._repository is not None:
            return copy_artifact(self._repository(), run, node_id, artifact, target)
        return artifacts.copy_artifact(self.transport, run, node_id, artifact, target)

    def template(self, name: str, *, cluster: bool = False) -> Workflow:
        """See `Service.template`. Raises NotFoundError."""
        parts = (
            ["cluster-workflow-templates"] if cluster else ["workflow-templates", self.namespace]
        )
        return cast("Workflow", self.transport.get(path_of("api", "v1", *parts, name)))

    def version(self) -> str:
        """See `Service.version`."""
        return str(self.transport.get(VERSION_PATH).get("version", ""))

    def project(self, name: str) -> None:
        """See `Service.project`: a server does not know it."""

    def folder(self, name: str) -> None:
        """See `Service.folder`: a server has it elsewhere."""

    # Beyond the service: what it says of itself

    def info(self) -> dict[str, Any]:
        """Return what the server says of itself: managedNamespace, links, columns."""
        return self.transport.get("/api/v1/info")

    def user(self) -> dict[str, Any]:
        """Return who the server takes us for: subject, groups, serviceAccountName, or nothing."""
        return self.transport.get("/api/v1/userinfo")

    def lint(self, workflow: Workflow) -> None:
        """Let the server check a workflow without starting it. Raises UsageError, saying what."""
        body = {"namespace": self.namespace, "workflow": workflow}
        path = path_of("api", "v1", "workflows", self.namespace, "lint")
        self.transport.call(Request("POST", path, body=body), repeat=True)

    # How it is done

    def _workflow(self, answer: dict[str, Any]) -> Workflow:
        return workflow_of(answer, self.address.called)

    def _path(self, name: str, *more: str) -> str:
        return workflow_path(self.namespace, name, *more)

    def _who(self, name: str) -> dict[str, str]:
        return {"namespace": self.namespace, "name": name}

    def _backoff(self) -> Backoff:
        return Backoff(
            self.transport.sleep, self._clock, options=self.address.options, note=self._note
        )

    def _change(
        self, name: str, verb: str, body: Mapping[str, Any], done: Callable[[Workflow], bool]
    ) -> Workflow:
        """Make a change and return the run as it is then.

        When no clear answer comes, the run is read: `done` says whether the change has been made;
        if not it is made again, which does no harm.
        """
        unclear: AmbiguousResponseError | None = None

        def attempt() -> Workflow:
            nonlocal unclear
            if unclear is not None:
                run = self.get(name)
                if done(run):
                    return run
            try:
                sent = {**self._who(name), **body}
                changed = self.transport.once(Request("PUT", self._path(name, verb), body=sent))
            except AmbiguousResponseError as error:
                unclear = error if error.sent else unclear
                raise
            except ConflictError:
                if unclear is None:
                    raise
                return self._after_conflict(name, done)
            return self._workflow(changed)

        return self.transport.repeated(attempt)

    def _after_conflict(self, name: str, done: Callable[[Workflow], bool]) -> Workflow:
        """Return a run that may have been changed by an attempt of ours that had no answer."""
        run = self.get(name)
        if done(run):
            return run
        raise ConflictError(
            f"{name} is {(run.get('status') or {}).get('phase') or 'Pending'} now",
            where=self.address.called,
            hint=f"argojobs get {name}{self.address.options} shows it",
        )

    def _resubmissions(self, name: str) -> tuple[str, ...]:
        try:
            found = listing.newest(
                self.transport,
                self.namespace,
                labels=listing.selector({PREVIOUS: name}),
                fields=listing.NAMES_ONLY,
            )
        except ArgojobsError:  # not allowed to list: then a lost answer cannot be cleared up
            return ()
        return tuple(str(run["metadata"]["name"]) for run in found)


def _shutdown(workflow: Workflow) -> str:
    return str(spec_of(workflow).get("shutdown", ""))
