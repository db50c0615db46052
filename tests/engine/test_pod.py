"""From StartPod to the request of a supervisor: commands, images, environment, artifacts, volumes."""

from __future__ import annotations

import json

import pytest

from argojobs.engine.executors.executor import PodId
from argojobs.engine.executors.process.host import Host, process_request
from argojobs.engine.model import StartPod
from argojobs.engine.placement import NVIDIA, asked_by
from argojobs.engine.pod import pod_spec
from argojobs.engine.submitter import allowed_environment
from argojobs.errors import HostError, ParameterError, UnsupportedError

WORKFLOW = {"metadata": {"name": "run", "uid": "u-1", "namespace": "ns"}, "spec": {}}
SUBMITTER = {
    "interpreter": "/env/bin/python",
    "project": "/home/u/project",
    "environment": {"PATH": "/bin", "LANG": "C.UTF-8"},
    "keep": [],
    "claims": {"sets": "/data/sets"},
    "images": {
        "said": {"entrypoint": ["/argosay"], "command": ["help"], "root": ""},
        "rooted": {"entrypoint": [], "command": ["python3"], "root": "/images/r"},
        "placed": {"workdir": "/home/u/project/app"},
    },
    "share_host_paths": False,
}
HOST = Host("/home/u/jobs", "mount")
WITHOUT = Host("/home/u/jobs", "none")
SHARING = {**SUBMITTER, "share_host_paths": True}


def spec(template, submitter=SUBMITTER, *, name="run-pod-1", devices=None, **more):
    start = StartPod("run-1", name, template, **more)
    asked = asked_by(template)
    return pod_spec(start, WORKFLOW, submitter, resources=asked, devices=devices or {}, now=1.0)


def request(template, host=HOST, submitter=SUBMITTER, **more):
    return process_request(spec(template, submitter, **more), host)


def main(container, host=HOST, **more):
    return request({"container": container}, host, **more)["containers"][0]


def test_the_spec_says_what_the_manifest_does_and_nothing_of_this_host():
    container = {
        "image": "said",
        "args": ["$(A)"],
        "env": [{"name": "A", "value": "1"}],
        "volumeMounts": [{"name": "v", "mountPath": "/v"}],
        "resources": {"limits": {"nvidia.com/gpu": 1, "memory": "1Gi"}},
    }
    claim = {"name": "v", "persistentVolumeClaim": {"claimName": "sets"}}
    outputs = {"artifacts": [{"name": "a", "path": "a"}]}
    made = spec({"container": container, "volumes": [claim], "outputs": outputs}, deadline=5.0)
    assert made.id == PodId("run", "run-pod-1")
    assert (made.image, made.command, made.arguments) == ("said", [], ["1"])
    assert (made.working_directory, made.environment["A"]) == ("", "1")
    assert (made.mounts[0]["kind"], made.mounts[0]["claim"]) == ("claim", "sets")
    assert "source" not in made.mounts[0]
    assert (made.outputs["artifacts"][0]["path"], made.outputs["artifacts"][0]["key"]) == ("a", "")
    assert (made.resources.gpus, made.memory_limit) == ({NVIDIA: 1}, 2**30)
    assert (made.deadline, made.grace, made.capture_result) == (5.0, 30.0, False)
    assert "PATH" not in made.environment


def test_the_devices_lent_to_a_pod_are_all_that_it_sees():
    container = {"container": {"command": ["c"]}}
    shown = [
        request(container, devices=devices)["containers"][0]["env"].get("CUDA_VISIBLE_DEVICES")
        for devices in ({}, {NVIDIA: ()}, {NVIDIA: ["0", "2"]})
    ]
    assert shown == [None, "", "0,2"]


def test_the_request_is_json_with_all_an_executor_needs():
    made = request({"container": {"image": "i", "command": ["c"]}}, deadline=5.0)
    assert json.loads(json.dumps(made)) == made
    assert made["directory"] == "/home/u/jobs/pods/run/run-pod-1"
    assert (made["deadline"], made["grace"], made["capture_result"]) == (5.0, 30.0, False)


@pytest.mark.parametrize("name", ["python", "python3", "python3.12"])
def test_python_is_the_submitters(name):
    assert main({"command": [name, "-c", "pass"]})["command"] == ["/env/bin/python", "-c", "pass"]


@pytest.mark.parametrize("name", ["/usr/bin/python3", "python3-config", "pypy", "python2"])
def test_another_program_is_itself(name):
    assert main({"command": [name]})["command"] == [name]


