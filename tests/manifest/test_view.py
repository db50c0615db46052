"""What is seen of a workflow: whatever of it is missing or null, and templates inside of steps."""

import pytest

from argojobs.manifest import view

INNER = {"container": {"image": "x"}}
WORKFLOW = {
    "metadata": {"name": "run", "labels": {"a": "b"}, "annotations": {"c": "d"}},
    "spec": {
        "arguments": {"parameters": [{"name": "p"}], "artifacts": [{"name": "a"}]},
        "templates": [
            {
                "name": "dag",
                "dag": {"tasks": [{"name": "one", "template": "steps"}, {"name": "two"}]},
            },
            {
                "name": "steps",
                "steps": [
                    [{"name": "a", "template": "leaf"}, {"name": "b", "inline": INNER}],
                    {"name": "alone", "template": "leaf", "withItems": [1]},
                ],
            },
            {"name": "leaf", "script": {"image": "y"}},
            {"name": "set", "containerSet": {"containers": [{"name": "m"}, None]}},
        ],
    },
    "status": {"nodes": {"run": {"id": "run"}}},
}
DAG, STEPS, LEAF, SET = WORKFLOW["spec"]["templates"]


@pytest.mark.parametrize("look", ["metadata", "annotations", "labels", "spec", "status", "nodes"])
@pytest.mark.parametrize(
    "workflow", [{}, {"metadata": None, "spec": None, "status": None}, {"status": {"nodes": None}}]
)
def test_what_is_missing_or_null_is_empty(look, workflow):
    found = getattr(view, f"{look}_of")(workflow)
    assert found == ({"nodes": None} if look == "status" and workflow.get("status") else {})


def test_templates_calls_and_parameters_that_are_missing_are_none():
    for workflow in ({}, {"spec": None}, {"spec": {"templates": None}}):
        assert list(view.templates_of(workflow)) == []
        assert view.every_template(workflow) == {}
    for template in ({}, {"dag": None, "steps": None}, {"dag": {"tasks": None}}):
        assert view.calls_of(template) == []
    for holder in (None, {}, {"parameters": None, "artifacts": None}):
        assert [*view.parameters_of(holder), *view.artifacts_of(holder)] == []


def test_what_is_there_is_not_copied():
    assert view.nodes_of(WORKFLOW) is WORKFLOW["status"]["nodes"]
    assert view.templates_of(WORKFLOW) is WORKFLOW["spec"]["templates"]
    assert view.labels_of(WORKFLOW) == {"a": "b"}
    assert view.annotations_of(WORKFLOW) == {"c": "d"}
    arguments = view.arguments_of(view.spec_of(WORKFLOW))
    assert [one["name"] for one in view.parameters_of(arguments)] == ["p"]
    assert [one["name"] for one in view.artifacts_of(arguments)] == ["a"]


def test_calls_are_tasks_and_steps_a_lone_one_too():
    assert [one["name"] for one in view.calls_of(DAG)] == ["one", "two"]
    assert [one["name"] for one in view.calls_of(STEPS)] == ["a", "b", "alone"]
    assert [view.is_fan_out(one) for one in view.calls_of(STEPS)] == [False, False, True]


def test_groups_are_lists_or_as_argo_keeps_them():
    step = {"name": "a"}
    for group in ([step], step, {"steps": [step]}):
        assert view.groups_of({"steps": [group]}) == [[step]]
    assert view.groups_of({"steps": [{"steps": None}]}) == [[]]


def test_what_is_no_mapping_is_not_a_call():
    assert view.calls_of({"dag": {"tasks": [None, 1, {"name": "a"}]}}) == [{"name": "a"}]


def test_calls_go_by_the_names_of_their_nodes():
    assert [name for name, _ in view.named_calls(DAG, "run")] == ["run.one", "run.two"]
    names = [name for name, _ in view.named_calls(STEPS, "run.one")]
    assert names == ["run.one[0].a", "run.one[0].b", "run.one[1].alone"]


def test_inline_templates_go_by_where_they_stand():
    found = view.every_template(WORKFLOW)
    assert list(found) == ["dag", "steps", "leaf", "set", "steps/b"]
    assert found["steps/b"] is INNER
    assert view.shown_name("steps/b") == "b"


def test_containers_are_one_or_those_of_a_set():
    assert list(view.containers_of(LEAF)) == [{"image": "y"}]
    assert list(view.containers_of(SET)) == [{"name": "m"}]
    assert list(view.containers_of(DAG)) == []


def test_called_are_templates_of_tasks_steps_and_hooks():
    hooked = {"name": "t", "template": "x", "onExit": "y", "hooks": {"h": {"template": "z"}}}
    inside = {"name": "u", "inline": {"dag": {"tasks": [{"name": "v", "template": "w"}]}}}
    template = {"dag": {"tasks": [hooked, inside]}, "container": {"template": "not one"}}
    assert list(view.called(template)) == ["x", "y", "z", "w"]
    again = view.recalled(template, {"x": "1", "y": "2", "z": "3", "w": "4"})
    assert list(view.called(again)) == ["1", "2", "3", "4"]
