"""What steps stored in a real S3 comes to this machine, laid out as its own results, and only what is new."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support import job_process, seaweed
from support.fake_service import node, workflow
from support.job_places import client, in_bucket

from argojobs.config.contexts import S3, Context
from argojobs.errors import ServerError
from argojobs.job.place import folder_of
from argojobs.runs.metrics import Metrics
from argojobs.runs.mirrored_results import mirrored
from argojobs.runs.target import target
from argojobs.storage.repository import Entry, Repository
from argojobs.storage.s3 import S3Repository
from argojobs.storage.s3_place import S3Credentials, s3_place

NUMBERS = itertools.count()
UID = "11111111-2222-3333-4444-555555555555"
TRAINING = """
    import sys
    path = job.restore()
    for epoch in job.epochs(4):
        job.log(loss=1 / (epoch + 1), step=epoch)
        open(sys.argv[1], "w").write(str(epoch))
        job.checkpoint(sys.argv[1])
        if epoch == 1 and path is None:
            job.log(loss=99.0, step=7)
            job.flush()
            sys.exit(3)
"""


def job_of(run: Any) -> str:
    """The job of the step `train`: what its steps are told as JOB_UUID."""
    nodes = run["status"]["nodes"].values()
    (name,) = [each["name"] for each in nodes if each["displayName"] == "train"]
    return f"{run['metadata']['uid']}-{name}"


@pytest.fixture
def run() -> Any:
    """A run with one step, `train`."""
    name = f"demo-{next(NUMBERS)}"
    made = workflow(name, tasks=("train",), nodes=(node(name, ""), node(name, "train")))
    made["metadata"]["uid"] = UID
    return made


@pytest.fixture
def prefix(run: Any) -> str:
    return f"team/{run['metadata']['name']}"


@pytest.fixture(scope="session")
def bucket(s3_service: seaweed.Seaweed) -> str:
    client(s3_service).make_bucket("mirrored")
    return "mirrored"


class Counting:
    """A repository that notes what is fetched."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self.fetched: list[str] = []

    def list(self, prefix: str) -> Any:
        return self._repository.list(prefix)

    def get(self, key: str, target: str) -> None:
        self.fetched.append(key)
        self._repository.get(key, target)


@pytest.fixture
def repository(s3_service: seaweed.Seaweed, bucket: str) -> Any:
    place = s3_place(f"127.0.0.1:{s3_service.port}", bucket, tls=False)
    return Counting(S3Repository(place, S3Credentials(*seaweed.ADMIN)))


@pytest.fixture
def trained(
    s3_service: seaweed.Seaweed, bucket: str, prefix: str, run: Any, tmp_path: Path
) -> Callable[..., None]:
    """Run one attempt of the step `train`, as a pod does: it reports to the bucket."""
    name = run["metadata"]["name"]
    place = in_bucket(s3_service, bucket, "unused", tmp_path)

    def train(code: int = 0) -> None:
        more = {
            **place.more,
            "ARGOJOBS_RESULTS": f"s3://{bucket}/{prefix}/results/{name}",
            "JOB_UUID": job_of(run),
        }
        done = job_process.run(TRAINING, None, str(tmp_path / "weights"), **more)
        assert (done.returncode, done.stderr) == (code, "")

    return train


def brought(repository: Any, *runs: Any, prefix: str = "") -> Path:
    """Bring the results of runs, as from a context with this prefix: the repository has whole keys."""
    place = s3_place("s3:9000", "mirrored", prefix=prefix, tls=False)
    return mirrored(place, lambda: repository, runs)


def test_a_step_is_read_as_if_it_had_run_here(
    home: Path, repository: Any, trained: Callable[..., None], run: Any, prefix: str
) -> None:
    trained(code=3)
    trained()
    metrics = Metrics(lambda runs: brought(repository, *runs, prefix=prefix))
    (reported,) = metrics.read(run)
    (series,) = reported.job.series
    assert reported.step == "train"
    assert [*zip(series.rows.steps, series.rows.values, strict=True)] == [
        (0, 1), (1, 1 / 2), (2, 1 / 3), (3, 1 / 4),
    ]  # fmt: skip
    assert series.superseded == 2  # of the epoch that was not ended
    assert not list(home.rglob("checkpoints"))


