"""One attempt's lines: what is taken of them, and that nothing in them breaks the reader."""

from __future__ import annotations

import math
import random

import pytest
from support.attempts import START, epoch, head, mark, rows, text_of

from argojobs.results import attempt as attempts
from argojobs.results.attempt import NOTHING, Attempt, Room, Upto


def read(*lines, upto: Upto | None = None, room: Room | None = None) -> Attempt:
    found = Attempt(0, 1, upto, room or Room())
    found.feed(text_of(*lines))
    return found


def values(found: Attempt, name: str = "loss") -> list[float]:
    return list(found.kept[name].values)


class TestRows:
    def test_are_columns_of_times_steps_and_values(self) -> None:
        found = read(head(), rows([3, 4], loss=[0.5, 0.25], lr=0.1), rows([5], loss=[0.125]))
        loss = found.kept["loss"]
        assert list(loss.times) == [START + 3, START + 4, START + 5]
        assert list(loss.steps) == [3, 4, 5]
        assert list(loss.values) == [0.5, 0.25, 0.125]
        assert values(found, "lr") == [0.1, 0.1]
        assert found.unreadable == 0

    def test_nan_and_infinities_are_texts(self) -> None:
        found = read(rows(range(4), loss=["NaN", "Infinity", "-Infinity", 1]))
        assert math.isnan(values(found)[0])
        assert values(found)[1:] == [math.inf, -math.inf, 1]

    def test_a_number_that_no_double_can_hold_is_an_infinity(self) -> None:
        found = read(rows(range(3), loss=[10**400, -(10**400), 2**60]))
        assert values(found) == [math.inf, -math.inf, float(2**60)]

    def test_steps_may_go_backward_and_clocks_may_jump(self) -> None:
        line = rows([9, 3], loss=[1.0, 2.0])
        line["rows"]["time"] = [START, START - 1e6]
        found = read(line)
        assert list(found.kept["loss"].steps) == [9, 3]
        assert list(found.kept["loss"].times) == [START, START - 1e6]

    def test_names_may_have_any_characters(self) -> None:
        names = ("", "val/loss", "=1+1", "\x1b[2J", "ä\n", "\ud800", "a" * 1000)
        assert list(read(rows([1], **dict.fromkeys(names, 0.5))).kept) == list(names)

    def test_a_hundred_thousand_names_are_read(self) -> None:
        names = [f"layer.{number}/gradient" for number in range(100_000)]
        found = read(
            rows([1], **dict.fromkeys(names, 0.5)), rows([2], **dict.fromkeys(names, 0.25))
        )
        assert len(found.kept) == 100_000
        assert values(found, names[-1]) == [0.5, 0.25]

    @pytest.mark.parametrize(
        "wrong",
        [
            {"time": [1.0], "step": [1], "values": {"loss": [0.5, 0.25]}},
            {"time": [1.0, 2.0], "step": [1], "values": {"loss": [0.5, 0.25]}},
            {"time": ["NaN"], "step": [1], "values": {"loss": [0.5]}},
            {"time": [1.0], "step": [None], "values": {"loss": [0.5]}},
            {"time": [1.0], "step": [10**400], "values": {"loss": [0.5]}},
            {"time": [1.0], "step": [1], "values": {"good": [0.5], "loss": ["much"]}},
            {"time": [1.0], "step": [1], "values": {"loss": [[0.5]]}},
            {"time": [1.0], "step": [1], "values": [0.5]},
            {"time": 1.0, "step": 1, "values": {"loss": 0.5}},
            {"time": [1.0], "values": {"loss": [0.5]}},
            {"time": [1.0], "step": ["1"], "values": {"loss": [0.5]}},
            {"time": [1.0, 2.0], "step": [1, 2], "values": {"good": [1, 2], "loss": [0.5, None]}},
            {"time": [], "step": [], "values": {"loss": [0.5]}},
            [],
            None,
            "rows",
        ],
    )
    def test_a_wrong_line_is_counted_and_nothing_of_it_is_taken(self, wrong) -> None:
        found = read(rows([0], loss=1.0), {"rows": wrong}, rows([2], loss=3.0))
        assert values(found) == [1.0, 3.0]
        assert "good" not in found.kept
        assert found.unreadable == 1


