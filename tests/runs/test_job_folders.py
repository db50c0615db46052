"""A job's folder, read while it grows, whatever lies in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.attempts import START, epoch, head, mark, rows, text_of, write

from argojobs.results.attempt import Room
from argojobs.results.job import Job
from argojobs.runs import job_folders
from argojobs.runs.job_folders import JobFolder, newest_ends


def steps(job: Job, name: str = "loss") -> list[float]:
    return [step for series in job.series if series.name == name for step in series.rows.steps]


def test_there_may_be_none(tmp_path: Path) -> None:
    assert JobFolder(tmp_path / "nosuch").read().attempts == ()
    assert JobFolder(tmp_path).read().attempts == ()
    assert newest_ends(tmp_path, 100) == []


def test_attempts_are_ordered_by_their_numbers(tmp_path: Path) -> None:
    for number in (2, 10, 1):
        write(tmp_path, f"0-{number}", {"after": None}, rows([number], loss=1))
    job = JobFolder(tmp_path).read()
    assert [one.number for one in job.attempts] == [1, 2, 10]
    assert steps(job) == [10]


def test_only_what_is_new_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path, "0-1", head(), rows([0, 1], loss=1))
    folder = JobFolder(tmp_path)
    assert steps(folder.read()) == [0, 1]
    line = text_of(rows([2], loss=1))
    with path.open("ab") as file:
        file.write(line[:20])
    assert steps(folder.read()) == [0, 1]
    with path.open("r+b") as file:
        file.write(b"x")  # what was read is not looked at again
    with path.open("ab") as file:
        file.write(line[20:])
    assert steps(folder.read()) == [0, 1, 2]


def test_a_new_attempt_supersedes_what_was_read(tmp_path: Path) -> None:
    write(tmp_path, "0-1", rows([0], loss=1), mark("0-1:1", 0), rows([1], loss=1))
    folder = JobFolder(tmp_path)
    assert steps(folder.read()) == [0, 1]
    path = write(tmp_path, "0-2", head())
    assert steps(folder.read()) == [0, 1]
    with path.open("ab") as file:
        file.write(text_of({"after": "0-1:1"}, rows([1, 2], loss=2)))
    job = folder.read()
    assert steps(job) == [0, 1, 2]
    assert job.series[0].superseded == 1
    assert list(job.series[0].attempts()) == [1, 2, 2]


class TestChildren:
    """A child process writes beside its parent, `0-1.2`: it is no attempt, and supersedes nothing."""

    def of_children(self, job: Job) -> dict[int, list[float]]:
        return {one.child: list(one.rows.steps) for one in job.series if one.name == "load"}

    def test_each_has_series_of_its_own(self, tmp_path: Path) -> None:
        write(tmp_path, "0-1", head(), rows([5, 6], load=1))
        for child in (1, 2):
            write(tmp_path, f"0-1.{child}", head(), rows([child], load=1))
        job = JobFolder(tmp_path).read()
        assert self.of_children(job) == {0: [5, 6], 1: [1], 2: [2]}
        assert [(one.number, one.child) for one in job.attempts] == [(1, 0), (1, 1), (1, 2)]

    def test_what_they_logged_after_the_mark_is_superseded_with_it(self, tmp_path: Path) -> None:
        write(
            tmp_path,
            "0-1",
            rows([0], loss=1),
            mark("0-1:1", 0, time=START + 2.5),
            rows([1], loss=1),
        )
        write(tmp_path, "0-1.1", rows([1, 2, 3, 4], load=1), rows([0], load=1))
        write(tmp_path, "0-1.2", rows([1], load=1), rows([2], load=1), rows([3], load=1))
        folder = JobFolder(tmp_path)
        assert self.of_children(folder.read()) == {1: [1, 2, 3, 4, 0], 2: [1, 2, 3]}
        write(tmp_path, "0-2", {"after": "0-1:1"}, rows([1], loss=1))
        write(tmp_path, "0-2.1", rows([3], load=1))
        job = folder.read()
        assert self.of_children(job) == {1: [1, 2, 3], 2: [1, 2]}
        assert [one.superseded for one in job.series if one.child] == [3, 1]

    def test_those_of_an_attempt_that_is_superseded_are_so_too(self, tmp_path: Path) -> None:
        write(tmp_path, "0-1", rows([0], loss=1))
        write(tmp_path, "0-1.1", rows([1], load=1))
        write(tmp_path, "0-2", rows([0], loss=1))
        assert self.of_children(JobFolder(tmp_path).read()) == {1: []}

    def test_without_its_parents_file_one_is_read_all_the_same(self, tmp_path: Path) -> None:
        write(tmp_path, "0-1.1", rows([1], load=1))
        assert self.of_children(JobFolder(tmp_path).read()) == {1: [1]}
        assert newest_ends(tmp_path, 100) == []


@pytest.mark.parametrize("how", ["truncated", "replaced"])
def test_a_file_that_is_another_one_is_read_anew(tmp_path: Path, how: str) -> None:
    path = write(tmp_path, "0-1", rows([0, 1, 2], loss=1))
    folder = JobFolder(tmp_path)
    assert steps(folder.read()) == [0, 1, 2]
    if how == "replaced":
        path.rename(path.with_suffix(".old"))
    path.write_bytes(text_of(rows([7], loss=1)))
    assert steps(folder.read()) == [7]


def test_a_removed_file_takes_its_rows_along(tmp_path: Path) -> None:
    write(tmp_path, "0-1", rows([0], loss=1), mark("0-1:1"))
    path = write(tmp_path, "0-2", {"after": "0-1:1"}, rows([1], loss=1))
    folder = JobFolder(tmp_path)
    assert steps(folder.read()) == [0, 1]
    path.unlink()
    assert steps(folder.read()) == [0]


def test_files_that_are_not_ours_are_not_read(tmp_path: Path) -> None:
    write(tmp_path, "0-1", rows([0], loss=1))
    for name in (
        "notes",
        "00-1",
        "0-01",
        "0-0",
        "-1-1",
        "0-1-1",
        "0-1.",
        "0-1.0",
        "0-1.1.1",
        "0-٣",
        "0-1.jsonl",
    ):
        write(tmp_path, name, rows([99], loss=1))
    (tmp_path / "attempts" / "0-2.json").write_bytes(text_of(rows([99], loss=1)))
    (tmp_path / "attempts" / os.fsdecode(b"0-\xff.jsonl")).write_bytes(b"x")
    job = JobFolder(tmp_path).read()
    assert (steps(job), len(job.attempts), job.problems) == ([0], 1, ())


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_file_is_named_and_not_opened(tmp_path: Path, kind: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(text_of(rows([99], secret=1)))
    job = tmp_path / "job"
    write(job, "0-1", rows([0], loss=1))
    path = job / "attempts" / "1-1.jsonl"
    {
        "link": lambda: path.symlink_to(elsewhere),
        "pipe": lambda: os.mkfifo(path),
        "folder": path.mkdir,
    }[kind]()
    found = JobFolder(job).read()
    assert steps(found) == [0]
    assert steps(found, "secret") == []
    assert "attempts/1-1.jsonl" in found.problems[0]
    assert [one.rank for one in newest_ends(job, 100)] == [0]


def test_a_link_in_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "other", "0-1", rows([0], loss=1))
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "attempts").symlink_to(tmp_path / "other" / "attempts")
    (tmp_path / "link").symlink_to(tmp_path / "other")
    for name in ("job", "link"):
        assert JobFolder(tmp_path / name).read().attempts == ()
        assert newest_ends(tmp_path / name, 100) == []


def test_more_bytes_than_are_read_of_a_job_are_said(tmp_path: Path) -> None:
    write(tmp_path, "0-1", *(rows([number], loss=1) for number in range(100)))
    folder = JobFolder(tmp_path, room=lambda: Room(bytes=1_000))
    job = folder.read()
    assert 0 < len(steps(job)) < 100
    assert job.problems == ("there is more than is read of one step",)
    assert steps(folder.read()) == steps(job)


def test_of_very_many_attempts_the_newest_are_read(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(job_folders, "MOST_ATTEMPTS", 5)
    for number in range(1, 20):
        write(tmp_path, f"0-{number}", rows([number], loss=1))
    job = JobFolder(tmp_path).read()
    assert [one.number for one in job.attempts] == [15, 16, 17, 18, 19]
    assert "more attempts than are read" in job.problems[0]


def test_the_ends_of_the_newest_attempts_are_had_without_the_rest(tmp_path: Path) -> None:
    write(tmp_path, "0-1", rows([0], early=1), *(epoch(number) for number in range(500)))
    write(tmp_path, "0-2", head(0, 2))
    new, old = newest_ends(tmp_path, 2_000)
    assert (new.number, old.number) == (2, 1)
    assert old.epochs[-1].number == 499
    assert "early" not in old.kept
    assert old.unreadable == 0
    assert "early" in newest_ends(tmp_path, 1 << 20)[1].kept
