# travels with: job
"""TensorBoard's event files as bytes: events in protobuf, and the frames of TFRecord around them."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence

from argojobs.job.batch import Batch
from argojobs.job.sinks.crc32c import crc32c, crc32c_each

#: Before every step there can be: a START here says that nothing of before holds.
FIRST_STEP = -(2**63)
_LAST_STEP = 2**63 - 1
_LARGEST = struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]

_TIME = struct.Struct("<cd")
_FOOT = struct.Struct("<I")


class Encoder:
    """Makes events of batches; what a name looks like there is made once."""

    def __init__(self) -> None:
        self._tags: dict[str, bytes] = {}

    def events(self, batch: Batch) -> tuple[list[bytes], int]:
        """Return an event for each row, and how many rows have a step that is none there.

        Steps are whole numbers of 64 bits there: of 2.75 the 2 is taken; without one (NaN,
        infinity, or too large) a row is left out. Values are floats of 32 bits.
        """
        tags = [self._tags.get(name) or self._tag(name) for name in batch.values]
        summary = struct.Struct("<" + "".join(f"{len(tag)}sf" for tag in tags))
        head = b"\x2a" + _varint(summary.size)
        interleaved: list[bytes | float] = [part for tag in tags for part in (tag, 0.0)]
        events = []
        for time, step, *row in zip(batch.time, batch.step, *batch.values.values(), strict=True):
            if not (type(step) is int and 0 <= step <= _LAST_STEP):
                if not FIRST_STEP <= step <= _LAST_STEP:  # neither is NaN
                    continue
                step = math.floor(step)  # noqa: PLW2901
            interleaved[1::2] = row
            try:
                values = summary.pack(*interleaved)
            except (OverflowError, struct.error):  # the latter is said of a whole number
                interleaved[1::2] = map(_narrow, row)
                values = summary.pack(*interleaved)
            events.append(
                b"".join((_TIME.pack(b"\x09", time), b"\x10", _varint(step), head, values))
            )
        return events, len(batch.time) - len(events)

    def _tag(self, name: str) -> bytes:
        """Return what a value has before its number: a length, the name, the number's own key."""
        text = name.encode("utf-8", "replace")
        inner = b"\x0a" + _varint(len(text)) + text + b"\x15"
        tag = b"\x0a" + _varint(len(inner) + 4) + inner
        self._tags[name] = tag
        return tag


def version(time: float) -> bytes:
    """Return the event that a file begins with."""
    return _TIME.pack(b"\x09", time) + b"\x1a\x0dbrain.Event:2"


def start(time: float, step: int) -> bytes:
    """Return the event that says: what was written before, at this step and later, holds no more."""
    return _TIME.pack(b"\x09", time) + b"\x10" + _varint(step) + b"\x3a\x02\x08\x01"


def framed(events: Sequence[bytes]) -> bytes:
    """Return events as they stand in a file, each with its length and both checksums."""
    heads: dict[int, bytes] = {}
    parts: list[bytes] = []
    for event, checksum in zip(events, crc32c_each(events), strict=True):
        head = heads.get(len(event))
        if head is None:
            length = struct.pack("<Q", len(event))
            head = heads[len(event)] = length + _FOOT.pack(_masked(crc32c(length)))
        parts += (head, event, _FOOT.pack(_masked(checksum)))
    return b"".join(parts)


def least(steps: Iterable[float]) -> int:
    """Return the least of some steps, as a whole number; before all of them if there is none."""
    finite = [step for step in steps if FIRST_STEP <= step <= _LAST_STEP]
    return math.ceil(min(finite)) if finite else FIRST_STEP


def _masked(checksum: int) -> int:
    return (((checksum >> 15) | (checksum << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def _varint(number: int) -> bytes:
    if 0 <= number < 128:
        return bytes((number,))
    number &= 0xFFFFFFFFFFFFFFFF
    parts = bytearray()
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def _narrow(value: float) -> float:
    """Return a number as a float of 32 bits has it, infinity beyond."""
    if value > _LARGEST:
        return math.inf
    return -math.inf if value < -_LARGEST else value
