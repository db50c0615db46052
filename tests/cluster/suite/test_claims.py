"""What lies in a claim of the cluster comes here with Argo's API alone, and nothing stays behind."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.cluster import Cluster
from harness.lab import Lab

from argojobs.manifest.cluster_setup import EXECUTOR_RULES

FILL = """
kind: Workflow
metadata: {{generateName: fill-}}
spec:
  entrypoint: main
  volumes: [{{name: data, persistentVolumeClaim: {{claimName: {claim}}}}}]
  templates:
  - name: main
    container:
      image: busybox:1.36
      command: [sh, -c]
      args:
      - |
        mkdir -p '/data/sets/deep er/empty'; cd /data/sets
        echo one > 'o$$(HOSTNAME) $$ne'
        echo two > 'deep er/two'; chmod 750 'deep er/two'; ln -s two 'deep er/link'
        ln -s sets ../latest
      volumeMounts: [{{name: data, mountPath: /data}}]
"""
ODD = "o$(HOSTNAME) $ne"


@pytest.fixture(scope="module")
def lab(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A lab whose claim `data` is filled."""
    made = Lab(cluster, tmp_path_factory.mktemp("lab"))
    made.configure()
    made.write("fill.yaml", FILL.format(claim=made.claim("data")))
    assert made.run("fill.yaml")["status"]["phase"] == "Succeeded"
    yield made
    made.close()


@pytest.fixture
def data(lab: Lab) -> str:
    return f"claim://{lab.label}-data"


def stays(lab: Lab) -> list[str]:
    """What is left of runs that read claims: themselves, and what they stored."""
    named = "workflow", "-l", "argojobs.dev/purpose=claim", "-o", "name"
    keys = [key for key in lab.stored() if "argojobs-claim-" in key]
    return [*lab.cluster.kubectl("get", *named).split(), *keys]


def until_pods_are_gone(lab: Lab) -> None:
    """Wait for the last pod of runs that read claims; the time is real here, the cluster's is."""
    end = time.monotonic() + 300
    while "argojobs-claim-" in lab.cluster.kubectl("get", "pods", "-o", "name"):
        assert time.monotonic() < end
        time.sleep(0.5)


def test_a_folder_comes_with_its_modes_links_and_empty_folders(lab: Lab, data: str) -> None:
    assert lab.argojobs("artifacts", "get", f"{data}/sets", "got") == "got\n"
    got = lab.folder / "got"
    assert (got / ODD).read_text() == "one\n"
    assert (got / "deep er" / "two").stat().st_mode & 0o777 == 0o750
    assert (got / "deep er" / "link").readlink() == Path("two")
    assert (got / "deep er" / "empty").is_dir()
    assert stays(lab) == []


def test_a_file_has_its_own_name_in_a_folder(lab: Lab, data: str) -> None:
    assert lab.argojobs("artifacts", "get", f"{data}/sets/{ODD}") == f"{ODD}\n"
    assert (lab.folder / ODD).read_text() == "one\n"


def test_a_folder_of_a_claim_is_listed(lab: Lab, data: str) -> None:
    assert json.loads(lab.argojobs("artifacts", "ls", f"{data}/sets", "-o", "json")) == [
        {"name": "deep er", "size": 4096, "kind": "folder"},
        {"name": ODD, "size": 4, "kind": "file"},
    ]
    assert stays(lab) == []


@pytest.mark.parametrize(
    ("path", "says"), [("nothing", "there is nothing"), ("latest", "is a link to sets")]
)
def test_what_cannot_be_had_is_said_and_nothing_stays(
    lab: Lab, data: str, path: str, says: str
) -> None:
    answer = lab.ask("artifacts", "get", f"{data}/{path}", "no")
    assert (answer.code, says in answer.err) == (2, True), answer.err
    assert not (lab.folder / "no").exists()
    assert stays(lab) == []


def test_a_claim_that_is_not_there_is_said_at_once(lab: Lab) -> None:
    answer = lab.ask("artifacts", "get", "claim://nothing/x")
    assert answer.code == 2
    assert "there is no claim nothing in the namespace argo" in answer.err
    assert stays(lab) == []


def test_an_image_that_is_not_there_is_said_at_once(lab: Lab, data: str) -> None:
    lab.configure('image = "nowhere.invalid/none:1"')
    answer = lab.ask("artifacts", "get", f"{data}/sets", "no")
    lab.configure()
    until_pods_are_gone(lab)  # what they would store while they are taken away is there then
    assert answer.code == 2
    assert "the image nowhere.invalid/none:1 cannot be pulled" in answer.err
    assert stays(lab) == []


def test_without_keys_of_the_store_argo_gives_the_artifact_and_removes_it(
    lab: Lab, data: str
) -> None:
    """The account of the run has the rights of the role that doctor writes, and no others."""
    name = f"{lab.label}-collector"
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": name},
        "rules": EXECUTOR_RULES,
    }
    kubectl, account = lab.cluster.kubectl, f"{lab.cluster.namespace}:{name}"
    kubectl("create", "serviceaccount", name)
    kubectl("apply", "-f", "-", text=json.dumps(role))
    kubectl("create", "rolebinding", name, f"--role={name}", f"--serviceaccount={account}")
    try:
        lab.configure(f'service_account = "{name}"', store=False)
        before = set(lab.stored(everything=True))
        assert lab.argojobs("artifacts", "get", f"{data}/sets", "other") == "other\n"
        lab.cluster.kubectl(
            "wait", "workflow", "-l", "argojobs.dev/purpose=claim", "--for=delete", "--timeout=300s"
        )
        new = [key for key in lab.stored(everything=True) if "claim" in key and key not in before]
        assert new == []
    finally:
        kubectl("delete", "serviceaccount,role,rolebinding", name)
        lab.configure()
    assert (lab.folder / "other" / "deep er" / "two").read_text() == "two\n"
    assert (lab.folder / "other" / "deep er" / "empty").is_dir()
