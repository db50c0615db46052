"""Steps that do not succeed at once; one that stores an item's artifact knows its attempt."""

from __future__ import annotations

import os
import time

from argojobs import File, Gathered, Outputs, Retry, each, pipeline, step


class Made(Outputs):
    attempt: int
    file: File


def made() -> Made:
    out = Made(attempt=int(os.environ["ARGOJOBS_ATTEMPT"]))
    out.file.path.write_text(f"by attempt {out.attempt}\n")
    print(f"attempt {out.attempt} runs", flush=True)
    return out


@step(retry=Retry(3))
def shaky(number: int) -> Made:
    """Fail twice, then succeed."""
    out = made()
    if out.attempt < 2:
        raise SystemExit(f"not yet: {number}")
    return out


@step(retry=Retry(infra=2))
def lost(number: int) -> Made:
    """Wait to be killed, the first time; a failure of its own would not be repeated."""
    out = made()
    if out.attempt == 0:
        time.sleep(600 + number)
    return out


@step(retry=Retry(infra=2))
def wrong() -> None:
    raise SystemExit(4)


@step
def attempts(found: Gathered[Made]) -> list[str]:
    texts = [file.path.read_text().strip() for file in found.file]
    assert texts == [f"by attempt {attempt}" for attempt in found.attempt]
    return texts


@pipeline
def shakes() -> list[str]:
    return attempts(each([7], lambda number: shaky(number)))


@pipeline
def killed() -> list[str]:
    return attempts(each([7], lambda number: lost(number)))


@pipeline
def fails() -> None:
    wrong()
