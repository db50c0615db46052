"""Attempts that were read come back from bytes as they were, or not at all."""

from __future__ import annotations

import math
import random

from support.attempts import START, epoch, head, mark, rows, text_of

from argojobs.results.attempt import Attempt, Upto
from argojobs.results.job import job_of
from argojobs.results.stitching import Stitched
from argojobs.results.stored import from_bytes, to_bytes

FILES = [["0-1.jsonl", 5, 10]]


def read(rank: int, number: int, upto: Upto | None, *lines) -> Attempt:
    found = Attempt(rank, number, upto)
    found.feed(text_of(*lines))
    return found


def everything() -> Stitched:
    """Two attempts that say all that can be said."""
    first = read(
        0, 1, Upto(1), head(), rows([0, 1], loss=[0.1, "NaN"], lr=["Infinity", 10**400]), b"torn\n",
        {"progress": [1, 5], "time": START}, {"progress": [2, 5], "time": START + 1},
        epoch(0, of=3, measured={"forward": [1, 0.5, 0.5, 0.5]}), mark("0-1:1", 0),
        rows([2], loss=9, gone=1), {"note": "a \ud800 note"}, {"dropped": 3, "why": "x"},
    )  # fmt: skip
    second = read(
        0, 2, None, {"after": "0-1:1"}, rows([2], **{"loss": 0.3, "ä/\n": 1}),
        {"summary": {"a": [1, {"b": None}], "c": 10**30}}, {"ended": 5.5},
    )  # fmt: skip
    child = Attempt(0, 2, child=3)
    child.feed(text_of(head(), rows([0], worker=1)))
    return Stitched((first, second, child), ("something is wrong",))


def same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


def test_they_are_as_they_were() -> None:
    before = everything()
    after = from_bytes(to_bytes(before, FILES), FILES)
    assert after is not None
    assert after.problems == before.problems
    for one, other in zip(before.attempts, after.attempts, strict=True):
        for name in (
            "rank", "number", "child", "head", "after", "speaks", "summary", "progress", "first_progress",
            "epochs", "notes", "dropped", "unreadable", "left_out", "ended",
        ):  # fmt: skip
            assert getattr(one, name) == getattr(other, name), name
        for name in ("kept", "superseded"):
            columns, others = getattr(one, name), getattr(other, name)
            assert list(columns) == list(others)
            for key, found in columns.items():
                assert found.times == others[key].times
                assert found.steps == others[key].steps
                assert all(map(same, found.values, others[key].values))
    job, again = job_of(before.attempts), job_of(after.attempts)
    assert [one.parts for one in job.series] == [one.parts for one in again.series]
    assert (job.summary, job.epochs, job.measured) == (again.summary, again.epochs, again.measured)


def test_of_other_files_there_are_none() -> None:
    data = to_bytes(everything(), FILES)
    assert from_bytes(data, [["0-1.jsonl", 5, 11]]) is None
    assert from_bytes(data, []) is None


def test_what_is_damaged_is_none() -> None:
    data = to_bytes(everything(), FILES)
    for end in range(len(data)):
        assert from_bytes(data[:end], FILES) is None
    chance = random.Random(14)
    for _ in range(3_000):
        damaged = bytearray(data)
        damaged[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        assert from_bytes(bytes(damaged), FILES) is None


def test_what_somebody_else_wrote_is_none() -> None:
    for data in (b"", b"\n", b"\x00\xff" * 100, b"argojobs columns 1 little x y z\n", b"[" * 9_999):
        assert from_bytes(data, FILES) is None
