"""Files of attempts, as the job library writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

#: When the first row was logged.
START = 1_800_000_000.0


def head(rank: int = 0, number: int = 1, **more: Any) -> dict[str, Any]:
    """The first line of an attempt."""
    return {
        "argojobs": 1, "job": "a-job", "run": "demo-x7k2p", "step": "train", "rank": rank,
        "attempt": number, "time": START, "host": "a-host", "user": "ada", "pid": 7, **more,
    }  # fmt: skip


def rows(steps: Any, **values: Any) -> dict[str, Any]:
    """A batch of rows; a value that is no list is that of all of them."""
    steps = list(steps)
    columns = {
        name: list(column) if isinstance(column, list | range) else [column] * len(steps)
        for name, column in values.items()
    }
    return {"rows": {"time": [START + s for s in steps], "step": steps, "values": columns}}


def mark(name: str, epoch: int | None = None, **more: Any) -> dict[str, Any]:
    """The end of an epoch, or a checkpoint outside of one."""
    return {"mark": name, "epoch": epoch, "checkpoint": None, "next_step": 0, "time": START, **more}


def epoch(number: int, seconds: float = 2.0, **more: Any) -> dict[str, Any]:
    """An epoch that ended when those before it took as long."""
    ended = START + (number + 1) * seconds
    return {"epoch": {"number": number, "seconds": seconds, "time": ended, "measured": {}, **more}}


def text_of(*lines: dict[str, Any] | bytes) -> bytes:
    """The file that has these lines; bytes are taken as they are, with the end of their line."""
    return b"".join(
        one if isinstance(one, bytes) else json.dumps(one, allow_nan=False).encode() + b"\n"
        for one in lines
    )


def write(folder: Path, name: str, *lines: dict[str, Any] | bytes) -> Path:
    """Write an attempt's file, such as `0-1`, into a job's folder."""
    path = folder / "attempts" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text_of(*lines))
    return path
