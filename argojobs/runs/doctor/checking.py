"""What a check finds, and how errors become findings: plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from argojobs.errors import ArgojobsError, ServerError

State = Literal["ok", "warning", "failed", "skipped"]

FIX, RETRY = 2, 3


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found.

    what: one line. remedy: what to do, where there is something to do. passing: a failure that a
    retry may get over.
    """

    name: str
    state: State
    what: str
    remedy: str = ""
    passing: bool = False


def ok(name: str, what: str) -> Check:
    """All is well."""
    return Check(name, "ok", what)


def warning(name: str, what: str, remedy: str) -> Check:
    """It works, and something is to be known.

    Args:
        name: of the check.
        what: what was found.
        remedy: what to do about it.
    """
    return Check(name, "warning", what, remedy)


def failed(name: str, what: str, remedy: str) -> Check:
    """It does not work, and this is what to do.

    Args:
        name: of the check.
        what: what was found.
        remedy: what to do about it.
    """
    return Check(name, "failed", what, remedy)


def skipped(name: str, why: str, remedy: str = "") -> Check:
    """It was not looked at.

    Args:
        name: of the check.
        why: why not.
        remedy: how it can be looked at; "" where there is nothing to do.
    """
    return Check(name, "skipped", why, remedy)


def of_error(name: str, error: ArgojobsError) -> Check:
    """Return the check that an error is."""
    return Check(name, "failed", error.what, error.hint, passing=isinstance(error, ServerError))


def attempt(name: str, look: Callable[[], Check | Iterable[Check]]) -> Iterator[Check]:
    """Yield what a check finds; an error of ours is a finding, too."""
    try:
        found = look()
        yield from [found] if isinstance(found, Check) else found
    except ArgojobsError as error:
        yield of_error(name, error)


def exit_code(checks: Iterable[Check]) -> int:
    """Return 0 where all is well, 2 where something is to be fixed, 3 where a retry may help."""
    wrong = [check for check in checks if check.state == "failed"]
    if not wrong:
        return 0
    return RETRY if all(check.passing for check in wrong) else FIX
