"""Attempts that were read, as bytes from which they are had again without their lines.

One line says what follows: JSON with a check sum; then the columns, as they lie in memory. Whoever
reads it says of which files it has to be; anything else, and anything that is damaged, is none.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections import deque
from typing import Any

from argojobs.results.attempt import MOST_EPOCHS, MOST_NOTES, Attempt, Epoch, Place
from argojobs.results.columns import Columns
from argojobs.results.stitching import Stitched

#: Another number for each change of the form, and for each change in how lines are read.
_FORM = f"argojobs columns 1 {sys.byteorder}"
_NUMBER = 8
#: What stands in the first line of an attempt as it is.
_PLAIN = (
    "rank",
    "number",
    "child",
    "head",
    "speaks",
    "summary",
    "dropped",
    "unreadable",
    "left_out",
    "ended",
)


def to_bytes(found: Stitched, files: object) -> bytes:
    """Return attempts as bytes. files: JSON that says of which files they are."""
    columns: list[memoryview] = []
    attempts = [_told(one, columns) for one in found.attempts]
    said = {"files": files, "attempts": attempts, "problems": found.problems}
    text = json.dumps(said).encode() + b"\n"
    body = b"".join(columns)
    head = f"{_FORM} {len(text)} {len(body)} {zlib.crc32(body, zlib.crc32(text))}\n"
    return b"".join((head.encode(), text, body))


def from_bytes(data: bytes, files: object) -> Stitched | None:
    """Return attempts that bytes hold; None where they are of other files, or damaged."""
    head, _, rest = data.partition(b"\n")
    expected = f"{_FORM} ".encode()
    try:
        if not head.startswith(expected):
            return None
        size, length, check = map(int, head.removeprefix(expected).split())
        view = memoryview(rest)
        text, body = view[:size], view[size:]
        if (len(text), len(body)) != (size, length) or zlib.crc32(body, zlib.crc32(text)) != check:
            return None
        said = json.loads(bytes(text))
    except ValueError:
        return None
    if said["files"] != files:
        return None
    place = 0
    attempts = []
    for told in said["attempts"]:
        one = _attempt(told)
        for name, found in (("kept", one.kept), ("superseded", one.superseded)):
            for key, count in told[name]:
                found[key] = _columns(body, place, count)
                place += 3 * count * _NUMBER
        attempts.append(one)
    return Stitched(tuple(attempts), tuple(said["problems"]))


def _columns(body: memoryview, place: int, count: int) -> Columns:
    """Return the columns of so many rows that lie at a place."""
    found = Columns()
    for number, column in enumerate((found.times, found.steps, found.values)):
        start = place + number * count * _NUMBER
        column.frombytes(body[start : start + count * _NUMBER])
    return found


def _told(one: Attempt, columns: list[memoryview]) -> dict[str, Any]:
    """Return what the first line says of an attempt; its columns are put behind the others."""
    told: dict[str, Any] = {name: getattr(one, name) for name in _PLAIN}
    told["after"] = one.after
    told["progress"] = [one.progress, one.first_progress]
    told["epochs"] = list(one.epochs)
    told["notes"] = list(one.notes)
    for name, found in (("kept", one.kept), ("superseded", one.superseded)):
        told[name] = [(key, len(rows)) for key, rows in found.items()]
        for rows in found.values():
            columns += map(memoryview, (rows.times, rows.steps, rows.values))
    return told


def _attempt(told: dict[str, Any]) -> Attempt:
    """Return an attempt without its columns."""
    one = Attempt(told["rank"], told["number"])
    for name in _PLAIN:
        setattr(one, name, told[name])
    one.after = told["after"] and Place(*told["after"])
    progress, first = told["progress"]
    one.progress, one.first_progress = progress and tuple(progress), first and tuple(first)
    epochs = (
        Epoch(number, seconds, time, of, {name: tuple(some) for name, some in measured.items()})
        for number, seconds, time, of, measured in told["epochs"]
    )
    one.epochs, one.notes = deque(epochs, MOST_EPOCHS), deque(told["notes"], MOST_NOTES)
    return one
