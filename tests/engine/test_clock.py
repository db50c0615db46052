"""Times as Argo writes them, what is not a duration, and the engine's clock, which never goes back."""

import pytest

from argojobs.engine import clock
from argojobs.engine.clock import SteadyClock
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


class Host:
    """A host whose clock can be set."""

    def __init__(self):
        self.wall = 1_000_000.0
        self.steady = 50.0
        self.clock = SteadyClock(lambda: self.wall, lambda: self.steady)

    def later(self, seconds):
        self.wall += seconds
        self.steady += seconds


def test_it_goes_as_the_hosts_clock_does():
    host = Host()
    host.later(5)
    assert host.clock() == 1_000_005.0
    assert host.clock.from_wall(1_000_004.0) == 1_000_004.0


@pytest.mark.parametrize("back", [3600, 86400 * 365, 2])
def test_a_clock_that_is_set_back_does_not_stop_it(back):
    host = Host()
    due = host.clock() + 2
    host.wall -= back
    host.later(1)
    assert host.clock() < due
    host.later(1)
    assert host.clock() == due
    assert host.clock.from_wall(host.wall) == due, "what a pod just wrote down is now"


def test_it_goes_on_from_there_when_the_clock_is_set_back_twice():
    host = Host()
    for _ in range(2):
        host.wall -= 3600
        host.later(10)
        host.clock()
    assert host.clock() == 1_000_020.0


def test_it_follows_a_clock_that_is_set_forward_and_one_that_was_put_right_again():
    host = Host()
    host.wall -= 3600
    host.later(1)
    host.clock()
    host.wall += 7200
    assert host.clock() == host.wall


@pytest.mark.parametrize("text", ["1" * 5000 + "x", "1" * 5000, "9" * 30, "1" * 99 + "h", "." * 80])
def test_a_duration_that_is_none_is_refused_at_once(text):
    with pytest.raises(ManifestError, match="unable to parse"):
        clock.duration(text)
