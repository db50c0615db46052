"""The contract of executors: inputs and outputs: files, folders, parameters."""

from __future__ import annotations

import os
from typing import Any

from argojobs.engine.executors.executor import Executor
from support.executor_contract.pods import Context, python, run, start, wait


class Artifacts:
    """Inputs and outputs: files, folders, parameters."""

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
