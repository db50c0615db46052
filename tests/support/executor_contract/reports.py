"""The contract of executors: what a step reports, in a folder of its own, and how far it is."""

from __future__ import annotations

import pytest

from argojobs.engine.executors.executor import Executor
from support.executor_contract.pods import Context, Signal, python, run, start, wait

FOLDER = "import os; r = os.environ['ARGOJOBS_RESULTS'];"


class Reports:
    """What a step reports, in a folder of its own, and how far it is."""

    def test_the_attempts_of_a_step_share_a_folder_and_nobody_else_sees_it(
        self, executor: Executor, context: Context
    ):
        write = python(f"{FOLDER} open(f'{{r}}/rows', 'w').write('1'); os._exit(3)")
        assert run(executor, context, write, name="one", retry_id="job").phase == "Failed"
        look = python(f"{FOLDER} print(os.listdir(r))")
        seen = [
            run(executor, context, look, name=name, retry_id=job, capture_result=True)
            for name, job in (("two", "job"), ("three", ""))
        ]
        assert [result.outputs["result"] for result in seen] == ["['rows']", "[]"]

    def test_every_user_of_a_pod_may_write_to_its_folder(
        self, executor: Executor, context: Context
    ):
        look = python(f"{FOLDER} print(oct(os.stat(r).st_mode & 0o777))")
        assert run(executor, context, look, capture_result=True).outputs["result"] == "0o777"

    def test_a_pod_that_runs_says_how_far_it_is(
        self, executor: Executor, context: Context, signal: Signal
    ):
        say = "open(os.environ['ARGO_PROGRESS_FILE'], 'a').write"
        code = f"{say}('1/10\\n'); {say}('3/10\\n'); {signal.give}; time.sleep(600)"
        pod = start(executor, context, python(f"import os, time; {code}"))
        signal.wait()
        assert executor.progress(pod) == "3/10"
        executor.stop(pod, "stopped", 1)
        assert wait(executor, pod).progress == "3/10"

    def test_the_end_says_how_far_a_pod_was_that_nobody_asked(
        self, executor: Executor, context: Context
    ):
        code = "import os; open(os.environ['ARGO_PROGRESS_FILE'], 'w').write('7/10')"
        assert run(executor, context, python(code)).progress == "7/10"

    @pytest.mark.parametrize(
        "code",
        [
            "pass",
            "os.mkfifo(p)",
            "os.mkdir(p)",
            "os.symlink('/dev/zero', p)",
            "os.truncate(os.open(p, os.O_CREAT | os.O_WRONLY), 2**40)",
            "open(p, 'wb').write(bytes(range(256)))",
            "open(p, 'w').write('11/10\\n1/0\\n-1/4\\n1.5/2\\nhalf')",
        ],
        ids=["nothing", "a pipe", "a folder", "a device", "a hole", "bytes", "no progress"],
    )
    def test_what_says_nothing_is_not_progress(
        self, executor: Executor, context: Context, signal: Signal, code: str
    ):
        begin = f"import os, time; p = os.environ['ARGO_PROGRESS_FILE']; {code};"
        pod = start(executor, context, python(f"{begin} {signal.give}; time.sleep(600)"))
        signal.wait()
        assert executor.progress(pod) == ""
        executor.stop(pod, "stopped", 1)
        assert wait(executor, pod).progress == ""
