# travels with: job
"""The environment of a job, typed: each name is read when it is asked for.

The names, their meaning and their values where nothing is set are those of
`runtime/environment.py`, which fills them in for our own steps; a foreign container has this table.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Environment = Mapping[str, str]
    Reader = Callable[[Environment, str], object]


def whole(environment: Environment, name: str, default: int) -> int:
    """Return a variable as a whole number. Raises ValueError, naming the variable."""
    text = environment.get(name, "")
    if not text:
        return default
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{name} is {text!r}, which is not a whole number") from None


def _number(default: int) -> Reader:
    return lambda environment, name: whole(environment, name, default)


def _text(default: str) -> Reader:
    return lambda environment, name: environment.get(name, default)


def _parameter(*parameters: str) -> Callable[[Environment, str], int | None]:
    """Return what reads a number that mirrors a parameter of the step; None where there is none."""

    def read(environment: Environment, name: str) -> int | None:
        for each in (name, *(f"ARGOJOBS_P_{parameter}" for parameter in parameters)):
            text = environment.get(each)
            if text and not text.startswith("argojobs:"):
                return whole(environment, each, 0)
        return None

    return read


#: How many epochs the job has.
epochs_to_be_done = _parameter("epochs", "max_epochs")


def job(environment: Environment, _: str = "") -> str:
    """Return the id of the job."""
    given = environment.get("JOB_UUID")
    if given is not None:
        return given
    return environment.get("ARGO_NODE_ID") or environment.get("ARGOJOBS_RUN") or "local"


def epochs_done(environment: Environment, name: str = "EPOCHS_DONE") -> int:
    """Return what is told of epochs done: by the variable, or beside a `Checkpoint` artifact."""
    if name in environment:
        return whole(environment, name, 0)
    folder = environment.get("ARGOJOBS_CHECKPOINT")
    if not folder:
        return 0
    try:
        with open(os.path.join(folder, "epochs-done"), encoding="ascii") as file:
            return int(file.read())
    except FileNotFoundError:
        return 0


def restarted(environment: Environment, name: str = "JOB_RESTARTED") -> bool:
    """Whether the environment says that there is a checkpoint to go on from."""
    if name in environment:
        return environment[name].upper() != "FALSE"
    return epochs_done(environment) != 0


def _gpus(environment: Environment, name: str) -> int:
    if name in environment:
        return whole(environment, name, 0)
    visible = environment.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        return len([part for part in visible.split(",") if part.strip() not in ("", "-1")])
    try:
        devices = os.listdir("/dev")
    except OSError:  # no such folder, as on Windows
        return 0
    return sum(device.startswith("nvidia") and device[6:].isdigit() for device in devices)


def _nodes(environment: Environment, name: str) -> list[str]:
    return environment.get(name, node()).replace(",", " ").split()


def node() -> str:
    """Return the name of this machine."""
    return os.uname().nodename if hasattr(os, "uname") else "localhost"


def _master_port(environment: Environment, name: str) -> int:
    import zlib

    default = 20000 + zlib.crc32(job(environment).encode("utf-8", "replace")) % 10000
    return whole(environment, name, default)


def _backend(environment: Environment, name: str) -> str:
    return environment.get(name) or ("nccl" if _gpus(environment, "NUM_GPUS") else "gloo")


def _tensorflow(environment: Environment, name: str) -> object:
    text = environment.get(name)
    if not text:
        return None
    import json

    try:
        return json.loads(text)
    except ValueError:
        raise ValueError(f"{name} is {text!r}, which is not JSON") from None


#: By its name, what reads a value. Raises ValueError for a text that is none.
READERS: dict[str, Reader] = {
    "JOB_UUID": job,
    "EPOCHS_DONE": epochs_done,
    "JOB_RESTARTED": restarted,
    "EPOCHS_TO_BE_DONE": epochs_to_be_done,
    "BATCH_SIZE": _parameter("batch_size"),
    "TRAINING_SET_SIZE": _parameter("training_set_size"),
    "NUM_GPUS": _gpus,
    "NUM_NODES": _number(1),
    "NODELIST": _nodes,
    "WORLD_SIZE": _number(1),
    "RANK": _number(0),
    "LOCAL_RANK": _number(0),
    "NODE_RANK": _number(0),
    "MASTER_ADDR": _text("127.0.0.1"),
    "MASTER_PORT": _master_port,
    "RESERVED_MEM": _number(0),
    "HEARTBEAT_FREQ": _number(10),
    "PL_TORCH_DISTRIBUTED_BACKEND": _backend,
    "TF_CONFIG": _tensorflow,
}
