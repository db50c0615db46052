"""Doctor on a real cluster: what it finds, and that the roles it writes are enough and no more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid

import pytest
from harness.cluster import Cluster
from support.service_contract import finish, shell

from argojobs.client.address import ServerAddress
from argojobs.client.rest import ArgoService
from argojobs.errors import UsageError

IMAGE = "busybox:1.36"

CONFIG = """
[contexts.lab]
server = "{server}"
namespace = "{namespace}"
kubeconfig = "{kubeconfig}"
token = "env:LAB_TOKEN"
image = "busybox:1.36"
{more}
[contexts.lab.s3]
endpoint = "{endpoint}"
bucket = "{bucket}"
tls = false
prefix = "doctor"
access_key = "env:LAB_ACCESS"
secret_key = "env:LAB_SECRET"
{s3}
"""


class Lab:
    """A config file with a context on the cluster, and the command line with it."""

    def __init__(self, cluster: Cluster, folder) -> None:
        self.cluster = cluster
        self.folder = folder
        self.environment = {
            **os.environ,
            "ARGOJOBS_CONFIG": str(folder / "config.toml"),
            "ARGOJOBS_HOME": str(folder / "home"),
            "LAB_TOKEN": cluster.token("submitter").strip(),
            "LAB_ACCESS": cluster.s3_access_key,
            "LAB_SECRET": cluster.s3_secret_key,
        }
        for name in ("KUBECONFIG", "ARGO_SERVER", "ARGOJOBS_CONTEXT"):
            self.environment.pop(name, None)
        self.write()

    def write(self, more: str = "", s3: str = "", **fields: object) -> None:
        values = {
            "server": self.cluster.argo_url,
            "namespace": self.cluster.namespace,
            "kubeconfig": self.cluster.kubeconfig,
            "endpoint": self.cluster.s3_endpoint,
            "bucket": self.cluster.s3_bucket,
            **fields,
        }
        (self.folder / "config.toml").write_text(CONFIG.format(more=more, s3=s3, **values))

    def run(self, *words: str, code: int = 0, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "argojobs", *words],
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def doctor(self, *words: str, code: int = 0, **environment: str) -> dict[str, dict[str, str]]:
        said = json.loads(self.run("doctor", "lab", "-o", "json", *words, code=code, **environment))
        assert said["well"] is (code == 0)
        return {check["name"]: check for check in said["checks"]}


@pytest.fixture
def lab(cluster: Cluster, tmp_path) -> Lab:
    return Lab(cluster, tmp_path)


def test_a_context_that_is_well_is_well_with_a_run(lab: Lab) -> None:
    found = lab.doctor("--run")
    token = found.pop("token")
    assert (token["state"], token["what"]) == ("warning", "submitter may not retry: delete pods")
    assert {check["state"] for check in found.values()} == {"ok"}
    assert set(found) >= {
        "settings", "server", "auth", "read", "submit", "store", "kubernetes", "rights",
        "executor", "bucket", "run", "artifact",
    }  # fmt: skip
    assert found["auth"]["what"] == "as system:serviceaccount:argo:submitter"


def test_each_thing_that_is_wrong_is_named_with_what_to_do(lab: Lab) -> None:
    found = lab.doctor(code=2, LAB_TOKEN=lab.cluster.token("reader").strip())
    assert found["submit"]["state"] == "failed"
    assert "not allowed to create workflows.argoproj.io" in found["submit"]["what"]
    found = lab.doctor(code=2, LAB_SECRET="wrong")
    assert found["store"]["state"] == "failed"
    lab.write(bucket="other-bucket")
    found = lab.doctor(code=2)
    assert found["bucket"]["what"].startswith(
        "Argo uses the bucket my-bucket, the context other-bucket"
    )
    lab.write(server=lab.cluster.argo_tls_url)
    found = lab.doctor(code=2)
    assert "not known here" in found["server"]["what"]
    lab.write(more='service_account = "nobody"\nmax_parallel = 4')
    found = lab.doctor("--run", code=2)
    assert "nobody may not create workflowtaskresults" in found["executor"]["what"]
    assert found["limits"]["state"] == "failed"
    assert "--write" in found["limits"]["remedy"]


def test_a_server_out_of_reach_alone_is_worth_a_retry(lab: Lab) -> None:
    lab.write(server="http://127.0.0.1:9")
    found = lab.doctor(code=3)
    assert found["server"]["state"] == "failed"
    assert found["store"]["state"] == "ok"


def test_what_is_missing_is_made_and_then_it_is_well(lab: Lab) -> None:
    namespace = f"doctor-{uuid.uuid4().hex[:6]}"
    lab.write(
        more='max_parallel = 2\nstorage = "/storage"\nservice_account = "runner"',
        namespace=namespace,
    )
    try:
        lab.run("doctor", "lab", "--apply")
        lab.run("doctor", "lab", "--apply")  # twice is once
        found = lab.doctor(code=2)  # Argo looks at another namespace only
        for name in ("executor", "claims", "limits", "rights"):
            assert found[name]["state"] == "ok", found[name]
    finally:
        lab.cluster.kubectl("delete", "namespace", namespace, "--wait=false")


def test_the_limits_of_other_contexts_stay(lab: Lab) -> None:
    limits = ("get", "configmap", "argojobs-limits", "--output=jsonpath={.data}")
    try:
        lab.write(more="max_parallel = 2")
        lab.run("doctor", "lab", "--apply")
        config = lab.folder / "config.toml"
        config.write_text(config.read_text().replace("contexts.lab", "contexts.two"))
        lab.run("doctor", "two", "--apply")
        found = json.loads(lab.cluster.kubectl(*limits))
        assert {"lab": "2", "two": "2"}.items() <= found.items()
    finally:
        patch = json.dumps({"data": {"lab": None, "two": None}})
        lab.cluster.kubectl(
            "patch", "configmap", "argojobs-limits", "--type=merge", "--patch", patch
        )


def test_what_may_not_be_made_is_printed_for_who_may(lab: Lab) -> None:
    config = json.loads(lab.cluster.kubectl("config", "view", "--raw", "--output=json"))
    config["users"][0]["user"] = {"token": lab.cluster.token("reader").strip()}
    path = lab.folder / "reader.kubeconfig"
    path.write_text(json.dumps(config))
    lab.write(kubeconfig=path)
    left = lab.run("doctor", "lab", "--apply", code=2)
    lab.cluster.kubectl("apply", "--dry-run=server", "--filename=-", text=left)
    assert "kind: Role" in left


def test_the_storage_claim_is_made_at_submit_and_stays(lab: Lab) -> None:
    claim = f"storage-{uuid.uuid4().hex[:6]}"
    lab.write(more=f'storage = "/storage"\nstorage_claim = "{claim}"\nstorage_size = "1Gi"')
    name = f"claim-{uuid.uuid4().hex[:6]}"
    manifest = lab.folder / "m.json"
    value = shell(name, 'echo "$STORAGE_DIR"; echo kept > /storage/file', IMAGE)
    manifest.write_text(
        json.dumps({"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", **value})
    )
    try:
        lab.run("run", str(manifest), "--context", "lab", "--wait", "--name", name)
        lab.run("delete", name, "--context", "lab")
        found = json.loads(lab.cluster.kubectl("get", "pvc", claim, "--output=json"))
        assert found["spec"]["resources"]["requests"]["storage"] == "1Gi"
    finally:
        lab.cluster.kubectl("delete", "pvc", claim, "--wait=false")


# The roles: what doctor writes, for accounts that are fresh


@pytest.fixture(scope="module")
def written(cluster: Cluster, tmp_path_factory):
    """The roles of doctor in the cluster, and services with the tokens of its accounts."""
    lab = Lab(cluster, tmp_path_factory.mktemp("roles"))
    text = lab.run("doctor", "lab", "--write", "-")
    cluster.kubectl("apply", "--filename=-", text=text)
    opened = {}
    for user in ("submitter", "reader"):
        token = cluster.new_token(f"argojobs-{user}")
        address = ServerAddress(
            cluster.argo_url, cluster.namespace, token=lambda token=token: token, label="lab"
        )
        opened[user] = ArgoService(address)
    yield opened
    for service in opened.values():
        service.close()
    for kind in ("role", "rolebinding", "serviceaccount"):
        for user in ("submitter", "reader"):
            cluster.kubectl("delete", kind, f"argojobs-{user}")
    for kind in ("role", "rolebinding"):
        cluster.kubectl("delete", kind, "argojobs-executor")


@pytest.fixture
def name():
    return f"roles-{uuid.uuid4().hex[:8]}"


def test_a_submitter_may_do_all_that_the_verbs_do(written, name: str) -> None:
    service = written["submitter"]
    service.create(shell(name, "echo began; test -e /tmp/x", IMAGE))
    assert finish(service, name)["status"]["phase"] == "Failed"
    assert next(iter(service.logs(name))).text == "began"
    service.retry(name)
    assert finish(service, name)["status"]["phase"] == "Failed"
    service.check(shell(name, "true", IMAGE))
    other = service.resubmit(name)["metadata"]["name"]
    finish(service, other)
    service.delete(other)
    service.delete(name)
    name = f"{name}-on"
    service.create(shell(name, "sleep 600", IMAGE))
    service.suspend(name)
    service.resume(name)
    next(iter(service.watch(name)))
    service.stop(name)
    assert finish(service, name)["status"]["phase"] == "Failed"
    assert name in service.names()
    service.delete(name)


@pytest.fixture
def ended(written, name: str):
    """A run that has failed."""
    service = written["submitter"]
    service.create(shell(name, "echo said; exit 3", IMAGE))
    finish(service, name)
    yield name
    service.delete(name)


@pytest.fixture
def going(written, name: str):
    """A run that goes on."""
    service = written["submitter"]
    service.create(shell(f"{name}-on", "sleep 600", IMAGE))
    yield f"{name}-on"
    service.delete(f"{name}-on")


def test_a_reader_may_look_at_everything(written, ended: str) -> None:
    service = written["reader"]
    assert service.get(ended)["status"]["phase"] == "Failed"
    assert next(iter(service.logs(ended))).text == "said"
    assert ended in [run["metadata"]["name"] for run in service.list()]
    assert [event.type for event in service.watch(ended)] == ["ADDED"]


CHANGE = "(patch|update) workflows.argoproj.io"

REFUSED = {
    "create": ("create workflows.argoproj.io", lambda s, *_: s.create(shell("any", "true", IMAGE))),
    "stop": (CHANGE, lambda s, _, going: s.stop(going)),
    "terminate": (CHANGE, lambda s, _, going: s.terminate(going)),
    "suspend": (CHANGE, lambda s, _, going: s.suspend(going)),
    "resume": (CHANGE, lambda s, _, going: s.resume(going)),
    "retry": (f"delete pods|{CHANGE}", lambda s, ended, _: s.retry(ended)),
    "resubmit": ("create workflows.argoproj.io", lambda s, ended, _: s.resubmit(ended)),
    "delete": ("delete workflows.argoproj.io", lambda s, ended, _: s.delete(ended)),
}


def test_whatever_a_reader_may_not_do_names_the_permission(written, ended: str, going: str) -> None:
    reader = written["reader"]
    for verb, (permission, act) in REFUSED.items():
        if verb == "resume":  # else there is nothing to resume
            written["submitter"].suspend(going)
        with pytest.raises(UsageError, match=f"not allowed to ({permission})") as caught:
            act(reader, ended, going)
        assert caught.value.where == "lab", verb
        assert "as system:serviceaccount:argo:argojobs-reader" in caught.value.what, verb
        assert "has to be bound" in caught.value.hint, verb
    assert reader.get(going)["spec"].get("shutdown") is None, "nothing was changed"
    assert reader.get(ended)["status"]["phase"] == "Failed"
