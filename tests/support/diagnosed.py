"""Evidence for tests of the diagnosis: recorded on a real cluster, or made of one message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from argojobs.diagnosis.evidence import NODE_ID, Evidence

RECORDED = Path(__file__).parents[1] / "diagnosis" / "recorded"


def recorded(name: str, **more: Any) -> Evidence:
    """What was recorded of a run: Kubernetes 1.35, Argo 4.0.5, containerd, SeaweedFS."""
    return Evidence(**json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8")), **more)


def of_message(
    message: str = "", phase: str = "Failed", *, events: Any = (), log: Any = (), **more: Any
) -> Evidence:
    """A run of one pod, whose node says this; events: pairs of a reason and a message."""
    node = {
        "id": "r",
        "name": "r",
        "displayName": "train",
        "type": "Pod",
        "templateName": "main",
        "phase": phase,
        "message": message,
    }
    container = {"name": "main", "image": "team/train:1", "command": ["python3", "train.py"]}
    workflow = {
        "metadata": {"name": "r", "namespace": "team"},
        "spec": {"templates": [{"name": "main", "container": container}]},
        "status": {"phase": "Running" if phase == "Pending" else phase, "nodes": {"r": node}},
    }
    pod = {
        "metadata": {"name": "r-pod", "annotations": {NODE_ID: "r"}},
        "spec": {"containers": [container]},
        "status": {"phase": phase if phase != "Error" else "Failed"},
    }
    told = [
        {
            "type": "Warning",
            "reason": reason,
            "message": text,
            "involvedObject": {"kind": "Pod", "name": "r-pod"},
        }
        for reason, text in events
    ]
    return Evidence(workflow, [pod], told, logs={"r": log}, **more)
