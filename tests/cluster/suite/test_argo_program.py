"""The real `argo` takes every manifest that `argojobs compile` writes: lint offline, and submit."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from as_user import ROOT, User
from harness.cluster import Cluster

FILES = {
    "workflows": ["demo.py", "hello.py"],
    "tests/golden": ["branches.py", "demo.py", "everything.py", "fanout.py", "options.py"],
}
#: The pipelines of a file that has several.
SEVERAL = {
    "again": ["shakes", "killed", "fails"],
    "everything": ["everything"],
    "fanout": ["fanout"],
    "keeps": ["keeps", "maybe"],
    "nested": ["nested", "lists", "branches", "none"],
    "verbs": ["chain", "waiting", "counting"],
}
#: The data that a pipeline cannot do without, by its argument's name.
NEEDED = {"options": "data"}


#: Where data lies in a store, the context has to say which.
THERE = ("--context", "there")


@pytest.fixture(scope="module")
def manifests(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the manifests of all pipelines."""
    user = User(cluster, tmp_path_factory.mktemp("user"))
    folder = tmp_path_factory.mktemp("manifests")
    others = user.folder / "others"  # a project of their own: its code travels in each manifest
    others.mkdir()
    for place, names in FILES.items():
        for name in names:
            shutil.copy(ROOT / place / name, others / f"{Path(place).name}-{name}")
    for file in [*sorted(user.project.iterdir()), *sorted(others.iterdir())]:
        for pipeline in SEVERAL.get(file.stem.removeprefix("golden-"), [""]):
            chosen = ["--pipeline", pipeline] if pipeline else []
            if data := NEEDED.get(file.stem.removeprefix("golden-")):
                chosen += ["-p", f"{data}=s3://{cluster.s3_bucket}/{user.name}", *THERE]
            made = user.argojobs("compile", file, *chosen, cwd=file.parent).stdout
            (folder / f"{file.stem}-{pipeline or file.suffix[1:]}.yaml").write_text(made)
    yield folder
    user.forget()


def argo(cluster: Cluster, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """The real program, as somebody who submits."""
    environment = {
        "PATH": os.environ["PATH"],
        "KUBECONFIG": os.devnull,
        "ARGO_SERVER": cluster.argo_url.rpartition("/")[2],
        "ARGO_SECURE": "false",
        "ARGO_NAMESPACE": cluster.namespace,
        "ARGO_TOKEN": f"Bearer {cluster.token('submitter')}",
    }
    return subprocess.run(
        [cluster.programs / "argo", *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_lint_finds_nothing(cluster: Cluster, manifests: Path) -> None:
    assert len(list(manifests.iterdir())) >= 20
    done = argo(cluster, "lint", "--offline", manifests)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no linting errors found" in done.stdout


def test_a_fault_would_be_found(cluster: Cluster, manifests: Path, tmp_path: Path) -> None:
    text = (manifests / "workflows-hello-py.yaml").read_text()
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(text.replace("{{tasks.write.", "{{tasks.wrote."))
    assert wrong.read_text() != text
    assert argo(cluster, "lint", "--offline", wrong).returncode != 0


def test_one_whose_data_is_not_given_is_not_written_and_argo_would_refuse_it(
    cluster: Cluster, user: User
) -> None:
    golden = ROOT / "tests" / "golden"
    shutil.copy(golden / "options.py", user.project)
    done = user.argojobs("compile", "options.py", cwd=user.project, code=2)
    assert "no value is given for data" in done.stderr
    assert done.stdout == ""
    refused = argo(cluster, "lint", "--offline", golden / "options.yaml")
    assert refused.returncode == 1
    assert "spec.arguments.data.from, artifact location, or key is required" in refused.stdout


def test_the_server_takes_all_of_them(cluster: Cluster, manifests: Path) -> None:
    """`submit --server-dry-run`: checked by the server as if they were to run, and not stored."""
    files = sorted(manifests.glob("*.yaml"))
    refused = {
        file.name: done.stderr
        for file in files
        for done in [argo(cluster, "submit", "--server-dry-run", "--output", "name", file)]
        if done.returncode != 0
    }
    assert refused == {}


def test_one_that_argo_submits_runs(cluster: Cluster, manifests: Path) -> None:
    file = manifests / "workflows-hello-py.yaml"
    text = file.read_text().replace("docker.io/library/python:3.12-slim", "python:3.12-slim")
    file.write_text(text)
    done = argo(cluster, "submit", "--wait", "--output", "name", file)
    name = done.stdout.split()[0]
    try:
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Succeeded" in argo(cluster, "get", name).stdout
    finally:
        argo(cluster, "delete", name)
