"""Causes that were provoked on a real cluster, as it told of them (tests/diagnosis/recorded)."""

from __future__ import annotations

import pytest
from support.diagnosed import RECORDED, recorded

from argojobs.diagnosis.diagnose import diagnose

CASES = {
    "account": ("no-service-account", "diag-no-such-account does not exist"),
    "affinity": ("node-selector", "wants zone in a"),
    "claim": ("missing-claim", "claim no-such-claim does not exist"),
    "command": ("bad-command", "image busybox:1.36 has no program no-such-program"),
    "config-map": ("missing-config-map", "config map no-such-map does not exist"),
    "cpu": ("no-resources", "asks for 500 cpu, the largest node, node1, offers 2"),
    "deadline": ("deadline", "(activeDeadlineSeconds: 3)"),
    "debugger": ("debugger", "runs under a debugger, and waits until one is attached"),
    "deleted": ("pod-deleted", "was deleted while its step ran"),
    "denied": ("command-denied", "/etc/passwd"),
    "emptydir": ("volume-full", "volume s than it may hold, 5Mi"),
    "endpoint": ("store-out-of-reach", "do not reach the artifact store"),
    "entrypoint": ("no-template", "no template nothing"),
    "ephemeral": ("ephemeral-storage", "than it may, 10Mi"),
    "exec-format": ("wrong-architecture", "/tmp/program"),
    "exit-1": ("python-error", "ValueError: a bad number (exit code 1)"),
    "exit-137": ("exit-code", "137: it was killed (SIGKILL)"),
    "exit-139": ("exit-code", "139: it crashed (SIGSEGV"),
    "exit-143": ("exit-code", "143: it was asked to end (SIGTERM)"),
    "gpu": ("no-resources", "asks for 64 nvidia.com/gpu, the largest node, node1, offers 8"),
    "gpu-log": ("gpu-memory", "CUDA out of memory"),
    "host-path": ("host-path", "no /no/such/folder"),
    "image-dns": ("registry-out-of-reach", "registry registry.invalid"),
    "image-name": ("image-name", "busybox:::bad is not a name"),
    "image-never": ("image-never", "busybox:9.9 is not on the node"),
    "image-registry": ("registry-out-of-reach", "registry 127.0.0.1:9,"),
    "image-tag": ("image-missing", "has no image 10.88.7.1:5088/team/none:1"),
    "init": ("init-or-sidecar", "init container prepare failed with exit code 3"),
    "init-command": ("bad-command", "no program no-such-program"),
    "invalid": ("pod-invalid", "must be less than or equal to cpu limit"),
    "memory": ("no-resources", "asks for 10Ti memory, the largest node, node1, offers 23.4Gi"),
    "module": ("missing-module", "no module no_such_module"),
    "mutex": ("lock", "lock argo/Mutex/diag (0 of 1 free), which argo/diag-mutex-first holds"),
    "no-bucket": ("no-such-bucket", "(in: s3://diag-no-such-bucket/diag/nothing)"),
    "no-key": ("no-such-key", "under its key (in: s3://my-bucket/diag/no/such/key)"),
    "non-root": ("runs-as-root", "image will run as root"),
    "oom": ("out-of-memory", "OOMKilled): its limit is 40Mi"),
    "output-bucket": ("no-such-bucket", "(model: s3://diag-no-such-bucket/diag/out)"),
    "output-missing": ("output-missing", "declares: /tmp/model"),
    "output-parameter": ("output-missing", "declares: /tmp/nope"),
    "permission": ("executor-permission", "service account diag-nobody may not report"),
    "port": ("host-port", "host port 38123 is taken"),
    "pull-secret": ("pull-secret", "pull secret no-such-pull-secret does not exist"),
    "retry": ("exit-code", "exit code 1"),
    "run-deadline": ("run-deadline", "(activeDeadlineSeconds: 8)"),
    "s3-secret": ("missing-secret", "secret no-such-secret does not exist"),
    "secret": ("missing-secret", "secret no-such-secret does not exist"),
    "secret-key": ("missing-key", "my-minio-cred has no key no-such-key"),
    "secret-volume": ("missing-secret", "secret no-such-secret does not exist"),
    "selector": ("node-selector", "accelerator=h100; no node has such a label"),
    "shell-127": ("program-missing", "finds no program no-such-program"),
    "sidecar": ("init-or-sidecar", "sidecar helper failed with exit code 3"),
    "suspend": ("suspended", "waits for approval"),
    "suspended": ("suspended", "run is suspended"),
    "quota": (
        "quota",
        "its quota diag-quota allows pods=0, pods=0 is in use, the step asks for pods=1",
    ),
    "endpoint-dns": ("starting", "its inputs are loaded"),
    "timeout": ("deadline", "(timeout: 12s)"),
    "tag": ("unknown-tag", "{{inputs.parameters.nothing}}"),
    "template": ("no-template", "no template diag-no-such-template"),
    "unbound": ("claim-not-bound", "diag-unbound has no volume: it asks for 1Gi of the class"),
    "workdir": ("working-folder", "/etc/passwd"),
    "wrong-access": ("store-access-key", "does not know the access key"),
    "wrong-secret": ("store-secret-wrong", "refuses the secret key"),
}
#: Recorded, and tested below by themselves.
OTHERS = {"port-first", "silent"}


def test_all_that_was_recorded_is_tested() -> None:
    assert {path.stem for path in RECORDED.glob("*.json")} == set(CASES) | OTHERS


@pytest.mark.parametrize("name", CASES)
def test_a_recorded_cause_is_known(name: str) -> None:
    cause, words = CASES[name]
    first = diagnose(recorded(name))[0]
    assert (first.cause, words in first.what) == (cause, True), first.what
    assert "{" not in first.what.replace("{{inputs", "")
    assert first.remedy


def test_what_is_over_is_no_cause_any_more() -> None:
    """The pod had to wait while the node was full, and runs now."""
    assert diagnose(recorded("port-first")) == ()


def test_a_step_that_writes_nothing_for_long_is_told_of() -> None:
    assert diagnose(recorded("silent")) == ()
    (finding,) = diagnose(recorded("silent", silent={"diag-silent": 1000.0}))
    assert finding.cause == "no-progress"
    assert "for 16 minutes" in finding.what


def test_the_executors_role_comes_with_the_finding() -> None:
    (finding,) = diagnose(recorded("permission"))
    assert "workflowtaskresults" in finding.file
    assert "name: diag-nobody" in finding.file
    assert "kind: RoleBinding" in finding.file


def test_a_remedy_is_a_command_for_where_the_run_is() -> None:
    (finding,) = diagnose(
        recorded("secret", options=" --context lab", kubectl="kubectl --context lab-east")
    )
    assert finding.command == (
        "kubectl --context lab-east -n argo create secret generic no-such-secret "
        "--from-literal=KEY=VALUE"
    )
    (finding,) = diagnose(recorded("suspended", options=" --context lab"))
    assert finding.command == "argojobs resume diag-suspended --context lab"
