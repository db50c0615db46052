"""What lies in a claim: on this machine its folder, on a cluster what a small run reads from it.

The run is started, followed to its end and deleted, with what it stored; it is never more than a
pod that reads. A pod that cannot start is given up after a while, with Argo's own word for why.
"""

from __future__ import annotations

import random
import re
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argojobs.config.context_defaults import account_of
from argojobs.edits import claim_reading
from argojobs.edits.context_defaults import with_context
from argojobs.errors import ArgojobsError, NotFoundError, RunFailedError, ServerError, UsageError
from argojobs.manifest.names import random_suffix
from argojobs.manifest.view import nodes_of, status_of
from argojobs.runs.metadata import with_metadata
from argojobs.runs.names import step_named
from argojobs.runs.owners import user_name
from argojobs.runs.stores import in_claim, in_store, named, repository_of, stored_by
from argojobs.runs.target import Target
from argojobs.runs.transfer import Bar, copy_path, fetch_output, no_bar
from argojobs.runs.view.steps import leaves, steps_of
from argojobs.service import USER_LABEL, Workflow, is_final
from argojobs.storage.artifact_places import folder_of_runs
from argojobs.storage.repository import Repository

#: For contexts that name none; it needs a shell.
IMAGE = "busybox"

#: Seconds that a pod may find no machine or volume, and that it may take to start otherwise.
UNSCHEDULABLE, START = 120, 600

#: Seconds in which a pod that is taken away may still store what the claim holds.
LINGERS = 30

_NO_CLAIM = re.compile(r'persistentvolumeclaim "[^"]*" not found')
_NO_IMAGE = re.compile(r"ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName")
_NO_PROGRAM = re.compile(r"executable file not found|no such file or directory")
_CANNOT_EXECUTE, _NO_COMMAND = 126, 127


@dataclass(frozen=True, slots=True)
class Found:
    """Something in a folder of a claim. kind: file, folder, link or other."""

    name: str
    size: int
    kind: str


@dataclass(frozen=True, slots=True)
class Time:
    """How a run is waited for; tests pass their own."""

    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


def get_from_claim(
    text: str, target: Target, path: Path, waiting: Time | None = None, bar: Bar = no_bar
) -> Path:
    """Copy a path of a claim to this machine and return where it is.

    Args:
        text: `claim://name/path`.
        target: whose claim it is; on a cluster a run reads it.
        path: where the copy goes.
        waiting: how the run is waited for; None for real time.
        bar: shows how far the copy is.

    Raises:
        NotFoundError: the claim or the path is not there.
        UsageError: it cannot be read.
        ServerError: the pod that reads it does not start.
        ConflictError, HostError: as `transfer.copy_path`.
    """
    if target.claims is not None:
        return copy_path(in_claim(text, target.claims), path)
    claim, inside = claim_reading.split(text)
    run = claim_reading.fetching(
        claim,
        inside,
        name=_name(),
        image=_image(target),
        store=target.context.s3 is not None,
        account=target.context.service_account,
    )
    with _ended(run, text, target, waiting or Time()) as workflow:
        return _fetched(workflow, target, path, bar)


def in_folder(text: str, target: Target, waiting: Time | None = None) -> list[Found]:
    """Return what a folder of a claim holds, by name; of a file, the file.

    Args:
        text: `claim://name/path`.
        target: whose claim it is.
        waiting: how a run on a cluster is waited for; None for real time.

    Raises:
        NotFoundError: the claim or the path is not there.
        UsageError: it cannot be read.
        ServerError: the pod that reads it does not start.
    """
    if target.claims is not None:
        place = in_claim(text, target.claims)
        found = [_of_path(one) for one in (place.iterdir() if place.is_dir() else [place])]
    else:
        claim, inside = claim_reading.split(text)
        run = claim_reading.listing(claim, inside, name=_name(), image=_image(target))
        with _ended(run, text, target, waiting or Time()) as workflow:
            lines = target.service.logs(str(workflow["metadata"]["name"]))
            found = [Found(*one) for line in lines if (one := claim_reading.listed(line.text))]
    return sorted(found, key=lambda one: one.name)


def _of_path(path: Path) -> Found:
    status = path.lstat()
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
    return Found(path.name, status.st_size, kinds.get(stat.S_IFMT(status.st_mode), "other"))


def _name() -> str:
    return f"argojobs-claim-{random_suffix(random.SystemRandom())}"


def _image(target: Target) -> str:
    return target.context.image or IMAGE


def _placed(run: Workflow, target: Target) -> Workflow:
    """Return the run as it is submitted: mine, in the context's namespace, account and store.

    Nothing else of the context: it computes nothing, and waits for no lock.
    """
    mine = with_metadata(run, labels={USER_LABEL: user_name()})
    return in_store(with_context(mine, account_of(target.context)), target.context)


@contextmanager
def _ended(run: Workflow, text: str, target: Target, waiting: Time) -> Iterator[Workflow]:
    """Start a run, give it when it has succeeded, and remove it in any case."""
    created = target.service.create(_placed(run, target))
    name = str(created["metadata"]["name"])
    last: Workflow = created
    try:
        for state in _states(name, text, target, waiting):
            last = state
        _check(last, text, target)
        yield last
    finally:
        _remove(name, last, target, waiting)


