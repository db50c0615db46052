"""The environment contract of a step, as one table.

A training program asks its environment which job it is, how far an earlier attempt came, and who
trains with it. The names and their meaning are those of the scheduler that our first users'
scripts were written for (its client reads `JOB_RESTARTED != "FALSE"` as restarted, and the
counts by `int`). Manifests set what only Argo knows (`JOB_UUID`, `NUM_GPUS`, ...); the runtime
fills in the rest before the user's file is imported and never overwrites a variable.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Default = str | Callable[[Mapping[str, str]], str] | None
    #: The parameters whose value it is, and its value otherwise.
    Variable = tuple[tuple[str, ...], Default]

#: Where a step keeps its checkpoints; the folder of one epoch's file is moved by the transport.
CHECKPOINT_DIRECTORY = "ARGOJOBS_CHECKPOINT"
#: The file in the checkpoint folder that holds the number of epochs done, as text.
CHECKPOINT_EPOCHS = "epochs-done"

PARAMETER_PREFIX = "ARGOJOBS_P_"


def parameter_variable(name: str) -> str:
    """Return the variable that carries an input parameter: `before-accuracy` is ..._before__accuracy."""
    return PARAMETER_PREFIX + name.replace("-", "__")


def _epochs_done(environment: Mapping[str, str]) -> str:
    folder = environment.get(CHECKPOINT_DIRECTORY)
    if not folder:
        return "0"
    try:
        with open(os.path.join(folder, CHECKPOINT_EPOCHS), encoding="ascii") as file:
            return str(int(file.read()))
    except FileNotFoundError:
        return "0"


def _restarted(environment: Mapping[str, str]) -> str:
    """TRUE only if there is a checkpoint to go on from, however often the step was tried."""
    return "TRUE" if environment.get("EPOCHS_DONE", "0") != "0" else "FALSE"


def _job(environment: Mapping[str, str]) -> str:
    return environment.get("ARGO_NODE_ID") or environment.get("ARGOJOBS_RUN") or "local"


def _gpus(environment: Mapping[str, str]) -> str:
    visible = environment.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        return str(len([part for part in visible.split(",") if part.strip() not in ("", "-1")]))
    try:
        devices = os.listdir("/dev")
    except OSError:  # no such folder, as on Windows
        return "0"
    return str(sum(name.startswith("nvidia") and name[6:].isdigit() for name in devices))


def _master_port(environment: Mapping[str, str]) -> str:
    """A port from the job's id, the same on all its nodes, so that jobs on one host do not meet."""
    import zlib

    return str(20000 + zlib.crc32(environment["JOB_UUID"].encode("utf-8", "replace")) % 10000)


def _backend(environment: Mapping[str, str]) -> str:
    return "gloo" if environment.get("NUM_GPUS", "0") == "0" else "nccl"


def _node(_: Mapping[str, str]) -> str:
    return os.uname().nodename if hasattr(os, "uname") else "localhost"


#: In the order in which they are filled: a default may look at the ones above it.
VARIABLES: dict[str, Variable] = {
    "JOB_UUID": ((), _job),  # unique id of the job, the same in each of its attempts
    "EPOCHS_DONE": ((), _epochs_done),  # epochs that earlier attempts completed
    "JOB_RESTARTED": ((), _restarted),  # TRUE if there is a checkpoint to go on from
    "EPOCHS_TO_BE_DONE": (("epochs", "max_epochs"), None),  # epochs to train
    "BATCH_SIZE": (("batch_size",), None),  # batch size
    "TRAINING_SET_SIZE": (("training_set_size",), None),  # training samples
    "NUM_GPUS": ((), _gpus),  # GPUs this job has on each node
    "NUM_NODES": ((), "1"),  # nodes this job has
    "NODELIST": ((), _node),  # names of these nodes
    "WORLD_SIZE": ((), "1"),  # processes that train together
    "RANK": ((), "0"),  # which of these processes this is
    "NODE_RANK": ((), "0"),  # which of the nodes this is
    "MASTER_ADDR": ((), "127.0.0.1"),  # where process 0 listens
    "MASTER_PORT": ((), _master_port),  # the port it listens on
    "RESERVED_MEM": ((), "0"),  # GPU memory reserved for this job, MiB; 0: no limit
    "HEARTBEAT_FREQ": ((), "10"),  # training steps between two reports
    "PL_TORCH_DISTRIBUTED_BACKEND": ((), _backend),  # how GPUs talk
}


def fill(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the table that this environment lacks, with their values.

    A variable that mirrors a parameter (BATCH_SIZE is `batch_size`) is left out where the step
    has no such parameter.
    """
    known = dict(environment)
    filled: dict[str, str] = {}
    for name, (parameters, default) in VARIABLES.items():
        if name in known:
            continue
        value = default(known) if callable(default) else default
        for parameter in parameters:
            text = known.get(parameter_variable(parameter))
            if text is not None and not text.startswith("argojobs:"):
                value = text
                break
        if value is not None:
            known[name] = filled[name] = value
    return filled
