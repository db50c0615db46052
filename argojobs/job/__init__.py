# travels with: job
"""What a step tells of its training, and what it goes on from when it is started again.

    from argojobs import job

    for epoch in job.epochs(10):
        job.log(loss=0.5)

It needs the standard library only, and does nothing where no run is around it.
"""

from __future__ import annotations

from time import perf_counter as _seconds
from time import time as _now

from argojobs.job.buffer import MOST as _MOST
from argojobs.job.buffer import ROW as _ROW
from argojobs.job.numbers import PLAIN as _PLAIN
from argojobs.job.session import SESSION as _SESSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike
    from typing import Any

    JOB_UUID: str
    JOB_RESTARTED: bool
    RESERVED_MEM: int
    EPOCHS_DONE: int
    EPOCHS_TO_BE_DONE: int | None
    HEARTBEAT_FREQ: int
    NODELIST: list[str]
    NUM_GPUS: int
    NUM_NODES: int
    NODE_RANK: int
    RANK: int
    LOCAL_RANK: int
    WORLD_SIZE: int
    MASTER_ADDR: str
    MASTER_PORT: int
    TF_CONFIG: dict[str, Any] | None
    PL_TORCH_DISTRIBUTED_BACKEND: str
    BATCH_SIZE: int | None
    TRAINING_SET_SIZE: int | None

__all__ = [
    "checkpoint",
    "end_epoch",
    "epochs",
    "flush",
    "log",
    "measure",
    "progress",
    "restore",
    "start_epoch",
    "summary",
]

_buffer = _SESSION.buffer


def log(
    values: Mapping[str, Any] | None = None, /, *, step: float | None = None, **named: Any
) -> None:
    """Log a row: numbers by name. It is stored soon, and never waits for that.

    `job.log(loss=0.5, step=3)`; names that are no identifiers stand in a dict:
    `job.log({"val/loss": 0.5}, step=3)`. Scalars of numpy, torch and the like are read at once;
    what is not one number is left out, and said once.

    Args:
        values: numbers by name.
        step: the number of this row; the one after the highest so far where it is left out.
        named: more numbers.
    """
    if not _SESSION.takes and not _SESSION.begin():
        return
    if values is not None:
        named = {**values, **named}
    for name, value in named.items():
        if type(value) not in _PLAIN or type(name) is not str:
            named = _SESSION.numbers(named)
            break
    if step is not None and (type(step) is not int):
        step = _SESSION.step(step)
    if not named:
        return
    if _buffer.logged - _buffer.taken > _MOST:
        _buffer.dropped += 1
        return
    _buffer.logged += _ROW + len(named)
    _buffer.append((_now(), step, named))


def epochs(n: int | None = None) -> Iterator[int]:
    """Yield the number of each epoch that is left to do, from 0, and end each: see `end_epoch`.

    It begins after the epochs that `restore()` found done, or that EPOCHS_DONE says.

    Args:
        n: how many there are in all; EPOCHS_TO_BE_DONE where it is left out.

    Raises:
        ValueError: nothing says how many there are.
        SystemExit: SIGTERM came; at the end of the epoch, with 143.
    """
    training = _SESSION.training
    of = _epochs_to_be_done() if n is None else n
    if of is None:
        raise ValueError("job.epochs() needs the number of epochs, or EPOCHS_TO_BE_DONE")
    first = training.loop(of)
    while training.begin(first + of) < first + of:
        number = training.start_epoch()
        yield number - first
        if training.runs(number):
            training.end_epoch()


def start_epoch() -> int:
    """Begin an epoch, and return its number. `epochs` does it by itself."""
    training = _SESSION.training
    training.begin(_epochs_to_be_done())
    return training.start_epoch()


def end_epoch() -> None:
    """End an epoch: when this returns, its rows are durable and its checkpoint is the one that counts.

    Raises:
        SystemExit: SIGTERM came; with 143.
    """
    _SESSION.training.end_epoch()


def checkpoint(path: str | PathLike[str]) -> None:
    """Store a copy of a file or folder to go on from; the last two are kept.

    Inside an epoch it counts from the end of this epoch on; outside of epochs, at once. Where there
    is no room for it, this is said, and the one before it counts.

    Args:
        path: a file or a folder.

    Raises:
        OSError: it cannot be read.
    """
    from os import fspath

    _SESSION.training.checkpoint(fspath(path))


def restore() -> str | None:
    """Return the path of the checkpoint to go on from, None if there is none: begin from the start.

    It has the name and content of what was given to `checkpoint`. Read it, and change nothing there.
    """
    return _SESSION.training.restore()


class measure:  # noqa: N801 - used as a function
    """Measure how long something takes, summed up for each epoch: `with job.measure("forward"):`."""

    __slots__ = ("_name", "_since")

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        self._since = _seconds()

    def __exit__(self, *_: object) -> None:
        _SESSION.training.measured(self._name, _seconds() - self._since)


def summary(values: Mapping[str, Any] | None = None, /, **named: Any) -> None:
    """Tell results of the whole training, as `job.summary(accuracy=0.9)`; the last one of a name counts.

    Args:
        values: numbers, texts, lists and dicts by name.
        named: more of them.
    """
    if _SESSION.begin():
        _SESSION.summary({**(values or {}), **named})


def progress(done: float, of: float) -> None:
    """Tell how much is done: so much, of so much. `epochs` does it by itself."""
    if _SESSION.begin():
        _SESSION.progress(done, of)


def flush() -> bool:
    """Wait until all that was logged is durable; return whether it is.

    A store that fails is not waited for: what was logged is stored once it works again.
    """
    return _SESSION.flush()


def _epochs_to_be_done() -> int | None:
    import os

    from argojobs.job.variables import epochs_to_be_done

    return epochs_to_be_done(os.environ, "EPOCHS_TO_BE_DONE")


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        import os

        from argojobs.job.variables import READERS

        if name not in READERS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        told = READERS[name](os.environ, name)
        if told or name not in ("EPOCHS_DONE", "JOB_RESTARTED"):
            return told
        earlier = _SESSION.training.earlier
        if name == "JOB_RESTARTED":
            return earlier is not None
        return 0 if earlier is None else earlier.epochs_done
