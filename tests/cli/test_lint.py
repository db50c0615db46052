"""lint: findings with their places and remedies, for people and programs, and --fix."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from argojobs.cli.lint_formats import github_lines
from argojobs.cli.lint_rules import ALL
from argojobs.manifest.findings import Finding
from argojobs.runs.linting import Report

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


HERA = """\
from hera.workflows import DAG, Container, Task, Workflow

with Workflow(generate_name="h-", entrypoint="main", arguments={"password": "abc"}) as w:
    Container(name="c", image="busybox", command=["sh"])
    with DAG(name="main"):
        Task(name="t", template="c", arguments={"unknown": "1"})
"""


def check_sarif(log: dict) -> None:
    """What SARIF 2.1.0 requires of the parts that we write, section by section."""
    assert log["version"] == "2.1.0"  # 3.13.2
    assert log["$schema"].endswith("sarif-2.1.0.json")
    for run in log["runs"]:  # 3.13.4
        driver = run["tool"]["driver"]  # 3.14.6, 3.18.2
        assert driver["name"]  # 3.19.8
        assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")  # 3.14.17
        for rule in driver["rules"]:  # 3.19.23
            assert rule["id"]  # 3.49.3
            for field in ("shortDescription", "fullDescription", "help"):
                assert rule[field]["text"]  # 3.12.3
            assert rule["helpUri"].startswith("https://")  # 3.49.12
        assert len({rule["id"] for rule in driver["rules"]}) == len(driver["rules"])
        for result in run["results"]:  # 3.14.23
            assert result["message"]["text"]  # 3.27.11
            assert result["level"] in ("none", "note", "warning", "error")  # 3.27.10
            assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]  # 3.27.5
            for location in result["locations"]:  # 3.27.12
                uri = location["physicalLocation"]["artifactLocation"]["uri"]  # 3.4.3
                assert not set(uri) & set(" #?\\")
                assert uri[0] != "/"
                region = location["physicalLocation"].get("region", {"startLine": 1})
                assert all(type(value) is int and value > 0 for value in region.values())  # 3.30
                for logical in location.get("logicalLocations", ()):
                    assert logical["fullyQualifiedName"]  # 3.33.5


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


def test_templates_of_other_files_are_linted_themselves(argojobs, folder) -> None:
    library = UNWISE.replace("kind: Workflow", "kind: WorkflowTemplate")
    (folder / "more").mkdir()
    (folder / "more" / "library.yaml").write_text(library)
    (folder / "more" / "broken.yaml").write_text("kind: WorkflowTemplate\nspec: [\n")
    found = json.loads(argojobs("lint", "good.yaml", "--templates", "more", "-o", "json").out)
    assert [(Path(one["file"]).name, one["code"]) for one in found] == [
        ("broken.yaml", "unreadable"),
        ("library.yaml", "name-missing"),
        ("library.yaml", "misplaced-field"),
    ]


def test_findings_come_file_by_file_in_the_order_of_their_lines(argojobs, folder) -> None:
    second = GOOD.replace('"busybox:1.36", command: [echo]', "busybox, env: [{name: A, value: 1}]")
    (folder / "b.yaml").write_text(f"{WRONG}---\n{second}")
    (folder / "a.yaml").write_text(UNWISE)
    found = json.loads(argojobs("lint", "b.yaml", "a.yaml", "-o", "json").out)
    assert [(one["file"], one["line"]) for one in found] == [
        ("b.yaml", 5),
        ("b.yaml", 7),
        ("b.yaml", 17),
        ("b.yaml", 17),
        ("a.yaml", 8),
    ]


def test_a_file_without_anything_to_lint_is_said(argojobs, folder) -> None:
    (folder / "map.yaml").write_text("kind: ConfigMap\nmetadata: {name: m}\n")
    answer = argojobs("lint", "map.yaml")
    assert answer.code == 0
    assert "holds nothing to lint, only ConfigMap [nothing-to-lint]" in answer.out


def test_what_stands_beside_a_request_has_its_own_line(argojobs, folder) -> None:
    (folder / "body.yaml").write_text(
        "workflow:\n  metadata: {name: w}\n  spec: {entrypoint: m, templates: [{name: m, suspend: {}}]}\n"
        "annotations: {a: b}\n"
    )
    (found,) = json.loads(argojobs("lint", "body.yaml", "-o", "json").out)
    assert (found["code"], found["line"]) == ("request-field", 4)
    assert found["remedy"]


class TestProgramsAreLintedAsWhatTheyCompileTo:
    def test_a_finding_has_the_line_of_the_step(self, argojobs, folder) -> None:
        (folder / "two.py").write_text(PIPELINE)
        answer = argojobs("lint", "two.py", "-o", "json")
        assert answer.code == 0
        (found,) = json.loads(answer.out)
        assert (found["file"], found["line"], found["column"]) == ("two.py", 3, None)
        assert argojobs("lint", "two.py").out.startswith("two.py:3: warning: ")

    def test_or_of_the_call_or_of_the_pipeline(self, argojobs, folder) -> None:
        text = PIPELINE.replace(
            "def second() -> None:\n    one()",
            'def second(password: str = "hunter2") -> None:\n    board()\n    board()\n',
        )
        board = "{'name': 'board', 'container': {'image': 'x:1', 'ports': [{'containerPort': 1, 'hostPort': 1}]}}"
        text = text.replace("import pipeline", "import use, pipeline")
        (folder / "two.py").write_text(text.replace("@step", f"board = use({board})\n\n@step"))
        answer = argojobs("lint", "two.py", "-o", "json")
        found = {one["code"]: one["line"] for one in json.loads(answer.out)}
        assert found == {"gpu-limits": 5, "secret-literal": 13, "host-port": 16}

    def test_the_step_may_stand_in_another_file(self, argojobs, folder) -> None:
        steps, _, pipelines = PIPELINE.partition("@pipeline")
        (folder / "steps_of_mine.py").write_text(steps)
        (folder / "two.py").write_text(
            "from argojobs import pipeline\nfrom steps_of_mine import one\n\n@pipeline" + pipelines
        )
        (found,) = json.loads(argojobs("lint", "two.py", "-o", "json").out)
        assert (Path(found["file"]).name, found["line"]) == ("steps_of_mine.py", 3)

    def test_of_hera_the_call_that_gives_the_name(self, argojobs, folder) -> None:
        (folder / "hera_one.py").write_text(HERA)
        found = json.loads(argojobs("lint", "hera_one.py", "-o", "json").out)
        lines = {one["code"]: one["line"] for one in found}
        assert lines == {"secret-literal": 3, "image-latest": 4, "argument-unknown": 6}

    def test_a_file_that_does_not_import_is_wrong_input(self, argojobs, folder) -> None:
        (folder / "bad.py").write_text("import argojobs, nowhere_to_be_found\n")
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

    def test_sarif_has_what_the_standard_requires(self, argojobs, folder) -> None:
        (folder / "a b#c.yaml").write_text(WRONG)
        (folder / "two.py").write_text(PIPELINE)
        outside = folder.parent / "outside.yaml"
        outside.write_text(UNWISE)
        names = ["a b#c.yaml", "two.py", str(outside), str(folder / "wrong.yaml")]
        log = json.loads(argojobs("lint", *names, "-o", "sarif").out)
        check_sarif(log)
        places = [one["locations"][0]["physicalLocation"] for one in log["runs"][0]["results"]]
        uris = list(dict.fromkeys(place["artifactLocation"]["uri"] for place in places))
        assert uris == ["a%20b%23c.yaml", "two.py", outside.as_uri(), "wrong.yaml"]
        program = next(one for one in places if one["artifactLocation"]["uri"] == "two.py")
        assert program["region"] == {"startLine": 3}

    def test_github_lines_are_escaped_as_github_reads_them(self) -> None:
        finding = Finding("error", "code", ("a",), "100% of\r\n: it, all", "do\nthis")
        line = "::error file=a%25b%2Cc%3Ad.yaml,title=code,line=2,col=3::a: 100%25 of%0D%0A: it, all%0Ado%0Athis"
        assert github_lines([Report("a%b,c:d.yaml", 2, 3, finding)]) == [line]
        line = "::error file=p.py,title=code,line=2::a: 100%25 of%0D%0A: it, all%0Ado%0Athis"
        assert github_lines([Report("p.py", 2, 0, finding)]) == [line]

    def test_github_finds_a_file_by_its_path_in_the_checkout(self, argojobs, folder) -> None:
        out = argojobs("lint", str(folder / "wrong.yaml"), "-o", "github").out
        assert out.startswith("::error file=wrong.yaml,")

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


class TestStandardInput:
    def test_a_manifest_there_is_linted(self, argojobs, given) -> None:
        given(WRONG)
        answer = argojobs("lint", "-", "-o", "json")
        assert answer.code == 2
        assert ("<stdin>", 5) in [(one["file"], one["line"]) for one in json.loads(answer.out)]

    def test_what_is_no_manifest_is_said(self, argojobs, given) -> None:
        given("kind: [")
        answer = argojobs("lint", "-")
        assert answer.code == 2
        assert answer.out.startswith("<stdin>:2:1: error: not valid YAML")

    def test_it_cannot_be_put_right(self, argojobs, given) -> None:
        given(UNWISE)
        assert "standard input is none" in argojobs("lint", "-", "--fix").err

    @pytest.fixture
    def given(self, monkeypatch):
        def give(text: str) -> None:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

        return give


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


@pytest.mark.parametrize("kind", ["Workflow", "WorkflowTemplate", "CronWorkflow"])
def test_an_object_of_hera_is_judged_as_what_it_is(argojobs, folder, kind):
    pytest.importorskip("hera.workflows")
    schedules = ", schedules=['0 3 * * *']" if kind == "CronWorkflow" else ""
    (folder / "made.py").write_text(
        f"from hera.workflows import {kind}, Container\n"
        f"with {kind}(name='made', entrypoint='main'{schedules}) as made:\n"
        "    Container(name='main', image='busybox:1.36', command=['true'])\n"
    )
    answer = argojobs("lint", str(folder / "made.py"))
    assert (answer.code, answer.err) == (0, ""), answer.out
