"""What is kept of a job that was read: never anything that is not so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.attempts import epoch, head, rows, text_of, write

from argojobs.results.attempt import Attempt
from argojobs.runs import job_copies
from argojobs.runs.job_folders import JobFolder


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small jobs are worth a copy too, and are settled at once: no test waits."""
    monkeypatch.setattr(job_copies, "LEAST", 0)
    monkeypatch.setattr(job_copies, "_SETTLED", -(10**18))


@pytest.fixture
def job(tmp_path: Path) -> Path:
    write(tmp_path / "job", "0-1", head(), rows(range(10), loss=1), epoch(0))
    return tmp_path / "job"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return tmp_path / ".job.columns"


@pytest.fixture
def lines_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of what was read of lines."""
    sizes: list[int] = []
    feed = Attempt.feed

    def noted(self: Attempt, data: bytes) -> None:
        sizes.append(len(data))
        feed(self, data)

    monkeypatch.setattr(Attempt, "feed", noted)
    return sizes


def steps(job: Path, copy: Path) -> list[float]:
    return [step for one in JobFolder(job, copy).read().series for step in one.rows.steps]


def test_a_second_look_reads_no_lines(job, copy, lines_read) -> None:
    assert steps(job, copy) == list(range(10))
    assert lines_read
    lines_read.clear()
    assert steps(job, copy) == list(range(10))
    assert lines_read == []


def test_it_lies_beside_the_folder_and_nothing_else_does(job, copy) -> None:
    steps(job, copy)
    assert sorted(path.name for path in job.parent.iterdir()) == [".job.columns", "job"]
    assert [path.name for path in job.rglob("*")] == ["attempts", "0-1.jsonl"]
    assert copy.stat().st_mode & 0o777 in (0o600, 0o644)


CHANGES = {
    "a row more": lambda path: path.write_bytes(path.read_bytes() + text_of(rows([10], loss=1))),
    "a value of the same size": lambda path: path.write_bytes(
        path.read_bytes().replace(b"[1, 1", b"[2, 1")
    ),
    "cut off": lambda path: os.truncate(path, path.stat().st_size // 2),
    "another file": lambda path: path.rename(path.with_name("0-2.jsonl")),
    "one more file": lambda path: path.with_name("1-1.jsonl").write_bytes(
        text_of(rows([0], loss=1))
    ),
    "gone": lambda path: path.unlink(),
    "a file of the same size and time": lambda path: swapped(path),
}


def swapped(path: Path) -> None:
    before = path.stat()
    other = path.with_name("other")
    other.write_bytes(path.read_bytes().replace(b"[1, 1", b"[2, 1"))
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.rename(path)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_job_that_changed_is_read_anew(job, copy, change) -> None:
    steps(job, copy)
    assert copy.exists()
    change(job / "attempts" / "0-1.jsonl")
    with_copy, without = JobFolder(job, copy).read(), JobFolder(job).read()
    assert values(with_copy) == values(without)


def values(job) -> list[tuple[int, str, list[float], list[float]]]:
    return [(s.rank, s.name, list(s.rows.steps), list(s.rows.values)) for s in job.series]


def test_of_a_file_that_changed_just_now_nothing_is_kept(job, copy, monkeypatch) -> None:
    monkeypatch.setattr(job_copies, "_SETTLED", 10**18)
    assert steps(job, copy) == list(range(10))
    assert not copy.exists()


def test_a_file_that_says_it_is_old_is_not_believed(job, copy, monkeypatch) -> None:
    """Whoever owns a file may set its times; but the kernel notes when that was."""
    monkeypatch.setattr(job_copies, "_SETTLED", 10**18)
    os.utime(job / "attempts" / "0-1.jsonl", ns=(0, 0))
    steps(job, copy)
    assert not copy.exists()


def test_small_and_huge_jobs_have_none(job, copy, monkeypatch) -> None:
    for least, most in ((1 << 20, 1 << 30), (0, 10)):
        monkeypatch.setattr(job_copies, "LEAST", least)
        monkeypatch.setattr(job_copies, "MOST", most)
        assert steps(job, copy) == list(range(10))
        assert not copy.exists()


@pytest.mark.parametrize("kind", ["bytes", "folder", "pipe", "link", "unwritable"])
def test_whatever_lies_in_its_place_the_job_is_read(job, copy, kind: str) -> None:
    if kind == "bytes":
        copy.write_bytes(b"\x00\xff" * 500)
    elif kind == "folder":
        copy.mkdir()
    elif kind == "pipe":
        os.mkfifo(copy)
    elif kind == "link":
        copy.symlink_to(job / "attempts" / "0-1.jsonl")
    else:
        copy = job.parent / "nosuch" / "copy"
    before = (job / "attempts" / "0-1.jsonl").read_bytes()
    for _ in range(2):
        assert steps(job, copy) == list(range(10))
    assert (job / "attempts" / "0-1.jsonl").read_bytes() == before


def test_while_it_is_followed_what_has_not_changed_is_not_read_again(job, copy, lines_read) -> None:
    folder = JobFolder(job, copy)
    first = folder.read()
    lines_read.clear()
    assert folder.read() is first
    with (job / "attempts" / "0-1.jsonl").open("ab") as file:
        file.write(text_of(rows([10], loss=1)))
    assert len(folder.read().series[0].rows) == 11
    assert sum(lines_read) < 200