@pytest.mark.parametrize(
    ("container", "command"),
    [
        ({"image": "said"}, ["/argosay", "help"]),
        ({"image": "said", "args": ["echo", "x"]}, ["/argosay", "echo", "x"]),
        ({"image": "said", "args": []}, ["/argosay"]),
        ({"image": "said", "command": ["other"]}, ["other"]),
        ({"image": "said", "command": ["other"], "args": ["y"]}, ["other", "y"]),
    ],
)
def test_entrypoint_and_cmd_come_from_the_images_table(container, command):
    assert main(container)["command"] == command


def test_an_image_with_a_root_has_its_own_python_and_path():
    found = main({"image": "rooted"})
    assert found["command"] == ["python3"]
    assert found["working_directory"] == "/"
    assert "/env/bin" not in found["env"]["PATH"]


OURS = ["python3", "-u", "-m", "argojobs.runtime", "f.py:s"]


@pytest.mark.parametrize(
    ("container", "where"),
    [
        ({"image": "any", "command": ["c"]}, "/"),
        ({"image": "any", "command": ["c"], "workingDir": "/w"}, "/w"),
        ({"image": "placed", "command": ["c"]}, "/home/u/project/app"),
        ({"image": "placed", "command": ["c"], "workingDir": "/w"}, "/w"),
        ({"image": "any", "command": OURS}, "/home/u/project"),
        ({"image": "any", "command": ["python3"], "args": ["-u", "a/t.py"]}, "/home/u/project"),
        ({"image": "any", "command": ["python3", "-X", "dev", "t.py"]}, "/home/u/project"),
        (
            {"image": "any", "command": ["python3", "/argojobs/debugger/x", "t.py"]},
            "/home/u/project",
        ),
        ({"image": "any", "command": ["python", "/opt/t.py"]}, "/"),
        ({"image": "any", "command": ["python", "-c", "t.py"]}, "/"),
        ({"image": "any", "command": ["python3"]}, "/"),
        ({"image": "any", "command": ["cat", "t.py"]}, "/"),
        ({"image": "rooted", "args": ["python3", "t.py"]}, "/"),
    ],
)
def test_a_container_works_where_its_template_or_image_says_else_in_its_root(container, where):
    assert main(container)["working_directory"] == where


def test_without_namespaces_a_container_works_in_a_folder_of_its_own():
    found = main({"image": "any", "command": ["c"]}, WITHOUT, submitter=SHARING)
    assert found["working_directory"] == "/home/u/jobs/pods/run/run-pod-1/scratch/root"


def test_no_command_and_no_entry_names_the_table():
    with pytest.raises(HostError) as caught:
        main({"image": "registry/x:1"})
    assert '[local.images."registry/x:1"]' in caught.value.hint


def test_the_environment_is_the_submitters_then_the_containers_then_argos():
    env = main(
        {
            "command": ["c"],
            "env": [{"name": "LANG", "value": "de"}, {"name": "ARGO_NODE_ID", "value": "mine"}],
        }
    )["env"]
    assert env["PATH"] == "/env/bin:/bin"
    assert (env["LANG"], env["ARGO_NODE_ID"]) == ("de", "run-1")
    assert env["ARGO_CONTAINER_NAME"] == "main"
    assert env["ARGO_WORKFLOW_NAME"] == "run"


def test_our_own_steps_listen_nowhere_unless_asked_and_then_only_here():
    asked = [
        {"name": "ARGOJOBS_TENSORBOARD", "value": "1"},
        {"name": "ARGOJOBS_DEBUG", "value": "1"},
    ]
    env = main({"command": ["c"], "env": asked})["env"]
    assert env["ARGOJOBS_TENSORBOARD"] == "0"
    assert env["ARGOJOBS_DEBUG_ADDRESS"] == "127.0.0.1:3000"
    assert "ARGOJOBS_TENSORBOARD" not in main({"command": ["c"]})["env"]


def test_a_path_of_the_containers_own_is_taken_as_it_is():
    env = main({"command": ["c"], "env": [{"name": "PATH", "value": "/x"}]})["env"]
    assert env["PATH"] == "/x"


def test_references_are_expanded_in_command_and_args_by_declared_variables_only():
    found = main(
        {
            "command": ["run", "$(A)"],
            "args": ["$$(A)", "$(PATH)", "$(ARGO_NODE_ID)"],
            "env": [{"name": "A", "value": "1"}],
        }
    )
    assert found["command"] == ["run", "1", "$(A)", "$(PATH)", "run-1"]


