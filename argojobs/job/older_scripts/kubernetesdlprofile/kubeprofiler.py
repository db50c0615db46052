# travels with: kubernetesdlprofile
"""What a script of that scheduler asks and tells: on top of `argojobs.job`.

The checkpoints that a script keeps in `root_dir` are stored as a whole when an epoch is over: when
the next one begins, or at the end of the program. Some scripts save before `end_epoch()` and some
after it; so both have saved by then, and an attempt that is killed in between does its epoch again.
At a restart `root_dir` has what was stored last, never half a file.
"""

from __future__ import annotations

import atexit
import os
import re
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: What must be told, and by which parameters of the step.
_PARAMETERS = {
    "EPOCHS": ("EPOCHS_TO_BE_DONE", "epochs"),
    "BATCH_SIZE": ("BATCH_SIZE", "batch_size"),
    "TRAINING_SET_SIZE": ("TRAINING_SET_SIZE", "training_set_size"),
}
_STEP = re.compile(r"\bstep=(\d+)")


class KubeProfiler:
    """The job as its environment tells of it, and the epochs that are told to it.

    Several of them in one process are the same job. In processes that train with the first one
    (another rank, or local rank) it only reads.
    """

    RANK: int
    EPOCHS: int
    BATCH_SIZE: int
    TRAINING_SET_SIZE: int

    def __init__(self, *_hosts: str) -> None:
        """Read the environment, and put `root_dir` in order. Hosts are those of the scheduler."""
        from argojobs import job

        self.JOBID = job.JOB_UUID
        self.RESTARTED = job.JOB_RESTARTED
        self.EPOCHS_DONE = job.EPOCHS_DONE
        self.PROFILE_EACH = job.HEARTBEAT_FREQ
        self.RANK = job.NODE_RANK
        self.LOCAL_RANK = job.LOCAL_RANK
        self.NODE_LIST = os.environ.get("NODELIST") or ",".join(job.NODELIST)
        self.NUM_GPUS = job.NUM_GPUS
        self.NUM_NODES = job.NUM_NODES
        for name, (variable, _) in _PARAMETERS.items():
            value = getattr(job, variable)
            if value is not None:
                setattr(self, name, value)
        self.epoch = self.EPOCHS_DONE
        self.iterations = 0
        self.mean_iteration_duration = 0.0
        self._since: float | None = None
        self._first = job.RANK == job.NODE_RANK == job.LOCAL_RANK == 0
        self.root_dir = _root_dir(self.JOBID)
        if self._first:
            _EPOCHS.prepare(self.root_dir, restarted=self.RESTARTED)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            if name in _PARAMETERS:
                variable, parameter = _PARAMETERS[name]
                raise AttributeError(f"{variable} is not set: run it with -p {parameter}=...")
            raise AttributeError(f"KubeProfiler has no attribute {name!r}")

    @property
    def ckpt_path(self) -> str:
        """The newest checkpoint that Lightning has below `root_dir`; else where others may be."""
        return _newest_of_lightning(self.root_dir) or os.path.join(self.root_dir, "tf_ckpt")

    def measure(self) -> None:
        """Tell that a training step is over; how long they take on average is logged now and then."""
        now = time.perf_counter()
        if self._since is not None:
            self.iterations += 1
            self.mean_iteration_duration += (
                now - self._since - self.mean_iteration_duration
            ) / self.iterations
            if self._first and self.iterations % max(self.PROFILE_EACH, 1) == 0:
                from argojobs import job

                job.log({"iteration_seconds": self.mean_iteration_duration})
        self._since = now

    def start_epoch(self) -> None:
        """Begin an epoch; the one before is over now.

        Raises:
            SystemExit: the job is to stop; with 143.
        """
        if self._first:
            _EPOCHS.start()
        self._since = time.perf_counter()

    def end_epoch(self) -> None:
        """End an epoch, its validation included."""
        self.epoch += 1
        if self._first:
            _EPOCHS.end()

    def end(self) -> None:
        """Tell that the script is at its end."""
        if self._first:
            _EPOCHS.settle()


class _Epochs:
    """The epochs of this process, and the folder that is stored with each."""

    def __init__(self) -> None:
        self._root = ""
        self._ended = False

    def prepare(self, root: str, *, restarted: bool) -> None:
        """Put the folder in order, once: what was stored, or nothing where it all begins."""
        if self._root:
            return
        from argojobs import job

        self._root = root
        stored = job.restore()
        if stored is not None:
            _replace(root, stored)
        elif not restarted and _results_folder():
            _replace(root, None)  # what an attempt left that was killed in its first epoch
        os.makedirs(root, exist_ok=True)
        atexit.register(self._settle_at_exit)

    def start(self) -> None:
        """Begin an epoch."""
        from argojobs import job

        self.settle()
        job.start_epoch()

    def end(self) -> None:
        """Note that the epoch is at its end; what is saved after it belongs to it."""
        self.settle()
        self._ended = True

    def settle(self) -> None:
        """Store the folder with the epoch that has ended, if one has. Raises SystemExit."""
        from argojobs import job

        if self._ended:
            self._ended = False
            os.makedirs(self._root, exist_ok=True)
            job.checkpoint(self._root)
            job.end_epoch()

    def _settle_at_exit(self) -> None:
        try:
            self.settle()
        except SystemExit as error:  # one that is raised at exit would not be the process's status
            sys.stdout.flush()
            os._exit(error.code if isinstance(error.code, int) else 1)


_EPOCHS = _Epochs()


def _root_dir(job: str) -> str:
    """Return the folder for checkpoints: in the job's own, else below the working directory."""
    results = _results_folder()
    if results:
        return os.path.join(results, "kubernetesdlprofile")
    return os.path.join("snapshots", job)


def _results_folder() -> str:
    """Return the folder of the job; "" where results go to a store (a URL) or nowhere."""
    results = os.environ.get("ARGOJOBS_RESULTS", "")
    return results if os.path.isabs(results) else ""


def _replace(folder: str, by: str | None) -> None:
    """Have a folder hold what another holds, or nothing."""
    import shutil

    new = f"{folder}.new"
    shutil.rmtree(new, ignore_errors=True)
    if by is not None:
        shutil.copytree(by, new)
    shutil.rmtree(folder, ignore_errors=True)
    if by is not None:
        os.rename(new, folder)


def _newest_of_lightning(root: str) -> str | None:
    """Return the checkpoint to go on from: of the last version that has one, its last one."""
    logs = os.path.join(root, "lightning_logs")
    versions = [name for name in _names(logs) if name.startswith("version_") and name[8:].isdigit()]
    for version in sorted(versions, key=lambda name: int(name[8:]), reverse=True):
        folder = os.path.join(logs, version, "checkpoints")
        found = [name for name in _names(folder) if name.endswith(".ckpt")]
        if found:
            return os.path.join(folder, max(found, key=_age))
    return None


def _age(name: str) -> tuple[bool, int, str]:
    step = _STEP.search(name)
    return name.startswith("last"), int(step[1]) if step else -1, name


def _names(folder: str) -> Iterable[str]:
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return ()
