"""Templates and CronWorkflows are run, compiled and converted as Workflows are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from support import run_service
from support.run_service import RunService, created

CONTAINER = "{image: 'busybox:1.36', command: [echo, '{{workflow.parameters.who}}']}"
TEMPLATE = f"""
apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: {{name: greet, labels: {{team: a}}}}
spec:
  entrypoint: main
  arguments: {{parameters: [{{name: who}}]}}
  templates:
  - {{name: main, container: {CONTAINER}}}
"""
CRON = f"""
apiVersion: argoproj.io/v1alpha1
kind: CronWorkflow
metadata: {{name: nightly}}
spec:
  schedules: ["0 3 * * *"]
  workflowMetadata: {{labels: {{team: b}}}}
  workflowSpec:
    entrypoint: main
    arguments: {{parameters: [{{name: who, value: 1}}]}}
    templates:
    - {{name: main, container: {CONTAINER}}}
"""
LIBRARY = TEMPLATE.replace("  entrypoint: main\n", "").replace("name: greet", "name: library")


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARGOJOBS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("ARGOJOBS_CONFIG", raising=False)


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunService:
    return run_service.installed(tmp_path, monkeypatch)


@pytest.fixture
def write(tmp_path: Path):
    """Write a manifest and return its name."""

    def written(text: str) -> str:
        file = tmp_path / "object.yaml"
        file.write_text(text)
        return str(file)

    return written


def planned(argojobs, *arguments: str):
    return json.loads(argojobs("run", *arguments, "--dry-run", "-o", "json").out)


class TestRun:
    def test_a_template_with_an_entrypoint_is_run(self, argojobs, service, write) -> None:
        answer = argojobs("run", write(TEMPLATE), "-p", "who=me")
        assert answer.code == 0
        assert created(service)[0].startswith("greet-")

    def test_what_is_sent_is_a_workflow_with_the_value(self, argojobs, service, write) -> None:
        made = planned(argojobs, write(TEMPLATE), "-p", "who=me")
        assert made["kind"] == "Workflow"
        assert made["spec"]["arguments"]["parameters"] == [{"name": "who", "value": "me"}]

    def test_a_cron_workflow_is_run_now(self, argojobs, service, write) -> None:
        made = planned(argojobs, write(CRON))
        assert made["metadata"]["name"].startswith("nightly-")
        assert made["metadata"]["labels"]["team"] == "b"
        assert "workflows.argoproj.io/scheduled-time" in made["metadata"]["annotations"]
        assert set(made["spec"]) == {"entrypoint", "arguments", "templates"}

    def test_a_value_that_is_missing_is_asked_for(self, argojobs, service, write) -> None:
        answer = argojobs("run", write(TEMPLATE))
        assert (answer.code, created(service)) == (2, [])
        assert "give -p who=VALUE" in answer.err

    def test_a_library_is_not_run(self, argojobs, service, write) -> None:
        answer = argojobs("run", write(LIBRARY))
        assert (answer.code, created(service)) == (2, [])
        assert "has no entrypoint" in answer.err

    def test_a_fault_in_a_cron_workflow_says_where(self, argojobs, service, write) -> None:
        file = write(CRON.replace("entrypoint: main", "entrypoint: mian"))
        answer = argojobs("run", file)
        assert (answer.code, created(service)) == (2, [])
        assert f"at {file}:9" in answer.err

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("{labels: {team: b}}", "[1]"),
            ("{labels: {team: b}}", "{labels: 5, annotations: x}"),
            ("{labels: {team: b}}", "text"),
            ("{name: nightly}", "{name: nightly, annotations: [1]}"),
            ("{name: nightly}", "{name: nightly, namespace: {a: b}}"),
            ("{parameters: [{name: who, value: 1}]}", "[1]"),
        ],
    )
    def test_what_has_the_wrong_shape_is_named(
        self,
        argojobs,
        service,
        write,
        before,
        after,
    ) -> None:
        answer = argojobs("run", write(CRON.replace(before, after)))
        assert (answer.code, created(service)) == (2, [])
        assert "belongs here, not" in answer.err


class TestErrorsThatMayBeIgnored:
    ITEM = TEMPLATE.replace("{{workflow.parameters.who}}", "{{item}}")
    SEEN = ITEM.replace(
        "labels: ", "annotations: {argojobs.dev/lint-ignore: item-outside-loop}, labels: "
    )

    @pytest.mark.parametrize("verb", ["run", "compile"])
    def test_the_way_round_is_named(self, argojobs, service, write, verb) -> None:
        answer = argojobs(verb, write(self.ITEM))
        assert (answer.code, created(service)) == (2, [])
        assert "argojobs.dev/lint-ignore: item-outside-loop" in answer.err

    def test_and_leads_round(self, argojobs, service, write) -> None:
        assert argojobs("compile", write(self.SEEN)).code == 0
        assert argojobs("run", write(self.SEEN), "-p", "who=x").code == 0
        assert len(created(service)) == 1

    def test_there_is_none_for_what_argo_refuses(self, argojobs, service, write) -> None:
        answer = argojobs("compile", write(self.ITEM.replace("command:", "comand:")))
        assert answer.code == 2
        assert "lint-ignore" not in answer.err


class TestCompile:
    @pytest.mark.parametrize("text", [TEMPLATE, CRON, LIBRARY], ids=["template", "cron", "library"])
    def test_an_object_stays_what_it_is(self, argojobs, write, text) -> None:
        answer = argojobs("compile", write(text))
        assert answer.code == 0
        made = yaml.safe_load(answer.out)
        given = yaml.safe_load(text)
        if text == CRON:
            given["spec"]["workflowSpec"]["arguments"]["parameters"][0]["value"] = "1"
        assert made == given

    def test_a_value_goes_into_the_workflow_inside(self, argojobs, write) -> None:
        made = yaml.safe_load(argojobs("compile", write(CRON), "-p", "who=me").out)
        inner = made["spec"]["workflowSpec"]["arguments"]["parameters"]
        assert inner == [{"name": "who", "value": "me"}]

    @pytest.mark.parametrize("kind", ["WorkflowTemplate", "ClusterWorkflowTemplate"])
    def test_names_that_others_call_are_not_cut(self, argojobs, write, kind) -> None:
        text = LIBRARY.replace("WorkflowTemplate", kind).replace("{name: main", "{name: Main")
        made = yaml.safe_load(argojobs("compile", write(text)).out)
        assert made["spec"]["templates"][0]["name"] == "Main"

    def test_a_context_fills_an_object_of_any_kind(
        self, argojobs, write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        config = tmp_path / "config.toml"
        config.write_text(
            '[contexts.lab]\nserver = "https://lab:1"\nnamespace = "ml"\nservice_account = "s"\n'
        )
        monkeypatch.setenv("ARGOJOBS_CONFIG", str(config))
        made = yaml.safe_load(argojobs("compile", write(CRON), "--context", "lab").out)
        assert made["metadata"]["namespace"] == "ml"
        assert made["spec"]["workflowSpec"]["serviceAccountName"] == "s"
        assert "serviceAccountName" not in made["spec"]
        cluster = TEMPLATE.replace("WorkflowTemplate", "ClusterWorkflowTemplate")
        made = yaml.safe_load(argojobs("compile", write(cluster), "--context", "lab").out)
        assert "namespace" not in made["metadata"]

    @pytest.mark.parametrize("to", ["hera", "dsl"])
    def test_a_program_needs_no_values(self, argojobs, write, to) -> None:
        for text in (TEMPLATE, TEMPLATE.replace("WorkflowTemplate", "Workflow")):
            answer = argojobs("compile", write(text), "--to", to)
            assert answer.code == 0
            compile(answer.out, "made.py", "exec")

    def test_a_pipeline_needs_no_values(self, argojobs, tmp_path: Path) -> None:
        file = tmp_path / "flow.py"
        file.write_text(
            "from argojobs import pipeline, step\n"
            "@step\ndef work(n: int) -> int: return n\n"
            "@pipeline\ndef flow(n: int) -> int: return work(n)\n"
        )
        made = yaml.safe_load(argojobs("compile", str(file), "--code", "image").out)
        assert made["spec"]["arguments"]["parameters"] == [{"name": "n"}]

    def test_a_wrong_value_is_refused_all_the_same(self, argojobs, write) -> None:
        assert argojobs("compile", write(TEMPLATE), "-p", "whom=me").code == 2
