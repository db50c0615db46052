"""S3 as the store of a job: what lies where, what is streamed, and a store in trouble."""

import json
import os
import random
import signal
import socket
import subprocess
import time
import tracemalloc
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from support import job_process, seaweed
from support.faulty_s3 import Fault, FaultyS3
from support.job_places import Place, client
from support.job_series import attempts_of, lines_of, series_of, values_of
from support.job_training import TRAINING, killed

from argojobs.job import s3_checkpoint, s3_client
from argojobs.job.s3_client import StoreError


def run(program: str, place: Place, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        job_process.argv(program, *words),
        env=place.variables(**more),
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip


def keys(service: seaweed.Seaweed, bucket: str, place: Place) -> list[str]:
    prefix = place.results.split("/", 3)[3] + "/"
    found = client(service).list_objects(bucket, prefix, recursive=True)
    return sorted(str(one.object_name)[len(prefix) + 21 :] for one in found)


def notes(folder: Path, attempt: str = "0-1") -> list[str]:
    return [line["note"] for line in lines_of(folder, attempt) if "note" in line]


#: Parts of answers and of keys that nobody is to read.
SECRETS = ("AKIDEXAMPLE", "wJalrXUtn", *seaweed.ADMIN)


def shows_no_secret(done: subprocess.CompletedProcess[str]) -> bool:
    said = done.stderr + done.stdout
    return not any(secret in said for secret in SECRETS)


# what lies where


def test_a_process_stores_one_attempt_of_few_objects(
    s3: Place, s3_service: seaweed.Seaweed, bucket: str, tmp_path: Path
) -> None:
    program = """
        open(sys.argv[1], "w").write("weights")
        for epoch in job.epochs(30):
            job.log(loss=epoch)
        job.checkpoint(sys.argv[1])
    """
    done = run(program, s3, str(tmp_path / "model"))
    assert (done.returncode, done.stderr) == (0, "")
    assert keys(s3_service, bucket, s3) == [
        "attempts/0-1/00000000.jsonl",
        "attempts/0-1/00000001.jsonl",
        "checkpoints/0-1-1.json",
        "checkpoints/0-1-1/files/model",
    ]
    assert values_of(s3.mirrored(), "loss") == [(n, n) for n in range(30)]


def test_a_job_is_a_folder_of_its_own_in_the_place_of_its_run(s3: Place, tmp_path: Path) -> None:
    for job in ("one", "two"):
        assert run("job.log(a=1)", s3, JOB_UUID=job).returncode == 0
        assert s3.store(JOB_UUID=job).attempts() == ["0-1"]
    run("job.log(a=1)", s3, ARGOJOBS_RESULTS=f"file://{tmp_path}/results", JOB_UUID="one")
    (folder,) = (tmp_path / "results").iterdir()
    assert attempts_of(folder) == ["0-1"]


def test_a_row_is_durable_soon_without_asking(s3: Place) -> None:
    program = """
        import os, signal, time
        job.log(loss=0.5)
        job.flush()
        job.log(loss=0.25)
        from argojobs.job.place import store_of
        while not any(b"0.25" in line for line in store_of(os.environ).lines("0-1")):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    assert run(program, s3, ARGOJOBS_FLUSH_SECONDS="0.2").returncode == -signal.SIGKILL
    assert values_of(s3.mirrored(), "loss") == [(0, 0.5), (1, 0.25)]


def test_a_place_that_is_none_is_said_and_the_training_goes_on(s3: Place) -> None:
    program = "for epoch in job.epochs(2): job.log(a=1); job.checkpoint('nowhere')"
    for name, text, why in (
        ("ENDPOINT", "", "ARGOJOBS_S3_ENDPOINT is not set"),
        ("SECRET_KEY", "", "ARGOJOBS_S3_SECRET_KEY is not set"),
        ("ENDPOINT", "ftp://x", "ARGOJOBS_S3_ENDPOINT is no http://HOST:PORT or https://HOST:PORT"),
    ):
        done = run(program, s3, **{f"ARGOJOBS_S3_{name}": text})
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr == f"argojobs: nothing is stored: {why}\n"


def test_tls_is_checked_against_the_authority_that_is_named(
    s3: Place, s3_service: seaweed.Seaweed
) -> None:
    if not s3_service.tls_port:
        pytest.skip("no openssl made a certificate")
    address = {"ARGOJOBS_S3_ENDPOINT": f"https://127.0.0.1:{s3_service.tls_port}"}
    program = "job.log(a=1); print(job.flush())"
    done = run(program, s3, **address, ARGOJOBS_S3_CA=s3_service.ca_file)
    assert (done.stdout, done.stderr) == ("True\n", "")
    done = run(program, s3, **address)
    assert done.stdout == "False\n"
    assert "certificate verify failed" in done.stderr


# checkpoints


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> int:
    """Parts of 5 MiB, the least that S3 takes, so that tests need no large files."""
    monkeypatch.setattr(s3_checkpoint, "_PART", 5 << 20)
    return 5 << 20


def test_a_large_file_goes_in_parts_and_is_never_whole_in_memory(
    s3: Place, s3_service: seaweed.Seaweed, bucket: str, tmp_path: Path, small_parts: int
) -> None:
    file = tmp_path / "weights"
    file.write_bytes(os.urandom(1 << 20) * 22)
    store = s3.store()
    tracemalloc.start()
    store.keep("0-1-1", str(file))
    path = s3.store().path("0-1-1")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert path is not None
    assert Path(path).read_bytes() == file.read_bytes()
    assert most < small_parts
    prefix = s3.results.split("/", 3)[3] + "/"
    (stored,) = [
        one
        for one in client(s3_service).list_objects(bucket, prefix, recursive=True)
        if str(one.object_name).endswith("files/weights")
    ]
    assert str(stored.etag).endswith("-5")


def test_parts_that_were_left_are_half_a_checkpoint_and_can_be_removed(
    behind: Place, faulty: FaultyS3, tmp_path: Path, small_parts: int
) -> None:
    file = tmp_path / "weights"
    file.write_bytes(bytes(6 << 20))
    faulty.faults = [
        Fault(403, meant=lambda method, path: "partNumber=2" in path),
        Fault(403, meant=lambda method, path: method == "DELETE"),
    ]
    with pytest.raises(StoreError):
        behind.store().keep("0-1-1", str(file))
    faulty.faults = []
    assert behind.store().checkpoints() == []
    assert behind.store().halves() == ["0-1-1"]
    behind.store().remove("0-1-1")
    assert behind.store().halves() == []


def test_a_checkpoint_counts_only_once_all_of_it_is_stored(
    behind: Place, faulty: FaultyS3, tmp_path: Path
) -> None:
    (tmp_path / "state").mkdir()
    for name in "ab":
        (tmp_path / "state" / name).write_text(name)
    for last in ("files/state/b", "0-1-1.json"):
        faulty.faults = [Fault(403, meant=lambda method, path, last=last: path.endswith(last))]
        with pytest.raises(StoreError):
            behind.store().keep("0-1-1", str(tmp_path / "state"))
        faulty.faults = []
        assert behind.store().checkpoints() == []
        assert behind.store().halves() == ["0-1-1"]
        assert behind.store().path("0-1-1") is None


def test_the_restored_files_go_when_the_process_ends(s3: Place, tmp_path: Path) -> None:
    (tmp_path / "weights").write_text("w")
    (tmp_path / "tmp").mkdir()
    s3.store().keep("0-9-9", str(tmp_path / "weights"))
    program = """
        import os
        from argojobs.job.place import store_of
        store = store_of(os.environ)
        path = store.path("0-9-9")
        if not os.fork():
            sys.exit()
        os.wait()
        print(open(path).read(), store.path("0-9-9") == path, os.listdir(sys.argv[1]) != [])
    """
    done = run(program, s3, str(tmp_path / "tmp"), TMPDIR=str(tmp_path / "tmp"))
    assert (done.stdout, done.stderr) == ("w True True\n", "")
    assert os.listdir(tmp_path / "tmp") == []


@pytest.mark.parametrize("path", ["../out", "/etc/out", "a/../../out", "", "a//b"])
def test_what_says_that_it_lies_elsewhere_is_refused(
    s3: Place, s3_service: seaweed.Seaweed, bucket: str, tmp_path: Path, path: str
) -> None:
    (tmp_path / "weights").write_text("w")
    s3.store().keep("0-1-1", str(tmp_path / "weights"))
    prefix = s3.results.split("/", 3)[3] + "/"
    change(s3_service, bucket, prefix, lambda told: told["entries"][0].update(path=path))
    with pytest.raises(StoreError, match="is not as it was stored"):
        s3.store().path("0-1-1")


def change(service: seaweed.Seaweed, bucket: str, prefix: str, edit: Any) -> None:
    """Change what a checkpoint says of itself."""
    import io

    store = client(service)
    (key,) = [
        str(one.object_name)
        for one in store.list_objects(bucket, prefix, recursive=True)
        if str(one.object_name).endswith("0-1-1.json")
    ]
    told = json.loads(store.get_object(bucket, key).read())
    edit(told)
    content = json.dumps(told).encode()
    store.put_object(bucket, key, io.BytesIO(content), len(content))


def test_content_that_is_not_what_was_stored_is_an_error(
    s3: Place, s3_service: seaweed.Seaweed, bucket: str, tmp_path: Path
) -> None:
    (tmp_path / "weights").write_text("w")
    s3.store().keep("0-1-1", str(tmp_path / "weights"))
    prefix = s3.results.split("/", 3)[3] + "/"
    change(s3_service, bucket, prefix, lambda told: told["entries"][0].update(sha256="0" * 64))
    with pytest.raises(StoreError, match="weights did not arrive as it was stored"):
        s3.store().path("0-1-1")


def test_a_file_that_becomes_shorter_meanwhile_is_the_callers_affair(
    s3: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "weights"
    file.write_bytes(bytes(100))
    first = s3_checkpoint._body

    def cut(*given: Any) -> Any:
        body = first(*given)
        file.write_bytes(bytes(50))
        return body

    monkeypatch.setattr(s3_checkpoint, "_body", cut)
    with pytest.raises(s3_checkpoint.SourceError, match="became shorter while it was read"):
        s3.store().keep("0-1-1", str(file))


# a store in trouble


def test_requests_are_sent_again_where_that_helps(behind: Place, faulty: FaultyS3) -> None:
    for status in (500, 503, 429, 0):
        faulty.faults = [Fault(status, "SlowDown", times=2)]
        lines = behind.store().create(f"0-{status}")
        assert lines is not None
        faulty.faults = [Fault(status, "SlowDown", times=2)]
        lines.append(b"{}\n")
        lines.append(b"[]\n")
        assert [*behind.store().lines(f"0-{status}")] == [b"{}\n", b"[]\n"]


def test_after_a_doubt_the_object_is_never_replaced_by_another(
    behind: Place, faulty: FaultyS3, s3_service: seaweed.Seaweed, bucket: str
) -> None:
    """A request that was given up may arrive later than the next one."""
    lines = behind.store().create("0-1")
    assert lines is not None
    lines.append(b"1\n")
    faulty.faults = [Fault(0)]
    for _ in range(2):
        with pytest.raises(StoreError):
            lines.append(b"2\n")
    faulty.faults = []
    lines.append(b"2\n")
    lines.append(b"3\n")
    assert [*behind.store().lines("0-1")] == [b"1\n", b"2\n", b"3\n"]
    objects = [key for key in keys(s3_service, bucket, behind) if key.startswith("attempts/0-1/")]
    assert [key[-10:] for key in objects] == ["0000.jsonl", "0001.jsonl", "0002.jsonl"]


def test_a_number_whose_answer_was_lost_is_still_ours(behind: Place, faulty: FaultyS3) -> None:
    faulty.faults = [Fault(0, times=1)]
    assert behind.store().create("0-1") is not None
    assert behind.store().create("0-1") is None


@pytest.mark.parametrize(
    ("status", "code"), [(403, "ExpiredToken"), (403, "AccessDenied"), (500, "InternalError")]
)
def test_a_store_that_refuses_is_said_once_and_nothing_is_lost(
    behind: Place, faulty: FaultyS3, tmp_path: Path, status: int, code: str
) -> None:
    faulty.faults = [Fault(status, code)]
    program = """
        for epoch in job.epochs(3):
            job.log(loss=epoch)
        print("trained", flush=True)
        sys.stdin.readline()
        while not job.flush():
            pass
    """
    with subprocess.Popen(
        job_process.argv(program), env=behind.variables(),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "trained\n"
        faulty.faults = []
        _, said = process.communicate("\n", timeout=60)
    assert process.returncode == 0
    assert said.count("results cannot be stored now") == 1
    assert f"it answers {status} {code}" in said
    assert not any(secret in said for secret in SECRETS)
    folder = behind.mirrored()
    assert values_of(folder, "loss") == [(n, n) for n in range(3)]
    assert not any(secret in note for note in notes(folder) for secret in SECRETS)


@pytest.mark.parametrize("access", ["admin", "nobody"])
def test_wrong_keys_are_said_and_not_shown(s3: Place, access: str) -> None:
    done = run(
        "job.log(a=1); print(job.flush())", s3,
        ARGOJOBS_S3_ACCESS_KEY=access, ARGOJOBS_S3_SECRET_KEY="wJalrXUtn",
    )  # fmt: skip
    assert done.stdout == "False\n"
    assert "it answers 403" in done.stderr
    assert "wJalrXUtn" not in done.stderr


def test_a_checkpoint_that_cannot_be_stored_is_said_and_the_training_goes_on(
    behind: Place, faulty: FaultyS3, tmp_path: Path
) -> None:
    faulty.faults = [Fault(503, "SlowDown", meant=lambda method, path: "/checkpoints/" in path)]
    program = """
        open(sys.argv[1], "w").write("w")
        for epoch in job.epochs(2):
            job.log(loss=epoch)
            job.checkpoint(sys.argv[1])
    """
    done = run(program, behind, str(tmp_path / "w"))
    assert done.returncode == 0
    assert done.stderr.count("is not stored as a checkpoint") == 1
    assert shows_no_secret(done)
    assert values_of(behind.mirrored(), "loss") == [(0, 0), (1, 1)]


def test_what_is_stored_and_cannot_be_read_is_no_beginning_from_the_start(
    behind: Place, faulty: FaultyS3
) -> None:
    faulty.faults = [Fault(503, "SlowDown", meant=lambda method, path: method == "GET")]
    done = run("job.restore(); print('began anew')", behind)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "it answers 503 SlowDown" in done.stderr


def test_the_stores_clock_counts_where_ours_is_wrong(behind: Place, faulty: FaultyS3) -> None:
    ahead = formatdate(time.time() + 300, usegmt=True)
    faulty.faults = [Fault(403, "RequestTimeTooSkewed", times=1, date=ahead)]
    assert behind.store().create("0-1") is not None


@pytest.fixture
def quick_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for seconds."""
    monkeypatch.setattr(s3_client, "_CONNECT", 0.1)
    monkeypatch.setattr(s3_client, "_WAIT", 0.1)


def test_a_store_that_does_not_answer_is_given_up(
    behind: Place, faulty: FaultyS3, quick_waits: None
) -> None:
    faulty.held.clear()
    store = behind.store()
    for tries in (2, 1):  # who fails is not asked twice
        before = len(faulty.seen)
        with pytest.raises(StoreError, match="it does not answer: timed out"):
            store.create("0-1")
        assert len(faulty.seen) - before == tries
    faulty.held.set()
    assert behind.store().create("0-2") is not None


def test_a_connection_that_hangs_is_tried_once_more(
    s3: Place, quick_waits: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = [socket.create_server(("127.0.0.1", 0), backlog=0)]
    address = hanging[0].getsockname()
    # A full queue of connections takes none: it neither answers nor refuses.
    filled = [socket.socket() for _ in range(4)]
    for each in filled:
        each.setblocking(False)
        each.connect_ex(address)
    try:
        store = s3.store(ARGOJOBS_S3_ENDPOINT=f"http://127.0.0.1:{address[1]}")
        with pytest.raises(StoreError, match="it cannot be reached: timed out"):
            store.attempts()
    finally:
        for each in (*hanging, *filled):
            each.close()


def test_a_training_passes_a_dead_store(s3: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    program = """
        for epoch in job.epochs(200):
            job.log(loss=epoch)
            job.checkpoint(sys.executable)
        print(epoch)
    """
    done = run(program, s3, ARGOJOBS_S3_ENDPOINT=f"http://127.0.0.1:{port}")
    assert (done.returncode, done.stdout) == (0, "199\n")
    assert done.stderr.count("results cannot be stored now") == 1


# what a kill leaves


def test_two_writers_that_start_at_once_have_a_number_each(s3: Place) -> None:
    processes = [
        subprocess.Popen(
            job_process.argv("sys.stdin.readline(); job.log(a=1); job.flush()"),
            env=s3.variables(), stdin=subprocess.PIPE, text=True,
        )
        for _ in range(4)
    ]  # fmt: skip
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.close()
    assert [process.wait() for process in processes] == [0] * 4
    folder = s3.mirrored()
    assert attempts_of(folder) == [f"0-{number}" for number in range(1, 5)]
    for name in attempts_of(folder):
        assert [line["rows"]["values"] for line in lines_of(folder, name) if "rows" in line] == [
            {"a": [1]}
        ]


def test_after_20_kills_series_and_weights_are_bit_for_bit_those_of_the_unbroken_run(
    s3: Place, tmp_path: Path
) -> None:
    chance, kills, jobs = random.Random(14), 0, 0

    def started(job: str) -> subprocess.Popen[bytes]:
        folder = tmp_path / job
        folder.mkdir(exist_ok=True)
        return subprocess.Popen(
            job_process.argv(TRAINING, str(folder)),
            # Of the quick ones, rows are stored that no mark stands below.
            env=s3.variables(JOB_UUID=job, ARGOJOBS_FLUSH_SECONDS=chance.choice(("5", "0.001"))),
            stdout=subprocess.PIPE,
            bufsize=0,
        )

    def outcome(job: str) -> tuple[object, bytes]:
        folder = tmp_path / f"mirror {job}"
        folder.mkdir()
        found = series_of(s3.mirrored(job, folder))
        rows = {name: [point[:2] for point in points] for name, points in found.items()}
        return rows, (tmp_path / job / "final").read_bytes()

    with started("whole") as process:
        assert process.wait() == 0
    while kills < 20:
        jobs += 1
        ended = False
        while not ended:
            with started(f"job{jobs}") as process:
                if kills < 20:
                    ended = not killed(process, chance)
                    kills += not ended
                else:
                    assert process.wait() == 0
                    ended = True
    expected = outcome("whole")
    assert len(expected[0]["loss"]) == 96  # type: ignore[index]
    for number in range(1, jobs + 1):
        assert outcome(f"job{number}") == expected
