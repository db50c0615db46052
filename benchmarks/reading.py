"""Reading 100,000 scalars that a step logged, first and again, beside TensorBoard's EventAccumulator."""

from __future__ import annotations

import json
import tempfile
from functools import partial
from pathlib import Path

from argojobs.runs.job_folders import JobFolder
from benchmarks.measure import Row, interleaved

ROWS = 100_000
#: So many rows a line: a step that logs fifty a second, and a line every 0.2 s.
AT_ONCE = 10


def rows() -> list[Row]:
    """Measure both looks; one row a line is shown beside, and not promised."""
    with tempfile.TemporaryDirectory() as folder:
        events = Path(folder, "events")
        _write_events(events)
        found = []
        for at_once, promise in ((AT_ONCE, 0.15), (1, 0.0)):
            job = Path(folder, f"job-{at_once}")
            _write_attempt(job, at_once)
            first, theirs = interleaved(partial(_read, job, None), partial(_theirs, events))
            what = f"{ROWS:,} scalars, {at_once} a line, read first"
            found.append(_row(what, first, theirs, promise))
        copy = Path(folder, "copy")
        again, theirs = interleaved(partial(_read, job, copy), partial(_theirs, events))
        assert copy.is_file()
        found.append(_row(f"{ROWS:,} scalars, read again", again, theirs, 0.03))
        return found


def _row(what: str, ours: float, theirs: float, most: float) -> Row:
    promise = f"at most {most} x" if most else ""
    return Row(what, ours, "EventAccumulator", theirs, promise, not most or ours <= most * theirs)


def _read(job: Path, copy: Path | None) -> None:
    (series,) = JobFolder(job, copy).read().series
    assert len(series.rows) == ROWS


def _theirs(events: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    reader = EventAccumulator(str(events), size_guidance={"scalars": 0})
    reader.Reload()
    assert len(reader.Scalars("loss")) == ROWS


def _write_attempt(job: Path, at_once: int) -> None:
    """Write an attempt, so many rows a line."""
    path = job / "attempts" / "0-1.jsonl"
    path.parent.mkdir(parents=True)
    with path.open("w") as file:
        for first in range(0, ROWS, at_once):
            steps = range(first, first + at_once)
            values = {"loss": [1 / (1 + step) for step in steps]}
            times = [1.8e9 + step / 50 for step in steps]
            batch = {"time": times, "step": list(steps), "values": values}
            file.write(json.dumps({"rows": batch}) + "\n")


def _write_events(events: Path) -> None:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    writer = EventFileWriter(str(events))
    for step in range(ROWS):
        value = Summary.Value(tag="loss", simple_value=1 / (1 + step))
        time = 1.8e9 + step / 50
        writer.add_event(Event(wall_time=time, step=step, summary=Summary(value=[value])))
    writer.close()
