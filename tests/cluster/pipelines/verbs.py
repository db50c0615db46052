"""Runs for the verbs: one that waits and tells, one whose middle step fails unless told better."""

from __future__ import annotations

import time

from argojobs import File, pipeline, step


@step
def first(text: str) -> File:
    out = File()
    out.path.write_text(f"first {text}\n")
    return out


@step
def middle(before: File, good: bool) -> str:
    if not good:
        raise SystemExit("not good")
    return before.path.read_text() + "middle"


@step
def last(text: str) -> str:
    return f"{text} last"


@pipeline
def chain(text: str = "a", good: bool = False) -> str:
    return last(middle(first(text), good))


@step
def goodbye(status: str) -> None:
    print(f"goodbye: {status}", flush=True)


@step
def waits(seconds: int) -> str:
    print("it waits", flush=True)
    time.sleep(seconds)
    return "done"


@pipeline(on_exit=goodbye)
def waiting(seconds: int = 600) -> str:
    return last(waits(seconds))


@step
def counts(lines: int) -> None:
    """Print numbers, ten a second."""
    for number in range(lines):
        print(f"line {number}", flush=True)
        time.sleep(0.1)


@pipeline
def counting(lines: int = 150) -> None:
    counts(lines)
