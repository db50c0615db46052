"""A `withSequence` as its items, where it holds no tags (source: Argo docs, fields, Sequence)."""

from __future__ import annotations

import re
from typing import Any

from argojobs.convert.dsl.tags import CannotSayError

#: Longer ones are better left to Argo than written out.
_LONGEST = 100
_FORMAT = re.compile(r"([^%]*)%(0?)(\d*)([dxX])([^%]*)")


def sequence(fields: dict[str, Any], task: str) -> tuple[str, ...]:
    """Return the items. Raises CannotSayError for a sequence that only the run knows."""
    what = f"withSequence of the task {task}"
    start = _number(fields.get("start", 0), what)
    if "end" in fields:
        end = _number(fields["end"], what)
    else:
        end = start + _number(fields.get("count"), what) - 1
        if end < start:
            raise CannotSayError(f"{what}, which is empty")
    if abs(end - start) >= _LONGEST:
        raise CannotSayError(f"{what}, which has {abs(end - start) + 1} items")
    numbers = range(start, end + 1) if start <= end else range(start, end - 1, -1)
    return tuple(_text(each, fields.get("format"), what) for each in numbers)


def _number(value: Any, what: str) -> int:
    if not re.fullmatch(r"-?\d+", str(value).strip()):
        raise CannotSayError(f"{what}: {value!r} is not a number yet")
    return int(value)


def _text(number: int, form: str | None, what: str) -> str:
    if not form:
        return str(number)
    found = _FORMAT.fullmatch(form)
    if found is None:
        raise CannotSayError(f"{what} in the format {form!r}")
    before, zero, width, base, after = found.groups()
    return before + format(number, f"{zero}{width}{base}") + after
