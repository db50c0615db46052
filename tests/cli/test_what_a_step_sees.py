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


LISTS = """
from argojobs import Gathered, Outputs, each, pipeline, step


class Said(Outputs):
    text: str
    words: list[str]


@step
def say(n: int) -> Said:
    out = Said()
    out.text, out.words = "é{{x}}$(Y)\\n" * 4000, ["w" * 20_000, "argojobs:none"]
    return out


@step
def one(n: int) -> str:
    return "é" * 30_000


@step
def joined(parts: list[str] | None = None) -> list[int]:
    return [len(part) for part in parts or []]


@step
def sizes(all: Gathered[Said], said: Said, ones: list[str]) -> list[int]:
    assert set(all.text) == {said.text}
    return [len(all.text), len(all.words[3][0]), len(ones), *map(len, said.words)]


@pipeline
def inner(ones: list[str]) -> list[int]:
    return joined(ones)


@pipeline
def main() -> list[int]:
    ones = each([1, 2, 3, 4, 5], one)
    inner(ones)
    return sizes(each([1, 2, 3, 4], say), say(9), ones)
"""


def test_what_a_fan_out_gathers_may_be_more_than_a_variable_holds(argojobs, project) -> None:
    (project / "lists.py").write_text(LISTS)
    answer = argojobs("run", "lists.py")
    assert answer.code == 0, answer.out
    assert "result  [4,20000,5,20000,13]" in answer.out


GATHERED = """
kind: Workflow
metadata: {generateName: g-}
spec:
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: fan, template: say, withSequence: {count: "3"}}
      - name: end
        template: take
        depends: fan
        arguments: {parameters: [{name: all, value: "{{tasks.fan.outputs.parameters.t}}"}]}
  - name: say
    script: {image: python, command: [python3], source: "open('/t', 'w').write('x' * 50_000)"}
    outputs: {parameters: [{name: t, valueFrom: {path: /t}}]}
  - name: take
    inputs: {parameters: [{name: all}], ARTIFACTS}
    container:
      image: python
      command: [python3, -c, "import os; print(len(os.environ.get('ALL') or open('/all').read()))"]
      ENV
"""


@pytest.mark.parametrize("way", ["variable", "file"])
def test_a_manifest_that_gathers_too_much_for_a_variable_is_told_the_way(
    argojobs, project, way
) -> None:
    tag = "'{{inputs.parameters.all}}'"
    raw = f"artifacts: [{{name: all, path: /all, raw: {{data: {tag}}}}}]"
    text = GATHERED.replace("ARTIFACTS", raw if way == "file" else "")
    text = text.replace("ENV", f"env: [{{name: ALL, value: {tag}}}]" if way == "variable" else "")
    (project / "g.yaml").write_text(text)
    answer = argojobs("run", "g.yaml")
    if way == "file":
        assert answer.code == 0, answer.out
        assert "[end] 150010" in answer.out
    else:
        assert answer.code == 1
        assert "an input artifact of the template with raw.data '{{inputs.parameters.NAME}}'" in (
            answer.out
        )
        assert "Kubernetes" not in answer.out


PATHS = """
from pathlib import Path
from argojobs import pipeline, step


@step
def read(data: Path) -> str:
    return Path("gen.csv").read_text() if str(data) == "inside" else data.read_text()


@pipeline
def main(data: Path = Path("gen.csv"), other: int = 1) -> str:
    return read(data)
"""


def test_a_path_that_is_here_and_not_there_is_warned_of_and_the_failure_explained(
    argojobs, project
) -> None:
    (project / "paths.py").write_text(PATHS)
    (project / "gen.csv").write_text("1")
    (project / ".argojobsignore").write_text("gen.csv\n")
    answer = argojobs("run", "paths.py")
    assert answer.code == 1
    assert "warning: data=gen.csv is on this machine" in answer.err
    answer = argojobs("run", "paths.py", "-p", "data=inside")
    assert "is on this machine" not in answer.err
    assert f"why: gen.csv is on this machine ({project}/gen.csv) but not in the step" in answer.out
    assert "!gen.csv to .argojobsignore" in answer.out
    (project / ".argojobsignore").unlink()
    answer = argojobs("run", "paths.py")
    assert (answer.code, "is on this machine" in answer.err) == (0, False)