def _states(name: str, text: str, target: Target, waiting: Time) -> Iterator[Workflow]:
    """Yield what the server says of a run until it is final. Raises for one that does not start.

    It is asked, not watched: a pod that waits for ever sends no events.
    """
    began, pause = waiting.clock(), 0.25
    while True:
        workflow = target.service.get(name)
        yield workflow
        if is_final(workflow):
            return
        _check_start(workflow, text, target, waiting.clock() - began)
        waiting.sleep(pause)
        pause = min(pause * 1.5, 2.0)


def _check_start(workflow: Workflow, text: str, target: Target, waited: float) -> None:
    """Raise what is wrong with a pod that has not started, at once where waiting cannot help."""
    status, space = status_of(workflow), workflow["metadata"].get("namespace", "")
    nodes = list(nodes_of(workflow).values())
    if any(node.get("phase") == "Running" for node in nodes):
        return
    said = [str(node.get("message") or "") for node in nodes] + [str(status.get("message") or "")]
    why = next(filter(None, said), "")
    if _NO_CLAIM.search(why):
        claim, _ = claim_reading.split(text)
        raise NotFoundError(
            f"{text}: there is no claim {claim} in the namespace {space}",
            hint="kubectl get pvc shows those that are there; a context names its namespace",
        )
    if _NO_IMAGE.search(why):
        raise _image_error(text, target, f"cannot be pulled: {why}")
    limit = UNSCHEDULABLE if "nschedulable" in why else START
    if waited > limit:
        raise ServerError(
            f"{text}: the pod that reads it has not started in {limit // 60} minutes: "
            f"{why or 'nobody says why'}",
            hint="try again when the cluster has room, or the claim is free",
        )


def _image_error(text: str, target: Target, what: str) -> UsageError:
    context = target.context.name
    return UsageError(
        f"{text}: the image {_image(target)} {what}",
        hint=f"argojobs config set contexts.{context}.image IMAGE: one that the cluster has, "
        "with a shell",
    )


def _check(workflow: Workflow, text: str, target: Target) -> None:
    """Raise what the run found wrong, by its exit code."""
    status = workflow["status"]
    if status.get("phase") == "Succeeded":
        return
    name = str(workflow["metadata"]["name"])
    pod: Mapping[str, Any] = (status.get("nodes") or {}).get(name) or {}
    code = int((pod.get("outputs") or {}).get("exitCode") or 0)
    message = str(pod.get("message") or status.get("message") or "")
    if code == claim_reading.MISSING:
        claim, inside = claim_reading.split(text)
        folder = f"claim://{claim}/{inside.rpartition('/')[0]}".rstrip("/")
        raise NotFoundError(
            f"{text}: there is nothing",
            hint=f"what there is: argojobs artifacts ls {folder}{target.options}",
        )
    if code == claim_reading.LINK:
        lines = [line.text for line in target.service.logs(name)]
        raise UsageError(
            f"{text} is a link to {lines[0] if lines else 'somewhere'}",
            hint="give the path that it leads to, if that is in the claim",
        )
    if code == claim_reading.FORBIDDEN:
        raise UsageError(
            f"{text}: the image's user may not read it",
            hint="give the context an image whose user may, or change the file's mode",
        )
    if code in (_CANNOT_EXECUTE, _NO_COMMAND) or _NO_PROGRAM.search(message):
        raise _image_error(text, target, "has no shell with find and stat")
    raise RunFailedError(f"{text}: the pod that reads it failed: {message}")


def _fetched(workflow: Workflow, target: Target, path: Path, bar: Bar) -> Path:
    """Copy the artifact of a run that ended."""
    name = str(workflow["metadata"]["name"])
    step = step_named(workflow, claim_reading.TEMPLATE)
    (stored,) = named(workflow, target, step, claim_reading.ARTIFACT)
    return fetch_output(stored, name, target, path, bar)


def _started(workflow: Workflow) -> bool:
    """Whether a pod is on a machine, where it goes on, or has its image still to be pulled."""
    said = [str(node.get("message") or "") for node in nodes_of(workflow).values()]
    known = bool(said) and not any("nschedulable" in text for text in said)
    return known and not is_final(workflow)


def _clear(repository: Repository, key: str, seconds: float, waiting: Time) -> None:
    """Remove what a run stored that it does not tell of, as soon as it is there.

    Argo's own container in the pod sees the claim beside ours: when the pod is taken away it
    stores the artifact, also where ours has never run.
    """
    until = waiting.clock() + seconds
    while repository.kind(key) is None and waiting.clock() < until:
        waiting.sleep(1)
    repository.delete(key)


def _remove(name: str, workflow: Workflow, target: Target, waiting: Time) -> None:
    """Delete a run and what it stored; what that fails at is a note, since the rest is done.

    Without keys of the store it is Argo that removes the artifact, with the run.
    """
    try:
        for stored in stored_by(workflow, target, list(leaves(steps_of(workflow)))):
            repository = repository_of(stored, target)
            if repository is not None:
                repository.delete(stored.key)
        target.service.delete(name)
        if target.context.s3 is not None:
            below = f"{folder_of_runs(target.context.s3)}{name}"
            _clear(target.repository(), below, LINGERS if _started(workflow) else 0, waiting)
    except ArgojobsError as error:
        text = f"the run {name}, which read the claim, stays for an hour: {error.what}"
        target.tell("note", text)
