"""How far a step is and how fast it goes, numbers and short times, as texts."""

from __future__ import annotations

from argojobs.results.pace import Pace
from argojobs.runs.view.times import elapsed

#: What takes longer is not told more exactly, in seconds.
_LONGEST = 1e12


def pace_text(pace: Pace) -> str:
    """Say how far a step is: `3 of 10 epochs, 12s each, about 1m 24s left`."""
    done = f"{value_text(pace.done)} of {value_text(pace.of)}" if pace.of else value_text(pace.done)
    thing = pace.what + ("" if (pace.of or pace.done) == 1 else "s") if pace.what else "done"
    parts = [f"{done} {thing}"]
    if pace.each is not None:
        parts.append(f"{seconds_text(pace.each)} each")
    if pace.left is not None and pace.left >= 1:
        parts.append(f"about {elapsed(min(pace.left, _LONGEST))} left")
    return ", ".join(parts)


def seconds_text(seconds: float) -> str:
    """Say how long something took: `340us`, `12.5ms`, `1.25s`, `2h 10m`."""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.3g}us"
    if seconds < 1:
        return f"{seconds * 1e3:.3g}ms"
    return f"{seconds:.3g}s" if seconds < 60 else elapsed(min(seconds, _LONGEST))


def value_text(value: float) -> str:
    """Say a number in six digits; a whole one in all of its own, up to nine."""
    if abs(value) < 1e9 and value % 1 == 0:
        return str(int(value))
    return f"{value:.6g}"
