"""`argojobs artifacts`: what runs stored on this machine and in S3, and things stored for them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from minio import Minio
from support.fake_service import FakeService, node, workflow

from argojobs.cli.text import tell
from argojobs.config.contexts import S3, Context
from argojobs.runs import target as connecting

MANIFEST = """
kind: Workflow
metadata: {generateName: made-}
spec:
  entrypoint: main
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
  templates:
  - name: main
    dag:
      tasks:
      - {name: make, template: make}
      - {name: next, template: make, depends: make}
  - name: make
    outputs:
      artifacts:
      - {name: model, path: /tmp/model}
      - {name: folder, path: /tmp/folder, archive: {none: {}}}
    script:
      image: python
      command: [python3]
      source: |
        import os
        open("/tmp/model", "w").write("weights")
        os.makedirs("/tmp/folder/deep")
        open("/tmp/folder/a", "w").write("one")
        open("/tmp/folder/deep/b", "w").write("two")
        open("/claim/kept", "w").write("kept")
      volumeMounts: [{name: data, mountPath: /claim}]
"""


FAN_OUT = """
kind: Workflow
metadata: {generateName: fan-}
spec:
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - name: train
        template: train
        withItems: [0.01, 0.1]
        arguments: {parameters: [{name: lr, value: "{{item}}"}]}
  - name: train
    inputs: {parameters: [{name: lr}]}
    outputs: {artifacts: [{name: model, path: /tmp/model}]}
    script: {image: sh, command: [sh], source: "printf {{inputs.parameters.lr}} > /tmp/model"}
"""

# This machine


@pytest.fixture
def made(home: Path, tmp_path: Path, argojobs, monkeypatch) -> str:
    """The name of a run of two steps that made artifacts."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "made.yaml").write_text(MANIFEST)
    answer = argojobs("run", "made.yaml", "--wait", "-o", "name")
    assert answer.code == 0, answer.err
    return answer.out.strip()


