"""Go's layouts, times and durations."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.errors import ExpressionError
from argojobs.expressions import time as expr_time
from argojobs.expressions.values import Duration

TIME = datetime(2024, 2, 3, 16, 5, 6, 70000, tzinfo=timezone(timedelta(hours=5, minutes=30)))


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        ("2006-01-02T15:04:05Z07:00", "2024-02-03T16:05:06+05:30"),
        ("Mon, _2 Jan 06 3:04PM -0700", "Sat,  3 Feb 24 4:05PM +0530"),
        ("Monday January 2 03 pm", "Saturday February 3 04 pm"),
        ("15:04:05.000", "16:05:06.070"),
        ("15:04:05.999999", "16:05:06.07"),
        ("20060102", "20240203"),
        ("002", "034"),
    ],
)
def test_format(layout, text):
    assert expr_time.format_time(TIME, layout) == text


def test_utc_is_written_as_z():
    noon = datetime(2024, 1, 2, 12, tzinfo=UTC)
    assert expr_time.format_time(noon, expr_time.RFC3339_NANO) == "2024-01-02T12:00:00Z"
    assert expr_time.time_text(noon) == "2024-01-02 12:00:00 +0000 UTC"


@given(st.datetimes(min_value=datetime(1, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_what_is_written_is_read_back(time):
    text = expr_time.format_time(time, expr_time.RFC3339_NANO)
    assert expr_time.parse_time(expr_time.RFC3339_NANO, text) == time


@pytest.mark.parametrize("text", ["2024-1-02", "2024-13-01", "2024-02-30", "", "2024-01-02 "])
def test_a_text_of_another_form_is_refused(text):
    with pytest.raises(ExpressionError):
        expr_time.parse_time("2006-01-02", text)


@pytest.mark.parametrize(
    ("text", "seconds", "again"),
    [
        ("1h30m", 5400, "1h30m0s"),
        ("-1.5s", -1.5, "-1.5s"),
        ("250ms", 0.25, "250ms"),
        ("1500us", 0.0015, "1.5ms"),
        ("0", 0, "0s"),
        ("90s", 90, "1m30s"),
    ],
)
def test_durations(text, seconds, again):
    duration = expr_time.parse_duration(text)
    assert duration == Duration(round(seconds * 10**9))
    assert expr_time.duration_text(duration) == again


@pytest.mark.parametrize("text", ["", "1", "h", "1d", "1h 2m", ".s", "9999999999h"])
def test_bad_durations(text):
    with pytest.raises(ExpressionError):
        expr_time.parse_duration(text)


@given(st.integers(min_value=-(10**18), max_value=10**18))
def test_a_duration_is_read_back(nanoseconds):
    duration = Duration(nanoseconds)
    assert expr_time.parse_duration(expr_time.duration_text(duration)) == duration
