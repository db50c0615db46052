"""Creating a workflow once, whatever happens to the answer.

The client makes the name and puts a key on the workflow. When no clear answer comes, the run of
that name is looked up: with our key it is ours; with another it is somebody else's; if there is
none, it is safe to send it again, since a name is given only once.
"""

from __future__ import annotations

import copy
import uuid
from typing import TYPE_CHECKING, Any

from argojobs.client.failures import UnclearError
from argojobs.client.paths import path_of, workflow_path
from argojobs.errors import ConflictError, NotFoundError, ServerError, UsageError

if TYPE_CHECKING:
    from argojobs.client.http import Transport
    from argojobs.service import Workflow

#: The label that tells whose submission a run is.
SUBMISSION = "argojobs.dev/submission"

#: So often a workflow is sent before the state is called unknown.
TRIES = 4
#: Seconds before it is sent again.
PAUSES = (0.5, 1.0, 2.0, 4.0)


def submit(transport: Transport, namespace: str, workflow: Workflow) -> Workflow:
    """Create a workflow and return it as the server answers with it.

    Raises ConflictError when the name is taken, ServerError when it is not to be known whether it
    was created.
    """
    name = (workflow.get("metadata") or {}).get("name")
    if not isinstance(name, str) or not name:
        raise UsageError("the workflow has no name", where="metadata.name")
    sent = _with_key(workflow, namespace)
    key = sent["metadata"]["labels"][SUBMISSION]
    body = {"namespace": namespace, "workflow": sent}
    unclear: UnclearError | None = None
    for pause in PAUSES[:TRIES]:
        try:
            created: Workflow = transport.call(
                "POST", path_of("api", "v1", "workflows", namespace), body=body, repeat=False
            )
        except UnclearError as error:
            if not error.sent:
                raise
            unclear = error
        except ConflictError:
            if unclear is None:
                raise
        else:
            return created
        found = _looked_up(transport, namespace, name, unclear)
        if found is not None:
            if ((found["metadata"].get("labels") or {}).get(SUBMISSION)) == key:
                return found
            raise ConflictError(
                f'workflows.argoproj.io "{name}" already exists',
                where=transport.address.called,
                hint="another submission took the name; give another",
            )
        transport.sleep(max(pause, unclear.retry_after))
    raise _unknown(name, unclear, transport)


def _with_key(workflow: Workflow, namespace: str) -> dict[str, Any]:
    sent = copy.deepcopy(workflow)
    metadata = sent["metadata"]
    metadata.setdefault("namespace", namespace)
    metadata.pop("generateName", None)
    labels = metadata["labels"] = metadata.get("labels") or {}
    labels.setdefault(SUBMISSION, uuid.uuid4().hex)
    return sent


def _looked_up(
    transport: Transport, namespace: str, name: str, unclear: UnclearError
) -> Workflow | None:
    """Return the run of this name, None if there is none. Raises ServerError if nobody can say."""
    try:
        found: Workflow = transport.get(workflow_path(namespace, name))
    except NotFoundError:
        return None
    except ServerError:
        raise _unknown(name, unclear, transport) from unclear
    return found


def _unknown(name: str, unclear: UnclearError | None, transport: Transport) -> ServerError:
    said = f": {unclear.what}" if unclear else ""
    return ServerError(
        f"it is not known whether {name} was submitted{said}",
        where=transport.address.called,
        hint=f"ask once the server answers again: argojobs get {name}{transport.address.options}; "
        "under the same name it cannot be started twice",
    )
