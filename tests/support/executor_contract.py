"""What every executor keeps, as tests: subclass `ExecutorContract` and give it the fixtures.

`executor` is an open executor, `context` the run whose pods it starts. Programs are `python3 -c`,
which every executor has to be able to run.
"""

from __future__ import annotations

import os
import select
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from argojobs.engine.context import pod_directory
from argojobs.engine.executors.executor import Executor, PodId, PodSpec, PodState
from argojobs.engine.model import PodResult, StartPod
from argojobs.engine.placement import asked_by
from argojobs.engine.pod import pod_spec
from argojobs.engine.submitter import allowed_environment

PATIENCE = 60  # seconds; nothing here takes so long, a busy machine may


@dataclass
class Context:
    """A run in a home, and who submitted it: from the folder `project`."""

    home: Path
    project: Path
    claims: dict[str, str] = field(default_factory=dict)
    images: dict[str, dict[str, Any]] = field(default_factory=dict)
    share_host_paths: bool = False
    strict_resources: bool = False
    workflow: str = "run"

    def spec(self, template: dict[str, Any], name: str = "pod", **more: Any) -> PodSpec:
        """What an executor is told of a pod of this run."""
        return pod_spec(
            StartPod(f"{self.workflow}-{name}", name, template, **more),
            {
                "metadata": {"name": self.workflow, "uid": "uid", "namespace": "default"},
                "spec": {},
            },
            {
                "interpreter": sys.executable,
                "project": str(self.project),
                "environment": allowed_environment(os.environ),
                "keep": [],
                "claims": self.claims,
                "images": self.images,
                "share_host_paths": self.share_host_paths,
                "strict_resources": self.strict_resources,
            },
            resources=asked_by(template),
            devices={},
            now=time.time(),
        )

    def pod(self, name: str = "pod") -> PodId:
        """The identity of a pod of this run."""
        return PodId(self.workflow, name)

    def directory(self, pod: PodId) -> str:
        """Where a pod's files lie in the home, its log among them."""
        return str(pod_directory(self.home, *pod))

    def log(self, pod: PodId) -> bytes:
        """What a pod has printed."""
        return Path(self.directory(pod), "main.log").read_bytes()


def python(code: str, *, env: dict[str, str] | None = None, **container: Any) -> dict[str, Any]:
    """A template that runs Python code."""
    variables = [{"name": name, "value": value} for name, value in (env or {}).items()]
    command = ["python3", "-c", code]
    return {"container": {"image": "python", "command": command, "env": variables, **container}}


def wait(executor: Executor, pod: PodId) -> PodResult:
    """Wait for the end of a pod, by the executor's own descriptor."""
    until = time.monotonic() + PATIENCE
    while pod not in (ended := dict(executor.read())):
        select.select([executor], [], [], max(0, until - time.monotonic()))
        assert time.monotonic() < until, f"{pod} does not end"
    return ended[pod]


def start(executor: Executor, context: Context, template: dict[str, Any], **more: Any) -> PodId:
    """Start a pod; return which it is."""
    spec = context.spec(template, **more)
    executor.start(spec)
    return spec.id


def run(executor: Executor, context: Context, template: dict[str, Any], **more: Any) -> PodResult:
    """Start a pod and wait for its end."""
    return wait(executor, start(executor, context, template, **more))


