"""Times as the API writes them, durations as people read them."""

from __future__ import annotations

import pytest

from argojobs.errors import UsageError
from argojobs.runs.view.times import ago, elapsed, moment, since


def test_a_moment_of_the_api_is_read_as_utc() -> None:
    assert moment("1970-01-01T00:01:00Z") == 60.0
    assert moment(None) is None
    assert moment("") is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.4, "<1s"),
        (1, "1s"),
        (59.9, "59s"),
        (65, "1m 05s"),
        (3600, "1h 00m"),
        (7260, "2h 01m"),
        (90000, "1d 1h"),
    ],
)
def test_elapsed_says_at_most_two_units(seconds: float, text: str) -> None:
    assert elapsed(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "now"), (42, "42s ago"), (150, "2m ago"), (7200, "2h ago"), (200000, "2d ago")],
)
def test_ago_says_one_unit(seconds: float, text: str) -> None:
    assert ago(seconds) == text


def test_since_takes_durations_dates_and_times() -> None:
    assert since("2h", 10000) == 10000 - 7200
    assert since("1d12h", 200000) == 200000 - 129600
    assert since("1970-01-02T00:00:00Z", 0) == 86400


def test_since_says_how_it_is_written() -> None:
    with pytest.raises(UsageError, match="neither a duration nor a time") as caught:
        since("yesterday", 0)
    assert "30m, 2h" in caught.value.hint
