"""What steps say of themselves, written by somebody who means no good.

A step writes into the folder of its own results as it likes. Whatever lies there: nothing elsewhere is
read, `metrics` and `get` end in a bounded time and memory, and other runs are shown as ever.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.attacking import shell
from support.attempts import START, epoch, head, mark, rows, text_of, write

from argojobs.cli.main import main
from argojobs.engine.submitter import capture

GOOD = (head(), rows([1, 2], loss=[0.5, 0.25]), epoch(0, of=1), mark("0-1:1", 0))


@pytest.fixture
def folder(service, monkeypatch):
    """The results of the run `bad`, beside those of a run `good`."""
    monkeypatch.setenv("ARGOJOBS_HOME", str(service.home))
    for name in ("good", "bad"):
        service.store.add_run(shell(name), capture(project=service.home))
        service.store.end_in_error(name, "it was never begun", "2026-01-01T00:00:00Z")
    write(service.home / "results" / "good" / "good", "0-1", *GOOD)
    return service.home / "results" / "bad"


def shown(capsys, *words):
    """What a verb says, which neither fails nor is a bug."""
    code = main(words)
    said = capsys.readouterr()
    assert code == 0, said.err
    assert "bug" not in said.err
    return said.out


def withstood(capsys):
    """Both runs can be looked at in each way; what is said of the bad one."""
    shown(capsys, "get", "bad")
    shown(capsys, "metrics", "bad", "--plot")
    shown(capsys, "metrics", "bad", "-o", "csv")
    json.loads(shown(capsys, "metrics", "bad", "-o", "json"), parse_constant=pytest.fail)
    (step,) = json.loads(shown(capsys, "metrics", "good", "-o", "json"))["steps"]
    assert step["series"][0]["values"] == [0.5, 0.25]
    return shown(capsys, "metrics", "bad")


def test_no_link_leads_elsewhere(folder, capsys, figure):
    secret = folder.parent.parent / "secret.jsonl"
    secret.write_bytes(text_of(head(), rows([1], secret=42)))
    other = folder.parent / "good" / "good"
    (folder / "a" / "attempts").mkdir(parents=True)
    (folder / "a" / "attempts" / "0-1.jsonl").symlink_to(secret)
    (folder / "b").mkdir()
    (folder / "b" / "attempts").symlink_to(other / "attempts")
    (folder / "c").symlink_to(other)
    (folder / "d").symlink_to("d")
    said = withstood(capsys)
    assert "secret" not in said.replace("secret.jsonl", "")
    assert "loss" not in said
    figure("links followed nowhere", 4)


def test_nothing_that_waits_is_opened(folder, capsys, figure):
    (folder / "a" / "attempts").mkdir(parents=True)
    os.mkfifo(folder / "a" / "attempts" / "0-1.jsonl")
    os.mkfifo(folder / "fifo")
    (folder / "b").mkdir()
    os.mkfifo(folder / "b" / "attempts")
    withstood(capsys)
    figure("pipes left alone", 3)


LINES = {
    "foreign bytes": [bytes(range(256)) * 100, b"\n"],
    "a line without end": [b'{"rows": ' * 3_000_000],
    "a deep one": [b'{"rows":' * 100_000, b"\n", b"[" * 1_000_000, b"\n"],
    "a deep summary": [b'{"summary": {"a": ' + b"[" * 900 + b"]" * 900 + b"}}\n"],
    "huge numbers": [rows([1, 2, 3], loss=[10**400, 1e308, "-Infinity"]), epoch(1 << 60, 1e308, of=1 << 62, time=START), epoch(3, 1e308, of=9, time=START)],
    "an odd clock": [
        {**head(), "time": 1e300}, {"rows": {"time": [-1e300, 1e300], "step": [1, 2], "values": {"a": [1, 2]}}},
        {"progress": [-1e300, 1e300], "time": -1e300}, {"progress": [1e300, 1e300], "time": 1e300},
        epoch(1 << 52, 1e300, time=-1e300, of=1 << 53), {"ended": -1e300},
    ],
    "marks in a circle": [{"after": "0-1:1"}, rows([1], loss=1), mark("0-1:1"), {"after": "0-1:99999"}],
    "names to obey": [rows([1], **{"\x1b]0;owned\x07": 1, "\u202e": 2, "": 3, "a\nb": 4}), {"note": "\x1b[2J" * 50}],
    "names alike": [b'{"rows": {"time": [1], "step": [1], "values": {"a": [1], "a": [2], "\\u0061": [3]}}}\n'],
    "half a character": [b'{"rows": {"time": [1], "step": [1], "values": {"\\ud800": [1]}}}\n', {"note": "\udc80"}],
    "many of everything": [
        line for n in range(3_000)
        for line in (epoch(n, measured={str(n): [1, 1, 1, 1]}), {"summary": {str(n): n}}, {"note": str(n)}, mark(f"0-1:{n}"))
    ],
}  # fmt: skip


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
def test_no_line_breaks_anything(folder, capsys, figure, lines):
    write(folder / "a", "0-1", *lines)
    write(folder / "b", "0-1", *GOOD)
    said = withstood(capsys)
    assert "loss" in said, "the step beside it is shown"
    assert "\x1b" not in said
    figure("kinds of lines", 1)


def test_numbers_of_attempts_lead_nowhere(folder, capsys):
    for name in ("0-1", "0-2", "0-999999999", "999999999-1"):
        write(folder / "a", name, {"after": "0-999999999:1"}, rows([1], loss=1))
    for name in ("0-" + "9" * 200, "../x", "0-0", "-1--1"):
        write(folder / "a", name.replace("/", "_"), rows([1], wrong=1))
    said = withstood(capsys)
    assert "loss" in said
    assert "wrong" not in said


def test_a_run_with_the_folders_of_a_thousand_strangers_is_shown(folder, capsys):
    for number in range(1_000):
        write(folder / f"n{number}", "0-1", rows([1], loss=1))
    assert withstood(capsys).count("loss") == 1_000


LIMITED = """
import resource, sys
from argojobs.cli.main import main
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
sys.exit(main(["metrics", "bad"]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are Linux's")
def test_a_file_that_is_as_large_as_a_disk_takes_bounded_memory(folder, figure):
    """Sparse: 100 GiB of zeros without an end of a line, behind rows that count."""
    path = write(folder / "a", "0-1", *GOOD)
    with path.open("r+b") as file:
        file.truncate(100 << 30)
    done = subprocess.run(
        [sys.executable, "-c", LIMITED], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "loss" in done.stdout
    assert "there is more than is read of one step" in done.stdout
    figure("GiB left unread", 99)


def test_a_step_may_change_its_files_while_they_are_read(folder, capsys):
    """Rewritten, cut off and removed between two looks."""
    from argojobs.runs.job_folders import JobFolder

    path = write(folder / "a", "0-1", *GOOD)
    job = JobFolder(folder / "a")
    for change in (
        lambda: path.write_bytes(b"x\n"),
        lambda: path.write_bytes(b""),
        path.unlink,
        lambda: path.mkdir(),
        lambda: (path.rmdir(), path.write_bytes(text_of(*GOOD))),
        lambda: path.parent.rename(Path(f"{path.parent}.away")),
    ):
        job.read()
        change()
        job.read()
