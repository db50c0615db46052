"""Images that are built here, and that the node takes from a registry: by `deploy`, and by `run`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from as_user import ROOT, User, messages, phase, result
from harness.builds import base_image, buildah, storage
from harness.cluster import Cluster
from support.layers import config_of, tars_of

from argojobs.images.registry.client import open_registry

#: What the project's Dockerfiles are built of, but for two lists of requirements and the demo,
#: which would take minutes.
TAKEN = ("argojobs", "dockerfiles", "deploy", "deploy.py", "pyproject.toml")
SECRET = "AKIDthisIsNobodysPassword"
INDEX = "index-of-nobody.example"

DEMO = '''
"""{user}: a pipeline whose steps need what the project's images have."""
from argojobs import File, Outputs, pipeline, step


class Trained(Outputs):
    model: File


@step(image="train")
def train(batch_size: int, epochs: int) -> Trained:
    import tabulate

    out = Trained()
    out.model.path.write_text(tabulate.tabulate([[batch_size, epochs]], tablefmt="plain"))
    return out


@step(image="dev")
def test(trained: Trained) -> str:
    from importlib.util import find_spec

    for_developers = find_spec("colorama") is not None
    print("trained", trained.model.path.read_text().split(), for_developers)
    return f"{{trained.model.path.read_text()}} {{for_developers}}"


@pipeline
def demo(batch_size: int = 2, epochs: int = 1) -> str:
    return test(train(batch_size, epochs))
