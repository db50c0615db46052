# travels with: TensorBoard
"""TensorBoard beside a step: where the image has it, asked for, and there is a log to show.

It costs the step a process start and no import; it runs at low priority and ends with the step.
"""

from __future__ import annotations

import os
import sys

WANTED = "ARGOJOBS_TENSORBOARD"
PORT = "6006"
_PROGRAM = "import os; os.nice(10); from tensorboard.main import run_main; run_main()"


def start(folder: str) -> int:
    """Show the log in this folder on port 6006; return the process id, 0 if it was not started."""
    if os.environ.get(WANTED) != "1" or not _installed():
        return 0
    import posix  # a debugger puts its own in the place of os.posix_spawn, and would follow it here

    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        return posix.posix_spawn(
            sys.executable,
            [sys.executable, "-c", _PROGRAM, "--logdir", folder, "--bind_all", "--port", PORT],
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, stream) for stream in (0, 1, 2)],
        )
    finally:
        os.close(nowhere)


def stop(process: int) -> None:
    """End it; one that ended by itself (a taken port) does not matter."""
    if process:
        import signal

        os.kill(process, signal.SIGKILL)  # not yet waited for: the id is still its own
        os.waitpid(process, 0)


def _installed() -> bool:
    return any(os.path.isfile(os.path.join(place, "tensorboard", "main.py")) for place in sys.path)
