"""Start, follow and end the pod of a node."""

from __future__ import annotations

from typing import Any

from argojobs.engine import clock
from argojobs.engine.model import (
    DEADLINE_MESSAGE,
    KillPod,
    Node,
    PodResult,
    StartPod,
    Template,
    WakeAt,
)
from argojobs.engine.operator.agenda import HooksDue
from argojobs.engine.operator.phases import ACTIVE
from argojobs.engine.operator.scope import Scope, fill
from argojobs.engine.operator.turn import Turn
from argojobs.engine.operator.variables import Globals
from argojobs.errors import ManifestError
from argojobs.manifest.progress import complete, parts

#: The message of a step that the workflow's activeDeadlineSeconds ended.
LATE = "Step exceeded its deadline"


def offered(node: Node) -> dict[str, Any]:
    """The outputs that others may refer to: none of a pod that a deadline ended.

    A cluster deletes such a pod, mostly before anything is known of it; what refers to its exit
    code or result waits there for ever. Here the node keeps what there is, for who looks at it.
    """
    if node.get("message") in (DEADLINE_MESSAGE, LATE):
        return {}
    return node.get("outputs") or {}


def start(turn: Turn, node: Node, template: Template, *, on_exit: bool, captured: bool) -> str:
    """Ask for the pod of a Pending node.

    Args:
        turn: takes the changes.
        node: the Pending node.
        template: fully substituted.
        on_exit: whether it is part of an exit handler, and so starts after a Stop too.
        captured: whether its standard output is wanted as a result.

    Returns:
        What is wrong, "" when nothing is.
    """
    if not turn.may_run(on_exit=on_exit):
        turn.mark(node["id"], "Failed", f"workflow shutdown with strategy: {turn.shutdown}")
        return ""
    if turn.is_late and not on_exit:
        turn.mark(node["id"], "Failed", LATE)
        return ""
    try:
        deadline, pending = _deadlines(turn, node, template)
        volumes = _volumes(turn, template)
    except ManifestError as error:
        return error.what
    if volumes:
        template = {**template, "volumes": volumes}
    if pending is not None:
        turn.update(node["id"], _due=pending)
        turn.actions.append(WakeAt(pending))
    turn.actions.append(
        StartPod(
            node_id=node["id"],
            name=turn.pod_name(node["name"], template),
            template=template,
            deadline=deadline,
            capture_result=captured,
            retry_id=node.get("_retry", ""),
        )
    )
    return ""


def _deadlines(turn: Turn, node: Node, template: Template) -> tuple[float | None, float | None]:
    """When the pod is ended, and when it is no longer started.

    `timeout` counts from the node's start, waiting included (`activeDeadlineSeconds` from the
    pod's, so that is for who starts it); the maxDuration of a retry from the first attempt. Source: Argo docs, timeouts.
    """
    ends: list[float] = []
    pends: list[float] = []
    if template.get("timeout"):
        limit = turn.now + _timeout(template["timeout"])
        ends.append(limit)
        pends.append(limit)
    if template.get("pendingTimeout"):
        pends.append(turn.now + _timeout(template["pendingTimeout"]))
    last_attempt_ends = _retry_deadline(turn, node, template)
    if last_attempt_ends is not None:
        ends.append(last_attempt_ends)
    return min(ends, default=None), min(pends, default=None)


def _timeout(text: object) -> float:
    """The seconds of a timeout. Raises ManifestError as Argo words it."""
    try:
        return clock.duration(text)
    except ManifestError as error:
        raise ManifestError(f"invalid timeout format {error.what}", hint=error.hint) from error


def _retry_deadline(turn: Turn, node: Node, template: Template) -> float | None:
    """The end of `retryStrategy.backoff.maxDuration`, for every attempt but the first."""
    backoff = (template.get("retryStrategy") or {}).get("backoff") or {}
    if not backoff.get("maxDuration") or not node.get("_attempt"):
        return None
    first = turn.named(f"{turn.must(node['_retry'])['name']}(0)")
    if first is None:
        return None
    return clock.seconds(first["startedAt"]) + clock.duration(backoff["maxDuration"])


