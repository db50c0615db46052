"""Times as Argo writes them, and what it says of a duration that is none."""

import pytest

from argojobs.engine import clock
from argojobs.errors import ManifestError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("1h30m", 5400), ("-5", -5), ("0", 0), ("1.5s", 1.5), (".5m", 30), ("100ms", 0.1)],
)
def test_a_duration_is_seconds_or_gos(text: str, seconds: float) -> None:
    assert clock.duration(text) == seconds


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("1d", 'unknown unit "d" in duration "1d"'),
        ("abc", 'invalid duration "abc"'),
        ("", 'invalid duration ""'),
        ("1.5", 'missing unit in duration "1.5"'),
        ("1h 5m", 'unknown unit "h " in duration "1h 5m"'),
        ("1h5", 'missing unit in duration "1h5"'),
        ("1w2d", 'unknown unit "w" in duration "1w2d"'),
        ("-", 'invalid duration "-"'),
        ("1..5s", 'missing unit in duration "1..5s"'),
        ("5S", 'unknown unit "S" in duration "5S"'),
    ],
)
def test_a_wrong_one_is_refused_in_argos_words(text: str, fault: str) -> None:
    with pytest.raises(ManifestError) as caught:
        clock.duration(text)
    assert caught.value.what == f"unable to parse {text} as a duration: time: {fault}"
