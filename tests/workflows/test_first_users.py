"""The first users' file and its variants run unchanged: what Argo would drop is dropped and said."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from argojobs.cli.main import main

#: Stands for the users' network: writes what it was given, and the file that the next step takes.
NETWORK = """\
import json, pathlib, sys
given = dict(one[1:].split("=", 1) for one in sys.argv[1:])
before = pathlib.Path("/tmp/prev_results.yaml")
if not before.exists():
    raise SystemExit("no results of the step before")
pathlib.Path(given["resultspath"]).write_text(
    json.dumps({**given, "before": before.read_text()})
)
print(json.dumps(given))
"""


@pytest.fixture
def project(shared: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the file as it is, a stand-in for its program, and a folder for its claim."""
    folder = tmp_path / "project"
    (folder / "networks").mkdir(parents=True)
    (folder / "networks" / "cell2d.py").write_text(NETWORK)
    (folder / "sets").mkdir()
    shutil.copy(shared / "cases" / "crisplitdemo.yaml", folder)
    (folder / "argojobs.toml").write_text('[local.claims]\ndatasets = "sets"\n')
    monkeypatch.chdir(folder)
    return folder


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "argojobs", *arguments],
        capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip


def namespaces() -> bool:
    done = subprocess.run(["unshare", "-Urm", "true"], capture_output=True, check=False)
    return done.returncode == 0


needs_namespaces = pytest.mark.skipif(
    sys.platform != "linux" or not namespaces(), reason="the file mounts absolute paths"
)


def finished(*arguments: str) -> tuple[dict, subprocess.CompletedProcess[str]]:
    """The ended run, and what starting it said."""
    started = run("run", "crisplitdemo.yaml", "--detach", "-o", "name", *arguments)
    assert started.returncode == 0, started.stderr
    name = started.stdout.strip()
    ended = run("wait", name)
    assert ended.returncode in (0, 1), ended.stderr
    return json.loads(run("get", name, "-o", "json").stdout), started


def logged(name: str, step: str) -> dict[str, str]:
    lines = run("logs", name, step).stdout.splitlines()
    return json.loads(next(line[line.index("{") :] for line in lines if "{" in line))


def phases(workflow: dict) -> dict[str, str]:
    return {node["displayName"]: node["phase"] for node in workflow["status"]["nodes"].values()}


@needs_namespaces
def test_it_runs_as_it_is_and_says_what_argo_would_drop(project: Path) -> None:
    workflow, done = finished("--params", '{"batch_size":2}')
    assert workflow["status"]["phase"] == "Succeeded"
    assert "annotations: `annotations` has no effect here" in done.stderr
    assert "container.retryStrategy: `retryStrategy` has no effect here" in done.stderr
    assert "retryStrategy" not in json.dumps(workflow["spec"])
    name = workflow["metadata"]["name"]
    first = logged(name, "pretrain-00")
    # numbers and booleans arrive as they are written, a tag inside a JSON text is replaced
    assert first["learning_rate"] == "1e-4"
    assert first["batch_size"] == "2"
    assert first["prune"] == "false"
    assert first["model_dest"] == "20230114demo_00"
    assert first["class_weight"] == "[0.02, 1.0]"
    assert json.loads(first["description"]) == {
        "author": "A. Engineer",
        "description": "Segmentation, target 0.0",
    }
    assert logged(name, "prune-01")["class_weight"] == "[1.0, 1.0]"


@needs_namespaces
def test_start_skips_a_producer_whose_artifact_then_is_missing(project: Path) -> None:
    workflow, _ = finished("-p", "start=1")
    assert phases(workflow)["pretrain-00"] == "Skipped"
    assert workflow["status"]["phase"] in ("Failed", "Error")
    assert "pretrain-00" in json.dumps(workflow["status"])