def test_the_allow_list_lets_no_secret_through():
    given = {
        "PATH": "p",
        "HOME": "h",
        "LC_ALL": "C",
        "https_proxy": "x",
        "CUDA_HOME": "c",
        "OMP_NUM_THREADS": "2",
        "AWS_SECRET_ACCESS_KEY": "s",
        "HF_TOKEN": "t",
        "MY_ONE": "1",
    }
    assert set(given) - set(allowed_environment(given)) == {
        "AWS_SECRET_ACCESS_KEY",
        "HF_TOKEN",
        "MY_ONE",
    }
    assert {"HF_TOKEN", "MY_ONE"} <= set(allowed_environment(given, ["HF_TOKEN", "MY_*"]))


def test_a_script_is_its_source_and_one_argument_more():
    made = request({"script": {"command": ["sh"], "args": ["-x"], "source": "echo"}})
    assert made["script"] == "echo"
    assert made["containers"][0]["command"] == ["sh", "-x", "/argo/staging/script"]
    assert request({"script": {"command": ["sh"], "source": ""}})["script"] is None


def test_a_value_too_large_for_the_kernel_is_refused():
    with pytest.raises(ParameterError, match="too large") as caught:
        main({"command": ["c", "x" * 140_000]})
    assert "artifact" in caught.value.hint
    with pytest.raises(ParameterError):
        main({"command": ["c"], "env": [{"name": "E", "value": "é" * 70_000}]})
    main({"command": ["c", "x" * 131_071]})


def test_output_artifacts_have_argos_keys():
    template = {
        "container": {"command": ["c"]},
        "outputs": {
            "artifacts": [
                {"name": "a", "path": "/o/a.bin"},
                {"name": "b", "path": "/o/b.bin", "archive": {"none": {}}},
                {"name": "c", "path": "/o/c", "s3": {"key": "my/key"}, "optional": True},
                {"name": "d", "path": "/o/d", "archive": {"tar": {"compressionLevel": 9}}},
            ]
        },
    }
    artifacts = request(template)["outputs"]["artifacts"]
    assert [artifact["key"] for artifact in artifacts] == [
        "run/run-pod-1/a.tgz",
        "run/run-pod-1/b.bin",
        "my/key",
        "run/run-pod-1/d.tgz",
    ]
    assert [artifact["level"] for artifact in artifacts] == [None, None, None, 9]


def test_input_artifacts_need_a_location_unless_optional():
    def inputs(artifact):
        template = {"container": {"command": ["c"]}, "inputs": {"artifacts": [artifact]}}
        return request(template)["inputs"]

    assert inputs({"name": "a", "path": "/a", "optional": True}) == []
    assert inputs({"name": "a", "path": "/a", "raw": {"data": "x"}})[0]["data"] == "x"
    sub = {"name": "a", "path": "/a", "s3": {"key": "k"}, "subPath": "deep/er"}
    assert inputs(sub)[0]["key"] == "k/deep/er"
    with pytest.raises(UnsupportedError, match="'a'"):
        inputs({"name": "a", "path": "/a", "git": {"repo": "x"}})


def mounts(volume, **mount):
    template = {
        "container": {
            "command": ["c"],
            "volumeMounts": [{"name": "v", "mountPath": "/v", **mount}],
        },
        "volumes": [{"name": "v", **volume}],
    }
    return request(template)["mounts"][0]


def test_volumes():
    assert mounts({"emptyDir": {}})["kind"] == "emptyDir"
    memory = mounts({"emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}})
    assert memory["memory"] == 2 * 2**30
    assert mounts({"emptyDir": {"medium": "Memory"}})["memory"] == 0
    claim = {"persistentVolumeClaim": {"claimName": "sets"}}
    assert mounts(claim)["source"] == "/data/sets"
    assert not mounts(claim)["read_only"]
    assert mounts(claim, readOnly=True)["read_only"]
    assert mounts({"hostPath": {"path": "/h"}})["source"] == "/h"


def test_a_claim_without_a_setting_has_its_folder_in_the_home():
    template = {
        "container": {"command": ["c"], "volumeMounts": [{"name": "v", "mountPath": "/v"}]},
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "other"}}],
    }
    assert request(template)["mounts"][0]["source"] == "/home/u/jobs/claims/other"


def test_volumes_that_cannot_be_had_are_refused():
    with pytest.raises(HostError, match="name of a claim"):
        mounts({"persistentVolumeClaim": {"claimName": "../etc"}})
    with pytest.raises(UnsupportedError, match="nfs"):
        mounts({"nfs": {"server": "x"}})
    with pytest.raises(UnsupportedError, match="subPath"):
        mounts({"emptyDir": {}}, subPath="../x")


