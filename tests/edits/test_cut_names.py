"""Names that Kubernetes would refuse, cut before a workflow is sent."""

import json

from argojobs.dsl.names import digest
from argojobs.edits.cut_names import cut_names
from argojobs.manifest.names import FULL_NAME, FULL_NAMES, label_value, object_name

WORK = {"container": {"image": "a", "command": ["true"]}}


def workflow(metadata, *templates, **spec):
    return {"metadata": metadata, "spec": {"entrypoint": "main", "templates": [*templates], **spec}}


def test_good_names_leave_the_object_as_it_is():
    good = workflow({"name": "a.b-1", "labels": {"x": "Y_1"}}, {"name": "main", **WORK})
    assert cut_names(good) == (good, [])
    assert cut_names(good)[0] is good


def test_a_name_is_cut_and_its_annotation_keeps_it():
    whole = "My Run " + "long " * 20
    made, told = cut_names(workflow({"name": whole, "annotations": {"a": "b"}}))
    assert made["metadata"]["name"] == object_name(whole)
    assert made["metadata"]["annotations"] == {FULL_NAME: whole, "a": "b"}
    assert "as Kubernetes takes no such name" in told[0]


def test_annotations_that_are_none_are_left_to_lint():
    wrong = workflow({"name": "Not A Name", "annotations": 1.5})
    assert cut_names(wrong) == (wrong, [])


def test_what_a_name_begins_with_is_cut_as_well():
    made, _ = cut_names(workflow({"generateName": "My_Run-"}))
    assert made["metadata"]["generateName"] == "my-run-"
    assert made["metadata"]["annotations"] == {FULL_NAME: "My_Run"}


def test_the_value_of_a_label_is_cut_and_kept_in_an_annotation_of_its_name():
    labels = {"team/name": "vision & speech", "other": "fine", "tag": "{{workflow.parameters.x}}"}
    made, told = cut_names(workflow({"name": "a", "labels": labels}))
    cut = label_value("vision & speech")
    assert made["metadata"]["labels"] == {**labels, "team/name": cut}
    assert made["metadata"]["annotations"] == {"team/name": "vision & speech"}
    assert told == [f"the label team/name is sent as {cut!r}, as Kubernetes takes no such name"]


def test_a_template_whose_pods_would_have_capitals_is_called_otherwise_by_all_that_call_it():
    new = f"train-{digest('Train')}"
    graph = {
        "name": "main",
        "dag": {
            "tasks": [
                {"name": "Train", "template": "Train", "hooks": {"exit": {"template": "Train"}}},
                {"name": "b", "templateRef": {"name": "x", "template": "Train"}},
                {"name": "c", "onExit": "Train", "inline": {"steps": [[{"template": "Train"}]]}},
            ]
        },
    }
    train = {"name": "Train", **WORK}
    given = workflow(
        {"name": "a"}, graph, train, onExit="Train", hooks={"x": {"template": "Train"}}
    )
    made, told = cut_names(given)
    spec = made["spec"]
    assert [each["name"] for each in spec["templates"]] == ["main", new]
    first, second, third = spec["templates"][0]["dag"]["tasks"]
    assert first == {"name": "Train", "template": new, "hooks": {"exit": {"template": new}}}
    assert second == graph["dag"]["tasks"][1]
    assert third == {"name": "c", "onExit": new, "inline": {"steps": [[{"template": new}]]}}
    assert spec["onExit"] == new
    assert spec["hooks"] == {"x": {"template": new}}
    assert json.loads(made["metadata"]["annotations"][FULL_NAMES]) == {new: "Train"}
    assert told == [f"the template 'Train' is sent as {new!r}, as Kubernetes takes no such name"]
    assert given["spec"]["templates"][1]["name"] == "Train"


def test_a_graph_has_no_pod_and_keeps_its_name():
    given = workflow({"name": "a"}, {"name": "Main", "dag": {"tasks": []}})
    assert cut_names(given) == (given, [])


def test_an_entrypoint_follows_its_template():
    made, _ = cut_names(workflow({"name": "a"}, {"name": "Main", **WORK}) | {})
    assert made["spec"]["entrypoint"] == "main"
    given = workflow({"name": "a"}, {"name": "Main", **WORK})
    given["spec"]["entrypoint"] = "Main"
    assert cut_names(given)[0]["spec"]["entrypoint"] == f"main-{digest('Main')}"


def test_what_is_malformed_is_left_to_lint():
    for broken in ({}, {"metadata": 3}, {"metadata": {"name": 3, "labels": []}, "spec": []}):
        assert cut_names(broken) == (broken, [])
