"""A run that tells of its end: what is taken for an address, and the step that is added."""

from __future__ import annotations

import copy
import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from argojobs import lint
from argojobs.edits.notify import EXIT, PROGRAM, STEP, Notice, parse, with_notice
from argojobs.errors import UsageError

WORKFLOW: dict[str, Any] = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "Workflow",
    "metadata": {"name": "demo"},
    "spec": {
        "entrypoint": "main",
        "templates": [
            {"name": name, "container": {"image": "busybox:1.36", "command": ["true"]}}
            for name in ("main", "bye")
        ],
    },
}


class TestWhom:
    def test_an_address_a_secret_or_a_command(self) -> None:
        assert parse("https://ci.example.com/done") == Notice(url="https://ci.example.com/done")
        assert parse("secret:slack/url") == Notice(secret=("slack", "url"))
        assert parse("mail -s done me") == Notice(command="mail -s done me")

    @pytest.mark.parametrize(
        "url",
        [
            "https://hooks.example.com/services/T0AB12CD3/B0AB12CD3/4hg7Kk2mQ9xV1sT8wZ3yB6nD",
            "https://discord.example.com/api/webhooks/123456789012345678/aB3dE5fG7hJ9kL1mN3pQ",
            "https://user:word@example.com/done",
            "https://example.com/done?key=abcdefgh1",
        ],
    )
    def test_an_address_that_holds_a_secret_is_refused_and_not_repeated(self, url: str) -> None:
        with pytest.raises(UsageError) as caught:
            parse(url)
        assert url not in str(caught.value)
        assert "--notify secret:notify/url" in caught.value.hint

    @pytest.mark.parametrize(
        "text", ["", "  ", "ftp://example.com", "secret:", "secret:A/b", "secret:a"]
    )
    def test_what_is_none_of_them_is_refused(self, text: str) -> None:
        with pytest.raises(UsageError):
            parse(text)


def told(workflow: dict[str, Any] = WORKFLOW, notice: Notice | None = None) -> dict[str, Any]:
    made = with_notice(
        workflow,
        notice or Notice(url="https://example.com/done"),
        image="python:3.12-slim",
        link="https://argo.example.com/workflows/ml/{{workflow.name}}",
    )
    spec: dict[str, Any] = made["spec"]
    return spec


