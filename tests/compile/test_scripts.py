"""Plain scripts and commands as workflows of one step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from argojobs.compile import compile_loaded
from argojobs.compile.bundle import IMAGE_CODE
from argojobs.compile.load import load, load_all
from argojobs.compile.loaded import Command
from argojobs.compile.script_file import load_command, load_shell, recompiled
from argojobs.edits.shell_job import waiting, waits_for_shell
from argojobs.errors import UsageError, UserCodeError
from argojobs.lint import lint
from argojobs.runtime.wire import decode


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "train.py").write_text('"""Train it.\n\nAll of it."""\nimport sys\n')
    return tmp_path


def compiled(*arguments: object, **changes: object) -> dict:
    loaded = load(*arguments)  # type: ignore[arg-type]
    assert loaded.source is not None
    return compile_loaded(recompiled(loaded, replace(loaded.source, **changes)), IMAGE_CODE)


def step_of(workflow: dict) -> dict:
    (template,) = [one for one in workflow["spec"]["templates"] if "container" in one]
    return template


def task_of(workflow: dict) -> dict[str, str]:
    graph = workflow["spec"]["templates"][0]["dag"]["tasks"][0]
    return {one["name"]: one["value"] for one in graph["arguments"]["parameters"]}


@pytest.mark.usefixtures("project")
def test_a_script_is_a_pipeline_of_one_command_step() -> None:
    loaded = load("train.py", "", ["--lr", "{{x}}"])
    assert (loaded.kind, loaded.name) == ("script", "train")
    workflow = compile_loaded(loaded, IMAGE_CODE)
    (parameter,) = workflow["spec"]["arguments"]["parameters"]
    assert parameter["name"] == "arguments"
    assert decode(parameter["value"], list[str]) == ["--lr", "{{x}}"]
    assert task_of(workflow)["file"] == "train.py"
    assert step_of(workflow)["container"]["command"][-1] == "argojobs.runtime.script:keeps"
    annotations = workflow["metadata"]["annotations"]
    assert annotations["argojobs.dev/runs"] == "script"
    assert annotations["workflows.argoproj.io/title"] == "Train it."
    assert workflow["metadata"]["generateName"] == "train-"
    assert lint(workflow) == []


@pytest.mark.usefixtures("project")
def test_results_are_an_output_where_they_can_be_stored() -> None:
    outputs = step_of(compiled("train.py"))["outputs"]["artifacts"]
    assert [one["path"] for one in outputs] == ["/argojobs/out/results"]
    bare = compiled("train.py", "", None, keeps=False)
    assert "outputs" not in step_of(bare)
    assert step_of(bare)["container"]["command"][-1].endswith(":runs")


@pytest.mark.parametrize("words", [None, ["--logs", "tensorboard"]])
def test_a_script_that_speaks_of_tensorboard_has_it_beside(project: Path, words) -> None:
    if words is None:
        text = "from torch.utils.tensorboard import SummaryWriter\n"
        (project / "train.py").write_text(text)
    container = step_of(compiled("train.py", "", words))["container"]
    assert {"name": "ARGOJOBS_TENSORBOARD", "value": "1"} in container["env"]
    assert container["command"][-1].endswith(":shows")


@pytest.mark.usefixtures("project")
def test_a_script_gets_what_the_command_line_says_for_it() -> None:
    template = step_of(compiled("train.py", "", None, retry=2, shm=True))
    assert template["retryStrategy"]["limit"] == "2"
    assert "78" in template["retryStrategy"]["expression"]
    assert {"name": "argojobs-shm", "emptyDir": {"medium": "Memory"}} in template["volumes"]


def test_a_script_runs_in_the_folder_that_its_user_is_in(
    project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (project / "sub").mkdir()
    monkeypatch.chdir(project / "sub")
    task = task_of(compiled("../train.py"))
    assert (task["file"], task["folder"]) == ("train.py", "sub")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    task = task_of(compiled(project / "train.py"))
    assert (task["file"], task["folder"]) == ("train.py", "")


@pytest.mark.parametrize("name", ["my script (1).py", "_x.py", "Ünïcode.py", "01.py", ".hidden.py"])
def test_a_script_of_any_name_has_a_run_and_a_step_with_a_name(project: Path, name: str) -> None:
    (project / name).write_text("print(1)\n")
    workflow = compiled(name)
    assert lint(workflow) == []
    assert task_of(workflow)["file"]


def test_a_program_that_says_what_runs_it_is_a_script(project: Path) -> None:
    file = project / "train.sh"
    file.write_text("echo\n")
    with pytest.raises(UsageError, match="neither Python nor a manifest") as caught:
        load(file)
    assert "#!/bin/sh" in caught.value.hint
    file.write_text("#!/bin/sh\necho\n")
    with pytest.raises(UsageError, match="may not be executed") as caught:
        load(file)
    assert caught.value.hint == f"chmod +x {file}"
    file.chmod(0o755)
    assert load(file, "", ["a"]).kind == "script"


def test_what_takes_no_words_says_so(project: Path) -> None:
    (project / "flow.py").write_text("import argojobs\n")
    (project / "flow.yaml").write_text("kind: Workflow\n")
    for name, what in (("flow.py", "a program with pipelines"), ("flow.yaml", "a manifest")):
        with pytest.raises(UsageError, match=f"{name} is {what}") as caught:
            load(name, "", [])
        assert "-p NAME=VALUE" in caught.value.hint


@pytest.mark.usefixtures("project")
def test_a_script_has_no_pipelines() -> None:
    with pytest.raises(UsageError, match="plain script, without pipelines"):
        load("train.py", "demo")


def test_words_make_a_script_of_a_file_whose_imports_lead_to_ours(project: Path) -> None:
    (project / "flow.py").write_text("import argojobs\n")
    (project / "uses.py").write_text("import flow\n")
    assert load("uses.py", "", ["a"]).kind == "script"
    with pytest.raises(UsageError, match=r"no pipeline in uses\.py") as caught:
        load("uses.py")
    assert "argojobs run uses.py --" in caught.value.hint


def test_lint_reads_a_script_too(project: Path) -> None:
    assert [one.kind for one in load_all("train.py")] == ["script"]
    (project / "train.py").write_text("\nx = = 1\n")
    with pytest.raises(UserCodeError) as caught:
        load_all("train.py")
    assert caught.value.where == "train.py:2"


def test_a_command_in_an_image_is_a_template_of_its_own() -> None:
    loaded = load_command("registry.example:5000/team/tools:1", ["echo", "{{x}}"])
    assert (loaded.kind, loaded.name, loaded.pipeline) == ("image", "tools", None)
    workflow = loaded.manifest
    assert workflow is not None
    (template,) = workflow["spec"]["templates"]
    container = template["container"]
    assert container["image"] == "registry.example:5000/team/tools:1"
    assert container["command"] == ["echo"]
    assert container["args"] == ["$(ARGOJOBS_BRACE){x}}"]
    told = {one["name"]: one["value"] for one in container["env"]}
    assert told["ARGOJOBS_OUT"] == "/argojobs/out/results"
    assert (told["RANK"], told["WORLD_SIZE"], told["JOB_RESTARTED"]) == ("0", "1", "FALSE")
    assert told["JOB_UUID"] == "{{workflow.uid}}-{{node.name}}"
    assert {"name": "argojobs-out", "mountPath": "/argojobs/out/results"} in container[
        "volumeMounts"
    ]
    assert template["outputs"]["artifacts"][0]["optional"] is True
    assert lint(workflow) == []


def test_a_command_gets_what_the_command_line_says_for_it() -> None:
    loaded = recompiled(
        load_command("tools:1", []),
        Command("tools:1", words=("-v",), retry=3, keeps=False, shm=True),
    )
    assert loaded.manifest is not None
    (template,) = loaded.manifest["spec"]["templates"]
    assert template["retryStrategy"]["limit"] == "3"
    assert "outputs" not in template
    assert "command" not in template["container"]
    assert template["container"]["args"] == ["-v"]


@pytest.mark.parametrize(
    ("image", "name"),
    [("python", "python"), ("a/b@sha256:00", "b"), ("a:1/b_c:2@sha256:0", "b-c"), ("", "command")],
)
def test_the_run_of_a_command_is_called_as_its_image(image: str, name: str) -> None:
    manifest = load_command(image, []).manifest
    assert manifest is not None
    assert manifest["metadata"]["generateName"] == f"{name}-"


@pytest.mark.usefixtures("project")
def test_a_shell_in_place_of_a_script_has_its_code_and_no_parameter() -> None:
    loaded = load_shell("train.py", "", 60)
    assert (loaded.kind, loaded.name) == ("script", "train-shell")
    workflow = compile_loaded(loaded, IMAGE_CODE)
    assert "parameters" not in (workflow["spec"].get("arguments") or {})
    task = task_of(workflow)
    assert task["file"] == ""
    assert decode(task["arguments"], list[str]) == waiting(60)
    assert step_of(workflow)["container"]["command"][-1] == "argojobs.runtime.script:keeps"
    assert waits_for_shell(workflow)
    assert "workflows.argoproj.io/title" not in workflow["metadata"]["annotations"]
    assert lint(workflow) == []


@pytest.mark.usefixtures("project")
def test_a_shell_without_a_file_needs_nothing_of_ours_in_its_image() -> None:
    loaded = load_shell("", "tools:1", 60)
    assert (loaded.kind, loaded.name) == ("image", "shell")
    workflow = compile_loaded(loaded)
    template = step_of(workflow)
    container = template["container"]
    assert container["command"] == ["sh"]
    env = {one["name"]: one["value"] for one in container["env"]}
    program = container["args"][1].replace("$(ARGOJOBS_DOLLAR)", env["ARGOJOBS_DOLLAR"])
    assert ["sh", container["args"][0], program, *container["args"][2:]] == waiting(60)
    assert container["volumeMounts"][0]["mountPath"] == "/argojobs/out", "beside the results, too"
    (results,) = template["outputs"]["artifacts"]
    assert results["path"] == env["ARGOJOBS_OUT"] == "/argojobs/out/results"
    assert waits_for_shell(workflow)
    assert lint(workflow) == []


def test_a_manifest_has_no_code_for_a_shell(project: Path) -> None:
    (project / "m.yaml").touch()
    with pytest.raises(UsageError, match="brings no code") as caught:
        load_shell("m.yaml", "", 0)
    assert "argojobs ssh RUN STEP" in caught.value.hint
