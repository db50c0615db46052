"""The check that runs something: one step that writes an artifact, and one that reads it.

It shows what no look can: the run's own keys, the executor's role, the image, the pods' network.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from argojobs.config.context_defaults import defaults_of
from argojobs.config.contexts import Context
from argojobs.edits.context_defaults import with_context
from argojobs.errors import NotFoundError, ServerError
from argojobs.manifest.view import artifacts_of, status_of
from argojobs.runs.doctor.checking import Check, attempt, failed, ok
from argojobs.runs.doctor.storage import compare
from argojobs.runs.stores import in_store
from argojobs.runs.target import Target
from argojobs.service import Service, Workflow, is_final

SECONDS = 300
WORDS = "argojobs doctor"


def trial_checks(place: Target, *, clock: Callable[[], float] = time.monotonic) -> Iterator[Check]:
    """Yield what a trial run shows; it is deleted again."""
    yield from attempt("run", lambda: run(place, clock))


def run(place: Target, clock: Callable[[], float]) -> Iterator[Check]:
    """Submit the trial, wait for it, look at where its artifact lies, and delete it."""
    context = place.context
    name = f"argojobs-doctor-{uuid.uuid4().hex[:8]}"
    created = place.service.create(trial_workflow(context, name))
    try:
        ended = _waited(place.service, created, clock)
        yield verdict(ended, context)
        if context.s3 is not None and ended["status"].get("phase") == "Succeeded":
            theirs = repository_of(ended)
            if theirs is not None:
                yield compare(context.s3, theirs, "as the trial run had it")
            yield from attempt("artifact", lambda: _found_again(place, ended))
    finally:
        with suppress(NotFoundError):
            place.service.delete(name)


def trial_workflow(context: Context, name: str) -> Workflow:
    """Return the workflow: `write` makes an artifact, `read` takes it and compares."""
    image = context.image or "busybox:1.36"

    def shell(script: str) -> dict[str, Any]:
        return {"image": image, "command": ["sh", "-c", script]}

    given = {"artifacts": [{"name": "words", "from": "{{tasks.write.outputs.artifacts.words}}"}]}
    tasks = [
        {"name": "write", "template": "write"},
        {"name": "read", "template": "read", "depends": "write", "arguments": given},
    ]
    written = {"name": "words", "path": "/tmp/argojobs-words", "archive": {"none": {}}}  # noqa: S108
    templates = [
        {"name": "main", "dag": {"tasks": tasks}},
        {
            "name": "write",
            "container": shell(f"echo '{WORDS}' > /tmp/argojobs-words"),
            "outputs": {"artifacts": [written]},
        },
        {
            "name": "read",
            "inputs": {"artifacts": [{"name": "words", "path": "/tmp/argojobs-in"}]},  # noqa: S108
            "container": shell(f"test \"$(cat /tmp/argojobs-in)\" = '{WORDS}'"),
        },
    ]
    made: Any = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": name},
        "spec": {"entrypoint": "main", "templates": templates, "activeDeadlineSeconds": SECONDS},
    }
    return in_store(with_context(made, defaults_of(context)), context)


def _waited(service: Service, created: Workflow, clock: Callable[[], float]) -> Workflow:
    """Return the run when it has ended. Raises ServerError when that takes too long."""
    end = clock() + SECONDS + 60
    last = created
    for event in service.watch(created["metadata"]["name"]):
        last = event.workflow
        if is_final(last):
            return last
        if clock() > end:
            break
    raise ServerError(
        f"the trial run has not ended after {SECONDS} seconds",
        hint="does Argo's controller run, and does it look at this namespace?",
    )


def verdict(ended: Workflow, context: Context) -> Check:
    """Say how the trial ended, with the first message that tells why."""
    status = ended["status"]
    if status["phase"] == "Succeeded":
        return ok("run", "a run has written and read an artifact with its own keys")
    nodes = (status.get("nodes") or {}).values()
    wrong = [
        node for node in nodes if node.get("phase") in ("Failed", "Error") and node.get("message")
    ]
    pods = [node for node in wrong if node.get("type") == "Pod"]
    first = (pods or wrong)[0].get("message") if wrong else ""
    message = str(first or status.get("message") or "")
    return failed(
        "run", f"the trial run ended {status['phase']}: {message}", remedy_of(message, context)
    )


def remedy_of(message: str, context: Context) -> str:
    """Return what to do about a message of a failed trial."""
    text = message.lower()
    if "workflowtaskresults" in text and "forbidden" in text:
        return f"argojobs doctor --write - --context {context.name} writes the executor's role"
    if "secret" in text and "not found" in text:
        return "make the Secret with the store's keys that the message names"
    if "artifact repository" in text:
        return "configure Argo's artifactRepository, or give the context's S3 a secret_name"
    if any(
        word in text for word in ("access denied", "signature", "accessdenied", "invalidaccesskey")
    ):
        return "the keys in the cluster's Secret are not those of the store: correct them there"
    if "image" in text:
        return f"argojobs config set contexts.{context.name}.image IMAGE that the cluster can pull"
    return f"argojobs doctor --context {context.name} without --run shows what else is wrong"


def repository_of(workflow: Workflow) -> dict[str, Any] | None:
    """Return the artifact repository in S3 that Argo used for a run; None where it does not say."""
    reference = status_of(workflow).get("artifactRepositoryRef") or {}
    found = (reference.get("artifactRepository") or {}).get("s3")
    return found if isinstance(found, dict) else None


def _found_again(place: Target, ended: Workflow) -> Check:
    """Whether the trial's artifact is where the context's own keys look for it."""
    nodes = ended["status"]["nodes"].values()
    written = next(
        one for node in nodes for one in artifacts_of(node.get("outputs")) if one["name"] == "words"
    )
    key = written["s3"]["key"]
    if place.repository().kind(key) is None:
        return failed(
            "artifact",
            f"the run's artifact {key} is not in the context's bucket: Argo uses another store",
            "set the context's s3 to the one that Argo uses, or give it a secret_name",
        )
    place.repository().delete(key)
    return ok("artifact", "it lies in the context's bucket")
