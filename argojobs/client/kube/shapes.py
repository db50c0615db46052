"""The shape of what Kubernetes gives: checked once, where it comes in, so that nobody asks again."""

from __future__ import annotations

from typing import Any

from argojobs.client.shapes import METADATA, fault_of, unnamed

_CONTAINER = {
    "name": str,
    "ports": ({"name": str, "containerPort": int},),
    "resources": {"limits": {}, "requests": {}},
}
_CONDITIONS = ({"type": str, "status": str},)
_STATUSES = ({"name": str, "state": {"*": {}}},)
_OBJECT = {
    "metadata": {**METADATA, "continue": str},
    "spec": {
        "nodeName": str,
        "volumes": ({"persistentVolumeClaim": {"claimName": str}},),
        "containers": (_CONTAINER,),
        "initContainers": (_CONTAINER,),
        "ephemeralContainers": (_CONTAINER,),
        "ports": ({"name": str},),
        "selector": {},
    },
    "status": {
        "phase": str,
        "message": str,
        "conditions": _CONDITIONS,
        "containerStatuses": _STATUSES,
        "initContainerStatuses": _STATUSES,
        "ephemeralContainerStatuses": _STATUSES,
        "allocatable": {},
        "nodeInfo": {"operatingSystem": str, "architecture": str},
        "userInfo": {"username": str},
    },
    "involvedObject": {"kind": str, "name": str, "uid": str},
    "reason": str,
    "lastTimestamp": str,
    "eventTime": str,
    "firstTimestamp": str,
}
_ANSWER = {**_OBJECT, "items": (_OBJECT,)}


def answer_fault(answer: Any) -> str:
    """Say what of an object, or a list of objects, is not as Kubernetes writes it; "" if all is.

    What is null is taken out of it, as Go writes null for what is not there.
    """
    fault = fault_of(answer, _ANSWER)
    items = () if fault else answer.get("items", ())
    return fault or next(filter(None, map(unnamed, items)), "")
