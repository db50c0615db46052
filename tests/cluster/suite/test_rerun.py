"""Retry and resubmit: what the real Argo makes of a run, and what it makes of ours."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
import requests
from harness.cluster import Cluster

from argojobs.edits import rerun
from argojobs.edits.resubmit import resubmit
from argojobs.edits.reuse import resubmit_from

Workflow = dict[str, Any]

POD = {
    "name": "pod",
    "inputs": {"parameters": [{"name": "x", "value": "1"}]},
    "outputs": {"parameters": [{"name": "o", "valueFrom": {"path": "/tmp/o"}}]},
    "container": {
        "image": "busybox:1.36",
        "command": ["sh", "-c"],
        "args": [
            "echo '{{inputs.parameters.x}}' > /tmp/o; test '{{inputs.parameters.x}}' != bad",
        ],
    },
}


def task(name: str, depends: str = "", x: str = "1", **fields: Any) -> dict[str, Any]:
    given = {"parameters": [{"name": "x", "value": x}]}
    return {"name": name, "template": "pod", "depends": depends, "arguments": given, **fields}


def chain(value: str) -> Workflow:
    """A fan-out behind a step that must have succeeded, its outputs gathered, a parameter used."""
    tasks = [
        task("pre"),
        task("fan", "pre.Succeeded", "{{item}}", withItems=["a", "b"]),
        task("train", "fan", "{{tasks.fan.outputs.parameters.o}}"),
        task("use", "train", "{{workflow.parameters.n}}"),
    ]
    return {
        "metadata": {"name": f"rerun-{uuid.uuid4().hex[:8]}"},
        "spec": {
            "entrypoint": "main",
            "arguments": {"parameters": [{"name": "n", "value": value}]},
            "templates": [{"name": "main", "dag": {"tasks": tasks}}, POD],
        },
    }


class Runs:
    """The workflows of a test on the real server."""

    def __init__(self, cluster: Cluster) -> None:
        self.url = f"{cluster.argo_url}/api/v1/workflows/{cluster.namespace}"
        self.headers: dict[str, str] = {}  # full rights: a retry deletes pods
        self.made: list[str] = []

    def ask(self, method: str, path: str = "", body: object = None) -> Any:
        answer = requests.request(
            method, self.url + path, json=body, headers=self.headers, timeout=30
        )
        answer.raise_for_status()
        return answer.json()

    def create(self, workflow: Workflow) -> Workflow:
        made: Workflow = self.ask("POST", body={"workflow": workflow})
        self.made.append(made["metadata"]["name"])
        return self.ended(self.made[-1])

    def ended(self, name: str) -> Workflow:
        end = time.monotonic() + 400
        while time.monotonic() < end:
            found: Workflow = self.ask("GET", f"/{name}")
            if found["status"].get("phase") in {"Succeeded", "Failed", "Error"}:
                return found
            time.sleep(0.5)
        raise AssertionError(f"{name} has not ended")


@pytest.fixture
def runs(cluster: Cluster) -> Iterator[Runs]:
    made = Runs(cluster)
    yield made
    for name in made.made:
        made.ask("DELETE", f"/{name}")


def compared(nodes: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Nodes without times, and with links in one order: the server walks a map."""
    found = {}
    for key, node in nodes.items():
        kept = {k: v for k, v in node.items() if v and k not in {"startedAt", "finishedAt"}}
        for links in ("children", "outboundNodes"):
            if links in kept:
                kept[links] = sorted(kept[links])
        found[key] = kept
    return found


def by_name(workflow: Workflow) -> dict[str, dict[str, Any]]:
    return {node["displayName"]: node for node in workflow["status"]["nodes"].values()}


def test_a_run_from_a_step_takes_over_what_was_done(runs: Runs) -> None:
    old = runs.create(chain("ok"))
    made = resubmit_from(
        old, ["train"], f"{old['metadata']['name']}-two", now="2026-01-02T03:04:05Z"
    )
    assert [step.step for step in made.steps if step.reused] == ["pre", "fan(0:a)", "fan(1:b)"]
    new = runs.create(made.workflow)
    assert new["status"]["phase"] == "Succeeded"
    steps = by_name(new)
    for name in ("pre", "fan(0:a)", "fan(1:b)"):
        assert steps[name]["message"] == f"original pod: {by_name(old)[name]['id']}"
    given = steps["train"]["inputs"]["parameters"][0]["value"]
    assert json.loads(given) == ["a", "b"]
    assert "message" not in steps["train"]


@pytest.mark.parametrize("verb", ["retry", "resubmit"])
def test_our_nodes_are_those_of_argo(runs: Runs, verb: str) -> None:
    old = runs.create(chain("bad"))
    assert old["status"]["phase"] == "Failed"
    name = old["metadata"]["name"]
    body = {"parameters": ["n=ok"], **({"memoized": True} if verb == "resubmit" else {})}
    theirs = runs.ask("PUT", f"/{name}/{verb}", body)
    if verb == "retry":
        nodes = rerun.retry(old, now="", parameters=["n=ok"]).nodes
        assert runs.ended(name)["status"]["phase"] == "Succeeded"
    else:
        runs.made.append(theirs["metadata"]["name"])
        nodes = resubmit(old, runs.made[-1], now="", memoized=True)["status"]["nodes"]
    assert compared(theirs["status"]["nodes"]) == compared(nodes)
    assert theirs["spec"]["arguments"] == rerun.override(old, ["n=ok"])["arguments"]
