"""`submit COMMAND` and `submit ssh`, as the older tools have them: jobs with GPUs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml


@pytest.fixture
def manifest(argojobs, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The only container of what a command line would start, and its pod's volumes."""
    monkeypatch.chdir(tmp_path)

    def show(*words: str) -> dict:
        answer = argojobs(*words, "--dry-run", "-o", "json")
        assert answer.code == 0, answer.err
        (template,) = json.loads(answer.out)["spec"]["templates"]
        return template

    return show


def gpus(template: dict) -> tuple[str, str]:
    """What the container asks for, and what its program is told."""
    asked = template["container"].get("resources", {}).get("limits", {}).get("nvidia.com/gpu", "")
    told = {one["name"]: one["value"] for one in template["container"]["env"]}
    return asked, told.get("NUM_GPUS", "")


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (("submit", "ssh"), "4"),
        (("submit", "ssh", "-n", "2"), "2"),
        (("submit", "-n", "2", "ssh"), "2"),
        (("-n", "8", "submit", "ssh"), "8"),
        (("--verbose", "-n", "8", "submit", "ssh"), "8"),
        (("-n", "8", "submit", "ssh", "-n", "1"), "1"),
        (("submit", "ssh", "--gpus", "1"), "1"),
        (("submit", "ssh", "-n", "0"), ""),
    ],
)
def test_the_count_stands_anywhere(manifest, words: tuple[str, ...], count: str) -> None:
    template = manifest(*words)
    assert gpus(template) == (count, count)
    shared = [one for one in template["volumes"] if one["name"] == "argojobs-shm"]
    assert bool(shared) is bool(count), "data loaders of a GPU's job need shared memory"


def test_it_is_run_with_a_shell(manifest) -> None:
    words = ("--image", "train:1", "--resources")
    assert manifest("submit", "ssh", *words, "cpu=4") == manifest(
        "run", "--shell", *words, "cpu=4 gpu=4"
    )


def test_no_gpu_takes_away_what_the_context_gives(argojobs, home: Path, tmp_path: Path) -> None:
    config = '[contexts.lab]\nserver = "http://127.0.0.1:9"\nresources = "cpu=2 gpu=1"\n'
    (tmp_path / "config.toml").write_text(config + 'image = "train:1"\n')
    for words, resources in (
        ((), {"cpu": "2", "nvidia.com/gpu": "1"}),
        (("--resources", "gpu=0"), {"cpu": "2"}),
    ):
        answer = argojobs("compile", str(script(tmp_path)), "--context", "lab", *words)
        assert answer.code == 0, answer.err
        (found,) = [
            one for one in yaml.safe_load(answer.out)["spec"]["templates"] if "container" in one
        ]
        assert found["container"]["resources"]["requests"] == resources


def script(folder: Path) -> Path:
    file = folder / "project" / "train.py"
    file.parent.mkdir(exist_ok=True)
    (file.parent / "pyproject.toml").touch()
    file.write_text("print(1)\n")
    return file


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("submit",), "submit wants a command, or ssh"),
        (("submit", "--"), "submit wants a command, or ssh"),
        (("submit", "python", "tran.py", "--lr", "3"), "did you mean train.py?"),
        (("submit", "python", "flow.py", "--lr", "3"), "words after -- are for a plain script"),
        (("submit", "--nmae", "x", "python"), "did you mean --name?"),
        (("submit", "-n", "1", "--resources", "gpu=1", "python"), "given twice"),
        (("submit", "ssh", "train.py"), "argojobs run FILE --shell"),
        (("submit", "ssh", "-n", "-1"), "greater than or equal to 0"),
        (("submit", "ssh", "-n", "many"), "-n 'many' is not a whole number"),
        (("-n", "many", "submit", "ssh"), "-n 'many' is not a whole number"),
        (("-n", "2", "list"), "-n 2 before a verb is for submit"),
        (("-n", "2", "list"), "list --help lists its own options"),
        (("-n", "8", "run", "train.py"), "--resources gpu=8"),
        (("-n", "8", "compile", "train.py"), "--resources gpu=8"),
        (("submit", "ssh", "--resources", "gpu=1"), "given twice"),
        (("submit", "ssh", "--", "x"), "--shell takes no words"),
    ],
)
def test_what_it_cannot_do_is_said(
    argojobs, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words, said: str
) -> None:
    monkeypatch.chdir(script(tmp_path).parent)
    Path("flow.py").write_text("import argojobs\n")
    answer = argojobs(*words)
    assert answer.code == 2
    assert said in answer.err


