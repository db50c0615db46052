"""Checkpoints: stored whole or not at all, committed with their epoch, the last two kept."""

import os
import textwrap
from pathlib import Path

import pytest
from support import job_process
from support.job_series import lines_of

from argojobs.job.checkpoints import outdated
from argojobs.job.folder_store import FolderStore, SourceError


def run(program: str, folder: Path, *words: str, **more: str) -> str:
    done = job_process.run(program, folder / "results", str(folder), *words, **more)
    return done.stdout + done.stderr


def there(folder: Path) -> set[str]:
    return {path.name for path in (folder / "results" / "checkpoints").iterdir()}


#: Waits until the checkpoints are these: they are removed on a thread of its own.
WAIT = """
import os, time
def wait(*names):
    while {*os.listdir(os.environ["ARGOJOBS_RESULTS"] + "/checkpoints")} != {*names}:
        time.sleep(0.01)
path = sys.argv[1] + "/state"
open(path, "w").write("x")
"""


def test_a_folder_comes_back_as_it_was_under_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "state dir"
    (folder / "deep").mkdir(parents=True)
    (folder / "empty").mkdir()
    (folder / "deep" / "weights").write_bytes(os.urandom(3 << 20))
    (folder / "run").write_text("#!")
    (folder / "run").chmod(0o755)
    (folder / "link").symlink_to("deep")
    run("job.checkpoint(sys.argv[1] + '/state dir/')", tmp_path)
    found = Path(run("print(job.restore(), end='')", tmp_path))
    assert found.name == "state dir"
    assert (found / "deep" / "weights").read_bytes() == (folder / "deep" / "weights").read_bytes()
    assert (found / "link" / "weights").is_file()
    assert (found / "run").stat().st_mode & 0o777 == 0o755
    assert (found / "empty").is_dir()


def test_outside_of_epochs_it_counts_at_once(tmp_path: Path) -> None:
    run(
        WAIT + "job.log(a=1); job.checkpoint(path); job.log(a=2); job.flush(); os._exit(1)",
        tmp_path,
    )
    (mark,) = [line for line in lines_of(tmp_path / "results") if "mark" in line]
    assert (mark["epoch"], mark["epochs_done"], mark["checkpoint"]) == (None, 0, "0-1-1")
    assert mark["next_step"] == 1
    assert run("print(job.restore() is not None, job.EPOCHS_DONE)", tmp_path) == "True 0\n"


def test_one_after_the_end_of_an_epoch_says_how_many_are_done(tmp_path: Path) -> None:
    run(WAIT + "job.start_epoch(); job.end_epoch(); job.checkpoint(path)", tmp_path)
    assert run("print(job.EPOCHS_DONE, [*job.epochs(2)], job.restore())", tmp_path).startswith("1 ")
    assert run("job.restore(); print([*job.epochs(2)])", tmp_path) == "[1]\n"


def test_inside_of_an_epoch_it_counts_with_its_end(tmp_path: Path) -> None:
    run(WAIT + "job.start_epoch(); job.checkpoint(path); os._exit(1)", tmp_path)
    assert there(tmp_path) == {"0-1-1"}
    assert run("print(job.restore(), job.JOB_RESTARTED)", tmp_path) == "None False\n"


def test_of_several_in_an_epoch_the_last_counts_and_the_others_go(tmp_path: Path) -> None:
    program = "job.start_epoch(); job.checkpoint(path); job.checkpoint(path); wait('0-1-2')"
    run(WAIT + program + "; job.end_epoch(); print(job.restore())", tmp_path)


def test_the_last_two_that_were_committed_are_kept_over_attempts(tmp_path: Path) -> None:
    loop = """
        job.restore()
        for epoch in job.epochs(int(sys.argv[2])):
            job.checkpoint(path)
            if epoch == 2:
                wait("0-1-1", "0-1-2", "0-1-3")  # the third is not committed yet
        wait(*(("0-1-2", "0-1-3") if epoch == 2 else ("0-1-3", "0-2-1")))
    """
    loop = WAIT + textwrap.dedent(loop)
    assert run(loop, tmp_path, "3") == ""
    assert run(loop, tmp_path, "4") == ""


