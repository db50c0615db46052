"""Moving artifacts: one large file and many small ones to S3 and back, beside rclone.

Both talk to the same SeaweedFS of this machine in the same run, turn by turn, each time to a place
where nothing is yet. Small files are fetched into memory where there is such a place: before ext4
makes a file it looks through all that were deleted in the last minutes, which takes longer than the
fetching and hits either side by chance. `ARGOJOBS_BENCH_MOVING=MIB,FILES` makes it smaller for a try.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import ROOT, Row, milliseconds

sys.path.insert(0, str(ROOT / "tests"))  # the SeaweedFS of the tests

from support import seaweed

from argojobs.storage.s3 import WORKERS, S3Repository
from argojobs.storage.s3_place import S3Credentials, s3_place

MEBIBYTES, FILES = (int(n) for n in os.environ.get("ARGOJOBS_BENCH_MOVING", "1024,5000").split(","))
SMALL = 4096  # bytes of a small file
ROUNDS = 3
LEAST = 0.9  # of rclone's throughput
MEMORY = Path("/dev/shm")

_CONFIG = """[s3]
type = s3
provider = Other
access_key_id = {keys[0]}
secret_access_key = {keys[1]}
endpoint = http://127.0.0.1:{port}
region = us-east-1
force_path_style = true
"""


def missing() -> str:
    """Say what is not here to measure with, "" if all is."""
    if reason := seaweed.why_not():
        return f"moving artifacts: {reason}"
    if shutil.which("rclone") is None:
        return "moving artifacts: rclone is not installed (apt-get install rclone)"
    return ""


def rows() -> list[Row]:
    if reason := missing():
        print(f"not measured: {reason}", file=sys.stderr)
        return []
    memory = MEMORY if os.access(MEMORY, os.W_OK) else None
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory(dir=memory) as fast,
        seaweed.running(Path(folder)) as service,
    ):
        return _rows(Path(folder), Path(fast), service.port)


def _rows(folder: Path, fast: Path, port: int) -> list[Row]:
    config = folder / "rclone.conf"
    config.write_text(_CONFIG.format(keys=seaweed.ADMIN, port=port))
    place = s3_place(f"http://127.0.0.1:{port}", "ready")
    ours = S3Repository(place, S3Credentials(*seaweed.ADMIN))
    large, small = _sources(folder)
    found = []
    for what, source, back in (
        (f"a file of {MEBIBYTES} MiB", large, folder),
        (f"{FILES:,} files of {SMALL // 1024} KiB", small, fast),
    ):
        found += _pair(what, source, ours, lambda *a: _rclone(config, *a), back)
    return found


def _sources(folder: Path) -> tuple[Path, Path]:
    """Make what is moved; of random bytes, as models are."""
    large = folder / "large"
    with large.open("wb") as file:
        for _ in range(MEBIBYTES):
            file.write(os.urandom(1 << 20))
    small = folder / "small"
    for number in range(FILES):
        path = small / f"{number % 50}" / f"{number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(SMALL))
    return large, small


def _rclone(config: Path, *arguments: str) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
    # As many at once as ours; each program's own choice in all else.
    command = ["rclone", f"--config={config}", f"--transfers={WORKERS}", *arguments]
    subprocess.run(command, check=True, env=environment, capture_output=True)


def _turn(
    copy: str,
    source: Path,
    ours: S3Repository,
    rclone: Callable[..., None],
    folder: Path,
    turn: int,
) -> dict[str, float]:
    """Time both ways of both programs once, each side first in every other turn."""
    key, theirs = f"ours/{source.name}/{turn}", f"theirs/{source.name}/{turn}"
    back, back_r = folder / "back", folder / "back-r"
    actions: dict[str, Callable[[], None]] = {
        "up": lambda: ours.put(str(source), key),
        "up-r": lambda: rclone(copy, str(source), f"s3:ready/{theirs}"),
        "down": lambda: ours.get(key, str(back)),
        "down-r": lambda: rclone(copy, f"s3:ready/{theirs}", str(back_r)),
    }
    order = ["up", "up-r", "down", "down-r"] if turn % 2 else ["up-r", "up", "down-r", "down"]
    times = {name: milliseconds(actions[name]) for name in order}
    for path in (back, back_r):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    ours.delete(key)
    ours.delete(theirs)
    return times


def _pair(
    what: str,
    source: Path,
    ours: S3Repository,
    rclone: Callable[..., None],
    folder: Path,
) -> list[Row]:
    """Return the rows of both ways; a file is moved under its key, not into a folder of it."""
    copy = "copyto" if source.is_file() else "copy"
    turns = [_turn(copy, source, ours, rclone, folder, turn) for turn in range(ROUNDS)]
    middle = {name: statistics.median(turn[name] for turn in turns) for name in turns[0]}
    return [
        Row(
            f"{what} {way}", middle[name], "rclone", middle[f"{name}-r"],
            f"at least {LEAST} x its throughput", middle[f"{name}-r"] / middle[name] >= LEAST,
        )
        for name, way in (("up", "to S3"), ("down", "from S3"))
    ]  # fmt: skip


def versions() -> list[str]:
    """Return the versions of what was measured with."""
    if missing():
        return []
    said = subprocess.run(["rclone", "version"], capture_output=True, text=True, check=True).stdout
    weed = subprocess.run(
        [seaweed.program(), "version"], capture_output=True, text=True, check=True
    ).stdout
    return [said.splitlines()[0], f"SeaweedFS {weed.split()[2]}"]
