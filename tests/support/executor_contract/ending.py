"""The contract of executors: how a pod is ended, and what is known of it then."""

from __future__ import annotations

import time
from pathlib import Path

from argojobs.engine.executors.executor import Executor, PodState
from support.executor_contract.pods import Context, python, run, start, wait


class Ending:
    """How a pod is ended, and what is known of it then."""

    def test_the_deadline_ends_a_pod(self, executor: Executor, context: Context, signal):
        code = f"import time; {signal.give}; time.sleep(600)"
        pod = start(executor, context, python(code), deadline=time.time() + 2)
        signal.wait()
        result = wait(executor, pod)
        assert result.phase == "Failed"
        assert result.message == "Pod was active on the node longer than the specified deadline"
        assert result.outputs["exitCode"] == "143"

    def test_a_pod_whose_deadline_has_passed_does_not_begin(
        self, executor: Executor, context: Context
    ):
        pod = start(executor, context, python("print(1)"), deadline=time.time() - 1)
        result = wait(executor, pod)
        assert result.phase == "Failed"
        assert "exitCode" not in result.outputs

    def test_a_stopped_pod_has_the_reason_as_message_and_may_clean_up(
        self, executor: Executor, context: Context, signal
    ):
        code = (
            "import signal, sys, time\n"
            "signal.signal(signal.SIGTERM, lambda *_: sys.exit(print('bye')))\n"
            f"{signal.give}\n"
            "time.sleep(600)"
        )
        pod = start(executor, context, python(code))
        signal.wait()
        executor.stop(pod, "workflow shutdown with strategy:  Stop", 30)
        result = wait(executor, pod)
        assert result.phase == "Failed"
        assert result.message == "workflow shutdown with strategy:  Stop"
        assert context.log(pod) == b"bye\n"

    def test_a_pod_that_does_not_listen_is_killed_after_its_grace(
        self, executor: Executor, context: Context, signal
    ):
        code = (
            "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
            f"{signal.give}; time.sleep(600)"
        )
        pod = start(executor, context, python(code))
        signal.wait()
        executor.stop(pod, "enough", 0.1)
        result = wait(executor, pod)
        assert (result.message, result.outputs["exitCode"]) == ("enough", "137")

    def test_a_second_stop_shortens_the_grace_of_the_first(
        self, executor: Executor, context: Context, signal
    ):
        code = (
            "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
            f"{signal.give}; time.sleep(600)"
        )
        pod = start(executor, context, python(code))
        signal.wait()
        executor.stop(pod, "enough", 600)
        executor.stop(pod, "enough", 0.1)
        result = wait(executor, pod)
        assert (result.message, result.outputs["exitCode"]) == ("enough", "137")

    def test_a_pod_stopped_before_its_start_never_runs(self, executor: Executor, context: Context):
        executor.stop(context.pod(), "too late", 30)
        pod = start(executor, context, python("print('ran')"))
        result = wait(executor, pod)
        assert (result.phase, result.message) == ("Failed", "too late")
        assert context.log(pod) == b""

    def test_stopping_a_pod_that_ended_changes_nothing(self, executor: Executor, context: Context):
        pod = start(executor, context, python("pass"))
        before = wait(executor, pod)
        executor.stop(pod, "late", 1)
        assert executor.recover(pod) == PodState(begun=True, result=before)

    def test_what_main_leaves_running_ends_with_it(
        self, executor: Executor, context: Context, signal
    ):
        child = f"import time; {signal.give}; time.sleep(600)"
        code = (
            "import subprocess, sys\n"
            f"subprocess.Popen([sys.executable, '-c', {child!r}], start_new_session=True)\n"
            f"open({str(signal.path)!r}).read(1)"
        )
        # The child holds standard output too: were it left running, this would not return.
        result = run(executor, context, python(code), capture_result=True)
        assert result.phase == "Succeeded"

    def test_recovery_tells_what_became_of_a_pod(
        self, executor: Executor, context: Context, signal
    ):
        pod = context.pod()
        assert executor.recover(pod) == PodState(begun=False)
        start(executor, context, python(f"{signal.give}; import time; time.sleep(600)"))
        signal.wait()
        assert executor.recover(pod) == PodState(begun=True)
        executor.stop(pod, "done", 0)
        result = wait(executor, pod)
        assert executor.recover(pod) == PodState(begun=True, result=result)

    def test_a_pod_runs_at_most_once(self, executor: Executor, context: Context):
        claims = Path(context.claims["sets"])
        mounts = [{"name": "c", "mountPath": "/c"}]
        template = {
            **python("open('/c/runs', 'a').write('ran\\n')", volumeMounts=mounts),
            "volumes": [{"name": "c", "persistentVolumeClaim": {"claimName": "sets"}}],
        }
        run(executor, context, template)
        again = run(executor, context, template)  # as a controller does that lost its memory
        assert again.phase == "Succeeded"
        assert (claims / "runs").read_text() == "ran\n"

    def test_a_stop_while_outputs_are_saved_is_heard(
        self, executor: Executor, context: Context, signal
    ):
        """What is packed has no end: a file with a hole of many gigabytes."""
        template = python(f"open('/tmp/o', 'w').truncate(1 << 42); {signal.give}")
        template["outputs"] = {"artifacts": [{"name": "a", "path": "/tmp/o"}]}
        pod = start(executor, context, template)
        signal.wait()
        executor.stop(pod, "enough", 0.1)
        result = wait(executor, pod)
        assert (result.phase, result.message) == ("Failed", "enough")