def test_only_what_is_new_is_fetched(
    home: Path, repository: Any, trained: Callable[..., None], run: Any, prefix: str
) -> None:
    trained(code=3)
    folder = brought(repository, run, prefix=prefix) / run["metadata"]["name"]
    (first,) = folder.rglob("0-1.jsonl")
    before, fetched = first.read_bytes(), len(repository.fetched)
    brought(repository, run, prefix=prefix)
    assert len(repository.fetched) == fetched, "nothing is new"
    trained()
    brought(repository, run, prefix=prefix)
    assert first.read_bytes() == before
    assert {key.split("/")[-2] for key in repository.fetched[fetched:]} == {"0-2"}
    assert sorted(path.name for path in folder.rglob("*.jsonl")) == ["0-1.jsonl", "0-2.jsonl"]


class Growing:
    """A store in which one attempt grows, object by object, or within its last one."""

    def __init__(self, run: Any, *contents: bytes) -> None:
        self._start = f"results/{run['metadata']['name']}/{folder_of(job_of(run))}"
        self.contents = list(contents)
        self.failures = 0

    def list(self, prefix: str) -> Any:
        assert prefix.startswith("results/")
        for number, content in enumerate(self.contents):
            yield Entry(f"{self._start}/attempts/0-1/{number:08}.jsonl", len(content))

    def get(self, key: str, target: str) -> None:
        if self.failures:
            self.failures -= 1
            raise ServerError("it was replaced meanwhile")
        Path(target).write_bytes(self.contents[int(key[-14:-6])])


def attempt(run: Any, store: Growing) -> bytes:
    (file,) = (brought(store, run) / run["metadata"]["name"]).rglob("0-1.jsonl")
    return file.read_bytes()


def test_an_object_that_was_replaced_by_a_longer_one_adds_what_it_has_more(
    home: Path, run: Any
) -> None:
    store = Growing(run, b"", b"one\n")
    assert attempt(run, store) == b"one\n"
    store.contents[1] = b"one\ntwo\n"
    assert attempt(run, store) == b"one\ntwo\n"
    store.contents[1:] = [b"one\ntwo\nthree\n", b"four\n"]
    store.failures = 2
    assert attempt(run, store) == b"one\ntwo\nthree\nfour\n"


def test_two_commands_at_once_add_nothing_twice(home: Path, run: Any) -> None:
    store = Growing(run, *(b"%d\n" % number for number in range(30)))
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: attempt(run, store), range(16)))
    assert found == {b"".join(store.contents)}


def test_a_store_that_does_not_answer_is_an_error_and_what_was_brought_stays(
    home: Path, run: Any
) -> None:
    store = Growing(run, b"one\n")
    attempt(run, store)
    store.contents.append(b"two\n")
    store.failures = 99
    with pytest.raises(ServerError):
        brought(store, run)
    store.failures = 0
    assert attempt(run, store) == b"one\ntwo\n"


def test_a_new_run_of_an_old_name_has_nothing_of_it(home: Path, run: Any) -> None:
    old = Growing(run, b"old\n")
    attempt(run, old)
    run["metadata"]["uid"] = "another"
    brought(old, run)
    assert attempt(run, Growing(run, b"new\n")) == b"new\n"


@pytest.mark.parametrize("name", ["../up", "..", "a/b", "", ".hidden"])
def test_names_of_a_server_lead_nowhere_else(home: Path, run: Any, name: str) -> None:
    store = Growing(run, b"one\n")
    nodes = run["status"]["nodes"]
    (key,) = [key for key, each in nodes.items() if each["displayName"] == "train"]
    nodes[name] = nodes.pop(key)
    brought(store, run)
    run["metadata"]["name"] = name
    brought(store, run)
    assert list(home.parent.rglob("*.jsonl")) == []


def test_what_is_no_object_of_a_job_is_left_alone(home: Path, run: Any) -> None:
    store = Growing(run, b"one\n")
    (good,) = store.list(f"{store._start.rpartition('/')[0]}/")
    odd = [
        good.key.replace("attempts", "checkpoints"),
        good.key.replace("0-1", "../../x"),
        good.key.replace(".jsonl", ".json"),
        good.key + "/more",
    ]
    store.list = lambda _: [Entry(key, 4) for key in odd]  # type: ignore[method-assign]
    brought(store, run)
    assert list(home.rglob("*.jsonl")) == []


def test_a_context_can_be_read_whose_store_steps_may_use(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    def place(s3: S3 | None) -> Any:
        context = Context("lab", server="http://127.0.0.1:9", s3=s3)
        monkeypatch.setattr("argojobs.runs.target.choose", lambda *_: context)
        return target("lab")

    assert place(None).results is None
    assert place(S3(endpoint="s3:9000", bucket="b")).results is None, "its keys are Argo's alone"
    assert place(S3(endpoint="s3:9000", bucket="b", secret_name="keys")).results is not None