class Signal:
    """A named pipe through which a pod says that it has come to some point."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self._descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    @property
    def give(self) -> str:
        """Python code by which the pod gives the signal, at once and for good."""
        opened = f"__import__('os').open({str(self.path)!r}, 1)"
        return f"__import__('os').write({opened}, b'now')"

    def wait(self) -> bytes:
        """Wait until it is given."""
        ready, _, _ = select.select([self._descriptor], [], [], PATIENCE)
        assert ready, "the pod did not come so far"
        return os.read(self._descriptor, 4096)


class ExecutorContract:
    """The contract. `signal` makes a Signal at a path that pods see too."""

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

    def test_a_file_passes_from_pod_to_pod_as_artifact(self, executor: Executor, context: Context):
        make = python("open('/made.txt', 'w').write('made')")
        make["outputs"] = {"artifacts": [{"name": "made", "path": "/made.txt"}]}
        saved = run(executor, context, make, name="one").outputs["artifacts"]
        assert saved == [
            {
                "name": "made",
                "path": "/made.txt",
                "s3": {"key": f"{context.workflow}/one/made.tgz"},
            }
        ]
        use = python("print(open('/given/text').read())")
        use["inputs"] = {"artifacts": [{**saved[0], "path": "/given/text"}]}
        result = run(executor, context, use, name="two", capture_result=True)
        assert result.outputs["result"] == "made"

    def test_a_folder_passes_bare_or_packed(self, executor: Executor, context: Context):
        code = "import os; os.makedirs('/a/b/c'); open('/a/b/c/d', 'w').write('deep')"
        make = python(code)
        make["outputs"] = {
            "artifacts": [
                {"name": "packed", "path": "/a/b"},
                {"name": "bare", "path": "/a/b", "archive": {"none": {}}},
            ]
        }
        saved = run(executor, context, make, name="one").outputs["artifacts"]
        use = python("print(open('/x/c/d').read(), open('/y/c/d').read())")
        use["inputs"] = {
            "artifacts": [{**saved[0], "path": "/x"}, {**saved[1], "path": "/y", "mode": 0o755}]
        }
        result = run(executor, context, use, name="two", capture_result=True)
        assert result.outputs["result"] == "deep deep"

    def test_an_absent_optional_input_is_an_open_empty_folder(
        self, executor: Executor, context: Context
    ):
        """As Argo mounts it; one that no task gave a place to is not mounted."""
        code = (
            "import os; print(oct(os.stat('/t/a').st_mode), os.listdir('/t'), os.listdir('/t/a'))"
        )
        artifact = {"name": "a", "path": "/t/a", "s3": {"key": "none/here"}, "optional": True}
        placeless = {"name": "b", "path": "/t/b", "optional": True}
        template = {**python(code), "inputs": {"artifacts": [artifact, placeless]}}
        result = run(executor, context, template, capture_result=True)
        assert result.outputs["result"] == "0o40777 ['a'] []"

    def test_an_absent_optional_input_in_a_volume_is_not_there(
        self, executor: Executor, context: Context
    ):
        """Argo loads artifacts of such a path into the volume and mounts nothing."""
        code = "import os; print(sorted(os.listdir('/t')), os.listdir('/t/in'), open('/t/in/c').read())"
        mounts = [
            {"name": "t", "mountPath": "/t"},
            {"name": "t", "mountPath": "/t/in", "subPath": "in"},
        ]
        template = python(code, volumeMounts=mounts)
        template["volumes"] = [{"name": "t", "emptyDir": {}}]
        absent = {"s3": {"key": "none/here"}, "optional": True}
        template["inputs"] = {
            "artifacts": [
                {"name": "a", "path": "/t/a", **absent},
                {"name": "b", "path": "/t/in/b", **absent},
                {"name": "c", "path": "/t/in/c", "raw": {"data": "text"}},
            ]
        }
        result = run(executor, context, template, capture_result=True)
        assert result.outputs["result"] == "['in'] ['c'] text"

    def test_a_raw_artifact_is_a_file_with_its_mode(self, executor: Executor, context: Context):
        code = "import os; print(open('/t/raw').read(), oct(os.stat('/t/raw').st_mode & 0o777))"
        template = python(code)
        artifact = {"name": "raw", "path": "/t/raw", "raw": {"data": "text"}, "mode": 0o750}
        template["inputs"] = {"artifacts": [artifact]}
        result = run(executor, context, template, capture_result=True)
        assert result.outputs["result"] == "text 0o750"

    def test_output_parameters_lose_one_newline_or_take_their_default(
        self, executor: Executor, context: Context
    ):
        template = python("open('/tmp/p', 'w').write('v\\n\\n')")
        template["outputs"] = {
            "parameters": [
                {"name": "p", "valueFrom": {"path": "/tmp/p"}},
                {"name": "q", "valueFrom": {"path": "/tmp/q", "default": "d"}},
            ]
        }
        outputs = run(executor, context, template).outputs["parameters"]
        assert [(p["name"], p["value"]) for p in outputs] == [("p", "v\n"), ("q", "d")]

    def test_from_the_first_missing_parameter_on_none_has_a_value(
        self, executor: Executor, context: Context
    ):
        """They are all there, as the real Argo 4.0.5 lists them; a value in the manifest stays."""
        declared: list[dict[str, Any]] = [
            {"name": "a", "valueFrom": {"path": "/tmp/a"}},
            {"name": "b", "valueFrom": {"path": "/tmp/b"}},
            {"name": "c", "valueFrom": {"path": "/tmp/c"}},
            {"name": "d", "valueFrom": {"path": "/tmp/d", "default": "x"}},
            {"name": "e", "value": "given"},
        ]
        code = (
            "open('/tmp/a', 'w').write('1'); open('/tmp/c', 'w').write('3'); raise SystemExit({})"
        )
        for status, phase in ((3, "Failed"), (0, "Error")):
            template = {**python(code.format(status)), "outputs": {"parameters": declared}}
            result = run(executor, context, template, name=f"pod-{status}")
            assert result.phase == phase
            expected = [{**declared[0], "value": "1"}, *declared[1:]]
            assert result.outputs["parameters"] == expected

    def test_a_command_that_cannot_start_has_its_parameters_without_values(
        self, executor: Executor, context: Context
    ):
        parameters = [{"name": "p", "valueFrom": {"path": "/tmp/p"}}]
        container = {"container": {"image": "x", "command": ["no-such-program"]}}
        template = {**container, "outputs": {"parameters": parameters}}
        outputs = run(executor, context, template).outputs
        assert outputs == {"parameters": parameters, "exitCode": "64"}

    def test_a_missing_output_is_an_error_that_names_its_path(
        self, executor: Executor, context: Context
    ):
        template = python("pass")
        template["outputs"] = {"artifacts": [{"name": "a", "path": "/nowhere/a"}]}
        result = run(executor, context, template)
        assert result.phase == "Error"
        assert "/nowhere/a: no such file or directory" in result.message

    def test_a_missing_optional_output_is_nothing(self, executor: Executor, context: Context):
        template = python("pass")
        template["outputs"] = {"artifacts": [{"name": "a", "path": "/a", "optional": True}]}
        result = run(executor, context, template)
        assert result.phase == "Succeeded"
        assert "artifacts" not in result.outputs

    def test_a_pod_that_failed_still_hands_out_what_it_made(
        self, executor: Executor, context: Context
    ):
        template = python("open('/log', 'w').write('x'); raise SystemExit(2)")
        template["outputs"] = {
            "artifacts": [{"name": "log", "path": "/log"}, {"name": "model", "path": "/model"}]
        }
        result = run(executor, context, template)
        assert (result.phase, result.message) == ("Failed", "main: Error (exit code 2)")
        assert [artifact["name"] for artifact in result.outputs["artifacts"]] == ["log"]

    def test_a_missing_input_ends_the_pod_before_main(self, executor: Executor, context: Context):
        pod = start(
            executor,
            context,
            {
                **python("print('ran')"),
                "inputs": {"artifacts": [{"name": "in", "path": "/in", "s3": {"key": "no/such"}}]},
            },
        )
        result = wait(executor, pod)
        assert result.phase == "Error"
        assert "'in'" in result.message
        assert "no/such" in result.message
        assert context.log(pod) == b""

    def test_an_empty_dir_is_shared_by_its_paths_and_begins_empty(
        self, executor: Executor, context: Context
    ):
        code = (
            "import os; print(os.listdir('/v')); open('/v/f', 'w').close(); print(os.listdir('/w'))"
        )
        mounts = [{"name": "v", "mountPath": "/v"}, {"name": "v", "mountPath": "/w"}]
        template = {**python(code, volumeMounts=mounts), "volumes": [{"name": "v", "emptyDir": {}}]}
        for name in ("one", "two"):
            result = run(executor, context, template, name=name, capture_result=True)
            assert result.outputs["result"] == "[]\n['f']"

    def test_a_claim_keeps_what_pods_write(self, executor: Executor, context: Context):
        claim = {"name": "data", "persistentVolumeClaim": {"claimName": "sets"}}
        mounts = [{"name": "data", "mountPath": "/data", "subPath": "mine"}]
        write = python("open('/data/f', 'w').write('kept')", volumeMounts=mounts)
        assert (
            run(executor, context, {**write, "volumes": [claim]}, name="one").phase == "Succeeded"
        )
        read = python("print(open('/data/f').read())", volumeMounts=mounts)
        result = run(
            executor, context, {**read, "volumes": [claim]}, name="two", capture_result=True
        )
        assert result.outputs["result"] == "kept"
        assert Path(context.claims["sets"], "mine", "f").read_text() == "kept"

    def test_a_read_only_volume_cannot_be_written_to(self, executor: Executor, context: Context):
        mounts = [{"name": "v", "mountPath": "/v", "readOnly": True}]
        template = {
            **python("open('/v/f', 'w')", volumeMounts=mounts),
            "volumes": [{"name": "v", "emptyDir": {}}],
        }
        pod = start(executor, context, template)
        assert wait(executor, pod).phase == "Failed"
        assert b"Read-only file system" in context.log(pod)

    def test_pods_do_not_see_each_others_files(self, executor: Executor, context: Context):
        code = (
            "import os; print([os.path.exists(p) for p in ('/tmp/x', '/x', '/var/tmp/x')]);"
            "[open(p, 'w').close() for p in ('/tmp/x', '/x', '/var/tmp/x')]"
        )
        for name in ("one", "two"):
            result = run(executor, context, python(code), name=name, capture_result=True)
            assert result.outputs["result"] == "[False, False, False]"

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

    def test_a_pipe_as_output_is_a_problem_not_a_wait(self, executor: Executor, context: Context):
        code = "import os; [os.mkfifo(p) for p in ('/tmp/p', '/tmp/a', '/tmp/b')]"
        template = python(code)
        template["outputs"] = {
            "parameters": [{"name": "p", "valueFrom": {"path": "/tmp/p"}}],
            "artifacts": [
                {"name": "a", "path": "/tmp/a"},
                {"name": "b", "path": "/tmp/b", "archive": {"none": {}}},
            ],
        }
        result = run(executor, context, template)
        assert result.phase == "Error"
        for path in ("/tmp/p", "/tmp/a", "/tmp/b"):
            assert f"{path}: this is not a file but a pipe" in result.message

    def test_outputs_lie_relative_to_the_working_directory(
        self, executor: Executor, context: Context
    ):
        template = python("import os; os.mkdir('s'); open('s/p', 'w').write('v')", workingDir="/w")
        template["outputs"] = {"parameters": [{"name": "p", "valueFrom": {"path": "s/p"}}]}
        result = run(executor, context, template)
        assert result.outputs["parameters"][0]["value"] == "v", result.message

    def test_the_folder_of_an_output_is_for_the_step_to_make(
        self, executor: Executor, context: Context
    ):
        template = python("import os; os.mkdir('/mnt/out'); open('/mnt/out/p', 'w').write('v')")
        template["outputs"] = {"parameters": [{"name": "p", "valueFrom": {"path": "/mnt/out/p"}}]}
        result = run(executor, context, template)
        assert result.outputs["parameters"][0]["value"] == "v", result.message
        assert not os.path.exists("/mnt/out")

    def test_a_missing_output_that_lies_where_the_step_ran_is_found_for_the_reader(
        self, executor: Executor, context: Context
    ):
        template = python("open('result.txt', 'w').close()", workingDir="/w")
        template["outputs"] = {"artifacts": [{"name": "a", "path": "/result.txt"}]}
        result = run(executor, context, template)
        assert "the step runs in /w" in result.message
        assert "set workingDir: /)" in result.message

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

    def test_a_pod_may_close_folders_and_the_next_one_runs(
        self, executor: Executor, context: Context
    ):
        code = (
            "import os; os.makedirs('/tmp/a/b'); open('/tmp/a/b/f', 'w').close();"
            "[os.chmod(p, 0) for p in ('/tmp/a/b', '/tmp/a', '/tmp')]"
        )
        for name in ("one", "two", "three"):
            assert run(executor, context, python(code), name=name).phase == "Succeeded"

    def test_an_input_that_cannot_be_loaded_is_named_by_its_path_in_the_container(
        self, executor: Executor, context: Context
    ):
        template = python("pass")
        raw = {"raw": {"data": "x"}}
        template["inputs"] = {
            "artifacts": [{"name": "a", "path": "/i/f", **raw}, {"name": "b", "path": "/i", **raw}]
        }
        result = run(executor, context, template)
        assert result.phase == "Error"
        assert "failed to load artifact 'b' to /i: " in result.message
        assert str(context.home) not in result.message

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

    def test_a_volume_of_another_type_than_said_is_refused(
        self, executor: Executor, context: Context, tmp_path
    ):
        mounts = [{"name": "v", "mountPath": "/v"}]
        template = python("pass", volumeMounts=mounts)
        host = {"path": str(Path(context.claims["sets"])), "type": "File"}
        template["volumes"] = [{"name": "v", "hostPath": host}]
        result = run(executor, context, template)
        assert (result.phase, "is not a File" in result.message) == ("Error", True)