class TestLines:
    def test_come_in_pieces_of_any_size(self) -> None:
        text = text_of(head(), rows(range(50), loss=range(50)), epoch(0), {"ended": 5.0})
        for size in (1, 2, 3, 7, 100):
            found = Attempt(0, 1)
            for start in range(0, len(text), size):
                found.feed(text[start : start + size])
            assert values(found) == list(range(50))
            assert (found.unreadable, found.ended, len(found.epochs)) == (0, 5.0, 1)

    def test_a_torn_last_line_is_ignored_until_its_end_comes(self) -> None:
        text = text_of(rows([1], loss=1.0), rows([2], loss=2.0))
        found = Attempt(0, 1)
        found.feed(text[:-5])
        assert (values(found), found.unreadable) == ([1.0], 0)
        found.feed(text[-5:])
        assert values(found) == [1.0, 2.0]

    def test_a_file_may_be_cut_off_anywhere(self) -> None:
        text = text_of(head(), rows([1], loss=1.0), mark("0-1:1", 0), epoch(0), rows([2], loss=2.0))
        for end in range(len(text)):
            assert read(text[:end]).unreadable == 0

    def test_unknown_keys_and_lines_are_ignored(self) -> None:
        found = read({"future": [1]}, {**rows([1], loss=1.0), "more": 1}, {}, b"\n")
        assert (values(found), found.unreadable) == ([1.0], 0)

    @pytest.mark.parametrize(
        "foreign",
        [
            b"\x00\xff\xfe\n",
            b"not json\n",
            b"5\n",
            b"null\n",
            b'["rows"]\n',
            b"[" * 200_000 + b"\n",
            b'{"rows": ' + b"[" * 5_000 + b"]" * 5_000 + b"}\n",
            b'{"rows": {"time": [1], "step": [1], "values": {"loss": [NaN]}}}\n',
            b'{"rows": {"time": [1], "step": [1e999], "values": {"loss": [1]}}}\n',
            b'{"rows": {"time": [1], "step": [1], "values": {"loss": [' + b"9" * 9_999 + b"]}}}\n",
            b'{"ended": 1} {"ended": 2}\n',
            b'{"mark": "0-2:1", "epoch": 0}\n',
            b'{"mark": "\xd9\xa1-1:1", "epoch": 0}\n',
            b'{"mark": 5}\n',
            b'{"after": "somewhere"}\n',
            b'{"after": []}\n',
            b'{"epoch": 3}\n',
            b'{"epoch": {"number": true, "seconds": 1, "time": 1}}\n',
            b'{"epoch": {"number": 1, "seconds": 1, "time": 1, "measured": {"f": [1]}}}\n',
            b'{"epoch": {"number": 1, "seconds": 1, "time": 1, "measured": [1]}}\n',
            b'{"progress": [1, 2, 3], "time": 1}\n',
            b'{"progress": [1, "NaN"], "time": 1}\n',
            b'{"summary": 5}\n',
            b'{"dropped": "many"}\n',
            b'{"ended": null}\n',
        ],
    )
    def test_foreign_ones_are_counted_and_break_nothing(self, foreign: bytes) -> None:
        found = read(rows([1], loss=1.0), foreign, rows([2], loss=2.0))
        assert values(found) == [1.0, 2.0]
        assert found.unreadable == 1

    def test_damaged_bytes_break_nothing(self) -> None:
        text = bytearray(
            text_of(
                head(), {"after": None}, rows(range(3), loss=range(3)), mark("0-1:1", 0), epoch(0, of=2),
                {"summary": {"a": 1}}, {"progress": [1, 2], "time": 1.0}, {"dropped": 1, "why": "x"},
            )
        )  # fmt: skip
        chance = random.Random(14)
        for _ in range(2_000):
            damaged = bytearray(text)
            for _ in range(chance.randrange(1, 6)):
                damaged[chance.randrange(len(text))] = chance.randrange(256)
            Attempt(0, 1).feed(bytes(damaged))

    def test_a_line_without_end_takes_bounded_memory_and_is_counted_once(self, monkeypatch) -> None:
        monkeypatch.setattr(attempts, "MOST_OF_LINE", 1_000)
        found = Attempt(0, 1)
        for _ in range(100):
            found.feed(b"x" * 100)
        assert sum(map(len, found._rest)) <= 1_000
        found.feed(text_of({"ended": 5.0}, rows([1], loss=1.0)))  # its end looks like a line
        assert (values(found), found.unreadable, found.ended) == ([1.0], 1, None)