WITH_PATHS = {
    "container": {"command": ["c"]},
    "outputs": {"artifacts": [{"name": "a", "path": "/out/a"}]},
}


def test_without_namespaces_absolute_paths_are_refused_by_name():
    with pytest.raises(UnsupportedError, match="/out/a") as caught:
        request(WITH_PATHS, WITHOUT)
    assert "--share-host-paths" in caught.value.hint
    shared = request(WITH_PATHS, WITHOUT, SHARING)
    assert shared["host"]["isolation"] == "shared"
    assert request({"container": {"command": ["c"]}}, WITHOUT)["host"]["isolation"] == "shared"


OURS = {
    "container": {
        "command": ["python3", "-u", "/argojobs/code/.argojobs", "demo.py:train"],
        "workingDir": "/argojobs/code",
        "volumeMounts": [
            {"name": "out", "mountPath": "/argojobs/out"},
            {"name": "shm", "mountPath": "/dev/shm"},
        ],
    },
    "volumes": [
        {"name": "out", "emptyDir": {}},
        {"name": "shm", "emptyDir": {"medium": "Memory"}},
    ],
    "outputs": {"artifacts": [{"name": "m", "path": "/argojobs/out/m"}]},
}


def test_without_namespaces_our_own_steps_are_given_a_root():
    made = request(OURS, WITHOUT)
    root = f"{made['directory']}/scratch/root"
    container = made["containers"][0]
    assert made["host"]["isolation"] == "rerooted"
    assert container["env"]["ARGOJOBS_ROOT"] == root
    assert container["command"][2] == f"{root}/argojobs/code/.argojobs"
    assert container["working_directory"] == f"{root}/argojobs/code"
    assert [mount["path"] for mount in made["mounts"]] == ["/argojobs/out", "/argojobs/results"]
    claim = {**OURS, "outputs": {"artifacts": [{"name": "m", "path": "/elsewhere/m"}]}}
    with pytest.raises(UnsupportedError, match="/elsewhere/m"):
        request(claim, WITHOUT)


def where_results_are(template, host=HOST, **more):
    """The variable of a step's folder, the folder that is made, and the mounts of it."""
    made = request(template, host, **more)
    mounts = {m["path"]: m["source"] for m in made["mounts"] if m["kind"] == "results"}
    return made["containers"][0]["env"].get("ARGOJOBS_RESULTS"), made["results"], mounts


PLAIN = {"container": {"command": ["c"]}}


def test_a_step_has_a_folder_for_what_it_reports():
    place = "/home/u/jobs/results/run/run-1"
    mounted = {"/argojobs/results": place}
    root = "/home/u/jobs/pods/run/run-pod-1/scratch/root"
    assert where_results_are(PLAIN) == ("/argojobs/results", place, mounted)
    assert where_results_are(OURS, WITHOUT) == (f"{root}/argojobs/results", place, mounted)
    assert where_results_are(PLAIN, WITHOUT) == (place, place, {})


def test_the_attempts_of_a_step_have_one_folder():
    found = {
        where_results_are(PLAIN, name=name, retry_id="run-7")[1] for name in ("run-a", "run-b")
    }
    assert found == {"/home/u/jobs/results/run/run-7"}


def test_a_step_is_told_how_long_it_has_after_sigterm():
    assert spec(PLAIN).environment["ARGOJOBS_GRACE_SECONDS"] == f"{spec(PLAIN).grace:g}" == "30"


@pytest.mark.parametrize("path", ["/argojobs/results", "/argojobs/results/x/", "/argojobs"])
@pytest.mark.parametrize("kind", ["mount", "input", "parameter", "artifact"])
def test_what_a_manifest_has_at_the_place_of_results_stays(path, kind):
    volume = {"name": "v", "emptyDir": {}}
    template = {
        "mount": {
            "container": {"command": ["c"], "volumeMounts": [{"name": "v", "mountPath": path}]},
            "volumes": [volume],
        },
        "input": {
            **PLAIN,
            "inputs": {"artifacts": [{"name": "a", "path": path, "raw": {"data": "x"}}]},
        },
        "parameter": {
            **PLAIN,
            "outputs": {"parameters": [{"name": "p", "valueFrom": {"path": path}}]},
        },
        "artifact": {**PLAIN, "outputs": {"artifacts": [{"name": "a", "path": path}]}},
    }[kind]
    assert where_results_are(template) == (None, "", {})


