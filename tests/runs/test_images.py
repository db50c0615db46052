"""The images of a run: their names in a manifest, and what was deployed last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from argojobs import Image
from argojobs.compile.load import load
from argojobs.config.contexts import LOCAL, Context, Registry
from argojobs.config.image_lock import Locked, write_lock
from argojobs.errors import UsageError
from argojobs.runs.images import PipelineImages, linted
from argojobs.runs.prepare import prepared_for
from argojobs.runs.request import RunRequest

LAB = Context(
    "lab", server="https://lab.example", registry=Registry("https://lab.example:5000/team/")
)
BARE = Context("bare", server="https://bare.example")
DIGEST = "sha256:" + "4f" * 32
TRAIN = f"lab.example:5000/team/train@{DIGEST}"

PIPELINE = """
from argojobs import Image, pipeline, step

@step(image=Image(pip=["numpy"], env={"A": "1"}))
def first() -> int:
    return 1

@step(image="train")
def second(one: int) -> int:
    return one

@step
def third(one: int) -> int:
    return one

@pipeline
def pipe() -> int:
    return third(second(first()))
"""

MANIFEST = """
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: x-}
spec:
  entrypoint: main
  arguments: {parameters: [{name: train_image, value: "old:5000/train:1.2.3"}]}
  templates:
  - name: main
    container: {image: "{{workflow.parameters.train_image}}", command: [sh]}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project whose image `train` was deployed."""
    folder = tmp_path / "crisp"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    (folder / "pipe.py").write_text(PIPELINE)
    (folder / "old.yaml").write_text(MANIFEST)
    locked(folder, "lab.example:5000/team")
    return folder


def locked(root: Path, *registries: str, name: str = "train") -> None:
    entries = [Locked(registry, name, DIGEST, "9c" * 32) for registry in registries]
    write_lock(root / "images.lock", entries)


def prepared(
    root: Path, context: Context, file: str = "pipe.py", *, here: bool = False, **more: Any
):
    loaded = load(root / file, "")
    images = PipelineImages(context, loaded.root, here=here)
    request = RunRequest(file=str(root / file), **more)
    return prepared_for(request, loaded, images, pytest.fail, stored=here).workflow, images


def names(workflow: dict[str, Any]) -> dict[str, str]:
    templates = workflow["spec"]["templates"]
    return {one["name"]: one["container"]["image"] for one in templates if "container" in one}


def value(workflow: dict[str, Any]) -> str:
    (parameter,) = workflow["spec"]["arguments"]["parameters"]
    return str(parameter["value"])


def test_in_a_context_images_are_those_of_its_registry(root: Path) -> None:
    workflow, images = prepared(root, LAB)
    found = names(workflow)
    (built,) = images.wanted
    assert found["first"] == built
    assert built.startswith("lab.example:5000/team/crisp-env:")
    assert found["second"] == TRAIN
    assert found["third"].startswith("docker.io/library/python:")


def test_the_same_image_is_built_once(root: Path) -> None:
    images = PipelineImages(LAB, root, here=False)
    assert images.reference(Image(pip=["numpy"])) == images.reference(Image(pip=["numpy"]))
    assert len(images.wanted) == 1
    assert images.reference(Image("python:3.12")) == "python:3.12"
    assert len(images.wanted) == 1


def test_what_is_deployed_may_be_a_base(root: Path) -> None:
    images = PipelineImages(LAB, root, here=False)
    (one,) = [images.wanted[images.reference(Image("train", apt=["git"]))]]
    assert f"FROM {TRAIN}\n" in one.build.dockerfile


def test_on_this_machine_images_are_names_only(root: Path) -> None:
    workflow, images = prepared(root, LOCAL, here=True)
    found = names(workflow)
    assert found["first"].startswith("crisp-env:")
    assert found["second"] == "train"
    assert len(images.notes()) == 1
    assert "not built on this machine" in images.notes()[0]
    assert value(prepared(root, LOCAL, "old.yaml", here=True)[0]) == "old:5000/train:1.2.3"


def test_without_an_image_there_is_nothing_to_tell(root: Path) -> None:
    _, images = prepared(root, LOCAL, "old.yaml", here=True)
    assert images.notes() == []


def test_an_image_parameter_is_filled_unless_it_is_given(root: Path) -> None:
    assert value(prepared(root, LAB, "old.yaml")[0]) == TRAIN
    assert value(prepared(root, LAB, "old.yaml", assignments=["train_image=mine:1"])[0]) == "mine:1"
    assert value(prepared(root, LAB, "old.yaml", params='{"train_image":"train"}')[0]) == TRAIN


def test_without_a_registry_an_image_has_no_name(root: Path) -> None:
    with pytest.raises(UsageError, match="no registry says where") as caught:
        prepared(root, BARE)
    assert "contexts.bare.registry.url" in caught.value.hint
    with pytest.raises(UsageError, match="no registry says where") as caught:
        prepared(root, LOCAL)
    assert "--context NAME" in caught.value.hint


def test_without_a_registry_the_only_one_of_the_lock_counts(root: Path) -> None:
    assert value(prepared(root, BARE, "old.yaml")[0]) == TRAIN
    assert value(prepared(root, LOCAL, "old.yaml")[0]) == TRAIN


def test_of_several_registries_none_is_chosen_in_silence(root: Path) -> None:
    locked(root, "a:5000", "b:5000")
    (root / "plain.yaml").write_text(
        MANIFEST.replace("{{workflow.parameters.train_image}}", "train")
    )
    with pytest.raises(
        UsageError, match="has train in more than one registry: a:5000, b:5000"
    ) as caught:
        prepared(root, LOCAL, "plain.yaml")
    assert "--context NAME" in caught.value.hint
    with pytest.raises(UsageError, match="has train in more than one registry"):
        prepared(root, BARE, "old.yaml")
    given = prepared(root, LOCAL, "old.yaml", assignments=["train_image=mine:1"])[0]
    assert value(given) == "mine:1"


def test_an_image_that_is_not_deployed_to_the_registry_says_how(root: Path) -> None:
    (root / "dockerfiles").mkdir()
    (root / "dockerfiles" / "train.Dockerfile").write_text("FROM python:3\n")
    locked(root, "other:5000")
    with pytest.raises(UsageError, match="the image train is built by this project") as caught:
        prepared(root, LAB)
    assert caught.value.hint == "./deploy -r lab"
    assert value(prepared(root, LAB, "old.yaml")[0]) == "old:5000/train:1.2.3"


def test_a_name_that_nobody_builds_is_somebody_elses(root: Path) -> None:
    (root / "images.lock").unlink()
    assert names(prepared(root, LAB)[0])["second"] == "train"


def test_requirements_are_an_image_for_steps_that_name_none(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root.parent)
    (root.parent / "needs.txt").write_text("torch\n")
    workflow, images = prepared(root, LAB, base_image="python:3", requirements="needs.txt")
    third = images.wanted[names(workflow)["third"]]
    assert third.build.dockerfile.splitlines()[1] == "FROM python:3"
    assert third.build.files == {"requirements.txt": "torch\n"}
    assert len(images.wanted) == 2


def test_a_base_alone_is_not_built(root: Path) -> None:
    workflow, images = prepared(root, LAB, base_image="python:3")
    assert names(workflow)["third"] == "python:3"
    assert len(images.wanted) == 1


@pytest.mark.parametrize(
    ("file", "more", "match"),
    [
        ("pipe.py", {"image": "a", "base_image": "b"}, "--image and --base-image exclude"),
        ("pipe.py", {"image": "a", "requirements": "r.txt"}, "--image and --requirements exclude"),
        ("pipe.py", {"requirements": "gone.txt"}, "no requirements file"),
        ("old.yaml", {"requirements": "r.txt"}, "--requirements is for pipelines of ours"),
    ],
)
def test_options_that_cannot_be_are_refused(root: Path, file: str, more: Any, match: str) -> None:
    with pytest.raises(UsageError, match=match):
        prepared(root, LAB, file, **more)


def test_an_image_that_was_deployed_is_no_latest_to_lint(root: Path) -> None:
    workflow = {"kind": "Workflow", "metadata": {"name": "x"}, "spec": {
        "entrypoint": "a", "templates": [{"name": "a", "container": {"image": "train", "command": ["a"]}}],
    }}  # fmt: skip

    def codes() -> list[str]:
        return [one.code for one in linted(workflow, lambda: root, refs="off")]

    assert "image-latest" not in codes()
    locked(root, "lab:5000", name="other")
    assert "image-latest" in codes()
    (root / "images.lock").unlink()
    assert "image-latest" in codes()
