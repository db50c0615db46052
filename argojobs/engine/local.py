"""The service on this machine: Argo's operations over the store of a home.

Clients read the store themselves; to write they add a row (a run, a command) and poke the
controller, which they start when none serves the home. `LocalService` keeps `service.Service`.
"""

from __future__ import annotations

import builtins
import copy
import json
import re
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from argojobs.config.home import open_home
from argojobs.engine.context import SHARED, artifact_root, pod_directory, results_directory
from argojobs.engine.store.listing import having, names, page
from argojobs.engine.store.store import Store
from argojobs.errors import (
    ConflictError,
    HostError,
    NotFoundError,
    ServerError,
    UsageError,
)
from argojobs.manifest.view import nodes_of
from argojobs.service import NOTES, LogLine, WatchEvent, Workflow

if TYPE_CHECKING:
    from argojobs.engine.starting import Starter
    from argojobs.engine.watching import Pace
    from argojobs.storage.directory import DirectoryRepository

#: Seconds that a command waits for a controller to take it in: more than it folds in one go.
COMMAND_PATIENCE = 40.0

#: So many naps are enough to wait for the scratch folders of a run's pods.
SCRATCH_NAPS = 50

#: Argo's workflow names: DNS names, no longer than a label value.
_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?")


class LocalService:
    """Workflows on this machine.

    home: where, `ARGOJOBS_HOME` or the platform's folder by default. submitter: what
    `submitter.capture` recorded, needed only to create; captured here and now by default.
    strict_resources: refuse a workflow that asks for more than this host has.
    """

    def __init__(
        self,
        home: Path | None = None,
        *,
        submitter: Mapping[str, Any] | None = None,
        strict_resources: bool = False,
    ) -> None:
        self.home = open_home(home)
        self._submitter = submitter
        self._strict = strict_resources

    @cached_property
    def store(self) -> Store:
        """The open store; an older controller gives way before a newer form is written."""
        if (self.home / "controller.lock").exists():
            handed_over = self.starter.hand_over()
            store = Store.open(self.home)
            if handed_over and store.unfinished():
                self.starter.begin()
            return store
        return Store.open(self.home)

    @cached_property
    def starter(self) -> Starter:
        """What starts the controller of this home."""
        from argojobs.engine.starting import Starter

        return Starter(self.home)

    def close(self) -> None:
        """Let go of the store."""
        if "store" in self.__dict__:
            self.store.close()
            del self.store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Service

    def prepare(self) -> None:
        """See `Service.prepare`: the controller is started in the background."""
        self.starter.begin()

    def create(self, workflow: Workflow) -> Workflow:
        """See `Service.create`. Raises `UnsupportedError`, `HostError` before anything starts."""
        from argojobs.engine.clock import stamp, whole
        from argojobs.engine.submitter import capture

        name = _checked_name(workflow)
        submitter = self._earlier_submitter(workflow) or self._submitter
        submitter = dict(submitter) if submitter is not None else capture()
        if self._strict:
            submitter["strict_resources"] = True
        notes = self.check(workflow, submitter)
        created = copy.deepcopy(workflow)
        metadata = created["metadata"]
        metadata.setdefault("namespace", "default")
        metadata["uid"] = str(uuid.uuid4())
        metadata["creationTimestamp"] = whole(stamp(time.time()))
        if notes:
            metadata.setdefault("annotations", {})[NOTES] = "\n".join(notes)
        nodes: dict[str, dict[str, Any]] = {}
        if (workflow.get("status") or {}).get("nodes"):
            from argojobs.engine.takeover import take_over

            nodes = take_over(self.home, self.store, created)
        else:
            created["status"] = {"startedAt": None, "finishedAt": None}
        self.store.add_run(created, submitter, nodes)
        self.starter.ensure()
        return self.store.workflow_object(name)

    def _earlier_submitter(self, workflow: Workflow) -> dict[str, Any] | None:
        """What was recorded of who submitted the run that this one was made from, if it is here."""
        from argojobs.edits.resubmit import PREVIOUS

        previous = (workflow["metadata"].get("labels") or {}).get(PREVIOUS)
        try:
            return self.store.submitter(previous) if previous else None
        except NotFoundError:
            return None

    def check(self, workflow: Workflow, submitter: Mapping[str, Any] | None = None) -> list[str]:
        """Return the notes on a workflow, raising what `create` would, without starting it."""
        from argojobs.engine.coverage import reachable, refuse_uncovered
        from argojobs.engine.hostcheck import (
            WITHOUT_NAMESPACES,
            claim_notes,
            host_isolation,
            missing_devices,
            refuse_missing,
            refuse_private_paths,
            unlimited_memory,
        )
        from argojobs.engine.submitter import capture

        notes = refuse_uncovered(workflow)
        templates = [template for _, template in reachable(workflow["spec"])]
        missing = missing_devices(templates)
        if missing and self._strict:
            raise HostError("; ".join(missing), hint="leave out --strict-resources to run anyway")
        submitter = submitter if submitter is not None else capture()
        refuse_missing(workflow, submitter)
        if host_isolation(self.home) == "none":
            refuse_private_paths(workflow, submitter)
            notes = [*notes, WITHOUT_NAMESPACES]
        if self._strict:
            notes = [*notes, *unlimited_memory(templates)]
        return [*notes, *missing, *claim_notes(workflow, submitter, self.home / "claims")]

    def get(self, name: str) -> Workflow:
        """See `Service.get`."""
        return self.store.workflow_object(name)

    def list(self, *, labels: Mapping[str, str] | None = None, limit: int = 0) -> list[Workflow]:
        """See `Service.list`."""
        return page(self.store, having(labels), limit=limit).workflows

    def summaries(self, *, given: bool = False) -> builtins.list[Workflow]:
        """See `Service.summaries`; of the specs nothing else is read."""
        return page(self.store, specs="given" if given else "none").workflows

    def names(self) -> tuple[str, ...]:
        """Return the names of all runs, newest first: what completion and short names need."""
        return tuple(names(self.store))

    def names_and_labels(
        self, part: str = "", *, labels: Mapping[str, str] | None = None
    ) -> tuple[tuple[str, Mapping[str, str]], ...]:
        """See `Service.names_and_labels`: all runs here are of whoever may read them."""
        return () if labels else tuple((name, {}) for name in self.names() if part in name)

    def watch(self, name: str) -> Iterator[WatchEvent]:
        """See `Service.watch`."""
        from argojobs.engine.watching import watch_run

        self.store.change_of(name)
        return watch_run(self.store, name, self._pace(name))

    def logs(
        self, name: str, *, node_id: str = "", follow: bool = False, tail: int = 0
    ) -> Iterator[LogLine]:
        """See `Service.logs`."""
        from argojobs.engine.logs import read_logs

        self.store.change_of(name)
        pace = self._pace(name)
        return read_logs(
            self.store,
            name,
            lambda pod: pod_directory(self.home, name, pod),
            node_id=node_id,
            follow=follow,
            tail=tail,
            pause=pace.nap,
        )

    def stop(self, name: str, message: str = "") -> Workflow:
        """See `Service.stop`; returns once the controller has taken it in."""
        return self._shut_down(name, "Stop", message)

    def terminate(self, name: str, message: str = "") -> Workflow:
        """See `Service.terminate`; returns once the controller has taken it in."""
        return self._shut_down(name, "Terminate", message)

    def suspend(self, name: str) -> Workflow:
        """See `Service.suspend`; returns once the controller has taken it in."""
        if self.store.is_final(name):
            raise ConflictError("cannot suspend completed workflows")
        return self._command(name, "Suspend", "")

    def resume(
        self, name: str, *, node_selector: str = "", outputs: Mapping[str, str] | None = None
    ) -> Workflow:
        """See `Service.resume`; returns once the controller has taken it in."""
        from argojobs.engine.operator.suspend import refusal

        nodes: dict[str, Any] = {**nodes_of(self.get(name))}
        problem = refusal(nodes.values(), node_selector, outputs or {})
        if problem:
            raise ConflictError(problem)
        if self.store.is_final(name):
            return self.get(name)
        if outputs:
            given = {"nodeFieldSelector": node_selector, "outputParameters": dict(outputs)}
            return self._command(name, "Set", json.dumps(given))
        return self._command(name, "Resume", node_selector)

    def retry(
        self,
        name: str,
        *,
        restart_successful: bool = False,
        node_selector: str = "",
        parameters: Sequence[str] = (),
    ) -> Workflow:
        """See `Service.retry`; returns once the controller has taken it in.

        The logs of the pods that run again stay, see `engine.rerunning`.
        """
        from argojobs.engine.clock import stamp
        from argojobs.engine.rerunning import retry_run

        if self.store.is_final(name):
            self._wait_for_supervisors(name)
        retry_run(
            self.home,
            self.store,
            name,
            now=stamp(time.time()),
            restart_successful=restart_successful,
            node_selector=node_selector,
            parameters=parameters,
        )
        self.starter.ensure()
        pace = self._pace(name)
        while not self.store.is_begun(name):
            pace.nap()
        return self.get(name)

    def resubmit(
        self, name: str, *, memoized: bool = False, parameters: Sequence[str] = ()
    ) -> Workflow:
        """See `Service.resubmit`; the steps get of this machine what the old run's got."""
        import random

        from argojobs.edits.resubmit import new_name, resubmit
        from argojobs.engine.clock import stamp

        old = self.get(name)
        made = resubmit(
            old,
            new_name(old, random.SystemRandom()),
            now=stamp(time.time()),
            memoized=memoized,
            parameters=parameters,
        )
        return self.create(made)

    def delete(self, name: str) -> None:
        """See `Service.delete`; the run's artifacts in this home go too.

        It needs no controller: where none can end the run, this process does it in its place.
        """
        if not self.store.is_final(name):
            with suppress(ServerError):  # no controller comes up, or it does not listen
                self._terminate_for_room(name)
                for _ in self.watch(name):
                    pass
            if not self.store.is_final(name):
                self._delete_in_place(name)
                return
        self._remove_files(name)
        self.store.remove_run(name)

    def _delete_in_place(self, name: str) -> None:
        """Delete a run that no controller ends, as the one who holds the home's lock."""
        from argojobs.engine.executors.process.executor import stop_pod
        from argojobs.engine.executors.process.processes import boot_identity
        from argojobs.engine.lock import ControllerLock
        from argojobs.engine.pod import GRACE_AT_ONCE
        from argojobs.engine.starting import end

        end(self.home, force=True)
        lock = ControllerLock.acquire(self.home)
        if lock is None:
            raise ServerError(
                "another controller has just begun to serve this home", hint="try again"
            )
        try:
            boot = boot_identity()
            for _, pod, state in self.store.pod_states(name):
                if state == "started":
                    directory = str(pod_directory(self.home, name, pod))
                    stop_pod(directory, boot, "workflow deleted", GRACE_AT_ONCE)
            self._remove_files(name)
            self.store.remove_run(name, unfinished=True)
        finally:
            lock.release()

    def _remove_files(self, name: str) -> None:
        # The files first: a run of the same name must never meet the pods of this one.
        self._wait_for_supervisors(name)
        artifacts = artifact_root(self.home) / name
        if name in SHARED and artifacts.is_dir():  # beside its own folders lies code of other runs
            own = [each for each in artifacts.iterdir() if each.is_dir()]
        else:
            own = [artifacts]
        for folder in (
            pod_directory(self.home, name, ""),
            *own,
            results_directory(self.home, name),
        ):
            _remove_tree(folder)

    def _terminate_for_room(self, name: str) -> None:
        """Terminate a run that is to be deleted; a full disk lets it use the reserve for it."""
        from argojobs.engine.reserve import give_up_reserve

        try:
            self._shut_down(name, "Terminate", "")
        except HostError:
            if not give_up_reserve(self.home):
                raise
            self._shut_down(name, "Terminate", "")

    def artifact(self, name: str, node_id: str, artifact: str, target: Path) -> Path:
        """See `Service.artifact`: an archive is unpacked, a tree restored."""
        from argojobs.storage.retrieve import copy_artifact

        return copy_artifact(self.repository(), self.get(name), node_id, artifact, target)

    def template(self, name: str, *, cluster: bool = False) -> Workflow:  # noqa: ARG002
        """See `Service.template`: none is kept here. Raises NotFoundError."""
        raise NotFoundError(f"there is no template {name}: this machine keeps none")

    def version(self) -> str:
        """See `Service.version`."""
        return ""

    def project(self, name: str) -> Path:
        """See `Service.project`."""
        return Path(self.store.submitter(name)["project"])

    def folder(self, name: str) -> Path:
        """See `Service.folder`."""
        return pod_directory(self.home, name, "")

    # Beyond the service: what is this machine's own

    def repository(self) -> DirectoryRepository:
        """Return the home's artifact repository, where code bundles are put too."""
        from argojobs.storage.directory import DirectoryRepository

        return DirectoryRepository(str(artifact_root(self.home)))

    def status(self) -> dict[str, Any]:
        """Say which controller serves the home, and which runs are not finished."""
        from argojobs.engine.lock import holder

        found = holder(self.home)
        return {
            "home": str(self.home),
            "running": found is not None,
            "pid": found.pid if found else None,
            "version": found.version if found else None,
            "started": found.started if found else None,
            "unfinished": self.store.unfinished(),
        }

    def shutdown(self, *, force: bool = False) -> bool:
        """End the controller of this home; False when none serves it.

        Raises `ConflictError` while runs are not finished; with force it ends all the same: its
        steps go on under their supervisors, and the next verb that starts a run resumes them.
        """
        from argojobs.engine.starting import end

        unfinished = self.store.unfinished()
        if unfinished and not force:
            names = ", ".join(unfinished[:5]) + (", ..." if len(unfinished) > 5 else "")
            raise ConflictError(
                (
                    f"the run {names} is not finished"
                    if len(unfinished) == 1
                    else f"{len(unfinished)} runs are not finished: {names}"
                ),
                hint="stop them first, or use --force: their steps go on, and the next "
                "argojobs run takes them up again",
            )
        return end(self.home, force=force)

    def _shut_down(self, name: str, strategy: str, message: str) -> Workflow:
        if self.store.is_final(name):
            raise ConflictError(f'cannot shutdown a completed workflow: workflow: "{name}"')
        return self._command(name, strategy, message)

    def _command(self, name: str, strategy: str, message: str) -> Workflow:
        """Have the controller carry out a command, and wait for that. Raises `ServerError`."""
        number = self.store.add_command(name, strategy, message)
        self.starter.ensure()
        pace = self._pace(name)
        deadline = time.monotonic() + COMMAND_PATIENCE
        while self.store.command_pending(number):
            if time.monotonic() > deadline:
                raise ServerError(
                    f"the controller of this home has not heard of it for {COMMAND_PATIENCE:.0f} s; "
                    "it will as soon as it listens",
                    where=str(self.home),
                    hint="argojobs server stop --force, and once more: its steps go on meanwhile",
                )
            pace.nap()
        return self.get(name)

    def _wait_for_supervisors(self, name: str) -> None:
        """Wait until nobody is at work in the folder of a finished run any more.

        A supervisor tells first that its pod has ended, and tidies up then; the scratch of a pod
        that succeeded is taken away after that, unless the controller was killed meanwhile.
        """
        from argojobs.engine.executors.process.outcome import lives, read_started, succeeded
        from argojobs.engine.executors.process.processes import boot_identity

        boot = boot_identity()
        pace = self._pace(name)
        naps_left = SCRATCH_NAPS
        for _, pod, _ in self.store.pod_states(name):
            directory = pod_directory(self.home, name, pod)
            started = read_started(str(directory))
            if started is None:
                continue
            while lives(started, boot):
                pace.nap()
            scratch = directory / "scratch"
            while naps_left and scratch.exists() and succeeded(str(directory)):
                naps_left -= 1
                pace.nap()

    def _pace(self, name: str) -> Pace:
        from argojobs.engine.watching import Pace

        return Pace(self.store, lambda: self._check_controller(name))

    def _check_controller(self, name: str) -> None:
        """While a run is not finished somebody must work on it: a dead controller is replaced."""
        try:
            final = self.store.is_final(name)
        except NotFoundError:
            return
        if not final:
            self.starter.ensure()


def _checked_name(workflow: Workflow) -> str:
    name = workflow.get("metadata", {}).get("name")
    if not isinstance(name, str) or not name:
        raise UsageError("the workflow has no name", where="metadata.name")
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is not a name of a workflow",
            where="metadata.name",
            hint="lower-case letters, digits, '-' and '.', at most 63, a letter or digit at both ends",
        )
    return name


def _remove_tree(folder: Path) -> None:
    """Remove a folder that may not be there. Raises `HostError`."""
    from argojobs.storage.removing import remove_tree

    try:
        remove_tree(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise HostError(
            f"{error.filename or folder} cannot be removed: {error.strerror}", where=str(folder)
        ) from error
