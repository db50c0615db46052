"""The programs of a job that waits for a shell, in each shell that is here."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from argojobs.edits.shell_job import ending, entering, waiting, waits_for_shell
from argojobs.manifest.words import RUNS

SHELLS = [
    words for words in (["dash"], ["bash"], ["busybox", "sh"]) if shutil.which(words[0]) is not None
]


@pytest.fixture(params=SHELLS, ids=lambda words: words[0])
def job(request: pytest.FixtureRequest, tmp_path: Path):
    """Start the job below a folder; gives it, and runs other programs of ours there."""
    environment = {**os.environ, "ARGOJOBS_ROOT": str(tmp_path)}
    results = tmp_path / "argojobs" / "out" / "results"
    own = {"ARGOJOBS_OUT": str(results), "OWN": 'it\'s $HOME\n"x"', "here": "h", "count": "3"}
    folder = tmp_path / "a folder"
    folder.mkdir()

    def words(command: list[str]) -> list[str]:
        return [*request.param, *command[1:]]

    class Job:
        out = results.parent
        process = subprocess.Popen(
            words(waiting(0)),
            env={**environment, **own},
            cwd=folder,
            stdout=subprocess.PIPE,
            text=True,
        )

        def run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                words(command),
                env=environment,
                cwd="/",
                capture_output=True,
                text=True,
                check=False,
            )

        def ended(self) -> int:
            code = self.process.wait(timeout=30)
            assert not (self.out / ".shell").exists(), "nothing stays beside the results"
            return code

    found = Job()
    assert found.process.stdout is not None
    assert found.process.stdout.readline() == "argojobs: waiting for a shell\n"
    yield found
    found.process.stdout.close()
    found.process.kill()
    found.process.wait()


def test_it_is_ended_in_order(job) -> None:
    assert (job.out / "results").is_dir()
    assert job.run(ending()).returncode == 0
    assert job.ended() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_at_once(job, number: signal.Signals) -> None:
    job.process.send_signal(number)
    assert job.ended() == 128 + number


def test_whoever_enters_is_in_its_folder_with_its_variables(job) -> None:
    show = 'pwd; printf %s "$OWN"; echo "$1"; echo "$here $count ${TMOUT-never}"; exit 7'
    done = job.run(entering(["sh", "-c", show, "sh", "a  b"]))
    assert done.stdout.splitlines() == [
        str(job.out.parent.parent / "a folder"), "it's $HOME", '"x"a  b', "h 3 never",
    ]  # fmt: skip
    assert done.returncode == 7


def test_its_variables_are_for_nobody_else(job) -> None:
    assert (job.out / ".shell").stat().st_mode & 0o777 == 0o700
    assert Path(f"/proc/{job.process.pid}/fd/3").stat().st_mode & 0o777 == 0o600


def test_its_variables_go_with_it_even_where_it_is_killed(job) -> None:
    assert "$HOME" in Path(f"/proc/{job.process.pid}/fd/3").read_text()
    job.process.kill()
    job.process.wait()
    left = {file.name: file.read_text() for file in (job.out / ".shell").iterdir()}
    assert set(left) == {"folder", "process"}
    assert not any("$HOME" in text for text in left.values())


def test_what_whoever_enters_makes_is_for_others_as_ever(job) -> None:
    before = os.umask(0o022)
    try:
        done = job.run(entering(["sh", "-c", "umask"]))
    finally:
        os.umask(before)
    assert done.stdout.strip() == "0022"
    assert (job.out / "results").stat().st_mode & 0o777 == 0o777 & ~before


def test_variables_out_of_reach_are_said(job) -> None:
    (job.out / ".shell" / "process").write_text("none\n")
    done = job.run(entering(["sh", "-c", "echo in"]))
    assert done.stdout == "in\n"
    assert "the variables of the job are out of reach" in done.stderr


def test_ending_what_has_ended_does_nothing(job) -> None:
    job.run(ending())
    job.ended()
    assert job.run(ending()).returncode != 0


def test_a_run_says_that_it_is_one() -> None:
    assert waits_for_shell({"metadata": {"annotations": {RUNS: "shell"}}})
    assert not waits_for_shell({"metadata": {"annotations": {RUNS: "image"}}})
    assert not waits_for_shell({"metadata": {}})
