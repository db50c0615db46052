"""What a step sees, keeps and may use, by whole runs of this machine: docs/concepts/what-a-step-sees.md."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project without git, in which the user stands."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def body(project: Path):
    """Write a pipeline of one step with this body, and this result."""

    def write(body: str, result: str = "None") -> str:
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        (project / "one.py").write_text(
            "import os\nfrom argojobs import Directory, File, pipeline, step\n\n\n"
            f"@step\ndef work() -> {result}:\n{lines}\n\n"
            f"@pipeline\ndef main() -> {result}:\n    return work()\n"
        )
        return "one.py"

    return write


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("os._exit(0)", "int"),
        ("os._exit(0)", "File"),
        ("os.execv('/bin/true', ['true'])", "int"),
        ("import ctypes; ctypes.CDLL(None)._exit(0)", "int"),
    ],
)
def test_a_step_that_ended_before_it_returned_is_said_to_have(argojobs, body, code, result) -> None:
    answer = argojobs("run", body(code, result))
    assert answer.code == 1
    assert "the step ended (exit code 0) before it returned" in answer.out
    assert "no such file" not in answer.out


def test_what_a_script_writes_comes_back_into_a_folder_of_the_users(argojobs, project) -> None:
    (project / "train.py").write_text("open('model.bin', 'w').write('weights')\n")
    answer = argojobs("run", "train.py")
    assert answer.code == 0, answer.err
    assert "argojobs: kept as results: model.bin\n" in answer.out
    assert argojobs("artifacts", "get", "@latest/train/results", "mine").code == 0
    assert (project / "mine" / "model.bin").read_text() == "weights"
    assert sorted(path.name for path in project.iterdir()) == ["mine", "train.py"]


def test_what_a_step_writes_is_named_also_in_its_tmp(argojobs, body) -> None:
    code = "open('model.bin', 'w')\nopen('/tmp/x', 'w')\nopen('/tmp/tmpx', 'w')"
    answer = argojobs("run", body(code))
    assert answer.code == 0
    assert "argojobs: lost with this step's container: model.bin, /tmp/x; to keep it" in answer.out


@pytest.mark.parametrize("strict", [False, True])
def test_a_step_over_its_memory_is_told_of_or_ended(argojobs, body, project, strict) -> None:
    file = body("x = b'x' * (200 << 20)")
    text = (project / file).read_text().replace("@step", "@step(memory='64Mi')")
    (project / file).write_text(text)
    answer = argojobs("run", file, *(["--strict-resources"] if strict else []))
    if not strict or "not enforced" in answer.err:
        assert answer.code == 0
        assert "a process of this step took 2" in answer.out
    else:
        assert answer.code == 1
        assert "was killed (OOMKilled): its limit is 64Mi" in answer.out
