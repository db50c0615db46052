"""lint: findings with their places and remedies, for people and programs, and --fix."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argojobs.cli.lint_rules import ALL

GOOD = """\
kind: Workflow
apiVersion: argoproj.io/v1alpha1
metadata: {generateName: good-}
spec:
  entrypoint: main
  templates:
  - name: main
    container: {image: "busybox:1.36", command: [echo]}
"""
#: One field in a wrong place: a warning.
UNWISE = GOOD.replace("command: [echo]", "command: [echo], retryStrategy: {limit: 3}")
#: A template that is not there: an error.
WRONG = GOOD.replace("entrypoint: main", "entrypoint: mian")
POD = """\
kind: Pod
apiVersion: v1
metadata: {name: p}
spec:
  restartPolicy: OnFailure
  containers:
  - {name: c, image: "busybox:1.36", imagePulPolicy: Always}
"""
PIPELINE = """\
from argojobs import pipeline, step

@step(gpu=1)
def one() -> None:
    print(1)

@pipeline
def first() -> None:
    one()

@pipeline
def second() -> None:
    one()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("good", GOOD), ("unwise", UNWISE), ("wrong", WRONG)):
        (tmp_path / f"{name}.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_good_file_is_0_and_says_so(argojobs, folder) -> None:
    answer = argojobs("lint", "good.yaml")
    assert (answer.code, answer.out) == (0, "1 file: nothing found\n")


def test_a_finding_has_place_code_path_and_remedy(argojobs, folder) -> None:
    answer = argojobs("lint", "wrong.yaml")
    assert answer.code == 2
    assert answer.out.startswith("wrong.yaml:5:3: error: there is no template 'mian' [template-")
    assert "\n  at spec.entrypoint\n  did you mean 'main'?" in answer.out
    assert answer.out.splitlines()[-1].startswith("1 file: 1 error, ")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["good.yaml"], 0),
        (["unwise.yaml"], 0),
        (["unwise.yaml", "--strict"], 2),
        (["good.yaml", "--strict"], 0),
        (["good.yaml", "wrong.yaml"], 2),
        (["nowhere.yaml"], 2),
        ([], 2),
    ],
)
def test_exit_codes_for_ci(argojobs, folder, arguments, code) -> None:
    assert argojobs("lint", *arguments).code == code


def test_a_folder_gives_its_manifests_and_leaves_other_files(argojobs, folder) -> None:
    (folder / "compose.yaml").write_text("services: {db: {image: x}}\n")
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "w.yaml").write_text(WRONG)
    answer = argojobs("lint", ".", "-o", "json")
    assert {one["file"] for one in json.loads(answer.out)} == {"unwise.yaml", "wrong.yaml"}
    answer = argojobs("lint", "compose.yaml")
    assert answer.code == 2
    assert "[unreadable]" in answer.out
    (folder / "empty").mkdir()
    assert "there is no manifest" in argojobs("lint", "empty").err


def test_every_document_of_a_file_is_linted(argojobs, folder) -> None:
    (folder / "both.yaml").write_text(f"{GOOD}---\n{WRONG}---\nkind: ConfigMap\n---\n{UNWISE}")
    found = json.loads(argojobs("lint", "both.yaml", "-o", "json").out)
    assert found[0]["line"] == 14
    assert "misplaced-field" in {one["code"] for one in found}


def test_what_cannot_be_read_is_a_finding_and_the_rest_goes_on(argojobs, folder) -> None:
    (folder / "broken.yaml").write_text("kind: Workflow\nspec: [\n")
    found = json.loads(argojobs("lint", "broken.yaml", "wrong.yaml", "-o", "json").out)
    assert found[0]["code"] == "unreadable"
    assert found[0]["line"] == 3
    assert found[1]["file"] == "wrong.yaml"


def test_templates_of_other_files_are_known(argojobs, folder) -> None:
    library = GOOD.replace("kind: Workflow", "kind: WorkflowTemplate").replace(
        "generateName: good-", "name: library"
    )
    caller = GOOD.replace(
        'container: {image: "busybox:1.36", command: [echo]}',
        "steps: [[{name: a, templateRef: {name: library, template: main}}]]",
    )
    (folder / "caller.yaml").write_text(caller)
    (folder / "more").mkdir()
    (folder / "more" / "library.yaml").write_text(library)
    assert argojobs("lint", "caller.yaml", "--refs", "strict").code == 2
    assert argojobs("lint", "caller.yaml", "--strict").code == 2
    assert argojobs("lint", "caller.yaml", "--strict", "--refs", "off").code == 0
    assert argojobs("lint", "caller.yaml", "--refs", "strict", "--templates", "more").code == 0
    assert argojobs("lint", "caller.yaml", "more", "--refs", "strict").code == 0


def test_a_bare_pod_is_linted_in_its_own_places(argojobs, folder) -> None:
    (folder / "pod.yaml").write_text(POD)
    found = {one["code"]: one for one in json.loads(argojobs("lint", "pod.yaml", "-o", "json").out)}
    assert found["unknown-field"]["line"] == 7
    assert found["unknown-field"]["path"] == "spec.containers[0].imagePulPolicy"
    assert "6 more attempts" in found["pod-restart"]["message"]


