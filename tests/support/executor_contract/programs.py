"""The contract of executors: what a pod runs, and what is kept of what it prints."""

from __future__ import annotations

import time

from argojobs.engine.executors.executor import Executor
from support.executor_contract.pods import Context, python, run, start, wait


class Programs:
    """What a pod runs, and what is kept of what it prints."""

    def test_a_pod_that_exits_0_succeeded(self, executor: Executor, context: Context):
        result = run(executor, context, python("pass"))
        assert (result.phase, result.message) == ("Succeeded", "")
        assert result.outputs == {"exitCode": "0"}
        assert 0 < result.started_at <= result.finished_at <= time.time()

    def test_a_pod_that_exits_otherwise_failed_with_argos_message(
        self, executor: Executor, context: Context
    ):
        result = run(executor, context, python("import sys; sys.exit(3)"))
        assert (result.phase, result.message) == ("Failed", "main: Error (exit code 3)")
        assert result.outputs["exitCode"] == "3"

    def test_a_pod_ended_by_a_signal_has_128_more_as_exit_code(
        self, executor: Executor, context: Context
    ):
        result = run(executor, context, python("import os; os.kill(os.getpid(), 9)"))
        assert (result.phase, result.message) == ("Failed", "main: Error (exit code 137)")

    def test_a_command_that_is_not_there_is_named(self, executor: Executor, context: Context):
        result = run(executor, context, {"container": {"image": "tools", "command": ["no-such"]}})
        assert result.phase == "Failed"
        assert result.message.startswith(
            "main: Error (exit code 64): failed to find name in PATH: "
            'exec: "no-such": executable file not found in $PATH'
        )
        assert '[local.images."tools"]' in result.message
        assert result.outputs["exitCode"] == "64"

    def test_output_and_errors_are_in_the_log_byte_for_byte(
        self, executor: Executor, context: Context
    ):
        code = "import os; os.write(1, b'a\\xff\\0'); os.write(2, b'b\\n'); os.write(1, b'c')"
        pod = start(executor, context, python(code))
        wait(executor, pod)
        assert context.log(pod) == b"a\xff\0b\nc"

    def test_the_result_is_standard_output_without_one_newline(
        self, executor: Executor, context: Context
    ):
        code = "import sys; print('é'); print(); print('no', file=sys.stderr)"
        result = run(executor, context, python(code), capture_result=True)
        assert result.outputs["result"] == "é\n"

    def test_only_the_last_256_kilobytes_become_the_result(
        self, executor: Executor, context: Context
    ):
        code = "print('x' * 300_000 + 'end')"
        pod = start(executor, context, python(code), capture_result=True)
        result = wait(executor, pod).outputs["result"]
        assert len(result) == 256 * 1024
        assert result.endswith("xend")
        assert len(context.log(pod)) == 300_004

    def test_a_result_that_nobody_asked_for_is_not_kept(self, executor: Executor, context: Context):
        assert "result" not in run(executor, context, python("print(1)")).outputs

    def test_a_script_is_a_file_after_the_arguments(self, executor: Executor, context: Context):
        source = "import sys\nprint(sys.argv)"
        script = {"script": {"image": "python", "command": ["python3", "-u"], "source": source}}
        result = run(executor, context, script, capture_result=True)
        assert result.outputs["result"] == "['/argo/staging/script']"

    def test_variables_arrive_as_they_are(self, executor: Executor, context: Context):
        hard = "a 'quote' \"two\" \\ $HOME `x` é\n{{x}}"
        code = "import os; print(os.environ['TEXT'], end='')"
        result = run(executor, context, python(code, env={"TEXT": hard}), capture_result=True)
        assert result.outputs["result"] == hard

    def test_a_working_directory_in_a_volume_is_made(self, executor: Executor, context: Context):
        mounts = [{"name": "v", "mountPath": "/v"}]
        template = python("import os; print(os.getcwd())", workingDir="/v/a/b", volumeMounts=mounts)
        template["volumes"] = [{"name": "v", "emptyDir": {}}]
        result = run(executor, context, template, capture_result=True)
        assert result.outputs.get("result") == "/v/a/b", result.message

    def test_a_pods_tmp_is_for_every_user(self, executor: Executor, context: Context):
        code = "import os; print([oct(os.stat(p).st_mode & 0o7777) for p in ('/tmp', '/var/tmp')])"
        for name in ("one", "two"):
            result = run(executor, context, python(code), name=name, capture_result=True)
            assert result.outputs["result"] == "['0o1777', '0o1777']"