def test_its_help_is_shown_without_ssh(argojobs) -> None:
    answer = argojobs("submit", "--help")
    assert answer.code == 0
    assert "-n, --gpus" in answer.out
    assert "argojobs submit ssh -n 8" in answer.out


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a Python script, a shell script and a module, in which commands are given."""
    folder = script(tmp_path).parent
    (folder / "train.py").write_text("import sys; print('python', sys.argv[1:])\n")
    (folder / "train.sh").write_text('#!/bin/sh\necho sh "$@"\n')
    (folder / "train.sh").chmod(0o755)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("words", "kind", "printed"),
    [
        ("python train.py --data voc20", "train", "python ['--data', 'voc20']"),
        ("python3 -u train.py -h", "train", "python ['-h']"),
        ("train.py -n 2", "", ""),
        ("./train.sh --help", "train", "sh --help"),
        ("python -m train --dry-run", "python", "python ['--dry-run']"),
        ("bash -c", "bash", "$ {{x}} $(HOME) é"),
        ("-- ls -d train.sh", "ls", "train.sh"),
    ],
)
def test_a_command_runs_beside_the_project_s_code(
    argojobs, project: Path, words: str, kind: str, printed: str
) -> None:
    given = words.split()
    if given[0] == "bash":
        given += [f"echo '{printed}'"]
    answer = argojobs("submit", "-n", "0", *given)
    if not kind:  # a shell would not find it either, without its ./
        assert (answer.code, "'train.py'" in answer.err + answer.out) == (1, True)
        return
    assert answer.code == 0, answer.err
    assert argojobs("logs", "@latest").out == f"{printed}\n"
    assert argojobs("list", "-o", "name").out.startswith(f"{kind}-")


@pytest.mark.parametrize(
    ("words", "count", "noted"),
    [
        (("submit", "python", "train.py"), "4", True),
        (("submit", "-n", "2", "nvidia-smi", "-n", "3"), "2", False),
        (("-n", "8", "submit", "python", "train.py", "--data", "voc20"), "8", False),
        (("submit", "-n", "0", "ls"), "", False),
    ],
)
def test_a_command_gets_gpus_and_is_told_how_many_where_it_did_not_say(
    argojobs, project: Path, words: tuple[str, ...], count: str, noted: bool
) -> None:
    at = words.index("submit") + 1
    answer = argojobs(*words[:at], "--dry-run", "-o", "json", *words[at:])
    assert answer.code == 0, answer.err
    templates = json.loads(answer.out)["spec"]["templates"]
    assert gpus(next(one for one in templates if "container" in one))[0] == count
    assert ("note: submit asks for 4 GPUs" in answer.err) is noted


def test_its_results_are_kept_and_other_words_run_again(argojobs, project: Path) -> None:
    answer = argojobs("submit", "-n", "0", "sh", "-c", "echo kept > $ARGOJOBS_OUT/note")
    assert answer.code == 0, answer.err
    assert argojobs("artifacts", "get", "@latest/sh/results", "out/").code == 0
    assert (project / "out/results/note").read_text() == "kept\n"
    assert argojobs("resubmit", "@latest", "--", "echo", "other words").code == 0
    assert argojobs("logs", "@latest").out == "other words\n"
