"""Sinks get each batch after it is stored; one that fails or blocks costs nobody else anything."""

from pathlib import Path

from support import job_process
from support.job_series import lines_of, values_of

HEAD = """
import os, time
from argojobs.job.session import SESSION
"""


def run(program: str, results: Path | None, *words: str) -> str:
    done = job_process.run(HEAD + program, results, *words)
    assert done.returncode == 0
    return done.stdout + done.stderr


COLLECT = """
class Collects:
    def __call__(self, batch):
        if len(sys.argv) > 1:
            assert b"rows" in open(sys.argv[1] + "/attempts/0-1.jsonl", "rb").read()
        for row in zip(batch.step, *batch.values.values()):
            print(*batch.values, *row)
    def close(self):
        print("closed")
SESSION.sinks.append(Collects())
"""


def test_each_gets_the_rows_in_order_once_they_are_stored_and_is_closed(tmp_path: Path) -> None:
    program = "job.log(a=1); job.log(a=2); job.log(b=float('nan'), step=7)"
    said = run(COLLECT + program, tmp_path, str(tmp_path))
    assert said == "a 0 1\na 1 2\nb 7 nan\nclosed\n"


def test_without_a_store_they_get_them_too() -> None:
    assert run(COLLECT + "job.log(a=1)", None) == "a 0 1\nclosed\n"


def test_one_that_fails_is_said_once_and_gets_what_comes_next(tmp_path: Path) -> None:
    program = """
def picky(batch):
    if "a" in batch.values:
        raise ValueError("not mine")
    print(*batch.values)
SESSION.sinks.append(picky)
for name in "aab":
    job.log({name: 1})
    job.flush()
"""
    said = run(program, tmp_path)
    assert sorted(said.splitlines()) == ["argojobs: picky failed: ValueError: not mine", "b"]
    assert len(values_of(tmp_path, "a")) == 2


def test_one_that_blocks_holds_neither_the_training_nor_the_rows_nor_the_others(
    tmp_path: Path,
) -> None:
    program = """
def blocks(batch):
    time.sleep(1000)
SESSION.sinks += [blocks, lambda batch: print(*batch.values)]
for number in range(300):
    job.log({f"n{number}": 1})
    job.flush()
print("ended")
"""
    said = run(program, tmp_path).splitlines()
    assert [line for line in said if line.startswith("n")] == [
        f"n{number}" for number in range(300)
    ]
    assert "argojobs: blocks takes nothing: what it should get is lost to it" in said
    assert "ended" in lines_of(tmp_path)[-1]


def test_they_get_nothing_that_the_store_has_not(tmp_path: Path) -> None:
    program = """
SESSION.sinks.append(lambda batch: print(*batch.values))
job.log(a=1)
assert not job.flush()
print("not yet", flush=True)
os.remove(sys.argv[1])
"""
    blocked = tmp_path / "results"
    blocked.write_text("not a folder")
    said = run(program, blocked, str(blocked)).splitlines()
    assert said[:2] == ["not yet", "a"]
