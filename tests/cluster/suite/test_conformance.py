"""The records of the project's own conformance suite are what this cluster makes of it today.

`UPDATE_RECORDS=1 pytest tests/cluster/suite/test_conformance.py` writes them anew, with `-k NAME`
one of them. What the engine here makes of the same workflows is compared in tests/engine.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from typing import Any

import pytest
from harness.cluster import Cluster
from support import conformance
from support.reduced import Reduced, differences, reduced

#: So many runs at a time: a pod that waits for a place would come too late for a deadline.
AT_ONCE = 16
PATIENCE = 600  # seconds for all
LABEL = "argojobs.dev/conformance"

#: What is not the same each time, and why.
VARIES = {
    "deadline-of-a-step": (".exitCode", "the kubelet may have removed the pod before Argo looks")
}


@pytest.fixture(scope="module")
def fresh(cluster: Cluster, request: pytest.FixtureRequest) -> dict[str, Reduced]:
    """The workflows whose tests were chosen, run now, some at a time, and reduced."""
    mark = uuid.uuid4().hex[:6]
    chosen = [
        item.callspec.params["name"]
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.path == request.path
    ]
    waiting = list(chosen)
    ended: dict[str, Any] = {}
    until = time.monotonic() + PATIENCE
    try:
        while len(ended) < len(chosen):
            assert time.monotonic() < until, f"still not ended: {unfinished(cluster, mark, ended)}"
            runs = listed(cluster, mark)
            ended |= {name: run for name, run in runs.items() if has_ended(run)}
            started = min(len(waiting), AT_ONCE - (len(runs) - len(ended)))
            if started:
                create(cluster, waiting[:started], mark)
                waiting = waiting[started:]
            time.sleep(0.5)  # the cluster's time is real
    finally:
        cluster.kubectl("delete", "workflows", "--selector", f"{LABEL}={mark}", "--wait=false")
    found = {name: reduced(run) for name, run in ended.items()}
    if os.environ.get("UPDATE_RECORDS"):
        for name, record in found.items():
            conformance.write(name, record)
    return found


def create(cluster: Cluster, names: list[str], mark: str) -> None:
    """Start these, all by one request of kubectl's."""
    made = [conformance.workflow(name, f"-{mark}") for name in names]
    for one in made:
        one["metadata"].setdefault("labels", {})[LABEL] = mark
    cluster.kubectl("create", "-f", "-", text="\n---\n".join(map(json.dumps, made)))


def listed(cluster: Cluster, mark: str) -> dict[str, Any]:
    """The runs that were started, by the names of their workflows."""
    found = json.loads(
        cluster.kubectl("get", "workflows", "--selector", f"{LABEL}={mark}", "-o", "json")
    )
    return {run["metadata"]["name"].removesuffix(f"-{mark}"): run for run in found["items"]}


def has_ended(run: dict[str, Any]) -> bool:
    """Whether a run has its last phase."""
    return (run.get("status") or {}).get("phase") in {"Succeeded", "Failed", "Error"}


def unfinished(cluster: Cluster, mark: str, ended: dict[str, Any]) -> list[str]:
    """The names of those that run."""
    return sorted(set(listed(cluster, mark)) - set(ended))


@pytest.mark.parametrize("name", conformance.NAMES)
def test_the_record_is_what_the_controller_makes_of_it(
    fresh: dict[str, Reduced], name: str
) -> None:
    varies, _ = VARIES.get(name, ("nothing", ""))
    found = [
        line for line in differences(fresh[name], conformance.record(name)) if varies not in line
    ]
    assert not found, "\n".join(found)