def test_the_variables_of_a_manifest_stay():
    said = [
        {"name": "ARGOJOBS_RESULTS", "value": "/mine"},
        {"name": "ARGOJOBS_GRACE_SECONDS", "value": "5"},
    ]
    template = {"container": {"command": ["c"], "env": said}}
    for host in (HOST, WITHOUT):
        assert where_results_are(template, host) == ("/mine", "", {})
    assert spec(template).environment["ARGOJOBS_GRACE_SECONDS"] == "5"


def test_progress_is_read_where_a_pod_is_told_to_write_it():
    place = "/home/u/jobs/pods/run/run-pod-1/scratch/root/argo/progress"
    told = [
        request(template, host)["containers"][0]["env"]["ARGO_PROGRESS_FILE"]
        for template, host in ((PLAIN, HOST), (OURS, WITHOUT), (PLAIN, WITHOUT))
    ]
    assert told == ["/argo/progress", place, place]


def outputs(*artifacts, **container):
    return {
        "container": {"command": ["c"], **container},
        "outputs": {"artifacts": [{"name": "a", **artifact} for artifact in artifacts]},
    }


def test_relative_paths_begin_at_the_working_directory():
    made = request(outputs({"path": "sub/r.txt"}, {"path": "./x/"}))
    assert [artifact["path"] for artifact in made["outputs"]["artifacts"]] == [
        "/sub/r.txt",
        "/x",
    ]
    made = request(outputs({"path": "../../../r.txt"}, workingDir="/w"))
    assert made["outputs"]["artifacts"][0]["path"] == "/r.txt"
    assert made["outputs"]["artifacts"][0]["declared"]["path"] == "../../../r.txt"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (outputs(workingDir="w"), "workingDir 'w' is not absolute"),
        (outputs({"path": "/"}), "the whole file tree"),
        (outputs({"path": "/tmp/.."}), "the whole file tree"),
        (outputs({"path": "/a", "name": "../../escaped"}), "not a name of an output artifact"),
        (outputs({"path": "/a", "s3": {"key": "code/0123.tgz"}}), "where the code of steps lies"),
        (outputs({"path": "/a", "s3": {"key": "job/0123.tgz"}}), "where the code of steps lies"),
    ],
)
def test_what_cannot_be_a_place_is_refused(template, message):
    with pytest.raises(UnsupportedError, match=message):
        request(template)


def mounting(path="/v", name="v", **volume):
    return {
        "container": {"command": ["c"], "volumeMounts": [{"name": name, "mountPath": path}]},
        "volumes": [{"name": name, **(volume or {"emptyDir": {}})}],
    }


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (mounting(path="v"), "mountPath 'v' is not absolute"),
        (mounting(path="/"), "cannot be mounted"),
        (mounting(name="../../../x"), "not a name of a volume"),
        (mounting(hostPath={"path": "/x", "type": "Folder"}), "type 'Folder'"),
    ],
)
def test_a_volume_that_cannot_be_is_refused(template, message):
    with pytest.raises(UnsupportedError, match=message):
        request(template)


def test_a_template_name_that_leads_out_of_the_pods_is_refused():
    with pytest.raises(UnsupportedError, match="not a name"):
        spec({"container": {"command": ["c"]}}, name="run-../../x-1")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("A=B", "x", "not a name of an environment variable"),
        ("", "x", "not a name of an environment variable"),
        ("A", "x\0y", "variable A holds the character NUL"),
        ("A", "x\ud83dy", "variable A holds half a character"),
    ],
)
def test_a_variable_that_no_program_can_be_given_is_refused(name, value, message):
    with pytest.raises(ParameterError, match=message):
        main({"command": ["c"], "env": [{"name": name, "value": value}]})


def test_a_word_and_raw_data_that_are_no_text_are_refused():
    with pytest.raises(ParameterError, match="NUL"):
        main({"command": ["c", "a\0"]})
    raw = {"name": "a", "path": "/a", "raw": {"data": "\udbff"}}
    with pytest.raises(ParameterError, match="half a character"):
        request({"container": {"command": ["c"]}, "inputs": {"artifacts": [raw]}})


@pytest.mark.parametrize(("limit", "size"), [("64Mi", 2**26), ("1E", 10**18), (None, 0), (5, 5)])
def test_the_size_of_memory_is_any_quantity(limit, size):
    made = request(mounting(emptyDir={"medium": "Memory", "sizeLimit": limit}))
    assert made["mounts"][0]["memory"] == size
