"""`submit ssh`: the older tools' form of `run --shell`, with GPUs."""

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
    file.touch()
    return file


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("submit",), "argojobs run"),
        (("submit", "nvidia-smi"), "argojobs submit ssh"),
        (("submit", "python", "train.py", "--lr", "3"), "argojobs run"),
        (("submit", "ssh", "train.py"), "argojobs run FILE --shell"),
        (("submit", "ssh", "-n", "-1"), "greater than or equal to 0"),
        (("submit", "ssh", "-n", "many"), "-n 'many' is no whole number"),
        (("-n", "many", "submit", "ssh"), "-n 'many' is no whole number"),
        (("-n", "2", "list"), "-n 2 before a verb is for submit ssh"),
        (("-n", "2", "list"), "list --help lists its own options"),
        (("-n", "8", "run", "train.py"), "--resources gpu=8"),
        (("-n", "8", "compile", "train.py"), "--resources gpu=8"),
        (("submit", "ssh", "--resources", "gpu=1"), "given twice"),
        (("submit", "ssh", "--", "x"), "--shell takes no words"),
    ],
)
def test_what_it_cannot_do_is_said(argojobs, home: Path, words, said: str) -> None:
    answer = argojobs(*words)
    assert answer.code == 2
    assert said in answer.err


def test_its_help_is_shown_without_ssh(argojobs) -> None:
    answer = argojobs("submit", "--help")
    assert answer.code == 0
    assert "-n, --gpus" in answer.out
    assert "argojobs -n 8 submit ssh" in answer.out.replace("\n ", "")
