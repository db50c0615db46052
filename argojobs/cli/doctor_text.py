"""How checks look on a screen, and as data."""

from __future__ import annotations

from typing import Any

from argojobs.cli.text import Line, pad
from argojobs.runs.doctor.checking import Check

_MARKS = {
    "ok": ("✔", "ok", "green"),
    "warning": ("!", "warning", "yellow"),
    "failed": ("✖", "failed", "red"),
    "skipped": ("-", "skipped", "dim"),
}
_WIDTH = 12


def lines_of(check: Check, *, signs: bool = True) -> list[Line]:
    """Return a check as lines: its mark, its name, what was found; below it what to do."""
    sign, word, style = _MARKS[check.state]
    mark = sign if signs else pad(word, 7)
    first: Line = [(f"{mark} ", style), (pad(check.name, _WIDTH), "bold"), (f" {check.what}", "")]
    if not check.remedy or check.state == "ok":
        return [first]
    blank = " " * (len(mark) + 1 + max(_WIDTH, len(check.name)) + 1)
    return [first, *([(f"{blank}{line}", "dim")] for line in check.remedy.splitlines())]


def ending(checks: list[Check], context: str) -> Line:
    """Return the last line: how many checks found what."""
    wrong = [check for check in checks if check.state == "failed"]
    noted = [check for check in checks if check.state == "warning"]
    if not wrong:
        what = f"{context} is well" + (f", with {len(noted)} to note" if noted else "")
        return [(what, "green")]
    names = ", ".join(dict.fromkeys(check.name for check in wrong))
    return [(f"{context}: to fix: {names}", "red")]


def as_data(context: str, checks: list[Check], code: int) -> dict[str, Any]:
    """Return all of it for programs.

    Args:
        context: the name of the one that was examined.
        checks: what was found.
        code: the exit code; 0 says that all is well.
    """
    return {
        "context": context,
        "well": code == 0,
        "checks": [
            {"name": one.name, "state": one.state, "what": one.what, "remedy": one.remedy}
            for one in checks
        ],
    }
