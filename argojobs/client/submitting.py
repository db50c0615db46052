"""Creating a workflow once, whatever happens to the answer.

The client makes the name and puts a key on the workflow. When no clear answer comes (none at all,
"too many requests", a login page, "already exists"), the run of that name is looked up: with our
key it is ours; with another it is somebody else's; if there is none, it is safe to send it again,
since a name is given only once.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

from argojobs.client.failures import AmbiguousResponseError, ForeignAnswerError
from argojobs.client.http import Request, Transport
from argojobs.client.paths import path_of, workflow_path
from argojobs.client.shapes import workflow_of
from argojobs.errors import (
    ArgojobsError,
    ConflictError,
    NotFoundError,
    ServerError,
    UsageError,
)
from argojobs.net.bounds import LONGEST_WAIT

if TYPE_CHECKING:
    from argojobs.service import Workflow

#: The label that tells whose submission a run is.
SUBMISSION = "argojobs.dev/submission"

#: So often a workflow is sent before the state is called unknown.
TRIES = 4
#: Seconds before it is sent again.
PAUSES = (0.5, 1.0, 2.0, 4.0)


def submit(
    transport: Transport,
    namespace: str,
    workflow: Workflow,
    *,
    note: Callable[[str], None] = lambda _: None,
) -> Workflow:
    """Create a workflow and return it as the server has it.

    Args:
        transport: to the server.
        namespace: where it is created.
        workflow: the object, with its name.
        note: told when it was stored although the answer was something else.

    Raises:
        ConflictError: the name is taken.
        ServerError: it is not to be known whether it was created. Others as the server refuses.
    """
    name = (workflow.get("metadata") or {}).get("name")
    if not isinstance(name, str) or not name:
        raise UsageError("the workflow has no name", where="metadata.name")
    sent = _with_key(workflow, namespace)
    body = {"namespace": namespace, "workflow": sent}
    path = path_of("api", "v1", "workflows", namespace)
    for pause in PAUSES[:TRIES]:
        try:
            created = transport.call(Request("POST", path, body=body), repeat=False)
            return workflow_of(created, transport.address.called)
        except (ForeignAnswerError, AmbiguousResponseError, ConflictError) as error:
            if isinstance(error, AmbiguousResponseError) and not error.sent:
                raise
            found = _looked_up(transport, namespace, name, error)
            if found is not None:
                return _ours(found, sent, error, note, transport)
            if not isinstance(error, AmbiguousResponseError) or error.retry_after > LONGEST_WAIT:
                raise
            unclear = error
        transport.sleep(max(pause, unclear.retry_after))
    raise _unknown(name, unclear, transport)


def _ours(
    found: Workflow,
    sent: Workflow,
    error: ArgojobsError,
    note: Callable[[str], None],
    transport: Transport,
) -> Workflow:
    """Return the run of the name if it is the one that was sent, else raise ConflictError."""
    name = found["metadata"]["name"]
    if (found["metadata"].get("labels") or {}).get(SUBMISSION) != _key(sent):
        if isinstance(error, ConflictError):
            raise error
        raise ConflictError(
            f'workflows.argoproj.io "{name}" already exists',
            where=transport.address.called,
            hint="another submission took the name; give another",
        )
    if isinstance(error, ForeignAnswerError):
        note(f"{name} was submitted, although the answer was another: {error.what}")
    return found


def _key(workflow: Workflow) -> str:
    return str(workflow["metadata"]["labels"][SUBMISSION])


def _with_key(workflow: Workflow, namespace: str) -> Workflow:
    sent = copy.deepcopy(workflow)
    metadata = sent["metadata"]
    metadata.setdefault("namespace", namespace)
    metadata.pop("generateName", None)
    labels = metadata["labels"] = metadata.get("labels") or {}
    labels.setdefault(SUBMISSION, uuid.uuid4().hex)
    return sent


def _looked_up(
    transport: Transport, namespace: str, name: str, error: ArgojobsError
) -> Workflow | None:
    """Return the run of this name, None if there is none. Raises ServerError if nobody can say.

    error: what came instead of the run. It is raised itself where it needs no look: "already
    exists", and a program that answers now as it did then, which is what is to be mended.
    """
    try:
        return workflow_of(transport.get(workflow_path(namespace, name)), transport.address.called)
    except NotFoundError:
        return None
    except ArgojobsError as again:
        if isinstance(error, ConflictError):
            raise error from again
        if isinstance(error, ForeignAnswerError) and isinstance(again, ForeignAnswerError):
            hint = f"{error.hint}; {_ask(name, transport)}"
            raise ForeignAnswerError(error.what, where=error.where, hint=hint) from again
        raise _unknown(name, error, transport) from again


def _unknown(name: str, error: ArgojobsError, transport: Transport) -> ServerError:
    return ServerError(
        f"it is not known whether {name} was submitted: {error.what}",
        where=transport.address.called,
        hint=f"{_ask(name, transport)}; under the same name it cannot be started twice",
    )


def _ask(name: str, transport: Transport) -> str:
    return f"ask once the server answers again: argojobs get {name}{transport.address.options}"