def _volumes(turn: Turn, template: Template) -> list[dict[str, Any]]:
    """The template's own volumes and those of the workflow that it mounts."""
    own = template.get("volumes") or []
    wanted = _mounted(template) - {volume["name"] for volume in own}
    if not wanted:
        return list(own)
    shared = [v for v in turn.spec.get("volumes") or () if v.get("name") in wanted]
    claims = [
        {
            "name": claim["metadata"]["name"],
            "persistentVolumeClaim": {
                "claimName": f"{turn.state.name}-{claim['metadata']['name']}"
            },
        }
        for claim in turn.spec.get("volumeClaimTemplates") or ()
        if claim["metadata"]["name"] in wanted
    ]
    filled: list[dict[str, Any]] = fill(shared, Scope(Globals(turn)))
    return [*own, *filled, *claims]


def _mounted(template: Template) -> set[str]:
    names: set[str] = set()
    containers = [template.get("container"), template.get("script")]
    containers += [*(template.get("initContainers") or ()), *(template.get("sidecars") or ())]
    for container in containers:
        for mount in (container or {}).get("volumeMounts") or ():
            names.add(mount["name"])
    return names


def started(turn: Turn, node: Node, host: str) -> None:
    """A pod left Pending: its node runs.

    Args:
        turn: takes the changes.
        node: the pod's.
        host: the name of the machine that it runs on.
    """
    if node["phase"] == "Pending":
        turn.update(
            node["id"],
            phase="Running",
            hostNodeName=host,
            message=None,
            _waited=round(turn.now - clock.seconds(node["startedAt"]), 1),
        )
        turn.later(HooksDue(node["id"]))


def waits(turn: Turn, node: Node, message: str) -> None:
    """A pod cannot start yet: its node says why, as Argo's does with what the scheduler says.

    Args:
        turn: takes the changes.
        node: the pod's.
        message: why it waits.
    """
    if node["phase"] == "Pending":
        turn.update(node["id"], message=message)


def says(turn: Turn, node: Node, said: str) -> None:
    """A pod says how far it is; nobody waits for that, so nothing else is looked at."""
    if node["phase"] == "Running" and parts(said) is not None and node["progress"] != said:
        turn.note(node["id"], progress=said)


def ended(turn: Turn, node: Node, result: PodResult) -> None:
    """A pod ended: its node has the pod's phase, message and outputs.

    Args:
        turn: takes the changes.
        node: the pod's; one that is over stays as it is.
        result: how the pod ended.
    """
    if node["phase"] not in ACTIVE:
        return
    outputs = {key: value for key, value in result.outputs.items() if value not in (None, [], "")}
    if result.outputs.get("result") is not None:
        outputs["result"] = result.outputs["result"]
    if outputs.get("exitCode") is not None:
        outputs["exitCode"] = str(outputs["exitCode"])
    progress = result.progress if parts(result.progress) is not None else node["progress"]
    finished = clock.stamp(result.finished_at) if result.finished_at else turn.stamp
    turn.update(
        node["id"],
        phase=result.phase,
        message=result.message or None,
        finishedAt=finished,
        hostNodeName=node.get("hostNodeName") or ("localhost" if result.started_at else None),
        outputs=outputs or None,
        progress=complete(progress) if result.phase == "Succeeded" else progress,
    )


def kill(turn: Turn, node: Node, message: str, *, again: bool = False) -> None:
    """Ask for the end of a pod, once.

    Args:
        turn: takes the changes.
        node: the pod's.
        message: why; the pod's message when it has ended.
        again: whether to ask once more, with less patience.
    """
    if not node.get("_killed"):
        turn.update(node["id"], _killed=True)
    elif not again:
        return
    turn.actions.append(KillPod(node["id"], message))
