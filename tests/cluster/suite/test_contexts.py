"""What a context says of every run, on the real cluster: defaults, limits, and where things lie."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.cluster import Cluster
from harness.lab import Lab

from argojobs.runtime.wire import decode

IMAGE = "python:3.12-slim"

LOOK = """
import json, os
from pathlib import Path

from argojobs import pipeline, step


@step
def look() -> str:
    def writable(folder: str) -> bool:
        try:
            (Path(folder) / "written").write_text("here")
        except OSError:
            return False
        return True

    storage = Path(os.environ["STORAGE_DIR"])
    storage.joinpath("sets").mkdir()
    storage.joinpath("sets", "numbers").write_text("1 2 3")
    return json.dumps({
        "level": os.environ["LEVEL"],
        "storage": str(storage),
        "data": writable("/data"),
        "read": writable("/read"),
        "seen": Path("/read/written").read_text(),
        "host": Path("/host/note").read_text(),
    })


@pipeline
def looking() -> str:
    return look()
"""


@pytest.fixture
def lab(cluster: Cluster, tmp_path: Path) -> Iterator[Lab]:
    made = Lab(cluster, tmp_path)
    yield made
    made.close()


def test_every_run_gets_what_its_context_says(lab: Lab) -> None:
    storage, data = lab.claim("storage"), lab.claim("data")
    (lab.folder / "host").mkdir()
    (lab.folder / "host" / "note").write_text("of the node")
    lab.cluster.kubectl("create", "serviceaccount", f"{lab.label}-runner")
    lab.cluster.kubectl(
        "create", "rolebinding", f"{lab.label}-runner", "--role=executor",
        f"--serviceaccount={lab.cluster.namespace}:{lab.label}-runner",
    )  # fmt: skip
    try:
        lab.configure(f"""
image = "{IMAGE}"
service_account = "{lab.label}-runner"
resources = "cpu=100m memory=64Mi gpu=1"
storage = "/storage"
storage_claim = "{storage}"
[contexts.lab.environment]
LEVEL = "debug"
[contexts.lab.mounts]
"/data" = "claim:{data}"
"/read" = "claim:{data}:ro"
"/host" = "hostPath:{lab.folder}/host:ro"
""")
        lab.write("look.py", LOOK)
        made = lab.run("look.py")
    finally:
        lab.cluster.kubectl("delete", "serviceaccount,rolebinding", f"{lab.label}-runner")
    assert made["metadata"]["namespace"] == lab.cluster.namespace
    assert json.loads(result_of(made)) == {
        "level": "debug",
        "storage": "/storage",
        "data": True,
        "read": False,
        "seen": "here",
        "host": "of the node",
    }
    pod = pods_of(lab, made)[0]["spec"]
    assert pod["serviceAccountName"] == f"{lab.label}-runner"
    main = next(one for one in pod["containers"] if one["name"] == "main")
    assert main["image"] == IMAGE
    assert main["resources"] == {
        "requests": {"cpu": "100m", "memory": "64Mi", "nvidia.com/gpu": "1"},
        "limits": {"memory": "64Mi", "nvidia.com/gpu": "1"},
    }


def result_of(workflow: dict[str, Any]) -> str:
    node = workflow["status"]["nodes"][workflow["metadata"]["name"]]
    assert workflow["status"]["phase"] == "Succeeded", node
    texts = {one["name"]: one["value"] for one in node["outputs"]["parameters"]}
    return str(decode(texts["result"], str))


def pods_of(lab: Lab, workflow: dict[str, Any]) -> list[dict[str, Any]]:
    label = f"workflows.argoproj.io/workflow={workflow['metadata']['name']}"
    found: list[dict[str, Any]] = json.loads(
        lab.cluster.kubectl("get", "pods", "-l", label, "-o", "json")
    )["items"]
    return found


NAP = """
kind: Workflow
metadata: {generateName: nap-}
spec:
  entrypoint: main
  templates:
  - name: main
    container: {image: "busybox:1.36", command: [sleep, "5"]}
