"""run: what is stored, created, shown and answered; nothing starts on wrong input."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from support import run_service
from support.fake_service import node, workflow
from support.run_service import MANIFEST, RunService, created

from argojobs.cli.text import tell
from argojobs.errors import UnsupportedError
from argojobs.manifest.names import label_value, object_name
from argojobs.runs import target as connecting


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunService:
    return run_service.installed(tmp_path, monkeypatch)


@pytest.fixture
def manifest(tmp_path: Path) -> str:
    path = tmp_path / "chain.yaml"
    path.write_text(MANIFEST)
    return str(path)


@pytest.fixture
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_run_is_named_followed_and_summed_up(argojobs, service, manifest) -> None:
    answer = argojobs("run", manifest)
    (name,) = created(service)
    assert answer.code == 0
    assert name.startswith("chain-")
    assert len(name) == len("chain-") + 5
    assert f"{name} succeeded" in answer.out


def test_a_failed_run_is_1_and_its_report_fits_25_lines(argojobs, service, manifest) -> None:
    service.phase = "Failed"
    answer = argojobs("run", manifest, "--wait")
    assert answer.code == 1
    assert "main failed: main: Error (exit code 1)" in answer.out
    assert len(answer.out.splitlines()) <= 25


def test_wait_json_prints_the_final_object_and_nothing_else(argojobs, service, manifest) -> None:
    answer = argojobs("run", manifest, "--wait", "-o", "json")
    assert json.loads(answer.out)["status"]["phase"] == "Succeeded"


def test_detach_name_prints_the_name_alone(argojobs, service, manifest) -> None:
    answer = argojobs("run", manifest, "--detach", "-o", "name")
    assert answer.out == f"{created(service)[0]}\n"
    assert answer.err == ""


def test_name_experiment_and_user_go_into_the_metadata(argojobs, service, manifest) -> None:
    argojobs("run", manifest, "-d", "--name", "mine", "--experiment", "digits")
    metadata = service.runs["mine"]["metadata"]
    assert "generateName" not in metadata
    assert metadata["labels"]["argojobs.dev/experiment"] == "digits"
    assert metadata["labels"]["argojobs.dev/user"]


def test_a_name_that_kubernetes_refuses_is_cut_and_found_again(argojobs, service, manifest) -> None:
    whole = "My Run, the " + "long " * 20 + "one"
    argojobs("run", manifest, "-d", "--name", whole, "--experiment", "a b/c")
    argojobs("run", manifest, "-d", "--name", whole + "s")
    first, second = created(service)
    assert first != second
    assert first == object_name(whole)
    metadata = service.get(first)["metadata"]
    assert metadata["annotations"]["argojobs.dev/full-name"] == whole
    assert metadata["annotations"]["argojobs.dev/experiment"] == "a b/c"
    assert metadata["labels"]["argojobs.dev/experiment"] == label_value("a b/c")
    shown = argojobs("get", whole)
    assert shown.code == 0
    assert "a b/c" in shown.out
    assert first in argojobs("list", "--experiment", "a b/c").out


def test_a_name_that_is_taken_says_how_to_give_another(argojobs, service, manifest) -> None:
    service.runs["mine"] = workflow("mine")
    answer = argojobs("run", manifest, "--name", "mine")
    assert answer.code == 2
    assert "--name" in answer.err


def test_parameters_are_put_in_the_later_over_the_earlier(argojobs, service, manifest) -> None:
    argojobs(
        "run",
        manifest,
        "-d",
        "--name",
        "r",
        "--params",
        '{"batch_size":3}',
        "-p",
        "batch_size=1e-4",
    )
    (parameter,) = service.runs["r"]["spec"]["arguments"]["parameters"]
    assert parameter == {"name": "batch_size", "value": "1e-4"}


def test_dry_run_shows_the_plan_and_does_nothing(argojobs, service, manifest) -> None:
    answer = argojobs("run", manifest, "--dry-run", "--name", "r")
    assert answer.code == 0
    assert answer.out.startswith("would run r")
    assert "batch_size  2" in answer.out
    assert service.calls == []


def test_dry_run_yaml_is_the_manifest_that_would_be_sent(argojobs, service, manifest) -> None:
    answer = argojobs("run", manifest, "--dry-run", "--name", "r", "-o", "yaml")
    sent = yaml.safe_load(answer.out)
    assert sent["metadata"]["name"] == "r"
    assert sent["spec"]["arguments"]["parameters"] == [{"name": "batch_size", "value": "2"}]


def test_a_hand_written_step_is_told_its_job_by_run_and_left_as_it_is_by_compile(
    argojobs, manifest
) -> None:
    told = {"name": "JOB_UUID", "value": "{{workflow.uid}}-{{node.name}}"}
    for words, added in ((("run", "--dry-run", "-o", "yaml"), [told]), (("compile",), None)):
        made = yaml.safe_load(argojobs(words[0], manifest, *words[1:]).out)
        assert made["spec"]["templates"][0]["container"].get("env") == added


@pytest.mark.parametrize("source", ["from argojobs import job", "import os"])
def test_the_library_is_stored_for_a_step_that_imports_it(
    argojobs, service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    file = tmp_path / "asks.yaml"
    file.write_text(MANIFEST.replace("-c, pass", f"-c, {source}"))
    answer = argojobs("run", str(file), "-d", "--name", "here")
    inputs = service.runs["here"]["spec"]["templates"][0]["inputs"]
    assert [one["name"] for one in inputs["artifacts"]] == ["data"]  # this Python has argojobs
    cluster = replace(connecting.target(), has_images=True)
    monkeypatch.setattr(connecting, "target", lambda *_, **__: cluster)
    argojobs("run", str(file), "-d", "--name", "there")
    inputs = service.runs["there"]["spec"]["templates"][0]["inputs"]
    keys = [one["s3"]["key"] for one in inputs["artifacts"] if one["name"] == "argojobs-job"]
    assert [(service.folder / key).is_file() for key in keys] == [True] * ("job" in source)
    assert answer.code == 0


def test_without_a_store_an_import_of_the_library_is_warned_of(
    argojobs, service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "asks.yaml"
    file.write_text(MANIFEST.replace("-c, pass", "-c, from argojobs import job"))
    bare = replace(connecting.target(), has_images=True, artifacts_here=False)
    monkeypatch.setattr(connecting, "target", lambda *_, **__: bare)
    answer = argojobs("run", str(file), "-d", "--name", "r")
    assert answer.code == 0
    assert "argojobs.job does not travel" in answer.err
    assert len(service.runs["r"]["spec"]["templates"][0]["inputs"]["artifacts"]) == 1


def test_a_folder_is_stored_for_the_run(argojobs, service, manifest, tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "empty").mkdir(parents=True)
    (data / "a.txt").write_text("a")
    argojobs("run", manifest, "-d", "--name", "r", "-p", f"data={data}")
    (artifact,) = service.runs["r"]["spec"]["arguments"]["artifacts"]
    stored = service.folder / artifact["s3"]["key"]
    assert (stored / "a.txt").read_text() == "a"
    assert (stored / ".argojobs-tree.json").is_file()
    assert not (data / ".argojobs-tree.json").exists()


@pytest.mark.usefixtures("_in_folder")
@pytest.mark.parametrize(
    ("kind", "given", "told"),
    [
        ("Directory", "a.txt", "data=a.txt is a file, and data is a Directory: a folder"),
        ("TensorBoard", "a.txt", "data is a TensorBoard: a folder"),
        ("File", "folder", "data=folder is a folder, and data is a File: a file"),
    ],
)
def test_a_file_for_a_folder_is_refused_before_the_start(
    argojobs, service, kind: str, given: str, told: str
) -> None:
    Path("a.txt").write_text("x")
    Path("folder").mkdir()
    Path("kinds.py").write_text(
        f"from argojobs import {kind}, pipeline, step\n"
        f"@step\ndef look(data: {kind}) -> None: ...\n"
        f"@pipeline\ndef kinds(data: {kind}) -> None:\n    look(data)\n"
    )
    answer = argojobs("run", "kinds.py", "-p", f"data={given}")
    assert answer.code == 2
    assert told in answer.err + answer.out
    assert created(service) == []


def test_a_folder_is_stored_with_what_its_links_lead_to(
    argojobs, service, manifest, tmp_path: Path
) -> None:
    data, cache = tmp_path / "data", tmp_path / "cache"
    data.mkdir()
    cache.mkdir()
    (cache / "image").write_text("pixels")
    (data / "images").symlink_to("../cache")
    (data / "first").symlink_to(cache / "image")
    argojobs("run", manifest, "-d", "--name", "r", "-p", f"data={data}")
    stored = service.folder / "r" / "argojobs-arguments" / "data"
    assert (stored / "images" / "image").read_text() == "pixels"
    assert (stored / "first").read_text() == "pixels"
    assert (data / "images").is_symlink(), "the user's own folder is left alone"


def test_a_folder_with_a_link_to_nothing_is_refused_by_its_name(
    argojobs, service, manifest, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "gone").symlink_to("../moved")
    answer = argojobs("run", manifest, "-d", "-p", f"data={tmp_path / 'data'}")
    assert answer.code == 2
    assert "this link leads to nothing (to ../moved)" in answer.err
    assert "data/gone" in answer.err
    assert created(service) == []


def test_an_output_of_an_earlier_run_is_given_by_its_place(argojobs, service, manifest) -> None:
    outputs = {"artifacts": [{"name": "model", "path": "/x", "s3": {"key": "old/train/model"}}]}
    service.runs["old"] = workflow(
        "old", tasks=("train",), nodes=(node("old", ""), node("old", "train", outputs=outputs))
    )
    argojobs("run", manifest, "-d", "--name", "r", "-p", "data=run:old/train/model")
    (artifact,) = service.runs["r"]["spec"]["arguments"]["artifacts"]
    # Optional as its template declares it: Argo looks at the argument for that.
    assert artifact == {"name": "data", "s3": {"key": "old/train/model"}, "optional": True}
    answer = argojobs("run", manifest, "-p", "data=run:old/train/modle")
    assert answer.code == 2
    assert "did you mean 'model'?" in answer.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("-p", "batchsize=3"), "did you mean 'batch_size'?"),
        (("--params", "{batch_size:3}"), "not valid JSON"),
        (("-p", "batch_size"), "-p name=value"),
        (("-p", "batch_size=1", "-p", "batch_size=2"), "given twice"),
        (("-p", "data=./nowhere"), "no such file or folder"),
        (("-p", "data=run:old/train/model"), "there is no run 'old'"),
        (("-p", "data=s3://bucket/key"), "no S3"),
        (("--detach", "--wait"), "exclude each other"),
        (("--code", "image"), "for pipelines of ours"),
        (("--debug-step", "tran"), "there is no step 'tran'"),
    ],
)
def test_wrong_input_is_2_says_what_and_starts_nothing(
    argojobs, service, manifest, arguments: tuple[str, ...], says: str
) -> None:
    answer = argojobs("run", manifest, *arguments)
    assert answer.code == 2
    assert says in answer.err
    assert created(service) == []
    assert not service.folder.exists()


def test_a_missing_file_is_said_before_a_controller_is_started(argojobs, service) -> None:
    assert argojobs("run", "nowhere.yaml").code == 2
    assert service.calls == []


def test_what_the_engine_refuses_is_2_and_nothing_is_created(
    argojobs, service, manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise UnsupportedError("no sidecars here")

    monkeypatch.setattr(service, "create", refuse)
    answer = argojobs("run", manifest)
    assert (answer.code, answer.err) == (2, "error: no sidecars here\n")


def test_warnings_are_told_once_and_the_run_goes_on(argojobs, service, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(MANIFEST.replace("command:", "retryStrategy: {limit: 1}, command:"))
    answer = argojobs("run", str(path), "-d")
    assert answer.code == 0
    assert answer.err.count("warning:") == 1
    assert "retryStrategy" in answer.err


def test_ctrl_c_stops_then_ends_the_steps_and_is_130(argojobs, service, manifest) -> None:
    service.interrupts = 2
    answer = argojobs("run", manifest, "--name", "r")
    assert answer.code == 130
    assert [call[0] for call in service.calls if call[0] in ("stop", "terminate")] == [
        "stop",
        "terminate",
    ]
    assert "Ctrl-C again" in answer.err


def test_a_third_ctrl_c_leaves_and_says_that_the_run_is_being_stopped(
    argojobs, service, manifest
) -> None:
    service.interrupts = 3
    answer = argojobs("run", manifest, "--name", "r")
    assert answer.code == 130
    assert "r is being stopped; argojobs get r" in answer.err
    assert "goes on" not in answer.err


class TestWhatIsKept:
    def test_the_manifest_lies_beside_the_results(self, argojobs, service, manifest) -> None:
        argojobs("run", manifest, "-d")
        (name,) = created(service)
        kept = Path(str(service.repository().local(f"{name}/manifest.yaml"))).read_text()
        assert yaml.safe_load(kept)["metadata"]["name"] == name

    def test_a_run_goes_on_without_it(self, argojobs, service, manifest, monkeypatch) -> None:
        def full() -> None:
            raise OSError(28, "No space left on device")

        place = replace(connecting.this_machine(service, tell=tell), repository=full)
        monkeypatch.setattr(connecting, "target", lambda *_, **__: place)
        answer = argojobs("run", manifest, "-d")
        assert answer.code == 0
        assert len(created(service)) == 1
        assert "the manifest is not kept" in answer.err

    def test_a_name_that_is_taken_leaves_the_other_runs_alone(
        self, argojobs, service, manifest
    ) -> None:
        argojobs("run", manifest, "-d", "--name", "mine", "-p", "batch_size=1")
        place = Path(str(service.repository().local("mine/manifest.yaml")))
        before = place.read_text()
        assert argojobs("run", manifest, "-d", "--name", "mine", "-p", "batch_size=3").code == 2
        assert place.read_text() == before

    def test_the_command_line_without_its_secrets(self, argojobs, service, manifest) -> None:
        argojobs("run", manifest, "-d", "--priority", "3", "--notify", "https://ci.example.com/x")
        (name,) = created(service)
        run = service.get(name)
        assert run["metadata"]["annotations"]["argojobs.dev/command-line"] == (
            f"argojobs run {manifest} -d --priority 3 --notify 'https://ci.example.com/***'"
        )
        assert run["spec"]["priority"] == 3
        assert run["spec"]["onExit"] == "argojobs-exit"

    def test_a_wrong_address_starts_nothing(self, argojobs, service, manifest) -> None:
        answer = argojobs("run", manifest, "--notify", "https://me:word@ci.example.com/x")
        assert answer.code == 2
        assert "word" not in answer.err.replace("password", "")
        assert created(service) == []