def test_a_program_is_linted_as_what_it_compiles_to(argojobs, folder) -> None:
    (folder / "two.py").write_text(PIPELINE)
    answer = argojobs("lint", "two.py", "-o", "json")
    assert answer.code == 0
    assert [one["file"] for one in json.loads(answer.out)].count("two.py") >= 2
    (folder / "bad.py").write_text("import nowhere_to_be_found\n")
    assert argojobs("lint", "bad.py").code == 2


class TestForPrograms:
    def test_json(self, argojobs, folder) -> None:
        (found, *_) = json.loads(argojobs("lint", "wrong.yaml", "-o", "json").out)
        assert found["file"] == "wrong.yaml"
        assert (found["line"], found["column"]) == (5, 3)
        assert found["path"] == "spec.entrypoint"
        assert found["level"] == "error"
        assert found["remedy"].startswith("did you mean")
        assert found["page"].startswith("http")

    def test_sarif(self, argojobs, folder) -> None:
        log = json.loads(argojobs("lint", "wrong.yaml", "unwise.yaml", "-o", "sarif").out)
        assert log["version"] == "2.1.0"
        (run,) = log["runs"]
        rules = run["tool"]["driver"]["rules"]
        assert run["tool"]["driver"]["name"] == "argojobs"
        for result in run["results"]:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
            assert result["level"] in ("error", "warning")
            assert result["message"]["text"]
            (location,) = result["locations"]
            physical = location["physicalLocation"]
            assert physical["region"]["startLine"] >= 1
            assert physical["region"]["startColumn"] >= 1
            assert physical["artifactLocation"]["uri"] in ("wrong.yaml", "unwise.yaml")
        assert len({rule["id"] for rule in rules}) == len(rules)
        assert (
            json.loads(argojobs("lint", "good.yaml", "-o", "sarif").out)["runs"][0]["results"] == []
        )

    def test_github(self, argojobs, folder) -> None:
        (folder / "a,b.yaml").write_text(WRONG)
        line = argojobs("lint", "a,b.yaml", "-o", "github").out.splitlines()[0]
        assert line.startswith("::error file=a%2Cb.yaml,title=template-")
        assert ",line=5,col=3::spec.entrypoint: there is no template 'mian'%0Adid you" in line


class TestFix:
    def test_moves_in_the_file_and_says_so(self, argojobs, folder) -> None:
        file = folder / "unwise.yaml"
        file.write_bytes(b"\xef\xbb\xbf" + UNWISE.replace("\n", "\r\n").encode())
        file.chmod(0o640)
        answer = argojobs("lint", "--fix", "unwise.yaml", "--strict")
        assert answer.code == 0
        assert "unwise.yaml:8:57: fixed spec.templates[0].container.retryStrategy" in answer.out
        assert file.read_bytes().startswith(b"\xef\xbb\xbfkind")
        assert b"command: [echo]}\r\n    retryStrategy: {limit: 3}\r\n" in file.read_bytes()
        assert file.stat().st_mode & 0o777 == 0o640
        assert [one.name for one in folder.iterdir() if one.name.startswith(".")] == []

    def test_leaves_a_good_file_alone(self, argojobs, folder) -> None:
        before = (folder / "good.yaml").stat().st_mtime_ns
        argojobs("lint", "--fix", "good.yaml")
        assert (folder / "good.yaml").stat().st_mtime_ns == before

    def test_what_it_leaves_is_said(self, argojobs, folder) -> None:
        text = UNWISE.replace("- name: main\n", "- name: main\n    retryStrategy: {limit: 1}\n")
        (folder / "unwise.yaml").write_text(text)
        answer = argojobs("lint", "--fix", "unwise.yaml", "-o", "json")
        assert "left spec.templates[0].container.retryStrategy" in answer.err
        assert json.loads(answer.out)[0]["code"] == "misplaced-field"
        assert (folder / "unwise.yaml").read_text() == text


class TestExplain:
    @pytest.mark.parametrize("code", sorted(ALL))
    def test_every_code_is_explained(self, argojobs, code) -> None:
        answer = argojobs("lint", "--explain", code)
        assert answer.code == 0
        assert answer.out.startswith(f"{code} (")
        assert "remedy:" in answer.out
        assert "http" in answer.out

    def test_the_nearest_code_is_named(self, argojobs) -> None:
        answer = argojobs("lint", "--explain", "misplaced-feild")
        assert answer.code == 2
        assert "misplaced-field" in answer.err


def test_compile_stops_on_errors_and_is_brief_on_warnings(argojobs, folder) -> None:
    answer = argojobs("compile", "wrong.yaml")
    assert answer.code == 2
    assert "at wrong.yaml:5:3" in answer.err
    (folder / "unwise.yaml").write_text(UNWISE.replace("busybox:1.36", "busybox:latest"))
    answer = argojobs("compile", "unwise.yaml")
    assert answer.code == 0
    first, second = answer.err.splitlines()
    assert "Argo drops it" in first
    assert second == "warning: 1 more warning (image-latest): argojobs lint unwise.yaml"
    assert "retryStrategy" not in answer.out