def template(spec: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [one for one in spec["templates"] if one["name"] == name]
    return found


class TestManifest:
    def test_the_end_has_a_step_that_tells_and_cannot_fail_the_run(self) -> None:
        spec = told()
        assert spec["onExit"] == EXIT
        ((step,),) = template(spec, EXIT)["steps"]
        assert step["template"] == STEP
        assert step["continueOn"] == {"failed": True, "error": True}
        assert template(spec, STEP)["container"]["image"] == "python:3.12-slim"

    def test_the_given_manifest_is_not_changed(self) -> None:
        before = copy.deepcopy(WORKFLOW)
        told()
        assert before == WORKFLOW

    def test_the_handler_that_the_run_has_runs_beside_it(self) -> None:
        spec = told({**WORKFLOW, "spec": {**WORKFLOW["spec"], "onExit": "bye"}})
        (group,) = template(spec, EXIT)["steps"]
        assert group[0] == {"name": "handler", "template": "bye"}
        assert "continueOn" not in group[0]

    def test_so_does_an_exit_hook_and_other_hooks_stay(self) -> None:
        exit_hook = {"template": "bye", "expression": "workflow.status != 'Succeeded'"}
        running = {"template": "bye", "expression": "workflow.status == 'Running'"}
        hooks = {"exit": exit_hook, "running": running}
        spec = told({**WORKFLOW, "spec": {**WORKFLOW["spec"], "hooks": hooks}})
        (group,) = template(spec, EXIT)["steps"]
        assert group[0]["when"] == "{{=workflow.status != 'Succeeded'}}"
        assert spec["hooks"] == {"running": running}

    def test_told_once_more_both_are_told(self) -> None:
        spec = told({**WORKFLOW, "spec": told()})
        (group,) = template(spec, f"{EXIT}-2")["steps"]
        assert [one["template"] for one in group] == [EXIT, f"{STEP}-2"]

    def test_a_secret_is_named_and_not_written(self) -> None:
        spec = told(notice=Notice(secret=("slack", "url")))
        env = {one["name"]: one for one in template(spec, STEP)["container"]["env"]}
        assert env["ARGOJOBS_NOTIFY"] == {
            "name": "ARGOJOBS_NOTIFY",
            "valueFrom": {"secretKeyRef": {"name": "slack", "key": "url"}},
        }

    def test_a_command_comes_to_its_shell_as_it_was_written(self) -> None:
        container = template(told(notice=Notice(command="echo $A $(date) $$")), STEP)["container"]
        # Kubernetes makes one of each two: docs, define a command, `$$(VAR_NAME)`.
        assert container["args"] == ["-c", "echo $$A $$(date) $$$$"]

    def test_it_asks_for_no_gpu_whatever_the_context_gives(self) -> None:
        container = template(told(), STEP)["container"]
        assert container["resources"] == {"requests": {"cpu": "50m", "memory": "64Mi"}}
        assert {"name": "NUM_GPUS", "value": "0"} in container["env"]

    def test_a_run_of_a_stored_template_is_refused(self) -> None:
        with pytest.raises(UsageError, match="WorkflowTemplate"):
            told({"spec": {"workflowTemplateRef": {"name": "t"}}})

    def test_lint_has_no_error(self) -> None:
        spec = told({**WORKFLOW, "spec": {**WORKFLOW["spec"], "onExit": "bye"}})
        findings = lint.lint({**WORKFLOW, "spec": spec}, refs="off")
        assert [one for one in findings if one.level == "error"] == []


class Listener(http.server.BaseHTTPRequestHandler):
    """Answers what the test wants, and keeps what came."""

    def do_POST(self) -> None:
        server: Any = self.server
        server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(server.answers.pop(0))
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def listener() -> Iterator[Any]:
    server: Any = http.server.HTTPServer(("127.0.0.1", 0), Listener)
    server.bodies, server.answers = [], [200]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


class TestProgram:
    def post(self, address: str, failures: Path, **more: str) -> subprocess.CompletedProcess[str]:
        env = {
            "ARGOJOBS_RUN": "demo-x7k2p",
            "ARGOJOBS_PHASE": "Failed",
            "ARGOJOBS_DURATION": "61.250000",
            "ARGOJOBS_LINK": "https://argo.example.com/workflows/ml/demo-x7k2p",
            "ARGOJOBS_FAILURES": str(failures),
            "ARGOJOBS_NOTIFY": address,
            "PATH": os.environ["PATH"],
            **more,
        }
        # time.sleep is a value in tests: nothing waits for real.
        program = PROGRAM.replace("time.sleep(", "(lambda _: None)(")
        return subprocess.run(
            [sys.executable, "-u", "-c", program],
            env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def test_it_posts_what_there_is_to_know(self, listener: Any, tmp_path: Path) -> None:
        one = {
            "displayName": "train",
            "phase": "Failed",
            "message": "main: Error (exit code 1)",
            "podName": "demo-x7k2p-train-1",
        }
        failures = tmp_path / "failures.json"
        later = {**one, "displayName": "test", "finishedAt": "2026-01-31T12:00:09Z"}
        above = {"displayName": "demo-x7k2p", "phase": "Failed", "message": "child 'x' failed"}
        group = {"displayName": "[0]", "phase": "Failed"}
        every = [later, above, group, {**one, "finishedAt": "2026-01-31T12:00:05Z"}]
        failures.write_text(json.dumps(json.dumps(every)))  # Argo quotes it twice
        ended = self.post(f"http://127.0.0.1:{listener.server_port}/done", failures)
        assert (ended.returncode, ended.stderr) == (0, "")
        (body,) = listener.bodies
        assert json.loads(body) == {
            "name": "demo-x7k2p",
            "phase": "Failed",
            "failures": [
                {"displayName": name, "phase": "Failed", "message": "main: Error (exit code 1)"}
                for name in ("train", "test")
            ],
            "duration": 61.2,
            "link": "https://argo.example.com/workflows/ml/demo-x7k2p",
            "text": "demo-x7k2p failed after 61 s: train: main: Error (exit code 1) "
            "https://argo.example.com/workflows/ml/demo-x7k2p",
        }

    @pytest.mark.parametrize("text", ['"null"', "null", "not json", "[]"])
    def test_without_failures_there_are_none(self, listener, tmp_path: Path, text: str) -> None:
        failures = tmp_path / "failures.json"
        failures.write_text(text)
        assert self.post(f"http://127.0.0.1:{listener.server_port}/", failures).returncode == 0
        assert json.loads(listener.bodies[0])["failures"] == []

    def test_it_tries_again_where_that_may_help(self, listener: Any, tmp_path: Path) -> None:
        listener.answers = [503, 429, 204]
        ended = self.post(f"http://127.0.0.1:{listener.server_port}/", tmp_path / "none")
        assert ended.returncode == 0
        assert len(listener.bodies) == 3

    def test_a_refusal_is_told_without_the_address(self, listener: Any, tmp_path: Path) -> None:
        listener.answers = [403]
        ended = self.post(f"http://127.0.0.1:{listener.server_port}/T0KEN", tmp_path / "none")
        assert ended.returncode == 1
        assert ended.stdout == f"127.0.0.1:{listener.server_port} answers 403\n"

    @pytest.mark.parametrize(
        "address", ["http://127.0.0.1:1/T0KEN", "nonsense T0KEN", "http://[T0KEN"]
    )
    def test_what_cannot_be_reached_fails_and_shows_no_secret(
        self, tmp_path: Path, address: str
    ) -> None:
        ended = self.post(address, tmp_path / "none")
        assert ended.returncode == 1
        assert "T0KEN" not in ended.stdout + ended.stderr
