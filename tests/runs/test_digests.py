"""Digests of what runs reported: read once, and never taken for those of other files."""

from __future__ import annotations

import math
import os
import sqlite3
from pathlib import Path

import pytest
from support.attempts import head, mark, rows, write

from argojobs.runs import digests as kept
from argojobs.runs.digests import FILE, digests_of

OLD = 1_700_000_000


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


def old(path: Path) -> Path:
    """Have a file look as if it was written long ago; only its last change cannot be set back."""
    os.utime(path, (OLD, OLD))
    return path


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that were written just now count as settled."""
    monkeypatch.setattr(kept, "settled", lambda files, now: True)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The jobs whose rows were read."""
    found: list[str] = []
    real = kept.JobFolder

    class Counted(real):  # type: ignore[misc, valid-type]
        def __init__(self, path: Path, *more: object) -> None:
            found.append(path.name)
            super().__init__(path, *more)

    monkeypatch.setattr(kept, "JobFolder", Counted)
    return found


def numbers(results: Path, run: str = "r", job: str = "r-train") -> list[float]:
    return list(digests_of(results, [run])[run][job].numbers)


def test_a_series_has_rows_first_least_greatest_and_last(results) -> None:
    write(
        results / "r" / "r-train",
        "0-1",
        head(),
        rows(range(4), loss=[3, "NaN", 1, 2], lr=5),
        {"summary": {"n": 1}},
    )
    found = digests_of(results, ["r", "nosuch"])
    assert list(found) == ["r"]
    digest = found["r"]["r-train"]
    assert digest.names == ("loss", "lr")
    assert list(digest.numbers) == [4, 3, 1, 3, 2, 4, 5, 5, 5, 5]
    assert (digest.summary, digest.is_whole) == ({"n": 1}, True)


def test_of_nothing_but_nan_it_is_all_there_is(results) -> None:
    write(results / "r" / "r-train", "0-1", rows([0], loss=["NaN"]))
    assert all(map(math.isnan, numbers(results)[1:]))


def test_what_is_superseded_does_not_count_and_the_first_rank_does(results) -> None:
    job = results / "r" / "r-train"
    write(job, "0-1", head(), rows([0], loss=1), mark("0-1:1", 0), rows([1], loss=99))
    write(job, "0-2", head(0, 2), {"after": "0-1:1"}, rows([1], loss=2))
    write(job, "1-1", head(1), rows([0], loss=-5))
    assert numbers(results) == [2, 1, 1, 2, 2]


def test_a_second_look_reads_no_rows(results, reads) -> None:
    write(
        results / "r" / "r-train", "0-1", rows([0, 1], loss=[1, 2]), {"summary": {"a": ["x", None]}}
    )
    first = digests_of(results, ["r"])
    assert reads == ["r-train"]
    assert digests_of(results, ["r"]) == first
    assert reads == ["r-train"]


@pytest.mark.parametrize("change", ["longer", "same size", "another file", "one more", "gone"])
def test_whatever_changed_is_read_anew(results, reads, change) -> None:
    path = old(write(results / "r" / "r-train", "0-1", rows([0], loss=1)))
    assert numbers(results) == [1, 1, 1, 1, 1]
    if change == "longer":
        write(path.parent.parent, "0-1", rows([0], loss=1), rows([1], loss=2))
        expected = [2, 1, 1, 2, 2]
    elif change == "same size":
        old(write(path.parent.parent, "0-1", rows([0], loss=2)))
        expected = [1, 2, 2, 2, 2]
    elif change == "another file":
        other = old(write(results / "elsewhere", "0-1", rows([0], loss=3)))
        other.rename(path)
        expected = [1, 3, 3, 3, 3]
    elif change == "one more":
        write(path.parent.parent, "0-2", rows([0], loss=4))
        expected = [1, 4, 4, 4, 4]
    else:
        path.unlink()
        assert digests_of(results, ["r"]) == {}
        return
    assert numbers(results) == expected
    assert reads == ["r-train", "r-train"]


def test_nothing_is_kept_of_what_was_written_just_now(results, reads, monkeypatch) -> None:
    monkeypatch.undo()
    write(results / "r" / "r-train", "0-1", rows([0], loss=1))
    digests_of(results, ["r"])
    assert not (results.parent / FILE).exists()


@pytest.mark.parametrize("damage", ["text", "form", "row", "folder"])
def test_a_damaged_file_is_as_if_it_were_not_there(results, damage) -> None:
    write(results / "r" / "r-train", "0-1", rows([0], loss=1))
    path = results.parent / FILE
    if damage == "folder":
        path.mkdir()
    else:
        numbers(results)
        if damage == "text":
            path.write_bytes(b"no database" * 1000)
        else:
            with sqlite3.connect(path) as database:
                database.execute(
                    "PRAGMA user_version = 99"
                    if damage == "form"
                    else "UPDATE digests SET numbers = x'00', summary = '{'"
                )
            database.close()
    assert numbers(results) == [1, 1, 1, 1, 1]
    assert numbers(results) == [1, 1, 1, 1, 1]


def test_of_many_runs_only_those_asked_for_are_given(results, monkeypatch) -> None:
    for name in "abc":
        write(results / name / "job", "0-1", rows([0], loss=1))
    digests_of(results, ["a", "b", "c"])
    monkeypatch.setattr(kept, "_FEW", 1)
    assert list(digests_of(results, ["c", "a"])) == ["c", "a"]


def test_what_deleted_runs_left_goes_with_the_next_that_is_kept(results) -> None:
    path = write(results / "a" / "job", "0-1", rows([0], secret=1))
    digests_of(results, ["a"])
    path.unlink()
    path.parent.rmdir()
    path.parent.parent.rmdir()
    (results / "a").rmdir()
    write(results / "b" / "job", "0-1", rows([0], loss=1))
    digests_of(results, ["b"])
    assert b"secret" not in (results.parent / FILE).read_bytes()
    assert (results.parent / FILE).stat().st_mode & 0o077 == 0


def test_rows_that_cannot_be_read_are_told(results) -> None:
    write(results / "r" / "r-train", "0-1", rows([0], loss=1), b"{torn\n")
    assert not digests_of(results, ["r"])["r"]["r-train"].is_whole
