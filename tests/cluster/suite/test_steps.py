"""Steps as pods in a plain Python image: what goes in, what comes out, and what breaks.

All runs are started together and looked at one after the other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from as_user import User, Workflow, messages, nodes_of, phase, result, step
from harness.cluster import Cluster
from support.any_text import HARD
from support.any_text import PIPELINE as TEXTS

PASSWORD = "correct-horse-battery"
KEPT = [
    "-rw------- secret",
    "-rw-r--r-- empty-file",
    "-rw-r--r-- ä b",
    "-rwxr-x--- program",
    "drwxr-xr-x empty",
    "drwxr-xr-x empty/inside",
    "lrwxrwxrwx folder-link -> empty",
    "lrwxrwxrwx link -> program",
    "it runs\n",
    "uid 1000 1000",
]


@pytest.fixture(scope="module")
def user(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[User]:
    """One user for the whole module."""
    found = User(cluster, tmp_path_factory.mktemp("user"))
    yield found
    found.forget()


@pytest.fixture(scope="module")
def secret(cluster: Cluster) -> Iterator[None]:
    """The Secret that the database's step refers to."""
    name = "suite-database"
    cluster.kubectl("delete", "secret", name, "--ignore-not-found")
    cluster.kubectl("create", "secret", "generic", name, f"--from-literal=password={PASSWORD}")
    yield
    cluster.kubectl("delete", "secret", name)


def texts() -> dict[str, object]:
    """The parameters of the pipeline of `test_any_text.py`: all that was ever altered on a way."""
    text = "{{workflow.name}} $(HOME) $$ '\"\\\n\t\0\x1b\U0001f600\u2028 "
    return {"text": text, "many": HARD, "by_name": {one: one for one in HARD}}


def as_user_1000(manifest: str) -> str:
    """The manifest whose pods do not run as root, as a careful cluster asks for."""
    whole = json.loads(manifest)
    whole["spec"]["securityContext"] = {"runAsUser": 1000, "runAsNonRoot": True}
    return json.dumps(whole)


@pytest.fixture(scope="module")
def runs(user: User, secret: None) -> dict[str, str]:
    """The names of all runs of this module, under way."""
    project = user.project
    (project / "texts.py").write_text(TEXTS)
    (project / "given.json").write_text(json.dumps(texts()))
    keeps = project / "keeps.py"
    manifest = user.there("compile", keeps, "--pipeline", "keeps", "--upload", "-o", "json").stdout
    (project / "keeps.json").write_text(as_user_1000(manifest))
    absent = f"data=s3://{user.cluster.s3_bucket}/{user.name}/there/is/no/such/key"
    again = project / "again.py"
    return {
        "killed": user.started(again, "--pipeline", "killed"),
        "shakes": user.started(again, "--pipeline", "shakes"),
        "fails": user.started(again, "--pipeline", "fails"),
        "keeps": user.started(project / "keeps.json"),
        "maybe": user.started(keeps, "--pipeline", "maybe"),
        "absent": user.started(keeps, "--pipeline", "maybe", "-p", absent),
        "database": user.started(project / "database.py"),
        "texts": user.started(
            project / "texts.py", "--params", f"@{project / 'given.json'}", cwd=project
        ),
    }


def test_a_pod_that_is_killed_is_repeated_on_a_budget_of_its_own(
    user: User, runs: dict[str, str]
) -> None:
    user.until_said(runs["killed"], "attempt 0 runs")
    (pod,) = (
        node for node in nodes_of(user.get(runs["killed"])) if node["displayName"] == "lost(0:7)(0)"
    )
    name = f"{runs['killed']}-lost-{pod['id'].rpartition('-')[2]}"
    # Where Argo's own container has no time to report, the pod is run again as the same attempt.
    user.cluster.kubectl("delete", "pod", name, "--grace-period=20", "--wait=false")
    workflow = user.ended(runs["killed"])
    assert phase(workflow) == "Succeeded", messages(workflow)
    assert listed(workflow) == ["by attempt 1"]
    assert step(workflow, "lost(0:7)(0)")["phase"] in {"Failed", "Error"}


