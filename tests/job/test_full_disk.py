"""A store that is full or fails: nothing waits for it, nothing is lost, and it is said once."""

import os
import subprocess
from pathlib import Path

import pytest
from support import job_process
from support.job_series import lines_of, values_of

from argojobs.job.folder_store import FolderStore

#: Lets files grow to so many bytes only, as a full disk does.
LIMITED = """
import os, resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def room(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
"""
WAITS = "argojobs: results cannot be stored now (File too large); they wait, the training does not"


def run(program: str, results: Path, *words: str) -> str:
    done = job_process.run(LIMITED + program, results, *words, ARGOJOBS_FLUSH_SECONDS="0.02")
    assert done.returncode == 0
    return done.stdout + done.stderr


def test_rows_wait_while_there_is_no_room_and_are_stored_when_there_is(tmp_path: Path) -> None:
    program = """
job.log(a=0)
assert job.flush()
room(1000)
for step in range(1, 2000):
    job.log(a=step)
assert not job.flush() and not job.flush()
job.log(a=2000)
room(-1)
assert job.flush()
"""
    assert run(program, tmp_path) == WAITS + "\n" + (
        "argojobs: results could not be stored for 0 s; what waited is stored now\n"
    )
    assert values_of(tmp_path, "a") == [(step, step) for step in range(2001)]


def test_a_half_written_line_is_cut_off_at_once(tmp_path: Path) -> None:
    program = """
job.log(a=0)
job.flush()
room(1000)
for step in range(1, 2000):
    job.log(a=step)
job.flush()
os._exit(0)
"""
    run(program, tmp_path)
    assert values_of(tmp_path, "a") == [(0, 0)]
    assert (tmp_path / "attempts" / "0-1.jsonl").read_bytes().endswith(b"\n")


def test_the_end_of_an_epoch_does_not_wait_for_a_full_disk(tmp_path: Path) -> None:
    program = """
room(0)
for epoch in job.epochs(20):
    job.log(a=epoch)
room(-1)
"""
    assert run(program, tmp_path).count(WAITS) == 1
    marks = [line["epoch"] for line in lines_of(tmp_path) if "mark" in line]
    assert marks == list(range(20))
    assert len(values_of(tmp_path, "a")) == 20


def test_a_checkpoint_for_which_there_is_no_room_is_said_and_the_one_before_it_counts(
    tmp_path: Path,
) -> None:
    program = """
path = sys.argv[1] + "/state"
for epoch in job.epochs(2):
    with open(path, "w") as file:
        file.write("x" * 100_000 * epoch)
    room(50_000)
    job.checkpoint(path)
    room(-1)
"""
    said = run(program, tmp_path / "results", str(tmp_path))
    assert said == (
        f"argojobs: {tmp_path}/state is not stored as a checkpoint (File too large):"
        " the one before it counts\n"
    )
    assert [path.name for path in (tmp_path / "results" / "checkpoints").iterdir()] == ["0-1-1"]
    marks = [line["checkpoint"] for line in lines_of(tmp_path / "results") if "mark" in line]
    assert marks == ["0-1-1", None]
    assert run("print(job.EPOCHS_DONE)", tmp_path / "results") == "1\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts")
def test_on_a_file_system_that_is_full_it_is_the_same(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this host allows no mounts")
    program = """
filler = sys.argv[1] + "/filler"
job.log(a=0)
job.flush()
with open(filler, "wb", buffering=0) as file:
    try:
        while True:
            file.write(bytes(1024))
    except OSError:
        pass
for epoch in job.epochs(3):
    for step in range(1000):
        job.log(a=epoch)
    job.checkpoint(sys.argv[2])
os.remove(filler)
assert job.flush()
"""
    (tmp_path / "state").write_text("x")
    try:
        said = run(program, disk / "results", str(disk), str(tmp_path / "state"))
        assert said.count("results cannot be stored now (No space left on device)") == 1
        assert said.count("is not stored as a checkpoint (No space left on device)") == 1
        assert len(values_of(disk / "results", "a")) == 3001
        marks = [line["epoch"] for line in lines_of(disk / "results") if "mark" in line]
        assert marks == [0, 1, 2]
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_folder_that_cannot_be_made_costs_the_training_nothing(tmp_path: Path) -> None:
    done = job_process.run("[*job.epochs(2)]; job.log(a=1); print('done')", Path("/dev/null/x"))
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert "results cannot be stored now (Not a directory)" in done.stderr


def test_a_half_line_of_a_killed_attempt_is_not_read(tmp_path: Path) -> None:
    store = FolderStore(str(tmp_path))
    file = store.create("0-1")
    assert file is not None
    file.append(b"{}\n")
    file.close()
    with (tmp_path / "attempts" / "0-1.jsonl").open("ab") as rest:
        rest.write(b'{"mark": "0-1:')
    assert list(store.lines("0-1")) == [b"{}\n"]
    assert store.create("0-1") is None


def test_what_is_said_to_be_durable_was_given_to_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(os.path.relpath(os.readlink(f"/proc/self/fd/{descriptor}"), tmp_path))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    store = FolderStore(str(tmp_path))
    file = store.create("0-1")
    assert file is not None
    assert synced == ["attempts"]
    file.append(b"{}\n")
    file.close()
    assert synced == ["attempts", "attempts/0-1.jsonl"]
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "weights").write_text("x")
    del synced[:]
    store.keep("0-1-1", str(tmp_path / "state"))
    half = "checkpoints/.0-1-1"
    assert synced == [f"{half}/state/weights", f"{half}/state", half, "checkpoints"]
