"""SIGTERM: the epoch is finished first, and the process never leaves with 0 after it."""

import signal
import subprocess
from pathlib import Path

import pytest
from support import job_process
from support.job_series import lines_of, values_of

#: Tells when it is in epoch 1, and ends this epoch only when it is told to.
TRAINING = """
import os, signal, time
{before}
for epoch in job.epochs(3):
    job.log(loss=epoch)
    if epoch == 1:
        print("here", flush=True)
        {wait}
print("done", flush=True)
"""
FOR_A_LINE = "sys.stdin.readline()"


class Training:
    """A training that was sent SIGTERM in its epoch 1."""

    def __init__(self, results: Path, wait: str, before: str = "", **more: str) -> None:
        self.process = subprocess.Popen(
            job_process.argv(TRAINING.format(wait=wait, before=before)),
            env=job_process.variables(results, **more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "here\n"
        self.process.send_signal(signal.SIGTERM)

    def end(self, told: str | None = "go\n") -> tuple[int, str]:
        """Let it go on, wait for its end; return its code and what it said."""
        said, errors = self.process.communicate(told, timeout=60)
        return self.process.returncode, said + errors


def marks(results: Path) -> list[int]:
    return [line["epoch"] for line in lines_of(results) if "mark" in line]


def test_the_epoch_is_finished_and_then_the_process_leaves(tmp_path: Path) -> None:
    assert Training(tmp_path, FOR_A_LINE).end() == (143, "")
    assert marks(tmp_path) == [0, 1]
    assert "ended" in lines_of(tmp_path)[-1]


def test_it_may_come_thirteen_times(tmp_path: Path) -> None:
    training = Training(tmp_path, FOR_A_LINE)
    for _ in range(12):
        training.process.send_signal(signal.SIGTERM)
    assert training.end() == (143, "")
    assert marks(tmp_path) == [0, 1]


def test_an_epoch_that_takes_longer_than_the_grace_time_is_left(tmp_path: Path) -> None:
    training = Training(tmp_path, "time.sleep(100)", ARGOJOBS_GRACE_SECONDS="0.2")
    assert training.end() == (143, "")
    assert marks(tmp_path) == [0]
    assert values_of(tmp_path, "loss") == [(0, 0), (1, 1)]


def test_a_library_that_does_not_return_does_not_hold_it(tmp_path: Path) -> None:
    # A lock that is taken twice, outside of Python: no signal ends the second, and no handler runs.
    program = """
        import ctypes, os, signal, threading
        lock, mutex = ctypes.CDLL(None).pthread_mutex_lock, ctypes.create_string_buffer(64)
        for epoch in job.epochs(1):
            job.log(loss=1)
            lock(mutex)
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM)).start()
            lock(mutex)
    """
    done = job_process.run(program, tmp_path, ARGOJOBS_GRACE_SECONDS="0.2")
    assert (done.returncode, done.stderr) == (143, "")
    assert values_of(tmp_path, "loss") == [(0, 1)]


def test_what_goes_on_after_the_last_epoch_does_not_leave_with_0(tmp_path: Path) -> None:
    code, said = Training(tmp_path, "sys.stdin.readline(); break").end()
    assert (code, said) == (143, "done\n")


def test_one_that_swallows_the_end_is_told_again_and_does_not_leave_with_0(tmp_path: Path) -> None:
    program = """
        import os, signal
        job.start_epoch()
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(2):
            try:
                job.end_epoch()
            except SystemExit as end:
                print(end.code)
            job.start_epoch()
    """
    done = job_process.run(program, tmp_path)
    assert (done.returncode, done.stdout) == (143, "143\n143\n")


def test_a_handler_of_the_users_own_is_called_too(tmp_path: Path) -> None:
    before = "signal.signal(signal.SIGTERM, lambda *_: os.write(1, b'mine'))"
    assert Training(tmp_path, FOR_A_LINE, before).end() == (143, "mine")
    assert marks(tmp_path) == [0, 1]


def test_who_ignores_it_is_let_be(tmp_path: Path) -> None:
    before = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    assert Training(tmp_path, FOR_A_LINE, before).end() == (0, "done\n")


def test_a_program_without_epochs_is_ended_by_it(tmp_path: Path) -> None:
    program = "import os, signal; job.log(a=1); job.flush(); os.kill(os.getpid(), signal.SIGTERM)"
    assert job_process.run(program, tmp_path).returncode == -signal.SIGTERM


def test_epochs_on_another_thread_leave_the_signal_alone(tmp_path: Path) -> None:
    program = """
        import os, signal, threading
        thread = threading.Thread(target=lambda: [*job.epochs(1)])
        thread.start(); thread.join()
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    """
    assert job_process.run(program, tmp_path).stderr == ""


def test_a_forked_child_is_ended_by_it_at_once_and_the_parent_goes_on(tmp_path: Path) -> None:
    program = """
        import os, signal, time
        for epoch in job.epochs(2):
            child = os.fork()
            if not child:
                time.sleep(100)
            os.kill(child, signal.SIGTERM)
            _, status = os.waitpid(child, 0)
            print(os.waitstatus_to_exitcode(status))
    """
    done = job_process.run(program, tmp_path)
    assert done.returncode == 0
    assert done.stdout == "-15\n-15\n"


@pytest.mark.parametrize("seconds", ["-1", "nan", "soon"])
def test_a_grace_time_that_is_none_is_said(tmp_path: Path, seconds: str) -> None:
    done = job_process.run("[*job.epochs(1)]", tmp_path, ARGOJOBS_GRACE_SECONDS=seconds)
    assert done.stderr == (
        f"argojobs: ARGOJOBS_GRACE_SECONDS is {seconds!r}: it is a number of seconds; 30 is taken\n"
    )