def test_of_a_fan_out_all_items_are_fetched_or_one_by_its_name(
    argojobs, tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fan.yaml").write_text(FAN_OUT)
    run = argojobs("run", "fan.yaml", "--wait", "-o", "name").out.strip()
    assert argojobs("artifacts", "ls", run, "-o", "name").out.split() == [
        f"{run}/train(0:0.01)/model",
        f"{run}/train(1:0.1)/model",
    ]
    assert argojobs("artifacts", "get", f"{run}/train/model", "out").out == "out\n"
    assert (tmp_path / "out/train-0/model").read_text() == "0.01"
    assert (tmp_path / "out/train-1/model").read_text() == "0.1"
    for item in ("train(0:0.01)", "train(0)"):
        assert argojobs("artifacts", "get", f"{run}/{item}/model", item).code == 0
        assert (tmp_path / item).read_text() == "0.01"
    answer = argojobs("artifacts", "get", f"{run}/train/modle", "none")
    assert answer.code == 2
    assert "did you mean 'model'?" in answer.err
    assert not (tmp_path / "none").exists()


def test_what_a_run_made_is_listed_fetched_and_found_in_its_claim(
    argojobs, made, tmp_path, home
) -> None:
    """One run for all: it costs a second."""
    listed = argojobs("artifacts", "ls", "@latest")
    assert listed.code == 0
    lines = listed.out.splitlines()
    assert lines[0].split() == ["STEP", "ARTIFACT", "SIZE", "WHERE"]
    assert len(lines) == 5
    assert lines[2].split()[:4] == ["make", "folder", "6", "B"]
    assert str(home) in lines[2]

    rows = json.loads(argojobs("artifacts", "ls", made, "next", "-o", "json").out)
    assert [(row["step"], row["name"], row["files"]) for row in rows] == [
        ("next", "model", 1),
        ("next", "folder", 2),
    ]
    names = argojobs("artifacts", "ls", made, "make", "-o", "name").out.split()
    assert names == [f"{made}/make/model", f"{made}/make/folder"]

    got = argojobs("artifacts", "get", "@latest/make/model")
    assert (got.code, got.out) == (0, "model\n")
    assert (tmp_path / "model").read_text() == "weights"
    assert argojobs("artifacts", "get", names[1], "there/it").out == "there/it\n"
    assert (tmp_path / "there" / "it" / "deep" / "b").read_text() == "two"
    again = argojobs("artifacts", "get", "@latest/make/model")
    assert again.code == 2
    assert "model exists" in again.err

    wrong = argojobs("artifacts", "get", f"{made}/make/modle")
    assert wrong.code == 2
    assert "has no artifact 'modle'" in wrong.err
    assert "model" in wrong.err

    for source, place in ((f"{made}/make/model", "new/one/"), ("claim://data/kept", "two/")):
        name = source.rpartition("/")[2]
        assert argojobs("artifacts", "get", source, place).out == f"{place}{name}\n"
        assert (tmp_path / place / name).is_file()
    assert argojobs("artifacts", "get", f"{made}/make/modle", "none/").code == 2
    assert not (tmp_path / "none").exists()

    claim = argojobs("artifacts", "get", "claim://data/kept", "out", "-o", "json")
    assert json.loads(claim.out) == {"path": "out"}
    assert (tmp_path / "out").read_text() == "kept"
    assert argojobs("artifacts", "get", "claim://data", "all").code == 0
    assert argojobs("artifacts", "ls", "claim://data").out == "4 B  kept\n"
    assert json.loads(argojobs("artifacts", "ls", "claim://data/kept", "-o", "json").out) == [
        {"name": "kept", "size": 4, "kind": "file"}
    ]
    assert (tmp_path / "all" / "kept").exists()
    for text, what in [
        ("claim://data/../../x", "leads out of the claim"),
        ("claim://data/none", "there is nothing"),
        ("claim://../pods", "names no claim"),
    ]:
        answer = argojobs("artifacts", "get", text)
        assert answer.code == 2
        assert what in answer.err

    (home / "artifacts").rename(home / "elsewhere")
    assert "gone" in argojobs("artifacts", "ls", made).out
    assert argojobs("artifacts", "get", f"{made}/make/model", "gone").code == 2


@pytest.mark.parametrize("text", ["run", "run/step", "/step/name", "run//name"])
def test_what_names_no_artifact_is_refused_with_the_way_to_names(argojobs, home, text) -> None:
    answer = argojobs("artifacts", "get", text)
    assert answer.code == 2
    assert "write RUN/STEP/NAME" in answer.err


def test_this_machine_has_no_s3_to_store_in(argojobs, home, tmp_path) -> None:
    (tmp_path / "f").touch()
    answer = argojobs("artifacts", "put", str(tmp_path / "f"))
    assert answer.code == 2
    assert "has no S3" in answer.err
    assert "-p NAME=" in answer.err
    assert argojobs("artifacts", "put", str(tmp_path / "missing")).code == 2


# S3


@pytest.fixture
def bucket(s3_service, home, monkeypatch) -> str:
    """A bucket whose keys are in AWS' own variables."""
    from support import seaweed

    client = Minio(f"127.0.0.1:{s3_service.port}", *seaweed.ADMIN, secure=False, region="us-east-1")
    if not client.bucket_exists("artifacts"):
        client.make_bucket("artifacts")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{s3_service.port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", seaweed.ADMIN[0])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", seaweed.ADMIN[1])
    return "artifacts"


def test_what_is_put_in_s3_comes_back(argojobs, bucket, tmp_path) -> None:
    folder = tmp_path / "set"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "f").write_text("text")
    url = f"s3://{bucket}/sets/one"
    dry = argojobs("artifacts", "put", str(folder), url, "--dry-run")
    assert dry.out == f"would store 1 file, 4 B, as {url}\n"
    assert argojobs("artifacts", "get", url, str(tmp_path / "none")).code == 2
    assert argojobs("artifacts", "put", str(folder), url).out == f"stored 1 file, 4 B, as {url}\n"
    assert argojobs("artifacts", "put", str(folder), url, "-o", "name").out == f"{url}\n"
    assert argojobs("artifacts", "get", url, str(tmp_path / "back")).code == 0
    assert (tmp_path / "back" / "deep" / "f").read_text() == "text"
    assert sorted(path.name for path in tmp_path.iterdir() if path.name[0] == ".") == []


def test_a_bucket_is_listed_folder_by_folder(argojobs, bucket, tmp_path):
    source = tmp_path / "source"
    (source / "deep").mkdir(parents=True)
    for path in ("one", "deep/two"):
        (source / path).write_text("12345")
    argojobs("artifacts", "put", str(source), f"s3://{bucket}/sets/mnist")
    assert argojobs("artifacts", "ls", f"s3://{bucket}", "-o", "name").out == "sets\n"
    for folder in (f"s3://{bucket}/sets/mnist", f"s3://{bucket}/sets/mnist/"):
        assert json.loads(argojobs("artifacts", "ls", folder, "-o", "json").out) == [
            {"name": "deep", "size": 0, "kind": "folder"},
            {"name": "one", "size": 5, "kind": "file"},
        ]
    assert argojobs("artifacts", "ls", f"s3://{bucket}/sets/mnist/one").out == "5 B  one\n"


@pytest.mark.parametrize("text", ["s3://nobucket", "s3://{bucket}/none", "s3://"])
def test_what_a_bucket_has_not_is_not_listed(argojobs, bucket, text):
    answer = argojobs("artifacts", "ls", text.format(bucket=bucket))
    assert (answer.code, answer.out) == (2, "")
    assert "s3://" in answer.err or "no bucket 'nobucket'" in answer.err


