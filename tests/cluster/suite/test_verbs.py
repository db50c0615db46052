"""The verbs that change runs, and logs that are followed: as a user says them, on the real Argo."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from as_user import User, messages, nodes_of, phase, result, step, steps_of

ASK = """
kind: Workflow
metadata: {generateName: ask-}
spec:
  entrypoint: main
  templates:
  - name: main
    steps:
    - [{name: ask, template: approve}]
    - - name: go
        template: say
        arguments:
          parameters: [{name: amount, value: "{{steps.ask.outputs.parameters.amount}}"}]
  - name: approve
    suspend: {}
    outputs: {parameters: [{name: amount, valueFrom: {supplied: {}}}]}
  - name: say
    inputs: {parameters: [{name: amount}]}
    container: {image: "busybox:1.36", command: [echo, "amount {{inputs.parameters.amount}}"]}
"""


@pytest.fixture
def verbs(user: User) -> Path:
    return user.project / "verbs.py"


@pytest.mark.parametrize("verb", ["stop", "abort"])
def test_a_run_is_ended_with_its_exit_step_or_without(user: User, verbs: Path, verb: str) -> None:
    name = user.started(verbs, "--pipeline", "waiting")
    user.until_said(name, "it waits")
    user.there(verb, name)
    workflow = user.ended(name)
    assert phase(workflow) == "Failed"
    assert step(workflow, "waits")["phase"] == "Failed"
    said = "goodbye: Failed" in user.there("logs", name).stdout
    assert said == (verb == "stop")
    assert "last" not in {n["displayName"] for n in nodes_of(workflow) if n["type"] == "Pod"}
    assert user.there("wait", name, code=1).returncode == 1


def test_a_suspended_run_starts_nothing_until_it_is_resumed(user: User, verbs: Path) -> None:
    name = user.started(verbs, "--pipeline", "waiting", "-p", "seconds=5")
    user.until_said(name, "it waits")
    user.there("suspend", name)
    user.until(name, lambda run: steps_of(run).get("waits") == "Succeeded")
    held = user.get(name)
    assert held["spec"]["suspend"] is True
    assert "last" not in steps_of(held)
    assert phase(held) == "Running"
    user.there("resume", name)
    workflow = user.ended(name)
    assert phase(workflow) == "Succeeded", messages(workflow)
    assert result(workflow) == {"result": "done last"}


def test_a_suspended_step_is_given_the_outputs_that_it_waits_for(user: User) -> None:
    manifest = user.project / "ask.yaml"
    manifest.write_text(ASK)
    name = user.started(manifest)
    user.until(name, lambda run: steps_of(run).get("ask") == "Running")
    assert "waits for a value of amount" in user.there("resume", name, code=2).stderr
    user.there("resume", name, "-p", "amount=0.8")
    workflow = user.ended(name)
    assert phase(workflow) == "Succeeded", messages(workflow)
    assert step(workflow, "ask")["outputs"]["parameters"][0]["value"] == "0.8"
    assert "amount 0.8" in user.there("logs", name).stdout


def test_a_failed_run_is_retried_and_one_made_of_it_takes_over_what_was_done(
    user: User, verbs: Path
) -> None:
    name = user.started(verbs, "--pipeline", "chain")
    workflow = user.ended(name)
    assert phase(workflow) == "Failed"
    first = step(workflow, "first")

    told = user.there("resubmit", name, "--from", "middle", "-p", "good=true")
    assert "first" in told.stdout
    made = next(run for run in listed(user) if run != name)
    again = user.ended(made)
    assert phase(again) == "Succeeded", messages(again)
    assert result(again) == {"result": "first a\nmiddle last"}
    assert step(again, "first")["message"] == f"original pod: {first['id']}"

    refused = user.there("retry", name, "-p", "good=true", code=2).stderr
    assert (
        "not allowed to delete pods" in refused
    )  # a retry does, and the submitter's role lacks it
    user.write_config(token="")
    user.there("retry", name, "-p", "good=true")
    retried = user.ended(name)
    assert phase(retried) == "Succeeded", messages(retried)
    assert result(retried) == {"result": "first a\nmiddle last"}
    assert step(retried, "first")["finishedAt"] == first["finishedAt"]


def listed(user: User) -> list[str]:
    """The names of the user's runs."""
    runs = json.loads(user.there("list", "-o", "json").stdout)
    names = [run["metadata"]["name"] if "metadata" in run else run["name"] for run in runs]
    return [name for name in names if name.startswith("chain-")]


def test_logs_are_followed_over_a_restart_of_the_server_with_no_line_lost_or_doubled(
    user: User, verbs: Path, own_server: tuple[str, str]
) -> None:
    server, address = own_server
    user.write_config(server=address)
    name = user.started(verbs, "--pipeline", "counting")
    user.until_said(name, "line 3")
    seen, errors = user.folder / "seen", user.folder / "errors"
    with seen.open("w") as out, errors.open("w") as err:
        words = user.shell("logs", name, "--follow", "--context", "there")
        following = subprocess.Popen(**words, stdout=out, stderr=err)
    try:
        user.until(name, lambda _: "line 3" in seen.read_text())
        user.cluster.stop_server(server)
        user.cluster.start_server(server)
        assert following.wait(timeout=300) == 0, errors.read_text()
    finally:
        following.kill()
        following.wait()
    lines = [line.partition("] ")[2] or line for line in seen.read_text().splitlines()]
    assert [line for line in lines if line.startswith("line ")] == [
        f"line {number}" for number in range(150)
    ]
