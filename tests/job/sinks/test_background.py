"""A sink's own thread: nobody waits for it, and what it does not write is counted and said."""

from __future__ import annotations

import threading

import pytest

from argojobs.job.batch import Batch
from argojobs.job.sinks import background
from argojobs.job.sinks.background import Background, NotNow


def rows(count: int, names: int = 1) -> Batch:
    return Batch(
        [0.0] * count, list(range(count)), {f"n{number}": [0.5] * count for number in range(names)}
    )


class Recorder(Background):
    """Keeps what it is given; `answers` are raised before, None is none."""

    def __init__(self, say, answers=()) -> None:
        super().__init__("the recorder", say)
        self.got: list[Batch] = []
        self.calls: list[list[Batch]] = []
        self.answers = list(answers)
        self.may_go = threading.Event()
        self.may_go.set()
        self.called = threading.Semaphore(0)
        self.finished = False

    def deliver(self, batches: list[Batch]) -> None:
        self.calls.append(batches)
        self.called.release()
        self.may_go.wait()
        answer = self.answers.pop(0) if self.answers else None
        if answer is not None:
            raise answer
        self.got += batches

    def finish(self) -> None:
        self.finished = True


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch) -> None:
    monkeypatch.setattr(background, "FIRST_PAUSE", 0.0)


def test_batches_are_delivered_in_order_and_at_the_end_at_the_latest(said) -> None:
    sink = Recorder(said.append)
    given = [rows(number) for number in range(1, 50)]
    for each in given:
        sink(each)
    sink.close()
    assert sink.got == given
    assert (sink.dropped, said, sink.finished) == (0, [], True)


def test_without_a_batch_there_is_no_thread(said) -> None:
    before = threading.active_count()
    sink = Recorder(said.append)
    assert threading.active_count() == before
    sink.close()


def test_what_comes_while_it_hangs_waits_and_then_is_dropped(said) -> None:
    sink = Recorder(said.append)
    sink.may_go.clear()
    sink.most_waiting = 100
    sink(rows(20, names=2))
    sink.called.acquire()
    sink(rows(60))  # 100 values
    sink(rows(1))
    sink(rows(7))
    sink.may_go.set()
    sink.close()
    assert sink.got == [rows(20, names=2), rows(60)]
    assert sink.dropped == 8
    assert said == [
        "the recorder: more is logged than can be written there; left out there",
        "8 values did not reach the recorder",
    ]


def test_one_that_hangs_does_not_hold_up_the_end(said) -> None:
    sink = Recorder(said.append)
    sink.patience = 0.0
    sink.may_go.clear()
    sink(rows(5))
    sink(rows(6))
    sink.called.acquire()
    sink.close()
    sink(rows(2))
    assert said[0] == "11 values did not reach the recorder"
    assert sink.dropped == 13
    sink.may_go.set()


def test_what_cannot_be_now_is_delivered_later_the_very_same_list(said) -> None:
    sink = Recorder(said.append, [NotNow("no room"), NotNow("no room"), NotNow("a locked door")])
    sink(rows(1))
    for _ in range(4):
        sink.called.acquire()
    sink(rows(2))
    sink.close()
    assert sink.got == [rows(1), rows(2)]
    assert all(call is sink.calls[0] for call in sink.calls[:4])
    assert said == ["the recorder: no room", "the recorder: a locked door"]


def test_at_the_end_it_is_tried_once_more_and_no_more(said) -> None:
    sink = Recorder(said.append, [NotNow("gone")] * 1_000_000)
    sink(rows(3))
    sink.called.acquire()
    sink.close()
    assert said == ["the recorder: gone", "3 values did not reach the recorder"]
    assert sink.finished


def test_a_fault_drops_what_was_delivered_and_no_more(said) -> None:
    sink = Recorder(said.append, [ZeroDivisionError("by 0")])
    sink(rows(3))
    sink.called.acquire()
    sink(rows(1))
    sink.close()
    assert sink.got == [rows(1)]
    assert said == [
        "the recorder: ZeroDivisionError: by 0; left out there",
        "3 values did not reach the recorder",
    ]


def test_a_process_that_is_ending_starts_no_thread_and_delivers_at_once(said, monkeypatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    sink = Recorder(said.append, [None, NotNow("gone")])
    for number in (1, 2, 3):
        sink(rows(number))
    assert not sink.finished
    sink.close()
    assert sink.got == [rows(1), rows(3)]
    assert said == ["the recorder: gone", "2 values did not reach the recorder"]
    assert sink.finished


def test_much_is_delivered_in_parts(said, monkeypatch) -> None:
    monkeypatch.setattr(background, "MOST_AT_ONCE", 10)
    sink = Recorder(said.append)
    sink.may_go.clear()
    sink(rows(1))
    sink.called.acquire()
    for _ in range(5):
        sink(rows(4))
    sink(rows(30))
    sink.may_go.set()
    sink.close()
    assert [len(call) for call in sink.calls] == [1, 2, 2, 1, 1]
