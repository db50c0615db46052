"""The same pipelines on this machine and on the cluster: the same nodes, phases and outputs.

All are run once, several at a time; each test looks at one pair. The pods on the cluster have the
names that we compute.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from as_user import ROOT, User, Workflow, nodes_of, phase
from harness.cluster import Cluster
from support.shared import ARGO, WHY_NOT

from argojobs.manifest.names import pod_name

#: So many runs at a time on the one node there is.
AT_ONCE = 6

#: Each is a file, a pipeline in it ("" for its only one) and arguments.
CASES = {
    "hello": ("hello.py", "", []),
    "hello-ada": ("hello.py", "", ["-p", "name=Ada é", "-p", "times=3"]),
    "everything": ("everything.py", "everything", []),
    "nested-two": ("nested.py", "nested", ["-p", "count=2"]),
    "nested-empty": ("nested.py", "nested", ["-p", "count=0"]),
    "part": ("nested.py", "part", ["-p", "count=2"]),
    "part-empty": ("nested.py", "part", ["-p", "count=0"]),
    "lists-empty": ("nested.py", "lists", []),
    "lists-one": ("nested.py", "lists", ["-p", "count=1"]),
    "branches-small": ("nested.py", "branches", []),
    "branches-big": ("nested.py", "branches", ["-p", "limit=1"]),
    "none-taken": ("nested.py", "none", []),
    "one-taken": ("nested.py", "none", ["-p", "limit=1"]),
    "keeps-nothing": ("keeps.py", "maybe", []),
    "shakes": ("again.py", "shakes", []),
    "fails": ("again.py", "fails", []),
    "chain-bad": ("verbs.py", "chain", []),
    "chain-good": ("verbs.py", "chain", ["-p", "good=true"]),
    "chain-text": ("verbs.py", "chain", ["-p", "good=true", "-p", "text={{x}} $(Y) \"'\\"]),
    "waiting": ("verbs.py", "waiting", ["-p", "seconds=0"]),
    "counting": ("verbs.py", "counting", ["-p", "lines=3"]),
    "wide": ("wide.py", "", ["-p", "count=3"]),
    "wide-one": ("wide.py", "", ["-p", "count=1"]),
    "steps": ("steps.yaml", "", []),
    "steps-retry": ("retry.yaml", "", []),
    "dag": ("dag.yaml", "", []),
    "exit": ("exit.yaml", "", []),
    "loops": ("loops.yaml", "", []),
    "when": ("when.yaml", "", []),
    "suspend": ("suspend.yaml", "", []),
}

#: Of Argo's own examples, which lie beside some checkouts, those that say much with few pods.
EXAMPLES = (
    "dag-enhanced-depends",
    "exit-code-output-variable",
    "exit-handler-step-level",
    "expression-destructure-json",
    "output-parameter",
    "status-reference",
)
CASES |= {name: (f"{name}.yaml", "", []) for name in EXAMPLES}


@dataclass
class Pair:
    """A pipeline's two runs, and the names of its pods on the cluster."""

    here: Workflow
    there: Workflow
    pods: set[str]


@pytest.fixture(scope="module")
def pairs(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Pair]]:
    """All runs, after their end."""
    user = User(cluster, tmp_path_factory.mktemp("user"))
    shutil.copy(ROOT / "workflows" / "hello.py", user.project)
    shutil.copy(ROOT / "tests" / "golden" / "everything.py", user.project)
    for name in EXAMPLES:
        if present(name):
            shutil.copy(ARGO / "examples" / f"{name}.yaml", user.project)
    keys = [key for key in CASES if present(key)]
    try:
        with ThreadPoolExecutor(AT_ONCE) as beside:
            there = {key: beside.submit(final, user, key, "--context", "there") for key in keys}
            here = {key: final(user, key) for key in keys}
            found = {key: (here[key], one.result()) for key, one in there.items()}
        listed = json.loads(
            cluster.kubectl("get", "pods", "-l", "workflows.argoproj.io/workflow", "-o", "json")
        )
        pods: dict[str, set[str]] = {}
        for pod in listed["items"]:
            of = pod["metadata"]["labels"]["workflows.argoproj.io/workflow"]
            pods.setdefault(of, set()).add(pod["metadata"]["name"])
        yield {
            key: Pair(ours, theirs, pods.get(theirs["metadata"]["name"], set()))
            for key, (ours, theirs) in found.items()
        }
    finally:
        user.argojobs("server", "stop", "--force", code=None)
        user.forget()


def present(key: str) -> bool:
    """Whether what a case runs is here."""
    return key not in EXAMPLES or (ARGO / "examples" / f"{key}.yaml").exists()


@pytest.fixture(params=CASES)
def pair(pairs: dict[str, Pair], request: pytest.FixtureRequest) -> Pair:
    """The two runs of each case in turn."""
    if not present(request.param):
        pytest.skip(WHY_NOT)
    return pairs[request.param]


def final(user: User, key: str, *where: str) -> Workflow:
    """The workflow of a case at its end, here or there."""
    file, pipeline, words = CASES[key]
    chosen = ["--pipeline", pipeline] if pipeline else []
    done = user.argojobs(
        *("run", file, *chosen, *words, "--wait", "-o", "json", *where),
        cwd=user.project,
        code=None,
    )
    # one that is refused has no nodes, and says why
    refused = {"metadata": {"name": "-"}, "status": {"phase": done.stderr, "nodes": {}}}
    workflow: Workflow = json.loads(done.stdout) if done.stdout else refused
    return workflow


def reduced(workflow: Workflow) -> dict[str, Any]:
    """The tree as it must be everywhere: nothing of times, hosts and made-up names."""
    name = workflow["metadata"]["name"]

    def plain(text: str) -> str:
        return re.sub(rf"{name}(-\d+)?", "RUN", text)

    nodes = {}
    for node in nodes_of(workflow):
        outputs = node.get("outputs") or {}
        nodes[plain(node["name"])] = {
            "type": node["type"],
            "phase": node["phase"],
            "template": node.get("templateName", ""),
            # after "errored" comes what a parser says, in its own words
            "message": plain(node.get("message", "")).partition(" errored: ")[0],
            # Argo names an output of a failed pod that has no value, the engine here does not
            "parameters": {
                one["name"]: one["value"]
                for one in outputs.get("parameters") or ()
                if "value" in one
            },
            "artifacts": sorted(
                one["name"]
                for one in outputs.get("artifacts") or ()
                if not one["name"].endswith("-logs")
            ),
            "code": outputs.get("exitCode"),
            "result": outputs.get("result"),
        }
    return {"phase": phase(workflow), "nodes": nodes}


def test_a_pipeline_gives_the_same_tree_on_both(pair: Pair) -> None:
    assert reduced(pair.here) == reduced(pair.there)


def test_pods_have_the_names_that_we_compute(pair: Pair) -> None:
    workflow = pair.there
    name = workflow["metadata"]["name"]
    computed = {
        pod_name(name, node["templateName"], node["name"], node["id"])
        for node in nodes_of(workflow)
        if node["type"] == "Pod"
    }
    assert computed == pair.pods
