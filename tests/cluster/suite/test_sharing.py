"""A cluster of several users: what waits and why, whose runs are, one look, the end told."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from as_user import User, phase
from harness.cluster import Cluster

SLEEPER = """\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {{generateName: sharing-}}
spec:
  entrypoint: main
  synchronization: {{mutexes: [{{name: {lock}}}]}}
  templates:
  - name: main
    container: {{image: "busybox:1.36", command: [sleep, "60"]}}
"""
GREEDY = """\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: sharing-}
spec:
  entrypoint: main
  templates:
  - name: main
    container: {image: "busybox:1.36", command: ["true"], resources: {limits: {nvidia.com/gpu: "64"}}}
"""
BROKEN = """\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: sharing-}
spec:
  entrypoint: main
  onExit: bye
  arguments: {parameters: [{name: lines, value: "150"}]}
  templates:
  - name: main
    dag:
      tasks:
      - {name: count, template: count}
      - {name: break, template: break, depends: count}
  - name: count
    container:
      image: busybox:1.36
      command: [sh, -c, "seq {{workflow.parameters.lines}}"]
  - name: break
    container: {image: "busybox:1.36", command: [sh, -c, "echo 'it \\"broke\\"'; exit 3"]}
  - name: bye
    container: {image: "busybox:1.36", command: [sh, -c, "echo bye {{workflow.status}}"]}
"""


@pytest.fixture
def other(cluster: Cluster, tmp_path: Path) -> Iterator[User]:
    """Another user of the same cluster."""
    found = User(cluster, tmp_path / "other")
    yield found
    found.forget()


def written(user: User, text: str) -> Path:
    file = user.folder / "manifest.yaml"
    file.write_text(text)
    return file


def test_runs_that_wait_for_a_lock_have_their_place_and_a_priority_changes_it(
    user: User, other: User
) -> None:
    file = written(user, SLEEPER.format(lock=user.name))
    first = user.started(file)
    user.until(first, lambda run: phase(run) == "Running")
    second = user.started(file)
    third = other.started(file, "--priority", "5")
    for name in (second, third):
        user.until(name, lambda run: (run.get("status") or {}).get("synchronization"))

    mine = user.there("list")
    lines = {line.split()[1]: line for line in mine.stdout.splitlines()[1:]}
    assert f"place 2 of 2 for {user.name}" in lines[second]
    assert third not in lines
    assert "of others: argojobs list --all-users --context there" in mine.stderr
    everyone = user.there("list", "--all-users").stdout
    (row,) = [line for line in everyone.splitlines() if third in line]
    assert other.name in row
    assert f"place 1 of 2 for {user.name}" in row


def test_a_pod_that_finds_no_node_says_why_in_the_list(user: User) -> None:
    name = user.started(written(user, GREEDY))
    user.until(
        name,
        lambda run: any(
            "Unschedulable" in node.get("message", "")
            for node in ((run.get("status") or {}).get("nodes") or {}).values()
        ),
    )
    assert "Insufficient nvidia.com/gpu" in user.there("list").stdout
    assert "Insufficient nvidia.com/gpu" in user.there("query", name, cwd=user.folder).stdout


def test_another_users_run_is_changed_only_by_force(user: User, other: User) -> None:
    name = user.started(written(user, SLEEPER.format(lock=user.name)))
    refused = other.there("abort", name, code=2)
    assert f"{name} is a run of {user.name}, not of {other.name}" in refused.stderr
    assert f"of {user.name}" in other.there("abort", name, "--force").stdout
    assert phase(user.ended(name)) == "Failed"


def test_my_latest_is_mine(user: User, other: User) -> None:
    file = written(user, GREEDY)
    mine = user.started(file)
    theirs = other.started(file)
    assert user.there("query", "@latest", "-o", "name").stdout.strip() == mine
    assert other.there("query", "@latest", "-o", "name").stdout.strip() == theirs


class Listener(http.server.BaseHTTPRequestHandler):
    """Keeps what is posted."""

    def do_POST(self) -> None:
        server: Any = self.server
        server.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def listener(cluster: Cluster) -> Iterator[Any]:
    """A web server that pods reach: at the address that the store has too."""
    host = cluster.s3_endpoint.partition(":")[0]
    server: Any = http.server.HTTPServer((host, 0), Listener)
    server.bodies = []
    server.address = f"http://{host}:{server.server_port}/done"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_the_end_is_told_the_look_has_it_all_and_the_manifest_is_kept(
    user: User, cluster: Cluster, listener: Any
) -> None:
    run = user.finished(written(user, BROKEN), "--notify", listener.address, code=1)
    name = run["metadata"]["name"]

    # told from the cluster, beside the handler that the run has
    (told,) = listener.bodies
    assert (told["name"], told["phase"]) == (name, "Failed")
    assert [one["displayName"] for one in told["failures"]] == ["break"]
    assert told["duration"] > 0
    assert told["link"] == f"{cluster.argo_url}/workflows/{cluster.namespace}/{name}"
    assert "bye Failed" in user.there("logs", name).stdout

    # one look
    short = name.rpartition("-")[2]
    look = json.loads(user.there("query", short, "-o", "json", cwd=user.folder).stdout)
    assert (look["id"], look["short_id"], look["state"]) == (name, short, "Failed")
    assert (look["context"], look["user"]) == ("there", user.name)
    assert look["command_line"].startswith("argojobs run")
    assert listener.address not in look["command_line"]
    assert look["parameters"] == {"lines": "150"}
    assert look["log_of"] == "break"
    assert look["log"][0] == 'it "broke"'
    logs = user.folder / "assets" / name
    counted = (logs / "count.log").read_text().splitlines()
    assert counted == [str(number) for number in range(1, 151)]
    assert (logs / "onExit.handler.log").read_text() == "bye Failed\n"
    assert look["results_in"] == f"s3://{cluster.s3_bucket}/{user.name}/{name}"

    # what was submitted lies with the results
    kept = user.folder / "kept.yaml"
    key = f"s3://{cluster.s3_bucket}/{user.name}/{name}/manifest.yaml"
    user.there("artifacts", "get", key, kept)
    assert f"name: {name}" in kept.read_text()

    opened = json.loads(user.there("open", name, "-o", "json").stdout)
    assert opened["ui"] == told["link"]
