"""What keeps somebody out of a real pod: a right that is missing, an image without a shell."""

from __future__ import annotations

import json
import signal
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from as_user import Done, User
from harness.images import ARGOEXEC
from support.debug_session import followed

from argojobs.manifest.cluster_setup import reader_rules, submitter_rules

WAYS = {"apiGroups": [""], "resources": ["pods/exec", "pods/portforward"], "verbs": ["get"]}
RULES = {
    "reader": reader_rules(),
    "half": [*reader_rules(), WAYS],
    "submitter": submitter_rules(),
}


@pytest.fixture(params=RULES)
def somebody(user: User, request: pytest.FixtureRequest) -> Iterator[tuple[str, User]]:
    """Somebody whose account is bound to the rules of a role that doctor writes, or to half of it."""
    name = f"entering-{request.param}-{uuid.uuid4().hex[:6]}"
    rules = RULES[request.param]
    namespace, kubectl = user.cluster.namespace, user.cluster.kubectl
    metadata = {"name": name, "namespace": namespace}
    group = "rbac.authorization.k8s.io"
    objects = [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata},
        {"apiVersion": f"{group}/v1", "kind": "Role", "metadata": metadata, "rules": rules},
        {
            "apiVersion": f"{group}/v1",
            "kind": "RoleBinding",
            "metadata": metadata,
            "roleRef": {"apiGroup": group, "kind": "Role", "name": name},
            "subjects": [{"kind": "ServiceAccount", **metadata}],
        },
    ]
    kubectl(
        "apply",
        "--filename=-",
        text=json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}),
    )
    user.write_config(f'kubeconfig = "{kubeconfig_of(user, name)}"')
    yield name, user
    for one in objects:
        kubectl("delete", str(one["kind"]), name, "--wait=false")


def kubeconfig_of(user: User, account: str) -> Path:
    config = json.loads(user.cluster.kubectl("config", "view", "--raw", "--output=json"))
    config["users"][0]["user"] = {"token": user.cluster.new_token(account).strip()}
    path = user.folder / f"{account}.kubeconfig"
    path.write_text(json.dumps(config))
    return path


def serving(user: User) -> str:
    name = user.argojobs(
        *("--context", "there", "run", "--image", user.image, "--detach", "-o", "name", "--"),
        *("python3", "-u", "-c", "import time; print('up'); time.sleep(600)"),
    ).stdout.strip()
    user.until_said(name, "up")
    return name


def entered(user: User, name: str, *command: str, code: int = 0) -> Done:
    return user.argojobs("--context", "there", "ssh", name, "--", *command, code=code)


def test_who_lacks_a_right_is_told_which_and_who_he_is(somebody: tuple[str, User]) -> None:
    account, user = somebody
    name = serving(user)
    found = json.loads(user.there("doctor", "there", "-o", "json", code=None).stdout)
    entering = [check for check in found["checks"] if check["name"] == "entering"]
    assert len(entering) == 2
    if "submitter" in account:
        assert [check["state"] for check in entering] == ["ok", "ok"]
        assert entered(user, name, "echo", "in").stdout == "in\n"
        return
    verb, both = ("create", False) if "half" in account else ("get", True)
    who = f"in the namespace argo as system:serviceaccount:argo:{account}\n"
    for words, right in (
        (("ssh", name), "pods/exec"),
        (("port-forward", name, "python", "80"), "pods/portforward"),
    ):
        done = user.there(*words, code=2)
        assert f"not allowed to {verb} {right} {who}" in done.stderr
        assert f"a Role with the verbs 'create' and 'get' on '{right}'" in done.stderr
        assert "argojobs doctor --write - --context there writes it" in done.stderr
    done = user.there("run", "--shell", code=2)
    missing = "create pods/exec" + (" nor to get pods/exec" if both else "")
    assert f"not allowed to {missing} in the namespace argo" in done.stderr
    assert user.there("list", "-o", "name").stdout.split() == [name], "nothing was started"
    assert [check["state"] for check in entering] == ["warning", "warning"]
    assert "no ssh, no run --shell" in entering[0]["what"]
    assert "no port-forward, no --debug" in entering[1]["what"]
    assert "--write" in entering[0]["remedy"]
    assert "entering" not in [c["name"] for c in found["checks"] if c["state"] == "failed"]
    debugs_without(user, f"not allowed to {verb} pods/portforward {who}".strip())


def debugs_without(user: User, missing: str) -> None:
    """A run that waits for a debugger goes on without a way to it, and says what is missing."""
    (user.project / "word.py").write_text("print('a')\n")
    words = ("run", "word.py", "--debug", "--context", "there")
    with followed(**user.shell(*words, cwd=user.project)) as run:
        run.until("word waits for a debugger, and there is no way to it:")
        run.until(missing)
        run.until("argojobs doctor --write - --context there writes it")
        run.until(r"then: argojobs debug word-\w+ word --context there")
        run.process.send_signal(signal.SIGINT)
        assert "goes on" in run.end()[1]


def test_an_image_without_a_shell_is_said_with_what_to_do(user: User) -> None:
    user.write_config(f'kubeconfig = "{user.cluster.kubeconfig}"')
    tool = {"name": "tool", "path": "/tool/sleep", "mode": 0o755}
    container = {"image": ARGOEXEC, "command": ["/tool/sleep", "600"]}
    main = {"name": "main", "inputs": {"artifacts": [tool]}, "container": container}
    spec = {
        "entrypoint": "main",
        "arguments": {"artifacts": [{"name": "tool"}]},
        "templates": [main],
    }
    file = user.folder / "bare.json"
    file.write_text(
        json.dumps({"kind": "Workflow", "metadata": {"generateName": "bare-"}, "spec": spec})
    )
    name = user.started(file, "-p", "tool=/bin/busybox")
    user.until(
        name,
        lambda run: (
            "Running"
            in [n["phase"] for n in run["status"].get("nodes", {}).values() if n["type"] == "Pod"]
        ),
    )
    done = user.there("ssh", name, code=2)
    assert "has no shell, neither bash nor sh" in done.stderr
    assert "argojobs ssh RUN STEP -- PROGRAM" in done.stderr
    done = entered(user, name, "sh", "-c", "true", code=2)
    assert "the command 'sh' could not be started" in done.stderr
    assert entered(user, name, "/tool/sleep", "0").returncode == 0
