"""What argojobs diagnose says of real pods: causes provoked together, each asserted after."""

from __future__ import annotations

import json
import tarfile
import time
from collections.abc import Callable
from typing import Any

import pytest
from as_user import User

Template = dict[str, Any]

BOX = "busybox:1.36"
PYTHON = "python:3.12-slim"


def box(*command: str, **fields: Any) -> Template:
    return {"container": {"image": BOX, "command": list(command or ("true",)), **fields}}


def program(code: str, **fields: Any) -> Template:
    return box("python3", "-c", code, **{"image": PYTHON, **fields})


def volume(kind: str, value: dict[str, str]) -> Template:
    mounts = [{"name": "data", "mountPath": "/data"}]
    return {**box(volumeMounts=mounts), "volumes": [{"name": "data", kind: value}]}


def input_artifact(user: User) -> Template:
    secret = {"name": "my-minio-cred"}
    place = {
        "endpoint": user.cluster.s3_endpoint,
        "bucket": user.cluster.s3_bucket,
        "insecure": True,
        "accessKeySecret": {**secret, "key": "accesskey"},
        "secretKeySecret": {**secret, "key": "secretkey"},
        "key": f"{user.name}/nothing-here",
    }
    return {**box(), "inputs": {"artifacts": [{"name": "data", "path": "/data", "s3": place}]}}


#: By cause: the step that has it, and words of what is said.
CASES: dict[str, tuple[Callable[[User], Template], str]] = {
    "no-resources": (
        lambda _: box(resources={"requests": {"cpu": "500"}}),
        "asks for 500 cpu, the largest node,",
    ),
    "node-selector": (
        lambda _: {**box(), "nodeSelector": {"accelerator": "none-such"}},
        "wants accelerator=none-such; no node has such a label",
    ),
    "registry-out-of-reach": (
        lambda _: box(image="127.0.0.1:9/team/none:1"),
        "do not reach the registry 127.0.0.1:9",
    ),
    "missing-secret": (
        lambda _: box(
            env=[{"name": "A", "valueFrom": {"secretKeyRef": {"name": "none-such", "key": "k"}}}]
        ),
        "the secret none-such does not exist in the namespace",
    ),
    "missing-claim": (
        lambda _: volume("persistentVolumeClaim", {"claimName": "none-such"}),
        "the claim none-such does not exist",
    ),
    "host-path": (
        lambda _: volume("hostPath", {"path": "/none/such", "type": "Directory"}),
        "the node has no /none/such",
    ),
    "out-of-memory": (
        lambda _: program(
            "x = bytearray(400 << 20); x[::4096] = b'1' * len(x[::4096])",
            resources={"limits": {"memory": "40Mi"}},
        ),
        "(OOMKilled): its limit is 40Mi",
    ),
    "bad-command": (lambda _: box("none-such"), f"the image {BOX} has no program none-such"),
    "missing-module": (lambda _: program("import none_such"), "no module none_such"),
    "no-such-key": (input_artifact, "not in the store"),
    "deadline": (
        lambda _: {**box("sleep", "400"), "activeDeadlineSeconds": 3},
        "(activeDeadlineSeconds: 3)",
    ),
    "executor-permission": (lambda _: box(), "may not report the step's results"),
    "suspended": (lambda _: {"suspend": {}}, "waits for approval"),
}


def workflow(user: User, cause: str) -> dict[str, Any]:
    spec = {
        "entrypoint": "main",
        "templates": [{"name": "main", **CASES[cause][0](user)}],
        "serviceAccountName": account_of(user) if cause == "executor-permission" else "default",
    }
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {
            "name": f"{user.name}-{cause}",
            "namespace": user.cluster.namespace,
            "labels": {"argojobs.dev/user": user.name},
        },
        "spec": spec,
    }


def account_of(user: User) -> str:
    return f"{user.name}-nobody"


@pytest.fixture
def provoked(user: User):
    """All of them, started together."""
    user.cluster.kubectl("create", "serviceaccount", account_of(user))
    user.environment["KUBECONFIG"] = str(user.cluster.kubeconfig)
    runs = [workflow(user, cause) for cause in CASES]
    every = {"apiVersion": "v1", "kind": "List", "items": runs}
    user.cluster.kubectl("create", "--filename=-", text=json.dumps(every))
    yield user
    user.cluster.kubectl("delete", "serviceaccount", account_of(user))


def diagnosed(user: User, cause: str, seconds: float = 400) -> dict[str, Any]:
    """The first finding, as soon as it is this cause."""
    end = time.monotonic() + seconds
    while True:
        said = json.loads(user.there("diagnose", f"{user.name}-{cause}", "-o", "json").stdout)
        assert said["not_looked_at"] == []
        if said["findings"] and said["findings"][0]["cause"] == cause:
            found: dict[str, Any] = said["findings"][0]
            return found
        assert time.monotonic() < end, said
        time.sleep(0.5)


def test_why_pods_wait_and_fail_is_said(provoked: User, tmp_path) -> None:
    wrong = {}
    for cause, (_, words) in CASES.items():
        what = diagnosed(provoked, cause)["what"]
        if words not in what:
            wrong[cause] = what
    assert not wrong
    the_role_that_is_written_is_enough(provoked)
    a_bundle_has_what_the_pods_say(provoked, tmp_path)


def the_role_that_is_written_is_enough(user: User) -> None:
    role = user.there("diagnose", f"{user.name}-executor-permission", "--role").stdout
    own = role.replace("argojobs-executor", account_of(user))  # others use that name here
    user.cluster.kubectl("create", "--filename=-", text=own)
    try:
        subject = f"system:serviceaccount:{user.cluster.namespace}:{account_of(user)}"
        resource = "workflowtaskresults.argoproj.io"
        for verb in ("create", "patch"):
            answer = user.cluster.kubectl("auth", "can-i", verb, resource, f"--as={subject}")
            assert answer.strip() == "yes"
    finally:
        user.cluster.kubectl("delete", "role,rolebinding", account_of(user))


def a_bundle_has_what_the_pods_say(user: User, folder) -> None:
    name, file = f"{user.name}-missing-secret", folder / "run.tgz"
    raw = user.there("diagnose", name, "--raw").stdout
    assert "CreateContainerConfigError" in raw
    assert 'secret "none-such" not found' in raw
    user.there("diagnose", name, "--bundle", file)
    with tarfile.open(file) as archive:
        part = archive.extractfile(f"{name}/events.json")
        assert part is not None
        assert 'secret \\"none-such\\" not found' in part.read().decode()


def test_a_run_that_stays_pending_is_given_up_and_says_why(user: User, tmp_path) -> None:
    manifest = tmp_path / "big.yaml"
    manifest.write_text(
        json.dumps(
            {
                "apiVersion": "argoproj.io/v1alpha1",
                "kind": "Workflow",
                "metadata": {"generateName": f"{user.name}-"},
                "spec": {
                    "entrypoint": "main",
                    "templates": [{"name": "main", **box(resources={"requests": {"cpu": "500"}})}],
                },
            }
        )
    )
    done = user.there("run", manifest, "--pending-timeout", "12s", code=1)
    assert "is pending: no node has enough cpu free: the step asks for 500 cpu" in done.stderr
    assert "was still pending after 12s" in done.stderr
