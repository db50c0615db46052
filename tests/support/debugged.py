"""A run whose step is debugged, and a server's place that it is at."""

from __future__ import annotations

from typing import Any

from argojobs.config.contexts import Context
from argojobs.runs.target import Target

TOLD = {"name": "ARGOJOBS_DEBUG", "value": "1"}
PORT = {"name": "debug", "containerPort": 3000, "hostPort": 33000}


def run(*, debug: str = "true", **container: Any) -> dict[str, Any]:
    template = {"name": "train", "container": {"image": "i", **container}}
    node = {"type": "Pod", "templateName": "train", "phase": "Running", "hostNodeName": "127.0.0.1"}
    return {
        "metadata": {"name": "r"},
        "spec": {
            "arguments": {"parameters": [{"name": "debug", "value": debug}]},
            "templates": [template],
        },
        "status": {"nodes": {"r-1": node}},
    }


def place(**context: Any) -> Target:
    lab = Context("lab", server="https://lab", **context)
    return Target(lab, None, None, None, " --context lab")  # type: ignore[arg-type]