'''

NEEDS = """
from argojobs import Image, pipeline, step


@step(image=Image("python:3.11-slim", pip=["tabulate"], env={{"FOR": "{user}"}}))
def table() -> str:
    import os, tabulate

    return tabulate.tabulate([[os.environ["FOR"]]], tablefmt="plain")


@pipeline
def needs() -> str:
    return table()
"""


@dataclass
class Lab:
    """A user with a project of their own in git, and a storage for builders."""

    user: User
    project: Path

    @property
    def cluster(self) -> Cluster:
        return self.user.cluster

    def git(self, *words: str) -> None:
        """`git WORDS` in the project."""
        subprocess.run(["git", *words], cwd=self.project, env=self.environment, check=True)

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, **self.user.environment}

    def deploy(self, *words: str) -> dict[str, dict[str, Any]]:
        """`./deploy WORDS`: what it says of each image."""
        done = subprocess.run(
            ["./deploy", "--builder", "buildah", "-r", "there", "-o", "json", *words],
            cwd=self.project,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return {one["name"]: one for one in json.loads(done.stdout)}

    def images_that_ran(self, run: str) -> dict[str, str]:
        """The images of a run's steps as the node has them, by the templates' names."""
        listed = json.loads(
            self.cluster.kubectl(
                *("get", "pods", "-o", "json"),
                *("-l", f"workflows.argoproj.io/workflow={run}"),
            )
        )
        return {
            pod["metadata"]["name"].removeprefix(f"{run}-").rpartition("-")[0]: status["imageID"]
            for pod in listed["items"]
            for status in pod["status"]["containerStatuses"]
            if status["name"] == "main"
        }


@pytest.fixture(scope="module")
def lab(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A user whose context has the cluster's registry, and whose builders have the base image."""
    user = User(cluster, tmp_path_factory.mktemp("user"))
    user.write_config(
        f'kubeconfig = "{cluster.kubeconfig}"\n'
        f'[contexts.there.registry]\nurl = "{cluster.registry}"\n'
    )
    with storage(cluster.folder / "builds" / user.name) as variables:
        buildah(variables, "pull", "--quiet", f"docker-archive:{base_image(print)}")
        who = ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL")
        user.environment |= {
            **variables,
            **{f"GIT_{one}": "tester@lab.example" for one in who},
            "GIT_CONFIG_GLOBAL": os.devnull,
            "PYTHON": sys.executable,
            "DOCKER_HOST": "unix:///no/docker",  # its daemon would not have the base image
            "PIP_TRUSTED_HOST": f"{os.environ.get('PIP_TRUSTED_HOST', '')} {INDEX}".strip(),
        }
        lab = Lab(user, new_project(user))
        for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "first"]):
            lab.git(*words)
        yield lab
        user.forget()


def new_project(user: User) -> Path:
    """A copy of this project with a light demo, whose content no other test had."""
    project = user.folder / "lab"
    project.mkdir()
    for name in TAKEN:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, project / name)
        else:
            shutil.copy(ROOT / name, project / name)
    (project / "workflows").mkdir()
    files = {
        "dockerfiles/requirements.txt": "tabulate\n",
        "dockerfiles/requirements-dev.txt": "colorama\n",
        "workflows/demo.py": DEMO.format(user=user.name),
        "needs.py": NEEDS.format(user=user.name),
        "creds.yaml": "registry: [{name: none, url: null}]\n"
        f"s3: [{{name: lab, address: lab:1, secret key: {SECRET}}}]\n",
        ".gitignore": "creds.yaml\n__pycache__\n",
    }
    for name, text in files.items():
        (project / name).write_text(text)
    return project


@pytest.fixture(scope="module")
def deployed(lab: Lab) -> dict[str, dict[str, Any]]:
    """What the first deploy did."""
    done = lab.deploy()
    lab.git("add", "images.lock")
    lab.git("commit", "--quiet", "-m", "deployed")
    return done


def test_deploy_builds_both_images_for_the_nodes(
    lab: Lab, deployed: dict[str, dict[str, Any]]
) -> None:
    assert {name: one["does"] for name, one in deployed.items()} == {
        "train": "build",
        "dev": "build",
    }
    node = json.loads(lab.cluster.kubectl("get", "nodes", "-o", "json"))["items"][0]
    facts = node["status"]["nodeInfo"]
    for one in deployed.values():
        assert one["platform"] == f"{facts['operatingSystem']}/{facts['architecture']}"
        assert one["reference"] == f"{lab.cluster.registry}/{one['name']}@{one['digest']}"
        assert one["reference"] in (lab.project / "images.lock").read_text()


def test_a_run_has_exactly_the_images_that_were_deployed(
    lab: Lab, deployed: dict[str, dict[str, Any]]
) -> None:
    workflow = lab.user.finished(
        *("workflows/demo.py", "-p", "batch_size=3", "-p", "epochs=4"), cwd=lab.project
    )
    assert phase(workflow) == "Succeeded", messages(workflow)
    assert result(workflow)["result"].split() == ["3", "4", "True"]
    assert lab.images_that_ran(workflow["metadata"]["name"]) == {
        "train": deployed["train"]["reference"],
        "test": deployed["dev"]["reference"],
    }


@pytest.mark.usefixtures("deployed")
def test_a_second_deploy_does_nothing_and_a_change_rebuilds_what_takes_it(lab: Lab) -> None:
    assert {one["does"] for one in lab.deploy().values()} == {"keep"}

    (lab.project / "dockerfiles/requirements-dev.txt").write_text("colorama  # in colours\n")
    try:
        done = lab.deploy()
    finally:
        lab.git("checkout", "--quiet", ".")
    assert {name: one["does"] for name, one in done.items()} == {"train": "keep", "dev": "build"}


def test_the_training_image_runs_by_itself_elsewhere(
    lab: Lab, deployed: dict[str, dict[str, Any]]
) -> None:
    with storage(lab.cluster.folder / "builds" / f"{lab.user.name}-elsewhere") as variables:
        image = deployed["train"]["reference"]
        made = buildah(variables, "from", "--quiet", "--tls-verify=false", image)
        inspected = json.loads(buildah(variables, "inspect", made))
        assert inspected["FromImageDigest"] == deployed["train"]["digest"]
        command = inspected["OCIv1"]["config"]["Cmd"]
        said = buildah(variables, "run", "--isolation", "chroot", made, "--", *command)
    assert said == "trained ['64', '1'] False"


def test_no_layer_has_a_secret(lab: Lab, deployed: dict[str, dict[str, Any]]) -> None:
    registry = open_registry(lab.cluster.registry)
    for name, one in deployed.items():
        found = [*tars_of(registry, name, one["digest"])]
        assert any(b"workflows/demo.py" in tar for tar in found)
        found.append(json.dumps(config_of(registry, name, one["digest"])).encode())
        for content in found:
            assert SECRET.encode() not in content
            assert INDEX.encode() not in content


def test_run_builds_an_image_of_requirements_and_the_step_has_them(lab: Lab) -> None:
    workflow = lab.user.finished("needs.py", cwd=lab.project)
    assert phase(workflow) == "Succeeded", messages(workflow)
    assert result(workflow) == {"result": lab.user.name}
    (image,) = lab.images_that_ran(workflow["metadata"]["name"]).values()
    assert image.startswith(f"{lab.cluster.registry}/lab-env@sha256:")
    (template,) = [one for one in workflow["spec"]["templates"] if "container" in one]
    assert template["container"]["image"] == image

    again = lab.user.there("run", "needs.py", "--dry-run", cwd=lab.project)
    assert "would build" not in again.stdout
    manifest = lab.user.there("run", "needs.py", "--dry-run", "-o", "yaml", cwd=lab.project)
    assert image in manifest.stdout