def listed(workflow: Workflow) -> list[str]:
    """The list of texts that a run returned."""
    found: list[str] = json.loads(result(workflow)["result"].removeprefix("argojobs:texts:"))
    return found


def logs(user: User, name: str) -> str:
    return user.there("logs", name, code=None).stdout


def test_a_failure_of_the_program_is_not_repeated_on_that_budget(
    user: User, runs: dict[str, str]
) -> None:
    workflow = user.ended(runs["fails"])
    assert phase(workflow) == "Failed"
    assert [n["displayName"] for n in nodes_of(workflow) if n["type"] == "Pod"] == ["wrong(0)"]
    told = user.there("get", runs["fails"]).stdout
    assert "wrong" in told
    assert "exit code 4" in told


def test_a_step_that_fails_twice_succeeds_at_its_third_attempt(
    user: User, runs: dict[str, str]
) -> None:
    workflow = user.ended(runs["shakes"])
    assert phase(workflow) == "Succeeded", messages(workflow)
    assert listed(workflow) == ["by attempt 2"]
    phases = [step(workflow, f"shaky(0:7)({number})")["phase"] for number in range(3)]
    assert phases == ["Failed", "Failed", "Succeeded"]
    lines = user.there("logs", runs["shakes"], "shaky").stdout
    assert [f"attempt {number} runs" in lines for number in range(3)] == [True, True, True]


def test_the_code_travels_to_an_image_that_knows_nothing_of_us_and_folders_stay_what_they_are(
    user: User, runs: dict[str, str], tmp_path: Path
) -> None:
    workflow = user.ended(runs["keeps"])
    assert phase(workflow) == "Succeeded", messages(workflow)
    assert listed(workflow) == KEPT
    name = f"{runs['keeps']}/make/tree"
    user.there("artifacts", "get", name, tmp_path / "got")
    assert (tmp_path / "got" / "empty" / "inside").is_dir()
    assert (tmp_path / "got" / "link").readlink() == Path("program")
    assert (tmp_path / "got" / "program").stat().st_mode & 0o777 == 0o750


def test_data_that_nobody_gave_is_none_and_has_no_path(user: User, runs: dict[str, str]) -> None:
    workflow = user.ended(runs["maybe"])
    assert phase(workflow) == "Succeeded", messages(workflow)
    assert result(workflow) == {"result": "None False"}


def test_data_whose_key_is_absent_is_none_and_has_no_path(user: User, runs: dict[str, str]) -> None:
    workflow = user.ended(runs["absent"])
    assert phase(workflow) == "Succeeded", messages(workflow)
    assert result(workflow) == {"result": "None False"}


def test_a_step_has_a_database_s_password_by_reference(user: User, runs: dict[str, str]) -> None:
    workflow = user.ended(runs["database"])
    assert phase(workflow) == "Succeeded", messages(workflow)
    digest = hashlib.sha256(PASSWORD.encode()).hexdigest()
    assert listed(workflow) == [
        f"{digest} 1",
        f"{digest} 2",
    ]
    assert "secretKeyRef" in json.dumps(workflow["spec"])
    assert PASSWORD not in json.dumps(workflow)
    assert PASSWORD not in logs(user, runs["database"])


def test_any_text_in_a_parameter_arrives_as_it_was_given(
    user: User, runs: dict[str, str], tmp_path: Path
) -> None:
    workflow = user.ended(runs["texts"])
    assert phase(workflow) == "Succeeded", messages(workflow)
    user.there("artifacts", "get", f"{runs['texts']}/again/result", tmp_path / "got")
    given = texts()
    found = json.loads((tmp_path / "got").read_bytes())
    assert found == [given["text"], given["many"], given["by_name"], given["text"]]
