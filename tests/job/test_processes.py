"""Several processes of one job: children stand beside their parent, two writers in their own files."""

import signal
import subprocess
from pathlib import Path

import pytest
from support import job_process
from support.job_series import attempts_of, lines_of, values_of


def stored(folder: Path) -> set[str]:
    return {path.stem for path in (folder / "attempts").iterdir()}


def test_a_forked_child_begins_empty_in_a_file_beside_its_parents(tmp_path: Path) -> None:
    program = """
        import os
        job.log(a=1)
        job.flush()
        job.log(a=2)  # still waits while the process forks
        child = os.fork()
        job.log(b="x"); job.log(b=child == 0)
        if child:
            os.waitpid(child, 0)
        """
    done = job_process.run(program, tmp_path, ARGOJOBS_FLUSH_SECONDS="60")
    assert done.returncode == 0
    assert stored(tmp_path) == {"0-1", "0-1.1"}
    rows = [line["rows"]["values"] for line in lines_of(tmp_path, "0-1.1") if "rows" in line]
    assert rows == [{"b": [1]}]
    assert values_of(tmp_path, "a") == [(0, 1), (1, 2)]
    assert values_of(tmp_path, "b") == [(2, 0)]


def test_a_child_that_trains_is_an_attempt_of_its_own(tmp_path: Path) -> None:
    program = """
        import os
        job.log(a=1)
        job.flush()
        if not os.fork():
            for epoch in job.epochs(1): job.log(a=2)
    """
    job_process.run(program, tmp_path)
    assert stored(tmp_path) == {"0-1", "0-2"}


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_of_multiprocessing_stand_beside_it_and_lose_nothing(
    tmp_path: Path, method: str
) -> None:
    (tmp_path / "work.py").write_text(
        "from argojobs import job\ndef work(n):\n    job.log(worker=n)\n"
    )
    program = f"""
        import multiprocessing, work
        context = multiprocessing.get_context({method!r})
        job.log(a=1)
        job.flush()
        for n in (1, 2):
            process = context.Process(target=work.work, args=(n,))
            process.start()
            process.join()
            assert process.exitcode == 0
    """
    results = tmp_path / "results"
    done = subprocess.run(
        job_process.argv(program, paths=(str(tmp_path),)),
        env=job_process.variables(results, ARGOJOBS_FLUSH_SECONDS="60"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert stored(results) == {"0-1", "0-1.1", "0-1.2"}
    for n in (1, 2):
        rows = [line["rows"]["values"] for line in lines_of(results, f"0-1.{n}") if "rows" in line]
        assert rows == [{"worker": [n]}]


def test_a_worker_of_another_rank_is_an_attempt_of_that(tmp_path: Path) -> None:
    program = """
        import os
        job.log(a=1)
        job.flush()
        if not os.fork():
            os.environ["RANK"] = "1"
            job.log(a=2)
    """
    job_process.run(program, tmp_path)
    assert stored(tmp_path) == {"0-1", "1-1"}
    assert values_of(tmp_path, "a", rank=1) == [(0, 2)]


def test_processes_that_start_at_once_have_a_file_each(tmp_path: Path) -> None:
    program = "sys.stdin.readline(); job.log(a=1); job.flush()"
    processes = [
        subprocess.Popen(
            job_process.argv(program),
            env=job_process.variables(tmp_path),
            stdin=subprocess.PIPE,
            text=True,
        )
        for _ in range(8)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.close()
    assert [process.wait() for process in processes] == [0] * 8
    assert attempts_of(tmp_path) == [f"0-{number}" for number in range(1, 9)]
    for name in attempts_of(tmp_path):
        assert [line["rows"]["values"] for line in lines_of(tmp_path, name) if "rows" in line] == [
            {"a": [1]}
        ]


def test_of_two_writers_of_one_job_the_older_ones_rows_beyond_the_mark_do_not_count(
    tmp_path: Path,
) -> None:
    """A pod vanished with its node, and its process runs on beside the next attempt."""
    program = """
        path = sys.argv[1] + "/state"
        open(path, "a").close()
        print(job.restore() is not None, flush=True)
        for epoch in job.epochs(4):
            job.log(loss=epoch + int(sys.argv[2]), step=epoch)
            job.checkpoint(path)
            if sys.argv[2] == "100" and epoch > 0:
                print("here", flush=True)
                sys.stdin.readline()
    """

    def start(word: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            job_process.argv(program, str(tmp_path), word),
            env=job_process.variables(tmp_path / "results"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    with start("100") as older:
        assert older.stdout is not None
        assert [older.stdout.readline() for _ in range(2)] == ["False\n", "here\n"]
        with start("200") as newer:
            assert newer.communicate(timeout=60)[0] == "True\n"
        older.communicate("\n\n\n", timeout=60)
    assert (older.returncode, newer.returncode) == (0, 0)
    expected = [(0, 100), (1, 201), (2, 202), (3, 203)]
    assert values_of(tmp_path / "results", "loss") == expected
    done = job_process.run("print(job.restore()[-14:])", tmp_path / "results")
    assert done.stdout == "ts/0-2-3/state\n"


def test_a_process_that_is_ending_reports_as_far_as_it_can(tmp_path: Path) -> None:
    program = """
        import atexit
        atexit.register(lambda: job.log(a=1))
        atexit.register(lambda: job.flush())
    """
    done = job_process.run(program, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_first_rows_after_a_kill_at_the_very_start_are_a_whole_attempt(tmp_path: Path) -> None:
    program = "import os, signal; job.log(a=1); os.kill(os.getpid(), signal.SIGKILL)"
    assert job_process.run(program, tmp_path).returncode == -signal.SIGKILL
    assert job_process.run("job.log(a=2)", tmp_path).returncode == 0
    assert values_of(tmp_path, "a") == [(0, 2)]