@pytest.mark.parametrize("text", ["s3://", "s3://bucket", "s3://bucket/", "s3:///key"])
def test_what_is_no_s3_address_is_refused(argojobs, home, text) -> None:
    assert argojobs("artifacts", "get", text).code == 2


@pytest.fixture
def remote(bucket, s3_service, monkeypatch):
    """A context of a server that is not there, with a real S3, and a run of it."""
    made = {
        "outputs": {
            "artifacts": [
                {"name": "model", "path": "/m", "s3": {"key": "sets/run/model"}},
                {"name": "notes", "s3": {"key": "sets/run/notes", "bucket": "others"}},
                {"name": "main-logs", "s3": {"key": "sets/run/main.log"}},
            ]
        }
    }
    fake = FakeService(workflow("demo-x7k2p", tasks=("train",), nodes=(
        node("demo-x7k2p", ""), node("demo-x7k2p", "train", **made),
    )))  # fmt: skip
    s3 = S3(
        endpoint=f"http://127.0.0.1:{s3_service.port}",
        bucket=bucket,
        prefix="team",
        access_key="env:AWS_ACCESS_KEY_ID",
        secret_key="env:AWS_SECRET_ACCESS_KEY",
    )
    context = Context("far", s3=s3)
    place = connecting.Target(context, lambda: fake, pytest.fail, lambda: fake, tell=tell)
    monkeypatch.setattr(connecting, "target", lambda *_, **__: place)
    return fake


def test_a_cluster_s_artifacts_are_read_from_the_bucket_itself(
    argojobs, remote, bucket, tmp_path
) -> None:
    (tmp_path / "model").write_text("weights")
    stored = argojobs("artifacts", "put", str(tmp_path / "model"), f"s3://{bucket}/sets/run/model")
    assert stored.code == 0, stored.err
    rows = json.loads(argojobs("artifacts", "ls", "@latest", "-o", "json").out)
    assert rows[0] == {
        "step": "train",
        "name": "model",
        "size": 7,
        "files": 1,
        "bucket": bucket,
        "key": "sets/run/model",
        "where": f"s3://{bucket}/sets/run/model",
        "node": "demo-x7k2p-train",
    }
    assert (rows[1]["size"], rows[1]["where"]) == (None, "s3://others/sets/run/notes")
    assert len(rows) == 2, "logs are no outputs"
    got = argojobs("artifacts", "get", "@latest/train/model", str(tmp_path / "back"))
    assert got.code == 0, got.err
    assert (tmp_path / "back").read_text() == "weights"


def test_without_a_key_it_goes_below_the_context_s_prefix(argojobs, remote, bucket, tmp_path):
    (tmp_path / "data").write_text("x")
    answer = argojobs("artifacts", "put", str(tmp_path / "data"), "-o", "json")
    assert json.loads(answer.out)["url"] == f"s3://{bucket}/team/uploads/data"
    answer = argojobs("artifacts", "put", str(tmp_path / "data"), "sets/d", "-o", "name")
    assert answer.out == f"s3://{bucket}/team/sets/d\n"


def test_a_fetch_that_broke_off_is_kept_for_the_next_one(
    argojobs, bucket, tmp_path, monkeypatch
) -> None:
    from argojobs.errors import ServerError
    from argojobs.storage import s3_client

    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(5):
        (folder / str(number)).write_text(str(number))
    url = f"s3://{bucket}/sets/many"
    argojobs("artifacts", "put", str(folder), url)
    read, seen = s3_client.S3Client.read_small, []

    def breaking(self, found):
        seen.append(found.key)
        if len(seen) > 3:
            raise ServerError("the network is down")
        return read(self, found)

    monkeypatch.setattr(s3_client.S3Client, "read_small", breaking)
    assert argojobs("artifacts", "get", url, str(tmp_path / "back")).code == 3
    assert not (tmp_path / "back").exists()
    seen.clear()

    def whole(self, found):
        seen.append(found.key)
        return read(self, found)

    monkeypatch.setattr(s3_client.S3Client, "read_small", whole)
    argojobs("artifacts", "get", url, str(tmp_path / "back"))
    assert 0 < len(seen) <= 4
    assert sorted(path.name for path in (tmp_path / "back").iterdir()) == list("01234")
    assert [path.name for path in tmp_path.iterdir() if path.name[0] == "."] == []


def test_the_bar_is_for_terminals_alone(argojobs, bucket, tmp_path) -> None:
    (tmp_path / "f").write_text("x")
    answer = argojobs("artifacts", "put", str(tmp_path / "f"), f"s3://{bucket}/f")
    assert answer.err == ""


def test_options_before_the_verb_reach_its_own_verbs(argojobs, home) -> None:
    answer = argojobs("--context", "no-such-context", "artifacts", "ls", "x")
    assert answer.code == 2
    assert "no-such-context" in answer.err
