"""A command line that ends before its run does: the run goes on, and that is said."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ARGOJOBS = (sys.executable, "-m", "argojobs")
#: Goes on printing until somebody ends it.
PRINTS = "import time\nwhile True:\n    print('up', flush=True)\n    time.sleep(0.05)\n"


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, argojobs: Any) -> Iterator[Path]:  # fmt: skip
    (tmp_path / "prints.py").write_text(PRINTS)
    (tmp_path / "argojobs.toml").touch()
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    argojobs("abort", "@latest")


def started(*words: str, ignored: bool = False) -> subprocess.Popen[str]:
    before = (lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) if ignored else None
    return subprocess.Popen(
        [*ARGOJOBS, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=before,  # as nohup has it
    )


def until_up(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert any("up" in line for line in process.stdout)


def minds(process: subprocess.Popen[str], number: signal.Signals) -> bool:
    """Whether a process handles a signal. Source: man proc, SigCgt."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    (mask,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(mask, 16) >> (number - 1) & 1)


def run_of(argojobs: Any) -> str:
    return str(argojobs("list", "-o", "name").out.split()[0])


def check_goes_on(argojobs: Any, said: str) -> None:
    name = run_of(argojobs)
    assert said.endswith(f"{name} goes on; argojobs watch {name}, argojobs stop {name}\n")
    assert '"phase": "Running"' in argojobs("get", name, "-o", "json").out


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("watched", [False, True])
def test_a_signal_that_ends_it_leaves_the_run_and_says_so(
    project: Path, argojobs: Any, number: signal.Signals, watched: bool
) -> None:
    if watched:
        argojobs("run", "prints.py", "--detach")
    with started(*(("watch", "@latest") if watched else ("run", "prints.py"))) as process:
        until_up(process)
        process.send_signal(number)
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 128 + number
    check_goes_on(argojobs, said)


def test_a_reader_that_has_enough_leaves_the_run_and_that_is_said(
    project: Path, argojobs: Any
) -> None:
    with started("run", "prints.py") as process:
        until_up(process)
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()  # as `| head` does
        said = process.stderr.read()
        process.wait(60)
    assert process.returncode == 141
    check_goes_on(argojobs, said)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which signals are handled")
def test_who_only_waits_for_a_run_is_told_as_well(project: Path, argojobs: Any) -> None:
    with started("run", "prints.py", "--wait") as process:
        while not minds(process, signal.SIGTERM):
            pass
        while '"phase": "Running"' not in argojobs("get", "@latest", "-o", "json").out:
            pass
        process.terminate()
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 143
    check_goes_on(argojobs, said)


def test_a_signal_that_is_ignored_stays_ignored(project: Path, argojobs: Any) -> None:
    with started("run", "prints.py", ignored=True) as process:
        until_up(process)
        process.send_signal(signal.SIGHUP)
        until_up(process)
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 143
