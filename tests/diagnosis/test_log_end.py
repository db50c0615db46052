"""What the log of a step that failed ends with."""

from __future__ import annotations

from argojobs.diagnosis.log_end import last_error


def test_the_last_error_is_that_of_the_last_traceback() -> None:
    first = ["Traceback (most recent call last):", '  File "a.py", line 1', "KeyError: 1", ""]
    last = ["Traceback (most recent call last):", '  File "a.py", line 2', "a.b.Broken: it: did"]
    assert last_error([*first, *last, "some words after it"]) == "a.b.Broken: it: did"
    assert last_error(["no traceback: here"]) == ""


def test_what_our_runtime_reported_last_is_the_error() -> None:
    handled = ["Traceback (most recent call last):", '  File "a.py"', "KeyError: 1", "went on"]
    assert last_error([*handled, "argojobs: train set loss: bad", "  x"]) == "train set loss: bad"
    assert last_error(["argojobs: a debugger is attached", "goodbye"]) == ""


def test_a_traceback_right_before_it_says_more_than_our_remark() -> None:
    failed = ["Traceback (most recent call last):", '  File "a.py"', "KeyError: 1"]
    assert (
        last_error([*failed, "argojobs: torch is not in this image", "  add it"]) == "KeyError: 1"
    )