def test_what_is_needed_no_longer_is_what_is_older_and_of_the_same_rank() -> None:
    names = ["0-1-1", "0-1-9", "0-2-1", "0-2-2", "0-2-3", "0-3-1", "1-1-1", "junk", "0-10-1"]
    assert outdated(names, "0-2-2", "0-1-9") == ["0-1-1", "0-2-1"]
    assert outdated(names, "0-2-2", None) == ["0-1-1", "0-1-9", "0-2-1"]


def test_what_a_killed_attempt_left_half_made_is_removed(tmp_path: Path) -> None:
    run(WAIT + "job.checkpoint(path)", tmp_path)
    half = tmp_path / "results" / "checkpoints" / ".0-1-2"
    half.mkdir()
    (half / "state").write_text("x")
    assert run(WAIT + "job.restore(); job.checkpoint(path); wait('0-1-1', '0-2-1')", tmp_path) == ""


def test_a_path_that_is_not_there_is_the_callers_mistake(tmp_path: Path) -> None:
    said = run("job.checkpoint(sys.argv[1] + '/nowhere')", tmp_path)
    assert said.endswith(f"No such file or directory: '{tmp_path}/nowhere'\n")
    assert "FileNotFoundError" in said
    assert there(tmp_path) == set()


def test_a_link_to_a_folder_around_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "state" / "deep").mkdir(parents=True)
    (tmp_path / "state" / "deep" / "again").symlink_to("..")
    store = FolderStore(str(tmp_path / "results"))
    for path in (tmp_path / "state", tmp_path):  # the store lies in the second
        with pytest.raises(SourceError, match="is a folder around what is copied"):
            store.keep("0-1-1", str(path))
        assert there(tmp_path) == set()


def test_a_training_that_began_anew_goes_on_from_its_own_checkpoint(tmp_path: Path) -> None:
    run(WAIT + "for epoch in job.epochs(4): job.checkpoint(path)", tmp_path)
    run(WAIT + "for epoch in job.epochs(1): job.checkpoint(path)", tmp_path)
    assert run("print(job.restore()[-14:], job.EPOCHS_DONE)", tmp_path) == "ts/0-2-1/state 1\n"


def test_an_attempt_that_died_early_leaves_the_one_before_it_to_go_on_from(tmp_path: Path) -> None:
    run(WAIT + "for epoch in job.epochs(2): job.checkpoint(path)", tmp_path)
    run("job.restore(); job.log(a=1)", tmp_path)
    assert run("print(job.restore()[-14:], job.EPOCHS_DONE)", tmp_path) == "ts/0-1-2/state 2\n"


def test_restore_in_the_middle_returns_the_last_of_this_attempt(tmp_path: Path) -> None:
    program = """
for epoch in job.epochs(2):
    open(path, "w").write(str(epoch))
    job.checkpoint(path)
print(open(job.restore()).read(), job.EPOCHS_DONE, job.JOB_RESTARTED)
"""
    assert run(WAIT + program, tmp_path) == "1 0 False\n"
    assert not any("after" in line for line in lines_of(tmp_path / "results"))


EPOCHS = WAIT + "for epoch in job.epochs(int(sys.argv[2])): job.checkpoint(path)"


def test_a_rank_without_checkpoints_goes_on_from_the_first_ranks(tmp_path: Path) -> None:
    for rank in "02":
        run(EPOCHS, tmp_path, "2", RANK=rank)
    run("for epoch in job.epochs(2): job.log(a=epoch)", tmp_path, RANK="1")
    assert run("print(job.restore()[-14:], [*job.epochs(3)])", tmp_path, RANK="1") == (
        "ts/0-1-2/state [2]\n"
    )
    assert {"after": "0-1:2"} in lines_of(tmp_path / "results", "1-2")


def test_ranks_with_checkpoints_of_their_own_go_on_after_the_same_epoch(tmp_path: Path) -> None:
    run(EPOCHS, tmp_path, "3", RANK="0")
    run(EPOCHS, tmp_path, "2", RANK="1")
    found = [
        run("print(job.restore()[-14:], job.EPOCHS_DONE)", tmp_path, RANK=rank) for rank in "01"
    ]
    assert found == ["ts/0-1-2/state 2\n", "ts/1-1-2/state 2\n"]
