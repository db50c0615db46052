"""Causes that cannot be provoked on one machine, in the words of those who tell of them.

Sources beside each: Kubernetes' source and docs, containerd, CUDA, NCCL, PyTorch, JAX, Argo's source.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from support.diagnosed import of_message, recorded

from argojobs.diagnosis.diagnose import diagnose
from argojobs.diagnosis.table import CAUSES

NODES = "Unschedulable: 0/3 nodes are available: {}. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod."

#: What the node of a pod that waits says. Source: pkg/scheduler/framework/plugins; plugins named.
PENDING = {
    # tainttoleration, ErrReasonNotMatch
    "taint": "3 node(s) had untolerated taint {nvidia.com/gpu: present}",
    # interpodaffinity
    "pod-affinity": "3 node(s) didn't match pod anti-affinity rules",
    # volumebinding, ErrReasonNodeConflict
    "claim-elsewhere": "3 node(s) had volume node affinity conflict",
    # noderesources
    "too-many-pods": "3 Too many pods",
    # nodeunschedulable
    "nodes-closed": "3 node(s) were unschedulable",
    "unschedulable": "3 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
}


@pytest.mark.parametrize("cause", PENDING)
def test_what_the_scheduler_says(cause: str) -> None:
    (finding,) = diagnose(of_message(NODES.format(PENDING[cause]), "Pending"))
    assert finding.cause == cause


def test_a_taint_is_named_with_the_toleration() -> None:
    (finding,) = diagnose(of_message(NODES.format(PENDING["taint"]), "Pending"))
    assert "nvidia.com/gpu: present" in finding.what
    assert "key: nvidia.com/gpu, operator: Exists" in finding.remedy


def test_nodes_that_are_full_are_no_nodes_that_are_too_small() -> None:
    full = NODES.format("3 Insufficient cpu")
    pod = {"containers": [{"name": "main", "resources": {"requests": {"cpu": "2"}}}]}
    evidence = of_message(full, "Pending", nodes=recorded("cpu").nodes)
    evidence = replace(evidence, pods=[{**evidence.pods[0], "spec": pod}])
    (finding,) = diagnose(evidence)
    assert finding.what == (
        "no node has enough cpu free: the step asks for 2 cpu, a node offers at most 2"
    )


#: Images: containerd's `core/remotes/docker` and registries' answers (distribution spec, errors).
PULLS = {
    "image-unauthorized": "failed to authorize: failed to fetch oauth token: unexpected status: 401 Unauthorized",
    "image-platform": "no match for platform in manifest: not found",
    "registry-out-of-reach": "x509: certificate signed by unknown authority",
    "image-missing": "manifest unknown: manifest unknown",
    "image-pull": "some words that nobody knows",
}


@pytest.mark.parametrize("cause", PULLS)
def test_why_an_image_is_not_pulled(cause: str) -> None:
    text = f'ErrImagePull: failed to pull and unpack image "team/train:1": {PULLS[cause]}'
    (finding,) = diagnose(of_message(text, "Pending"))
    assert finding.cause == cause
    assert "team/train:1" in finding.what


#: How pods ended: kubelet's eviction and shutdown managers, pod disruption conditions, Argo.
ENDINGS = {
    "evicted": "The node was low on resource: ephemeral-storage. Threshold quantity: 2Gi, available: 1Gi. Container main was using 30Gi, request is 0, has larger consumption of ephemeral-storage. ",
    "preempted": "PreemptionByScheduler: default-scheduler: preempting to accommodate a higher priority pod",
    "node-lost": "NodeLost: Node gpu-7 which was running pod r-pod is unresponsive",
    "node-shutdown": "Terminated: Pod was terminated in response to imminent node shutdown.",
    "pod-deleted": "pod deleted",
    "disk-full": "main: Error (exit code 1): no space left on device",
    "quota": 'pods "r" is forbidden: exceeded quota: compute, requested: requests.nvidia.com/gpu=8, used: requests.nvidia.com/gpu=4, limited: requests.nvidia.com/gpu=8',
    "pod-security": 'pods "r" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "main" must set securityContext.allowPrivilegeEscalation=false)',
    "admission": 'admission webhook "validate.kyverno.svc-fail" denied the request: images must come from registry.example.com',
    "forbidden": 'pods "r" is forbidden: maximum memory usage per Container is 1Gi, but limit is 4Gi',
    "no-artifact-repository": "failed to find any artifact repository - artifact storage is not configured",
    "store-denied": "wait: Error (exit code 64): failed to put file: s3 Access Denied.",
    "artifact": "init: Error (exit code 64): artifact data failed to load: a strange end",
    "stopped": "workflow shutdown with strategy:  Stop",
    "retries-spent": "No more retries left",
    "result-too-large": "etcdserver: request is too large",
    "volume-in-use": 'FailedAttachVolume: Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) other',
    "volume-mount": 'FailedMount: MountVolume.SetUp failed for volume "data" : mount failed: exit status 32',
    "timeout": "Step timeout",
    "invalid-manifest": "invalid spec: templates.main.outputs.artifacts.x.path must be given",
    "items-no-json": "error in entry template execution: invalid character 'd' looking for beginning of value",
    "inline-loop": "error in entry template execution: failed to get a template",
    "container-settings": "CreateContainerError: context deadline exceeded while naming it",
    "message": "words that nobody knows",
}


@pytest.mark.parametrize("cause", ENDINGS)
def test_how_a_step_ended(cause: str) -> None:
    (finding,) = diagnose(of_message(ENDINGS[cause]))
    assert finding.cause == cause, finding.what
    assert "{" not in finding.what


@pytest.mark.parametrize(
    "message",
    [
        "step group deemed errored due to child wf[0].n error: unexpected end of JSON input",
        "invalid character 'x' after top-level value",
        r"invalid character '\'' looking for beginning of object key string",
        "invalid character 'o' in literal null (expecting 'u')",
    ],
)
def test_what_go_says_of_json_is_about_a_loop_but_for_a_list_to_loop_over(message: str) -> None:
    (finding,) = diagnose(of_message(message))
    assert finding.cause == "items-no-json"
    (other,) = diagnose(
        of_message(
            "withParam value could not be parsed as a JSON list: [1,: unexpected end of JSON input"
        )
    )
    assert other.cause != "items-no-json"


def test_the_numbers_of_an_eviction_and_a_quota_are_said() -> None:
    (finding,) = diagnose(of_message(ENDINGS["evicted"]))
    assert "ran out of ephemeral-storage" in finding.what
    assert "main used 30Gi and had asked for 0" in finding.what
    (finding,) = diagnose(of_message(ENDINGS["quota"]))
    assert "allows requests.nvidia.com/gpu=8" in finding.what


#: Last words of programs. Sources: PyTorch, JAX, CUDA runtime API, NCCL, Python, errno(3).
LOGS = {
    "gpu-memory": "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 21474836480 bytes.",
    "gpu-driver": "RuntimeError: The NVIDIA driver on your system is too old (found version 11040).",
    "no-gpu": "RuntimeError: No CUDA GPUs are available",
    "nccl": "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1691, unhandled system error",
    "gpu-error": "RuntimeError: CUDA error: an illegal memory access was encountered",
    "shared-memory": "RuntimeError: DataLoader worker (pid 17) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory.",
    "disk-full": "OSError: [Errno 28] No space left on device: '/data/x'",
    "read-only": "OSError: [Errno 30] Read-only file system: '/data/x'",
    "missing-module": "ModuleNotFoundError: No module named 'torch'",
    "wrong-architecture": "/bin/sh: 1: ./train: Exec format error",
}


@pytest.mark.parametrize("cause", LOGS)
def test_what_a_log_ends_with(cause: str) -> None:
    (finding,) = diagnose(of_message("main: Error (exit code 1)", log=["begin", LOGS[cause]]))
    assert finding.cause == cause


def test_what_a_pod_had_to_wait_for_is_forgotten_when_it_runs() -> None:
    told = [("Failed", 'Error: secret "store" not found')]
    assert diagnose(of_message("", "Pending", events=told))[0].cause == "missing-secret"
    assert diagnose(of_message("", "Running", events=told)) == ()


def test_a_pod_that_has_a_node_no_longer_waits_for_one() -> None:
    told = [("FailedScheduling", NODES.format("3 Insufficient cpu"))]
    evidence = of_message("PodInitializing", "Pending", events=told)
    assert diagnose(evidence)[0].cause == "no-resources"
    pod = {**evidence.pods[0], "spec": {"nodeName": "n1", "containers": []}}
    assert diagnose(replace(evidence, pods=[pod]))[0].cause == "starting"


def test_the_log_of_a_step_that_runs_is_no_cause() -> None:
    assert diagnose(of_message("", "Running", log=["NCCL WARN something, and on it goes"])) == ()


def test_78_is_before_the_first_line_of_a_step_of_ours_only() -> None:
    log = ["Traceback (most recent call last):", '  File "a.py", line 1', "KeyError: 'x'"]
    evidence = of_message("main: Error (exit code 78)", log=log)
    assert diagnose(evidence)[0].cause == "python-error"
    main = {"name": "main", "image": "i", "env": [{"name": "ARGOJOBS_RUN", "value": "r"}]}
    ours = replace(evidence, pods=[{**evidence.pods[0], "spec": {"containers": [main]}}])
    (finding,) = diagnose(ours)
    assert finding.cause == "before-first-line"
    assert "KeyError: 'x'" in finding.what


#: Of the engine: engine/scheduler.py, engine/executors.
HERE = {
    "waits-for-gpu": ("waits for a GPU: in use elsewhere on this host", "Pending"),
    "most-pods": ("waits: this run may have 4 at once (max_pods in the settings)", "Pending"),
    "waits-for-turn": ("waits for 4 CPUs in use by demo-1", "Pending"),
    "no-namespaces": ("this machine has no mount namespaces, so a pod cannot have /data", "Error"),
    "bad-command": (
        'main: Error (exit code 64): failed to find name in PATH: exec: "ffmpeg": executable file not found in $PATH',
        "Failed",
    ),
    "disk-full": ("main: Error (exit code 1): no space left on the disk of /home/runs", "Failed"),
    "ended-early": (
        "wait: Error (exit code 64): cannot save artifact 'p': /argojobs/out/p: the step ended (exit code 0) before it returned",
        "Error",
    ),
    "output-missing": (
        "wait: Error (exit code 64): cannot save artifact 'p': /tmp/nope: no such file or directory",
        "Error",
    ),
    "no-such-key": (
        "init: Error (exit code 64): failed to load artifact 'p' to /tmp/in: there is nothing at 'x'",
        "Error",
    ),
    "artifact": (
        "init: Error (exit code 64): failed to load artifact 'p' to /tmp/in: permission denied",
        "Error",
    ),
    "interrupted": ("the pod was terminated", "Failed"),
    "too-long": (
        "main: Error (exit code 64): argument list too long: pass large values as artifacts",
        "Failed",
    ),
    "exit-code": ("wait: Error (exit code 64): a strange end", "Error"),
}


@pytest.mark.parametrize("cause", HERE)
def test_what_this_machine_says(cause: str) -> None:
    message, phase = HERE[cause]
    evidence = replace(of_message(message, phase), pods=[], local=True)
    (finding,) = diagnose(evidence)
    assert finding.cause == cause
    assert "image" not in finding.what


def test_a_pause_between_attempts_is_said() -> None:
    (finding,) = diagnose(of_message("Backoff for 2 minutes 0 seconds", "Pending"))
    assert (finding.cause, "2 minutes" in finding.what) == ("backoff", True)


def test_what_an_executor_says_is_no_meaning_of_a_code() -> None:
    (finding,) = diagnose(of_message("wait: Error (exit code 64): a strange end", "Error"))
    assert finding.what == "the container wait ended with exit code 64: a strange end"


def test_a_run_that_no_controller_took_up() -> None:
    evidence = of_message()
    evidence = replace(evidence, workflow={**evidence.workflow, "status": {}})
    (finding,) = diagnose(evidence)
    assert (finding.cause, finding.step) == ("not-begun", "")


def test_the_servers_limit_is_said_of_the_run() -> None:
    text = "Workflow processing has been postponed because too many workflows are already running"
    evidence = of_message()
    status = {"phase": "Pending", "message": text}
    (finding,) = diagnose(replace(evidence, workflow={**evidence.workflow, "status": status}))
    assert finding.cause == "server-limit"


def test_steps_with_one_cause_are_one_finding() -> None:
    evidence = of_message("main: Error (exit code 3)")
    nodes = {
        f"n{i}": {**evidence.status["nodes"]["r"], "id": f"n{i}", "displayName": f"train({i})"}
        for i in range(2000)
    }
    status = {**evidence.status, "nodes": nodes}
    (finding,) = diagnose(replace(evidence, workflow={**evidence.workflow, "status": status}))
    assert (finding.others, finding.step) == (1999, "train(0)")


def test_an_attempt_that_was_mended_by_the_next_is_no_finding() -> None:
    evidence = of_message("main: Error (exit code 3)")
    attempt = evidence.status["nodes"]["r"]
    nodes = {
        "a": {**attempt, "id": "a"},
        "b": {**attempt, "id": "b", "phase": "Succeeded", "message": ""},
        "top": {"id": "top", "type": "Retry", "phase": "Succeeded", "children": ["a", "b"]},
    }
    status = {"phase": "Succeeded", "nodes": nodes}
    assert diagnose(replace(evidence, workflow={**evidence.workflow, "status": status})) == ()


def test_without_pods_the_workflow_alone_says_much() -> None:
    """As where there is no kubeconfig."""
    known = [replace(recorded(name), pods=(), events=(), nodes=()) for name in ("oom", "cpu")]
    assert [diagnose(one)[0].cause for one in known] == ["out-of-memory", "no-resources"]


def test_the_page_names_every_cause() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/howto/diagnose.md").read_text()
    known = {cause.code for cause in CAUSES}
    named = set(re.findall(r"`([a-z]+(?:-[a-z]+)*)`", page.partition("## What it knows")[2]))
    assert named <= known, named - known
    assert known - named <= {
        *("artifact", "container-settings", "gpu-error", "image-pull", "interrupted"),
        *("no-artifact-repository", "retries-spent", "starting", "too-long", "unschedulable"),
    }
    assert len(known) > 80


def test_findings_are_plain_data() -> None:
    from dataclasses import asdict

    assert json.dumps([asdict(one) for one in diagnose(recorded("oom"))])
