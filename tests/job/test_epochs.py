"""Epochs: where they begin, what is durable when one ends, and what is told of them."""

from pathlib import Path
from typing import Any

import pytest
from support import job_process
from support.job_series import kept_lines, lines_of, values_of

#: Ends in the middle of epoch 2, after a checkpoint of which nobody knows yet.
HALF = """
import os
path = sys.argv[1] + "/state"
for epoch in job.epochs(5):
    job.log(loss=epoch)
    open(path, "w").write(str(epoch))
    job.checkpoint(path)
    if epoch == 2:
        os._exit(1)
"""


def told(folder: Path, key: str, attempt: str = "0-1") -> list[Any]:
    return [line[key] for line in lines_of(folder, attempt) if key in line]


def run(program: str, folder: Path, **more: str) -> str:
    done = job_process.run(program, folder / "results", str(folder), **more)
    return done.stdout + done.stderr


def test_an_epoch_that_ended_is_durable_and_the_next_one_is_not_done(tmp_path: Path) -> None:
    run(HALF, tmp_path)
    marks = [line for line in lines_of(tmp_path / "results") if "mark" in line]
    assert [(m["mark"], m["epoch"], m["checkpoint"], m["next_step"]) for m in marks] == [
        ("0-1:1", 0, "0-1-1", 1),
        ("0-1:2", 1, "0-1-2", 2),
    ]


def test_a_training_goes_on_after_what_restore_finds(tmp_path: Path) -> None:
    run(HALF, tmp_path)
    said = run(
        """
        print(job.JOB_RESTARTED, job.EPOCHS_DONE, open(job.restore()).read())
        for epoch in job.epochs(5):
            job.log(loss=epoch)
            print(epoch, job.EPOCHS_DONE)
        """,
        tmp_path,
    )
    assert said.splitlines() == ["True 2 1", "2 2", "3 2", "4 2"]
    assert told(tmp_path / "results", "after", "0-2") == ["0-1:2"]
    assert values_of(tmp_path / "results", "loss") == [(n, n) for n in range(5)]


def test_without_restore_it_begins_anew_and_says_that_something_is_stored(tmp_path: Path) -> None:
    run(HALF, tmp_path)
    said = run("for epoch in job.epochs(2): job.log(loss=epoch + 10)", tmp_path)
    assert "checkpoint 0-1-2 is stored, but job.restore() was not called" in said
    assert values_of(tmp_path / "results", "loss") == [(0, 10), (1, 11)]


def test_epochs_done_that_another_checkpoint_knows_is_where_it_begins(tmp_path: Path) -> None:
    run(HALF, tmp_path)
    program = "for epoch in job.epochs(3): job.log(loss=epoch); print(epoch)"
    assert run(program, tmp_path, EPOCHS_DONE="1").splitlines() == ["1", "2"]
    assert told(tmp_path / "results", "after", "0-2") == ["0-1:1"]
    assert values_of(tmp_path / "results", "loss") == [(0, 0), (1, 1), (2, 2)]


def test_an_attempt_after_an_attempt_after_an_attempt_is_one_series(tmp_path: Path) -> None:
    program = """
        import os
        path = sys.argv[1] + "/state"
        print(job.restore() is not None)
        for epoch in job.epochs(4):
            job.log(loss=epoch, step=epoch)
            open(path, "w").close()
            job.checkpoint(path)
            if epoch in (1, 2) and job.EPOCHS_DONE != epoch:
                os._exit(1)
        """
    for _ in range(4):
        run(program, tmp_path)
    assert values_of(tmp_path / "results", "loss") == [(n, n) for n in range(4)]
    marks = [
        (name, line["epoch"]) for name, line in kept_lines(tmp_path / "results") if "mark" in line
    ]
    assert marks == [("0-1", 0), ("0-2", 1), ("0-3", 2), ("0-3", 3)]


def test_start_and_end_are_the_same_without_a_loop(tmp_path: Path) -> None:
    program = """
        for _ in range(2):
            print(job.start_epoch())
            job.log(loss=1)
            job.end_epoch()
        job.end_epoch()
    """
    assert run(program, tmp_path, EPOCHS_TO_BE_DONE="3") == "0\n1\n"
    results = tmp_path / "results"
    assert [line["number"] for line in told(results, "epoch") if isinstance(line, dict)] == [
        0,
        1,
        2,
    ]
    assert told(results, "progress")[-1] == [3, 3]


def test_the_number_of_epochs_may_come_from_the_environment_and_must_come_from_somewhere(
    tmp_path: Path,
) -> None:
    program = "print([*job.epochs()])"
    assert run(program, tmp_path, EPOCHS_TO_BE_DONE="2") == "[0, 1]\n"
    assert run(program, tmp_path, ARGOJOBS_P_max_epochs="3") == "[0, 1, 2]\n"
    assert "job.epochs() needs the number of epochs, or EPOCHS_TO_BE_DONE" in run(program, tmp_path)


