"""What a job stored, read by the rules of its layout: the series over all attempts, and its lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple


class Point(NamedTuple):
    """One value of one row, and the attempt that logged it."""

    step: float
    value: Any
    attempt: str


def lines_of(folder: Path, attempt: str = "0-1") -> list[dict[str, Any]]:
    """Return the whole lines of an attempt."""
    text = (folder / "attempts" / f"{attempt}.jsonl").read_bytes()
    return [json.loads(line, parse_constant=_no) for line in text.split(b"\n")[:-1]]


def attempts_of(folder: Path, rank: int = 0) -> list[str]:
    """Return the names of a rank's attempts, in the order of their starts."""
    names = [path.stem for path in (folder / "attempts").glob(f"{rank}-*.jsonl")]
    whole = [name for name in names if "." not in name]
    return sorted(whole, key=lambda name: int(name.partition("-")[2]))


def kept_lines(folder: Path, rank: int = 0) -> list[tuple[str, dict[str, Any]]]:
    """Return the lines that count, of all attempts, each with its attempt."""
    kept: list[tuple[str, dict[str, Any]]] = []
    attempts = attempts_of(folder, rank)
    attempt, upto = attempts[-1] if attempts else "", None
    while attempt:
        part = []
        after = None
        for line in lines_of(folder, attempt):
            after = line.get("after", after)
            part.append((attempt, line))
            if upto is not None and line.get("mark") == upto:
                break
        kept = part + kept
        upto, attempt = after, (after or "").partition(":")[0]
    return kept


def series_of(folder: Path, rank: int = 0) -> dict[str, list[Point]]:
    """Return the rows that count, by name."""
    found: dict[str, list[Point]] = {}
    for attempt, line in kept_lines(folder, rank):
        rows = line.get("rows", {})
        for name, column in rows.get("values", {}).items():
            points = zip(rows["step"], column, strict=True)
            found.setdefault(name, []).extend(Point(*each, attempt) for each in points)
    return found


def values_of(folder: Path, name: str, rank: int = 0) -> list[tuple[float, Any]]:
    """Return step and value of the rows of one name that count."""
    return [(point.step, point.value) for point in series_of(folder, rank).get(name, [])]


def _no(constant: str) -> float:
    raise ValueError(f"{constant} is no standard JSON")
