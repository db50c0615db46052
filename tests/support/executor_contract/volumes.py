"""The contract of executors: volumes, and files that pods do not share."""

from __future__ import annotations

from pathlib import Path

from argojobs.engine.executors.executor import Executor
from support.executor_contract.pods import Context, python, run, start, wait


class Volumes:
    """Volumes, and files that pods do not share."""

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

    def test_a_pod_may_close_folders_and_the_next_one_runs(
        self, executor: Executor, context: Context
    ):
        code = (
            "import os; os.makedirs('/tmp/a/b'); open('/tmp/a/b/f', 'w').close();"
            "[os.chmod(p, 0) for p in ('/tmp/a/b', '/tmp/a', '/tmp')]"
        )
        for name in ("one", "two", "three"):
            assert run(executor, context, python(code), name=name).phase == "Succeeded"

    def test_a_volume_of_another_type_than_said_is_refused(
        self, executor: Executor, context: Context, tmp_path
    ):
        mounts = [{"name": "v", "mountPath": "/v"}]
        template = python("pass", volumeMounts=mounts)
        host = {"path": str(Path(context.claims["sets"])), "type": "File"}
        template["volumes"] = [{"name": "v", "hostPath": host}]
        result = run(executor, context, template)
        assert (result.phase, "is not a File" in result.message) == ("Error", True)