"""


@pytest.mark.parametrize("limit", [1, 2])
def test_runs_beyond_the_limit_wait_visibly_and_start_when_one_ends(lab: Lab, limit: int) -> None:
    lab.configure(f"max_parallel = {limit}")
    config = (
        (lab.folder / "config.toml").read_text().replace("contexts.lab", "contexts." + lab.label)
    )
    (lab.folder / "config.toml").write_text(config)
    lab.write("nap.yaml", NAP)
    if limit > 1:
        limits = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "argojobs-limits"},
            "data": {lab.label: str(limit)},
        }
        lab.cluster.kubectl(
            "apply",
            "--server-side",
            f"--field-manager={lab.label}",
            "-f",
            "-",
            text=json.dumps(limits),
        )
    names = []
    for number in range(limit + 1):
        name = f"{lab.label}-{number}"
        answer = lab.ask("run", "nap.yaml", "--detach", "--name", name, context=lab.label)
        assert answer.code == 0, answer.err
        names.append(name)
    lab.runs += names
    waiting = until(
        lambda: lab.get(names[-1]).get("status", {}), lambda status: "synchronization" in status
    )
    assert waiting["phase"] == "Pending"
    assert "Waiting for" in waiting["message"]
    listed = lab.ask("list", context=lab.label).out
    row = next(line for line in listed.splitlines() if names[-1] in line)
    assert "Pending" in row
    assert "place 1 of 1 for" in row, listed
    for name in names:
        assert lab.ask("wait", name, context=lab.label).code == 0
    runs = [lab.get(name)["status"]["nodes"][name] for name in names]
    assert runs[-1]["startedAt"] >= min(run["finishedAt"] for run in runs[:-1])


def until(ask: Any, fits: Any) -> Any:
    """What is asked for when it fits; the time is real here, because the cluster is."""
    end = time.monotonic() + 400
    while not fits(found := ask()):
        assert time.monotonic() < end, found
        time.sleep(0.5)
    return found


COUNT = """
from argojobs import Directory, File, Outputs, pipeline, step


class Counted(Outputs):
    data: Directory
    notes: File
    lines: int


@step
def count(data: Directory) -> Counted:
    print("counting", sorted(path.name for path in data.path.iterdir()))
    out = Counted()
    out.lines = sum(len(path.read_text().splitlines()) for path in data.path.glob("*.txt"))
    (out.data.path / "copy.txt").write_text("a\\n" * out.lines)
    (out.data.path / "empty").mkdir()
    out.notes.path.write_text(f"{out.lines} lines")
    return out


@pipeline
def counting(data: Directory) -> Counted:
    return count(data)
