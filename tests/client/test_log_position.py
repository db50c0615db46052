"""Where a pod's log was read to: lines read twice are told from new ones, exactly."""

from hypothesis import given
from hypothesis import strategies as st

from argojobs.client.log_position import Position


def stamped(second, fraction, text, zone="Z"):
    return f"2026-01-01T00:{second // 60:02}:{second % 60:02}.{fraction:09}{zone} {text}"


def taken(position, lines):
    return [text for text in map(position.take, lines) if text is not None]


def test_the_stamp_is_taken_off():
    assert Position().take(stamped(1, 5, " two  blanks ")) == " two  blanks "
    assert Position().take("2026-01-01T00:00:00Z ") == ""
    assert Position().take("2026-01-01T00:00:00.5+02:00 x") == "x"


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 2), st.sampled_from("ab")), max_size=40),
    st.integers(0, 40),
    st.integers(0, 40),
)
def test_nothing_is_lost_or_doubled_wherever_reading_breaks_off(entries, first, second):
    lines = [stamped(*entry) for entry in sorted(entries)]
    position = Position()
    read = taken(position, lines[:first])
    position.rewind()
    read += taken(position, lines[:second])
    position.rewind()
    read += taken(position, lines)
    assert read == [line.partition(" ")[2] for line in lines]


def test_equal_lines_with_equal_stamps_are_counted():
    position = Position()
    line = stamped(1, 1, "x")
    assert taken(position, [line, line]) == ["x", "x"]
    position.rewind()
    assert taken(position, [line, line, line]) == ["x"]


def test_lines_a_little_out_of_order_are_not_lost():
    position = Position()
    later, earlier = stamped(1, 2, "later"), stamped(1, 1, "earlier")
    assert taken(position, [later]) == ["later"]
    position.rewind()
    assert taken(position, [earlier, later]) == ["earlier"]


def test_reading_may_begin_again_at_the_second_of_the_last_line():
    position = Position()
    lines = [stamped(second, 0, str(second)) for second in range(20)]
    taken(position, lines[:15])
    assert position.since == "2026-01-01T00:00:14Z"
    position.rewind()
    assert taken(position, lines[14:]) == ["15", "16", "17", "18", "19"]


def test_what_is_older_than_a_tail_is_not_wanted():
    position = Position()
    lines = [stamped(second, 0, str(second)) for second in range(5)]
    position.begin_here(lines[3])
    assert taken(position, lines[3:]) == ["3", "4"]
    position.rewind()
    assert taken(position, lines) == []


def test_a_server_without_stamps_is_counted():
    position = Position()
    assert taken(position, ["a", "a", "b"]) == ["a", "a", "b"]
    position.rewind()
    assert taken(position, ["a", "a", "b", "b"]) == ["b"]
