"""A clock that is set is said, and changes nothing but the times of rows."""

from pathlib import Path

from support import job_process
from support.job_series import lines_of, values_of

#: The clock is set forward by an hour, and back.
PROGRAM = """
import time
real, offset = time.time, 0.0
time.time = lambda: real() + offset
for offset in (0.0, 3600.0, 0.0):
    for epoch in job.epochs(1):
        with job.measure("forward"):
            job.log(a=offset)
"""


def test_rows_keep_their_order_and_durations_their_length(tmp_path: Path) -> None:
    said = job_process.run(PROGRAM, tmp_path).stderr
    assert said.splitlines() == [
        "argojobs: the clock was set by +3600 s, or this machine slept",
        "argojobs: the clock was set by -3600 s, or this machine slept",
    ]
    assert values_of(tmp_path, "a") == [(0, 0.0), (1, 3600.0), (2, 0.0)]
    seconds = [
        line["epoch"]["seconds"]
        for line in lines_of(tmp_path)
        if isinstance(line.get("epoch"), dict)
    ]
    assert len(seconds) == 3
    assert all(0 < each < 3000 for each in seconds)
