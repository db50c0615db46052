"""`job.log`: rows by name and step, durable soon, and never in the way of the training."""

from pathlib import Path

from support import job_process
from support.job_series import lines_of, series_of, values_of


def notes(folder: Path) -> list[str]:
    return [line["note"] for line in lines_of(folder) if "note" in line]


def test_rows_are_stored_with_their_steps_and_the_attempt_says_whose_it_is(tmp_path: Path) -> None:
    done = job_process.run(
        "job.log(loss=0.5, step=3); job.log({'val/loss': 1}, lr=2); job.log(loss=0.25)",
        tmp_path, ARGOJOBS_RUN="run", ARGO_NODE_ID="run-7", RANK="0", USER="ada",
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    head, *_, last = lines_of(tmp_path)
    assert list(last) == ["ended"]
    assert {name: head[name] for name in ("argojobs", "job", "run", "step", "rank", "attempt")} == {
        "argojobs": 1, "job": "job", "run": "run", "step": "run-7", "rank": 0, "attempt": 1,
    }  # fmt: skip
    assert head["user"] == "ada"
    assert head["pid"] > 1
    assert values_of(tmp_path, "loss") == [(3, 0.5), (5, 0.25)]
    assert values_of(tmp_path, "val/loss") == [(4, 1)]
    assert values_of(tmp_path, "lr") == [(4, 2)]


def test_a_row_is_durable_without_asking_before_the_process_ends(tmp_path: Path) -> None:
    program = """
        import os, signal, time
        job.log(loss=0.5)
        file = sys.argv[1] + "/attempts/0-1.jsonl"
        while not (os.path.exists(file) and b'"rows"' in open(file, "rb").read()):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    assert job_process.run(program, tmp_path, str(tmp_path)).returncode == -9
    assert values_of(tmp_path, "loss") == [(0, 0.5)]


def test_flush_waits_until_all_of_it_is_durable(tmp_path: Path) -> None:
    program = """
        import os
        for step in range(1000):
            job.log(loss=step)
        assert job.flush() is True
        os._exit(0)
    """
    job_process.run(program, tmp_path, ARGOJOBS_FLUSH_SECONDS="60")
    assert values_of(tmp_path, "loss") == [(step, step) for step in range(1000)]


def test_what_may_change_later_is_read_at_once(tmp_path: Path) -> None:
    program = """
        class Scalar:
            value = 1.0
            def item(self):
                return self.value
        scalar, row = Scalar(), {"b": 1}
        job.log(row, a=scalar, step=True)
        scalar.value, row["b"] = 2.0, 2
    """
    assert job_process.run(program, tmp_path).stderr == ""
    assert values_of(tmp_path, "a") == [(1, 1.0)]
    assert values_of(tmp_path, "b") == [(1, 1)]


def test_what_is_not_one_number_is_left_out_and_said_once_a_name(tmp_path: Path) -> None:
    program = """
        for _ in range(3):
            job.log(loss=0.5, phase="warm-up", weights=[1, 2], z=1j)
        job.log(phase="hot")
    """
    said = job_process.run(program, tmp_path).stderr.splitlines()
    expected = [
        "phase is not logged: it is a text",
        "weights is not logged: a list is not one number",
        "z is not logged: it is a complex number",
    ]
    assert said == [f"argojobs: {text}" for text in expected]
    assert notes(tmp_path) == expected
    assert set(series_of(tmp_path)) == {"loss"}
    assert len(values_of(tmp_path, "loss")) == 3


def test_a_step_that_is_no_number_is_the_next_one(tmp_path: Path) -> None:
    program = "job.log(a=1, step='x'); job.log(a=2, step=float('nan')); job.log(a=3, step=None)"
    said = job_process.run(program, tmp_path).stderr
    assert said == "argojobs: a step is a number, but it is a text: it is numbered by itself\n"
    assert values_of(tmp_path, "a") == [(0, 1), (1, 2), (2, 3)]


def test_types_may_change_and_names_may_be_any(tmp_path: Path) -> None:
    program = r"""
        for value in (1, 0.5, True, float("nan")):
            job.log({"a b/ä\n\udc80\0": value, "": 0, 7: 1, "step": 2, "values": 3})
    """
    assert job_process.run(program, tmp_path).stderr == ""
    assert [value for _, value in values_of(tmp_path, "a b/ä\n\udc80\0")] == [1, 0.5, 1, "NaN"]
    assert set(series_of(tmp_path)) == {"a b/ä\n\udc80\0", "", "7", "step", "values"}


def test_a_hundred_thousand_names_are_stored(tmp_path: Path) -> None:
    program = """
        for number in range(50_000):
            job.log({f"one/{number}": number})
        job.log({f"all/{number}": number for number in range(50_000)})
        assert job.flush()
    """
    assert job_process.run(program, tmp_path).stderr == ""
    found = series_of(tmp_path)
    assert len(found) == 100_000
    assert found["one/49999"][0][:2] == (49_999, 49_999)


def test_steps_that_go_back_are_said_and_their_rows_stay(tmp_path: Path) -> None:
    said = job_process.run("job.log(a=1, step=9); job.log(a=2, step=4)", tmp_path).stderr
    assert "the step of a went back from 9 to 4" in said
    assert values_of(tmp_path, "a") == [(9, 1), (4, 2)]


def test_rows_of_several_threads_are_all_stored(tmp_path: Path) -> None:
    program = """
        import threading
        def work(name):
            for step in range(5000):
                job.log({name: step}, step=step)
        threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
    """
    assert job_process.run(program, tmp_path).stderr == ""
    for name in "abcd":
        assert values_of(tmp_path, name) == [(step, step) for step in range(5000)]


def test_rows_for_which_there_is_no_room_are_dropped_counted_and_said(tmp_path: Path) -> None:
    program = """
        import os
        for step in range(150_000):
            job.log(a=step)
        job.flush()
        job.log(b=1)
    """
    (tmp_path / "attempts").write_text("not a folder")  # nothing can be stored
    done = job_process.run(program.replace("job.flush()", """
        os.remove(sys.argv[1] + "/attempts")
        job.flush()"""), tmp_path, str(tmp_path), ARGOJOBS_FLUSH_SECONDS="0.01")  # fmt: skip
    stored = len(values_of(tmp_path, "a"))
    (dropped,) = [line["dropped"] for line in lines_of(tmp_path) if "dropped" in line]
    assert stored + dropped == 150_000
    assert 100_000 <= stored < 150_000
    assert f"argojobs: {dropped} rows were dropped: more rows waited" in done.stderr
    assert values_of(tmp_path, "b")[0][1] == 1


def test_without_a_run_everything_is_silent_and_leaves_nothing(tmp_path: Path) -> None:
    program = """
        import os, signal, threading
        os.chdir(sys.argv[1])
        assert job.restore() is None
        for epoch in job.epochs(2):
            job.log(loss=1j, step="x")
            with job.measure("forward"):
                pass
            job.checkpoint("nowhere")
            job.progress(1, 2)
            job.summary(a=object())
        print(epoch, job.start_epoch(), job.end_epoch(), job.flush(), job.JOB_RESTARTED)
        print(threading.active_count(), signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)
    """
    done = job_process.run(program, None, str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "1 2 None True False\n1 True\n"
    assert list(tmp_path.iterdir()) == []