class TestRoom:
    def test_rows_beyond_it_are_counted_and_left_out(self) -> None:
        found = read(rows(range(5), loss=1.0), rows(range(7), loss=2.0), room=Room(values=10))
        assert (len(found.kept["loss"]), found.left_out) == (5, 7)

    def test_names_beyond_it_are_left_out(self) -> None:
        found = read(rows([1], a=1, b=1, c=1), rows([2], a=2, c=2), room=Room(names=2))
        assert (values(found, "a"), list(found.kept), found.left_out) == ([1, 2], ["a", "b"], 2)

    def test_a_name_as_long_as_a_book_is_left_out(self) -> None:
        found = read(rows([1], **{"n" * 20_000: 1, "loss": 2}), rows([2, 3], **{"n" * 20_000: 1}))
        assert (list(found.kept), found.left_out) == (["loss"], 3)

    def test_what_was_measured_takes_of_it(self) -> None:
        measured = {str(number): [1, 1, 1, 1] for number in range(50)}
        found = read(*(epoch(n, measured=measured) for n in range(4)), room=Room(values=1_200))
        assert [len(one.measured) for one in found.epochs] == [50, 50, 0, 0]
        assert found.left_out == 100

    def test_a_summary_is_no_deeper_and_longer_than_can_be_shown(self) -> None:
        deep: list = []
        for _ in range(500):
            deep = [deep]
        found = read({"summary": {"deep": deep, "long": "x" * 99_999, "many": list(range(9_999))}})
        assert len(str(found.summary["deep"])) < 50
        assert len(found.summary["long"]) <= 10_000
        assert found.summary["many"] == "..."

    def test_a_summary_has_so_many_keys(self) -> None:
        found = read(*({"summary": {str(number): 1}} for number in range(5_000)))
        assert len(found.summary) == attempts.MOST_KEYS


class TestWhereItIsCut:
    LINES = (
        head(), rows([0, 1], loss=[0, 1]), epoch(0), mark("0-1:1", 0), rows([2, 3], loss=[2, 3]),
        {"summary": {"best": 1}}, {"progress": [1, 9], "time": 1.0}, epoch(1), mark("0-1:2", 1),
        rows([4], loss=[4]), {"summary": {"best": 2}}, {"progress": [2, 9], "time": 2.0},
    )  # fmt: skip

    def test_rows_below_the_mark_are_superseded(self) -> None:
        found = read(*self.LINES, upto=Upto(1))
        assert values(found) == [0, 1]
        assert list(found.superseded["loss"].values) == [2, 3, 4]
        assert [one.number for one in found.epochs] == [0]
        assert (found.summary, found.progress) == ({}, None)

    def test_what_stands_above_it_counts(self) -> None:
        found = read(*self.LINES, upto=Upto(2))
        assert values(found) == [0, 1, 2, 3]
        assert found.summary == {"best": 1}
        assert found.progress == (1, 9, 1.0)
        assert [one.number for one in found.epochs] == [0, 1]

    def test_a_mark_that_is_missing_is_the_next_one(self) -> None:
        lines = [line for line in self.LINES if line.get("mark") != "0-1:1"]
        assert values(read(*lines, upto=Upto(1))) == [0, 1, 2, 3]

    def test_a_mark_that_a_cut_file_lost_was_behind_all_of_it(self) -> None:
        assert values(read(*self.LINES[:5], upto=Upto(2))) == [0, 1, 2, 3]

    def test_all_of_it_may_be(self) -> None:
        found = read(*self.LINES, upto=NOTHING)
        assert (found.kept, len(found.superseded["loss"])) == ({}, 5)

    def test_the_mark_of_another_rank_is_found_by_its_epoch(self) -> None:
        assert values(read(*self.LINES, upto=Upto(done=1))) == [0, 1]

    def test_what_a_child_process_logged_is_cut_at_a_time_and_at_no_mark(self) -> None:
        found = read(mark("0-1:1"), *self.LINES[:5], upto=Upto(time=START + 2))
        assert values(found) == [0, 1, 2]

    def test_an_epoch_told_below_its_mark_counts(self) -> None:
        found = read(mark("0-1:1", 0), epoch(0), epoch(1), upto=Upto(1))
        assert [one.number for one in found.epochs] == [0]


def test_the_head_says_who_it_was() -> None:
    found = read(head(pid="7", host="h" * 9_999, attempt=3))
    assert (found.head["attempt"], found.head["user"], len(found.head["host"])) == (3, "ada", 500)
    assert "pid" not in found.head


def test_only_what_can_supersede_speaks() -> None:
    assert not read(head(), {"note": "x"}, {"dropped": 1}, {"ended": 1.0}).speaks
    for line in (rows([1], a=1), {"after": None}, mark("0-1:1"), epoch(0), {"summary": {}}):
        assert read(head(), line).speaks


def test_the_newest_notes_are_kept_and_drops_are_added_up() -> None:
    found = read(*({"dropped": 2, "why": f"why {n}"} for n in range(300)), {"note": "last"})
    assert (found.dropped, len(found.notes), found.notes[-1]) == (600, 100, "last")