@needs_namespaces
def test_start_skips_a_producer_of_an_optional_artifact(project: Path) -> None:
    text = Path("crisplitdemo.yaml").read_text()
    text = text.replace(
        'outputs.artifacts.results}}"',
        'outputs.artifacts.results}}"\n                    optional: true',
    )
    text = text.replace(
        "path: /tmp/prev_results.yaml}", "path: /tmp/prev_results.yaml, optional: true}"
    )
    Path("crisplitdemo.yaml").write_text(text)
    Path("networks/cell2d.py").write_text(
        "import pathlib\npathlib.Path('/tmp/results.yaml').touch()\n"
    )
    workflow, _ = finished("-p", "start=1")
    assert phases(workflow)["pretrain-00"] == "Skipped"
    assert phases(workflow)["prune-01"] == "Succeeded"


@needs_namespaces
def test_after_fix_it_means_the_same_and_its_steps_are_retried(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", "--fix", "crisplitdemo.yaml"]) == 0
    assert "fixed spec.templates[1].container.retryStrategy" in capsys.readouterr().out
    Path("networks/cell2d.py").write_text(
        "import pathlib, sys\n"
        "tried = pathlib.Path('/data/tried')\n"
        "count = int(tried.read_text()) + 1 if tried.exists() else 1\n"
        "tried.write_text(str(count))\n"
        "pathlib.Path('/tmp/results.yaml').touch()\n"
        "sys.exit(count < 3)\n"
    )
    workflow, done = finished()
    assert workflow["status"]["phase"] == "Succeeded"
    assert "has no effect" not in done.stderr
    assert (project / "sets" / "tried").read_text() == "4"


class TestCompiled:
    """What it compiles to, with each of its variants."""

    def compiled(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
        code = main(["compile", "crisplitdemo.yaml", *arguments])
        answer = capsys.readouterr()
        assert code == 0, answer.err
        made: dict = yaml.safe_load(answer.out)
        return made

    def test_values_are_texts_as_written(self, project, capsys) -> None:
        spec = self.compiled(capsys)["spec"]
        values = {p["name"]: p["value"] for p in spec["arguments"]["parameters"]}
        assert values["batch_size"] == "2"
        assert values["target_structure"] == "0.0"
        assert values["output_name"] == "20230114demo"
        assert values["debug"] == "false"
        inputs = {p["name"]: p.get("value") for p in spec["templates"][1]["inputs"]["parameters"]}
        assert inputs["learning_rate"] == "1e-4"
        assert inputs["model_src"] == ""
        assert inputs["model_dest"] is None

    def test_a_dict_given_becomes_json_text(self, project, capsys) -> None:
        given = json.dumps({"description": {"author": "me"}, "start": 1, "debug": True})
        spec = self.compiled(capsys, "--params", given)["spec"]
        values = {p["name"]: p["value"] for p in spec["arguments"]["parameters"]}
        assert json.loads(values["description"]) == {"author": "me"}
        assert (values["start"], values["debug"]) == ("1", "true")

    def test_unknown_names_are_refused(self, project, capsys) -> None:
        assert main(["compile", "crisplitdemo.yaml", "-p", "batchsize=2"]) == 2
        assert "batch_size" in capsys.readouterr().err

    def test_as_a_plain_workflow_and_as_json(self, project, capsys) -> None:
        body = self.compiled(capsys)
        inner = yaml.safe_load(Path("crisplitdemo.yaml").read_text())["workflow"]
        inner["spec"]["templates"][1]["inputs"]["parameters"][2]["value"] = "1e-4"
        inner["spec"]["arguments"]["parameters"][3]["value"] = "0.0"
        Path("crisplitdemo.yaml").write_text(yaml.safe_dump({"kind": "Workflow", **inner}))
        assert self.compiled(capsys) == body

    def test_ports_claims_and_raw_artifacts_are_kept(self, project, capsys) -> None:
        spec = self.compiled(capsys)["spec"]
        train = spec["templates"][1]
        assert [port["hostPort"] for port in train["container"]["ports"]] == [3000, 6006]
        assert spec["volumes"] == [
            {"name": "datasets", "persistentVolumeClaim": {"claimName": "datasets"}}
        ]
        task = spec["templates"][0]["dag"]["tasks"][0]
        assert task["arguments"]["artifacts"][0]["raw"] == {"data": "batches: 0\n"}
        assert task["when"] == "{{workflow.parameters.start}} < 1"