"""


@pytest.fixture
def counting(lab: Lab) -> str:
    """The file of a pipeline that counts the lines of a folder `raw`, two of them."""
    (lab.folder / "raw" / "hollow").mkdir(parents=True)
    (lab.folder / "raw" / "one.txt").write_text("x\ny\n")
    return lab.write("count.py", COUNT)


def lines_of(workflow: dict[str, Any]) -> str:
    node = workflow["status"]["nodes"][workflow["metadata"]["name"]]
    assert workflow["status"]["phase"] == "Succeeded", node
    texts = {one["name"]: one["value"] for one in node["outputs"]["parameters"]}
    return str(texts["lines"])


def test_a_store_that_is_not_argos_own_has_all_of_a_run_and_no_manifest_has_its_keys(
    lab: Lab, counting: str
) -> None:
    bucket, secret = lab.make_bucket(), lab.make_secret()
    lab.configure(
        f'image = "{IMAGE}"',
        f'bucket = "{bucket}"\nsecret_name = "{secret}"\nprefix = "team"\n'
        'key_format = "runs/{{workflow.name}}/{{pod.name}}"',
    )
    made = lab.run(counting, "-p", "data=./raw")
    name = made["metadata"]["name"]
    assert lines_of(made) == "2"

    keys = lab.stored(bucket)
    folder = f"team/runs/{name}/"
    assert [key for key in keys if not key.startswith(("team/code/", folder))] == []
    assert [key for key in keys if key.startswith("team/code/")]
    for end in ("argojobs-arguments/data/one.txt", "/data/copy.txt", "/notes", "/main.log"):
        assert [key for key in keys if key.startswith(folder) and key.endswith(end)], (end, keys)
    assert [key for key in lab.stored(everything=True) if name in key] == []

    submitted = json.dumps(lab.get(name))
    assert lab.cluster.s3_secret_key not in submitted
    assert f'"{lab.cluster.s3_access_key}"' not in submitted
    assert {"name": secret, "key": "secretkey"} in found_in(lab.get(name), "secretKeySecret")

    rows = json.loads(lab.argojobs("artifacts", "ls", name, "-o", "json"))
    assert {row["bucket"] for row in rows} == {bucket}
    lab.argojobs("artifacts", "get", f"{name}/count/notes", "notes")
    assert (lab.folder / "notes").read_text() == "2 lines"
    pods = f"workflows.argoproj.io/workflow={name}"
    lab.cluster.kubectl("delete", "pods", "-l", pods)
    assert "counting ['hollow', 'one.txt']" in lab.argojobs("logs", name)


def test_arguments_come_from_folders_runs_and_buckets_and_code_is_stored_once(
    lab: Lab, counting: str
) -> None:
    lab.configure(f'image = "{IMAGE}"')
    first = lab.run(counting, "-p", "data=./raw")
    name = first["metadata"]["name"]
    assert lines_of(first) == "2"
    again = lab.argojobs("run", counting, "-p", f"data=run:{name}/count/data", "--dry-run")
    assert "would store" not in again, "the code is there, and a run's output is where it is"
    url = f"s3://{lab.cluster.s3_bucket}/{lab.label}/sets/raw"
    assert url in lab.argojobs("artifacts", "put", "raw", url)
    before = lab.stored()
    later = [
        lab.run(counting, "-p", f"data={data}", wait=False)
        for data in (f"run:{name}/count/data", url)
    ]
    assert [key for key in lab.stored() if key not in before and "/code/" in key] == []
    for run in later:
        lab.argojobs("wait", run["metadata"]["name"])
        assert lines_of(lab.get(run["metadata"]["name"])) == "2"

    listed = lab.argojobs("artifacts", "ls", name, "-o", "name").split()
    assert listed == [f"{name}/count/data", f"{name}/count/notes"]
    lab.argojobs("artifacts", "get", f"{name}/count/data", "fetched")
    assert (lab.folder / "fetched" / "copy.txt").read_text() == "a\na\n"
    assert (lab.folder / "fetched" / "empty").is_dir()
    lab.argojobs("artifacts", "get", url, "raw-again")
    assert (lab.folder / "raw-again" / "one.txt").read_text() == "x\ny\n"


SCRIPT = """
import argojobs
from count import counting

run = argojobs.run(counting, data="./raw", context="lab").wait()
print(run.name)
print(run.outputs.lines, run.outputs.notes.path.read_text(), (run.outputs.data.path / "copy.txt").exists())
print(*run.logs("count"))
"""


def test_a_run_from_python_returns_values_and_paths(lab: Lab, counting: str) -> None:
    lab.configure(f'image = "{IMAGE}"')
    done = subprocess.run(
        [sys.executable, lab.write("script.py", SCRIPT)],
        cwd=lab.folder, env=lab.environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    name, values, log = done.stdout.splitlines()
    lab.runs.append(name)
    assert values == "2 2 lines True"
    assert "counting" in log


def found_in(value: Any, key: str) -> list[Any]:
    """Everything that stands under a key anywhere in a tree."""
    if isinstance(value, list):
        return [found for one in value for found in found_in(one, key)]
    if not isinstance(value, dict):
        return []
    here = [value[key]] if key in value else []
    return here + [found for one in value.values() for found in found_in(one, key)]
