"""Cron schedules as Argo reads them. Source: Argo docs, cron workflows; crontab(5)."""

from __future__ import annotations

import re

_FIELDS: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
    ("minute", 0, 59, ()),
    ("hour", 0, 23, ()),
    ("day", 1, 31, ()),
    (
        "month",
        1,
        12,
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    ),
    ("weekday", 0, 6, ("sun", "mon", "tue", "wed", "thu", "fri", "sat")),
)
_WORDS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_PART = re.compile(r"(\*|\?|[a-z0-9]+(?:-[a-z0-9]+)?)(?:/(\d+))?")


def schedule_fault(text: str) -> str:
    """Return what is wrong with a schedule, or ""."""
    text = re.sub(r"^(CRON_)?TZ=\S+\s+", "", text.strip())
    if text.startswith("@"):
        from argojobs.lint.durations import is_go_duration

        every = text.startswith("@every ") and is_go_duration(text[7:].strip())
        return "" if every or text in _WORDS else f"{text!r} is not a schedule"
    fields = text.split()
    if len(fields) != len(_FIELDS):
        return f"{text!r} has {len(fields)} fields, not 5"
    for field, (name, lowest, highest, names) in zip(fields, _FIELDS, strict=True):
        for part in field.lower().split(","):
            match = _PART.fullmatch(part)
            if not match or match[2] == "0" or not _fits(match[1], lowest, highest, names):
                return f"{part!r} cannot be the {name}"
    return ""


def _fits(text: str, lowest: int, highest: int, names: tuple[str, ...]) -> bool:
    if text in "*?":
        return True
    numbers = []
    for end in text.split("-"):
        number = lowest + names.index(end) if end in names else None
        if number is None:
            if not end.isdecimal():
                return False
            number = int(end)
        numbers.append(number)
    return lowest <= numbers[0] <= numbers[-1] <= highest
