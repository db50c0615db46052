"""Scripts and commands as runs: the whole command line on the real engine of this machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from argojobs.cli.words import before_words

SHOW = "import json, os, sys\nprint(json.dumps([sys.argv[1:], os.path.basename(os.getcwd())]))\n"
AWKWARD = [
    "--lr",
    "",
    "a\nb",
    "{{x}}",
    "{{=1+1}}",
    "$(HOME) $$ ${",
    "é😀",
    "'\"\\",
    "-h",
    "--",
    "-p",
]


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a script, in which the command line is used."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    (folder / "show.py").write_text(SHOW)
    monkeypatch.chdir(folder)
    return folder


def printed(argojobs, run: str = "@latest") -> list:
    """What the only step of a run printed, as JSON."""
    return json.loads(argojobs("logs", run).out)


@pytest.mark.usefixtures("project")
def test_a_script_gets_its_words_byte_for_byte(argojobs) -> None:
    answer = argojobs("run", "show.py", "--", *AWKWARD)
    assert answer.code == 0, answer.err
    assert printed(argojobs) == [AWKWARD, "code"]


@pytest.mark.usefixtures("project")
def test_a_command_gets_its_words_byte_for_byte(argojobs) -> None:
    answer = argojobs("run", "--image", "tools:1", "--", "python", "-c", SHOW, *AWKWARD)
    assert answer.code == 0, answer.err
    assert answer.err == ""
    assert printed(argojobs)[0] == AWKWARD


@pytest.mark.usefixtures("project")
def test_a_run_is_started_again_with_other_words(argojobs) -> None:
    words = ("--", "python", "-c", SHOW)
    assert argojobs("run", "show.py", "--name", "first", "--", "a").code == 0
    assert argojobs("run", "--image", "tools:1", "--name", "second", *words, "a").code == 0
    for name, more in (("first", ("--",)), ("second", words)):
        answer = argojobs("resubmit", name, *more, "{{b}}", "$(c)")
        assert answer.code == 0, answer.err
        assert printed(argojobs)[0] == ["{{b}}", "$(c)"]
    assert argojobs("resubmit", "first", "-p", 'arguments=["x"]').code == 0
    assert printed(argojobs)[0] == ["x"]
    again = argojobs("resubmit", "first", "--reuse", "--", "a")
    assert again.code == 2
    assert "nothing to take over" in again.err


@pytest.mark.usefixtures("project")
def test_the_command_line_is_kept_with_the_run(argojobs) -> None:
    assert argojobs("run", "show.py", "--", "--api-key", "abc", "{{x}}").code == 0
    asked = "argojobs run show.py -- --api-key '***' '{{x}}'"
    assert asked in argojobs("query", "@latest").out


@pytest.mark.parametrize("kind", ["script", "command"])
def test_it_ends_as_its_program_and_is_tried_again(argojobs, project: Path, kind: str) -> None:
    (project / "fail.py").write_text("print('once'); raise SystemExit(9)\n")
    what = ("fail.py",) if kind == "script" else ("--image", "i:1", "--", "python", "fail.py")
    answer = argojobs("run", "--retries", "1", *what)
    assert answer.code == 1
    assert "exit code 9" in answer.out
    attempts = json.loads(argojobs("get", "@latest", "-o", "json").out)["status"]["nodes"]
    assert sum(node["type"] == "Pod" for node in attempts.values()) == 2


@pytest.mark.parametrize("kind", ["script", "command"])
def test_what_it_writes_is_its_results(argojobs, project: Path, kind: str) -> None:
    text = "import os; open(os.environ['ARGOJOBS_OUT'] + '/x', 'w').write('kept')"
    (project / "write.py").write_text(text)
    image = ("--image", "i:1", "--", "python", "-c", text)
    name = "write" if kind == "script" else "i"
    answer = argojobs("run", *(("write.py",) if kind == "script" else image))
    assert answer.code == 0, answer.err
    got = argojobs("artifacts", "get", f"@latest/{name}/results", str(project / "back"))
    assert got.code == 0, got.err
    assert (project / "back" / "x").read_text() == "kept"


def test_results_that_need_not_be_there_are_not_called_gone(argojobs, project: Path) -> None:
    assert argojobs("run", "--image", "i:1", "--", "python", "-V").code == 0
    answer = argojobs("artifacts", "ls", "@latest")
    assert answer.code == 0
    assert "gone" not in answer.out


def test_a_program_with_a_first_line_of_its_own_runs(argojobs, project: Path) -> None:
    (project / "run.sh").write_text('#!/bin/sh\necho "got $1"\n')
    (project / "run.sh").chmod(0o755)
    answer = argojobs("run", "run.sh", "--", "a b")
    assert answer.code == 0, answer.err
    assert argojobs("logs", "@latest").out == "got a b\n"


def test_mrunners_first_command_line_runs_as_it_is(argojobs, project: Path) -> None:
    shutil.copy("show.py", "experiment1.py")
    Path("neptune.yaml").write_text("name: digits\n")
    Path("requirements.txt").write_text("numpy\n")
    answer = argojobs(
        *("run", "--config", "neptune.yaml", "--requirements", "requirements.txt"),
        *("--base_image", "python:3", "experiment1.py", "--", "--param1", "1"),
    )
    assert answer.code == 0, answer.err
    assert "note: --config neptune.yaml describes an experiment to Neptune" in answer.err
    assert printed(argojobs)[0] == ["--param1", "1"]


@pytest.mark.parametrize(
    "words",
    [
        ("--server", "local", "--run", "flow.yaml", "--params", '{"who":"Ada"}'),
        ("--run", "flow.yaml", "--server", "local", "--params", '<"who":"Ada">'),
        ("--params", '{"who":"Ada"}', "--run", "flow.yaml", "--server", "local"),
    ],
)
def test_the_workflow_script_s_command_line_runs_as_it_is(argojobs, project: Path, words) -> None:
    Path("flow.yaml").write_text(
        "workflow:\n  metadata: {generateName: flow-}\n  spec:\n    entrypoint: m\n"
        "    arguments: {parameters: [{name: who, value: world}]}\n    templates:\n    - name: m\n"
        "      container: {image: i, command: [echo, 'hello {{workflow.parameters.who}}']}\n"
    )
    answer = argojobs(*words)
    assert answer.code == 0, answer.err
    assert argojobs("logs", "@latest").out == "hello Ada\n"


def test_a_program_s_own_option_run_stays_its_own(argojobs, project: Path) -> None:
    assert argojobs("run", "show.py", "--", "--run", "x").code == 0
    assert printed(argojobs)[0] == ["--run", "x"]
    assert "no option --run" in argojobs("list", "--run", "x").err


def test_the_name_of_a_pipeline_in_the_file_is_told_as_such(argojobs, project: Path) -> None:
    Path("long.py").write_text(
        "from argojobs import pipeline\n@pipeline\ndef sleepy(): pass\ndef other(): pass\n"
    )
    answer = argojobs("run", "long.py", "sleepy")
    assert (answer.code, answer.err.splitlines()) == (
        2,
        [
            "error: run takes one file; what to do with sleepy?",
            "  it is defined in long.py: argojobs run long.py --pipeline sleepy",
        ],
    )
    for words in ("other", "sleepy more", "-p a=1 nothing"):
        assert "come after --" in argojobs("run", "long.py", *words.split()).err


@pytest.mark.parametrize(
    ("words", "what", "hint"),
    [
        (("run",), "run wants a file", "argojobs run FILE"),
        (("run", "--", "python"), "neither a file nor an image before --", "--image IMAGE"),
        (("run", "--image", "i"), "or the command for the image after --", "the image's own"),
        (("run", "show.py", "x", "y"), "run takes one file; what to do with x y?", "FILE -- WORDS"),
        (("run", "show.py", "lr=1"), "what to do with lr=1?", "given by: -p lr=1"),
        (("run", "nofile.py", "--", "a"), "there is no file nofile.py", "working directory"),
        (("run", "bad.py", "--", "a"), "SyntaxError: invalid syntax", "nothing was started"),
        (("compile", "--", "a"), "neither a file nor an image", "argojobs compile FILE"),
        (("run", "show.py", "-p", "lr=0 1"), "there is no parameter 'lr'", "-- --lr '0 1'"),
        (("run", "--image", "i:1", "--", "nosuch-x"), '"nosuch-x" is not found', "[local.images."),
        (("run", "--image", "i:1", "--", "-v"), "the entrypoint of the image", "[local.images."),
        (("run", "--image", "i:1", "--"), "the template gives no command", "[local.images."),
        (("run", "--pipeline", "p", "--image", "i", "--"), "--pipeline without a file", "leave it"),
        (("run", "flow.yaml", "--retries", "1"), "--retries is for plain scripts", "@step(retry"),
        (("run", "flow.yaml", "--", "a"), "flow.yaml is a manifest", "-p NAME=VALUE"),
        (("run", "show.py", "--resources", "cpus=1"), "there is no resource 'cpus'", "cpu"),
        (("run", "show.py", "--", "a\0"), "a zero byte", "no program"),
        (("run", "run.sh", "--debug"), "only a script in Python can wait", "leave --debug out"),
        (("run", "--image", "i", "--debug", "--", "python"), "only Python can wait", "command: ["),
        (("run", "show.py", "--debug", "--debug-on-error"), "when it has failed", "leave one"),
        (("run", "--image", "i", "--code", "image", "--", "x"), "for pipelines of ours", "leave"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_says_what_to_do(argojobs, project: Path, words, what, hint) -> None:
    (project / "bad.py").write_text("x = = 1\n")
    template = "{name: m, container: {image: i, command: ['true']}}"
    text = (
        f"kind: Workflow\nmetadata: {{name: m}}\nspec: {{entrypoint: m, templates: [{template}]}}\n"
    )
    (project / "flow.yaml").write_text(text)
    (project / "run.sh").write_text("#!/bin/sh\n")
    (project / "run.sh").chmod(0o755)
    answer = argojobs(*words)
    assert (answer.code, answer.out) == (2, "")
    assert what in answer.err
    assert hint in answer.err
    assert argojobs("list", "-o", "name").out == ""


def test_compile_writes_what_run_starts(argojobs, project: Path) -> None:
    answer = argojobs(
        "compile", "show.py", "--resources", "cpu=2 gpu=1 memory=1Gi", "-o", "json", "--", "a"
    )
    assert answer.code == 0, answer.err
    workflow = json.loads(answer.out)
    container = workflow["spec"]["templates"][1]["container"]
    assert container["resources"] == {
        "requests": {"cpu": "2", "memory": "1Gi", "nvidia.com/gpu": "1"},
        "limits": {"memory": "1Gi", "nvidia.com/gpu": "1"},
    }
    assert {"name": "NUM_GPUS", "value": "1"} in container["env"]
    assert {"name": "argojobs-shm", "mountPath": "/dev/shm"} in container["volumeMounts"]
    (project / "made.json").write_text(answer.out)
    assert argojobs("lint", "made.json", "--strict").code == 0


def test_an_image_for_a_pipeline_is_what_its_steps_run_in(argojobs, project: Path) -> None:
    shutil.copy(Path(__file__).parents[2] / "workflows" / "hello.py", project)
    answer = argojobs("compile", "hello.py", "--image", "mine:1", "-o", "json")
    assert answer.code == 0, answer.err
    templates = json.loads(answer.out)["spec"]["templates"]
    assert {one["container"]["image"] for one in templates if "container" in one} == {"mine:1"}


def test_lint_takes_a_script(argojobs, project: Path) -> None:
    assert argojobs("lint", "show.py").code == 0
    (project / "bad.py").write_text("\nx = = 1\n")
    answer = argojobs("lint", "bad.py")
    assert (answer.code, "at bad.py:2" in answer.err) == (2, True)


def test_a_program_in_a_folder_for_everything_says_where_to_put_it(
    argojobs, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project))
    (project / "pyproject.toml").unlink()
    (project / "run.sh").write_text("#!/bin/sh\n")
    (project / "run.sh").chmod(0o755)
    answer = argojobs("run", "run.sh")
    assert answer.code == 2
    assert "put it into a folder of its own" in answer.err
    assert argojobs("run", "show.py", "--dry-run", "--", "a").code == 0


def test_words_are_none_of_our_options(argojobs, project: Path) -> None:
    assert argojobs("run", "show.py", "--", "--dry-run", "--help", "--verbose").code == 0
    assert printed(argojobs)[0] == ["--dry-run", "--help", "--verbose"]
    assert before_words(["run", "--verbose", "--", "-x", "--"]) == ["run", "--verbose"]
    assert before_words(["run"]) == ["run"]
    assert "Traceback" in argojobs("run", "nofile.py", "--verbose", "--").err
    assert "Traceback" not in argojobs("run", "nofile.py", "--", "--verbose").err


@pytest.mark.parametrize("verb", ["run", "compile", "resubmit"])
def test_help_shows_where_words_stand(argojobs, verb: str) -> None:
    assert "[-- WORDS...]" in argojobs(verb, "--help").out.splitlines()[0]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("argojobs run show.py -- --ex", ["file,--ex"]),
        ("argojobs run show.py --exp", ["plain,--experiment"]),
    ],
)
def test_a_shell_completes_words_by_itself(project: Path, typed: str, found: list[str]) -> None:
    environment = {
        **os.environ,
        "_ARGOJOBS_COMPLETE": "bash_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split(" ")) - 1),
    }
    command = [sys.executable, "-m", "argojobs"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == found


def test_an_option_of_the_script_before_the_separator_is_told_where_it_goes(argojobs) -> None:
    answer = argojobs("run", "train.py", "--lr", "0.1")
    assert answer.code == 2
    assert "there is no option --lr" in answer.err
    assert "comes after --: argojobs run ... -- --lr" in answer.err
    assert "did you mean --pipeline?" in argojobs("run", "train.py", "--pipelin", "x").err
    near = argojobs("run", "train.py", "--epochs", "3").err
    assert "comes after --: argojobs run ... -- --epochs" in near
    assert "comes after" not in argojobs("list", "--lr", "0.1").err
