"""Images by their digests: everywhere that a workflow has an image, and nothing else."""

from __future__ import annotations

import copy

import pytest

from argojobs.edits.pins import filled, image_parameters, images_in, pin_of, pinned, split

TRAIN = "lab:5000/train@sha256:" + "aa" * 32
DEV = "lab:5000/dev@sha256:" + "bb" * 32
KNOWN = {"train": TRAIN, "dev": DEV}


@pytest.mark.parametrize(
    ("image", "parts"),
    [
        ("train", ("train", "", "")),
        ("train:1", ("train", "1", "")),
        ("lab:5000/train", ("lab:5000/train", "", "")),
        ("lab:5000/a/train:1.2", ("lab:5000/a/train", "1.2", "")),
        ("lab:5000/train@sha256:00", ("lab:5000/train", "", "sha256:00")),
        ("lab:5000/train:1@sha256:00", ("lab:5000/train", "1", "sha256:00")),
    ],
)
def test_an_images_name_has_three_parts(image, parts):
    assert split(image) == parts


@pytest.mark.parametrize(
    ("image", "pin"),
    [
        ("train", TRAIN),
        ("train:latest", TRAIN),
        ("lab:5000/train", TRAIN),
        ("lab:5000/train:latest", TRAIN),
        ("train:1", ""),
        ("lab:5000/train:1", ""),
        (TRAIN, ""),
        ("lab:5000/train@sha256:00", ""),
        ("other:5000/train", ""),
        ("library/train", ""),
        ("python", ""),
        ("{{workflow.parameters.image}}", ""),
        ("", ""),
    ],
)
def test_what_somebody_wrote_out_stays(image, pin):
    assert pin_of(image, KNOWN) == pin


def container(image):
    return {"image": image, "command": ["sh"]}


def workflow(*templates, **spec):
    return {"kind": "Workflow", "spec": {"templates": list(templates), **spec}}


def everywhere(train, dev):
    """A workflow with images in all places that Argo has."""
    return workflow(
        {
            "name": "one",
            "container": container(train),
            "initContainers": [{"name": "i", **container(dev)}],
            "sidecars": [{"name": "s", **container(train)}],
        },
        {"name": "two", "script": {**container(dev), "source": "train"}},
        {"name": "set", "containerSet": {"containers": [{"name": "a", **container(train)}]}},
        {
            "name": "steps",
            "steps": [
                [{"name": "a", "inline": {"container": container(train)}}],
                {"name": "b", "inline": {"script": container(dev)}},
            ],
        },
        {
            "name": "graph",
            "dag": {
                "tasks": [
                    {
                        "name": "a",
                        "inline": {
                            "dag": {"tasks": [{"name": "b", "inline": {"script": container(dev)}}]}
                        },
                    },
                    {"name": "c", "template": "train"},
                ]
            },
        },
        templateDefaults={"container": container(train), "sidecars": [container(dev)]},
    )


def test_images_are_pinned_in_every_place():
    given = everywhere("train", "dev:latest")
    before = copy.deepcopy(given)
    assert pinned(given, KNOWN) == everywhere(TRAIN, DEV)
    assert given == before


def test_pinned_twice_is_pinned_once():
    once = pinned(everywhere("train", "dev"), KNOWN)
    assert pinned(once, KNOWN) == once


def test_nothing_known_changes_nothing():
    assert pinned(everywhere("train", "dev"), {}) == everywhere("train", "dev")


def test_a_cron_workflow_has_its_workflow_inside():
    inner = everywhere("train", "dev")["spec"]
    made = pinned({"kind": "CronWorkflow", "spec": {"workflowSpec": inner, "schedule": "x"}}, KNOWN)
    assert made["spec"] == {"workflowSpec": everywhere(TRAIN, DEV)["spec"], "schedule": "x"}


def test_strange_shapes_are_left_to_lint():
    strange = workflow(None, {"container": "x"}, {"steps": "x"}, {"dag": {"tasks": [None, 1]}},
                       {"containerSet": []}, {"inputs": {"parameters": [None]}})  # fmt: skip
    assert pinned(strange, KNOWN) == strange
    assert pinned({"kind": "Workflow", "spec": None}, KNOWN) == {"kind": "Workflow", "spec": None}
    assert filled({"spec": {"arguments": None}}, KNOWN) == {"spec": {"arguments": None}}