def test_two_loops_in_one_process_each_count_from_0_and_go_on_where_they_were(
    tmp_path: Path,
) -> None:
    program = """
        import os
        path = sys.argv[1] + "/state"
        open(path, "w").close()
        job.restore()
        for loop in ("first", "second"):
            for epoch in job.epochs(3):
                print(loop, epoch, flush=True)
                job.checkpoint(path)
                if loop == sys.argv[2] and epoch == 1:
                    break
        if sys.argv[2] == "second":
            os._exit(1)
    """

    def ran(word: str) -> list[str]:
        done = job_process.run(program, tmp_path / "results", str(tmp_path), word)
        return done.stdout.splitlines()

    assert ran("second") == ["first 0", "first 1", "first 2", "second 0", "second 1"]
    assert ran("") == ["second 1", "second 2"]
    assert ran("first") == []


def test_a_loop_that_was_left_does_not_shorten_the_next_one(tmp_path: Path) -> None:
    program = """
        for epoch in job.epochs(3):
            break
        print([*job.epochs(2)])
    """
    assert run(program, tmp_path) == "[0, 1]\n"


def test_what_is_measured_is_summed_up_for_each_epoch(tmp_path: Path) -> None:
    program = """
        import time
        for epoch in job.epochs(2):
            for _ in range(3 + epoch):
                with job.measure("forward"):
                    time.sleep(0.001)
    """
    run(program, tmp_path)
    first, second = (line for line in told(tmp_path / "results", "epoch") if isinstance(line, dict))
    assert [first["of"], first["number"], second["number"]] == [2, 0, 1]
    count, total, shortest, longest = first["measured"]["forward"]
    assert count == 3
    assert 0.001 <= shortest <= longest <= total <= first["seconds"]
    assert second["measured"]["forward"][0] == 4


def test_a_time_is_measured_also_where_something_is_raised(tmp_path: Path) -> None:
    program = """
        try:
            with job.measure("forward"):
                raise KeyError
        except KeyError:
            job.end_epoch()
    """
    run(program, tmp_path)
    assert told(tmp_path / "results", "epoch")[0]["measured"]["forward"][0] == 1


def test_the_progress_is_told_here_and_to_argo(tmp_path: Path) -> None:
    file = tmp_path / "progress"
    program = """
        for epoch in job.epochs(2):
            job.flush()
        job.progress(0.25, 1)
        job.flush()
        job.progress(7, 5)
        job.flush()
        job.progress(1, 0); job.progress("x", 3); job.progress(1, float("nan"))
    """
    said = run(program, tmp_path, ARGO_PROGRESS_FILE=str(file))
    assert said == "argojobs: this progress is not told: 1 of 0 is none\n"
    assert file.read_text().splitlines() == ["0/2", "1/2", "2/2", "25/100", "5/5"]
    assert told(tmp_path / "results", "progress") == [[0, 2], [1, 2], [2, 2], [0.25, 1], [5, 5]]


def test_argo_is_told_the_progress_without_a_store_too_and_only_by_the_first_rank(
    tmp_path: Path,
) -> None:
    file = tmp_path / "progress"
    for rank in ("1", "0"):
        assert not file.exists()
        job_process.run("job.progress(1, 2)", None, ARGO_PROGRESS_FILE=str(file), RANK=rank)
    assert file.read_text() == "1/2\n"


def test_a_progress_file_in_a_folder_that_is_not_there_is_read_by_nobody(tmp_path: Path) -> None:
    file = tmp_path / "nowhere" / "progress"
    assert run("job.progress(1, 2)", tmp_path, ARGO_PROGRESS_FILE=str(file)) == ""


@pytest.mark.parametrize("folder", ["/proc", "/dev/null/progress"])
def test_a_progress_file_that_cannot_be_written_costs_nothing(tmp_path: Path, folder: str) -> None:
    said = run(
        "job.progress(1, 2); job.flush(); job.progress(2, 2)", tmp_path, ARGO_PROGRESS_FILE=folder
    )
    assert said.count(f"argojobs: {folder} cannot be written") == 1
    assert told(tmp_path / "results", "progress") == [[1, 2], [2, 2]]


def test_a_summary_is_stored_and_what_json_has_not_is_said(tmp_path: Path) -> None:
    said = run("job.summary({'a/b': [1]}, accuracy=0.9, model=object())", tmp_path)
    assert said == "argojobs: model is not in the summary: a object is not one number\n"
    assert told(tmp_path / "results", "summary") == [{"a/b": [1], "accuracy": 0.9}]