def with_parameters(image, /, **values):
    """A workflow whose one container runs in what a tag says."""
    parameters = [{"name": name, "value": value} for name, value in values.items()]
    return workflow(
        {"name": "one", "container": container(image)}, arguments={"parameters": parameters}
    )


def values(made):
    return {p["name"]: p.get("value") for p in made["spec"]["arguments"]["parameters"]}


def test_a_parameter_that_is_an_image_is_pinned_by_its_value():
    made = pinned(
        with_parameters("{{workflow.parameters.what}}", what="train", mode="train"), KNOWN
    )
    assert values(made) == {"what": TRAIN, "mode": "train"}


def test_a_parameter_with_the_whole_name_of_an_image_is_pinned_wherever_it_goes():
    assert values(pinned(with_parameters("x", a="lab:5000/train:latest"), KNOWN)) == {"a": TRAIN}


def test_an_image_is_followed_through_the_arguments_of_tasks():
    task = {
        "name": "a",
        "template": "middle",
        "arguments": {
            "parameters": [{"name": "it", "value": "{{workflow.parameters.train_image}}"}]
        },
    }
    other = {
        "name": "b",
        "template": "middle",
        "arguments": {"parameters": [{"name": "it", "value": "dev"}]},
    }
    last = {"name": "c", "template": "leaf",
            "arguments": {"parameters": [{"name": "box", "value": "{{inputs.parameters.it}}"}]}}  # fmt: skip
    made = workflow(
        {"name": "main", "dag": {"tasks": [task, other]}},
        {"name": "middle", "inputs": {"parameters": [{"name": "it", "default": "train"}]},
         "steps": [[last]]},
        {"name": "leaf", "inputs": {"parameters": [{"name": "box"}]},
         "container": container("{{inputs.parameters.box}}")},
        arguments={"parameters": [{"name": "train_image"}, {"name": "note", "value": "train"}]},
    )  # fmt: skip
    assert image_parameters(made) == {"it", "box", "train_image"}
    result = pinned(filled(made, KNOWN), KNOWN)
    assert values(result) == {"train_image": TRAIN, "note": "train"}
    main, middle, _ = result["spec"]["templates"]
    assert main["dag"]["tasks"][1]["arguments"]["parameters"][0]["value"] == DEV
    assert middle["inputs"]["parameters"][0]["default"] == TRAIN


@pytest.mark.parametrize(
    ("name", "known", "value", "expected"),
    [
        ("train_image", KNOWN, "old:5000/train:1.2", TRAIN),
        ("train-image", KNOWN, None, TRAIN),
        ("dev_image", KNOWN, "", DEV),
        ("train_image", KNOWN, "old/train@sha256:00", "old/train@sha256:00"),
        ("image", {"crisp": TRAIN}, "x", TRAIN),
        ("train_image", {"crisp": TRAIN}, "x", TRAIN),
        ("image", KNOWN, "x", "x"),
        ("redis_image", {"crisp": TRAIN}, "redis:7", "redis:7"),
        ("train_image", {}, "x", "x"),
    ],
)
def test_image_parameters_get_what_was_deployed_last(name, known, value, expected):
    tag = f"{{{{workflow.parameters.{name}}}}}"
    assert values(filled(with_parameters(tag, **{name: value}), known)) == {name: expected}


def test_a_parameter_that_was_given_stays():
    made = with_parameters("{{workflow.parameters.train_image}}", train_image="mine:1")
    assert values(filled(made, KNOWN, given={"train_image"})) == {"train_image": "mine:1"}


def test_a_picture_is_no_image_of_a_container():
    made = with_parameters("python:3", image="cat.png", train_image="dog.png")
    assert filled(made, {"train": TRAIN}) == made


def test_parameters_of_a_template_elsewhere_count_by_the_images_name():
    made = {"spec": {"workflowTemplateRef": {"name": "x"},
                     "arguments": {"parameters": [{"name": "train_image"}, {"name": "image"}]}}}  # fmt: skip
    assert values(filled(made, {"train": TRAIN, "dev": DEV})) == {
        "train_image": TRAIN, "image": None,
    }  # fmt: skip


def test_all_images_are_found():
    assert set(images_in(everywhere("train", "dev:latest"))) == {"train", "dev:latest"}
    made = with_parameters("{{workflow.parameters.what}}", what="train", mode="y")
    assert images_in(made) == ["train", "{{workflow.parameters.what}}"]
