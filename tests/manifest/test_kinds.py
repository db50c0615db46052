"""The Workflow inside templates and CronWorkflows, the object around it, and what is run of them."""

import pytest

from argojobs.manifest import documents
from argojobs.manifest.kinds import KINDS, around, inside, path_in, referring, to_run

NOW = "2026-01-31T12:00:00Z"
SPEC = {"entrypoint": "main", "templates": [{"name": "main", "suspend": {}}]}


def held(kind, **beside):
    """An object of a kind with a Workflow in it. beside: other fields of a CronWorkflow's spec."""
    spec = {**beside, "workflowSpec": SPEC} if kind == "CronWorkflow" else SPEC
    metadata = {"name": "a", "namespace": "ml", "labels": {"x": "y"}}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}


@pytest.mark.parametrize("kind", KINDS)
def test_the_workflow_inside_has_the_spec_and_the_metadata(kind):
    workflow = inside(held(kind, schedules=["@daily"]))
    assert workflow["kind"] == "Workflow"
    assert workflow["spec"] == SPEC
    assert workflow["metadata"]["labels"] == {"x": "y"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_workflow_goes_back_into_its_object(kind):
    value = held(kind, schedules=["@daily"])
    made = around(value, {**inside(value), "spec": {**SPEC, "priority": 1}})
    assert made["kind"] == kind
    assert inside(made)["spec"]["priority"] == 1
    assert made["spec"].get("schedules") == (["@daily"] if kind == "CronWorkflow" else None)


def test_an_object_of_the_whole_cluster_is_in_no_namespace():
    value = held("ClusterWorkflowTemplate")
    assert "namespace" not in around(value, inside(value))["metadata"]


def test_a_workflow_is_run_as_it_is():
    assert to_run(held("Workflow"), NOW) == held("Workflow")


@pytest.mark.parametrize("kind", ["WorkflowTemplate", "ClusterWorkflowTemplate"])
def test_a_run_of_a_template_is_new_and_named_after_it(kind):
    made = to_run(held(kind), NOW)
    assert made["metadata"] == {"generateName": "a-", "namespace": "ml"}
    assert (made["kind"], made["spec"]) == ("Workflow", SPEC)


def test_a_run_of_a_cron_workflow_knows_its_time_and_has_its_labels():
    more = {"labels": {"team": "b"}, "annotations": {"c": "d"}}
    made = to_run(held("CronWorkflow", workflowMetadata=more), NOW)
    assert made["metadata"] == {
        "generateName": "a-",
        "namespace": "ml",
        "labels": {"team": "b"},
        "annotations": {"workflows.argoproj.io/scheduled-time": NOW, "c": "d"},
    }
    assert "workflowSpec" not in made["spec"]


def test_what_is_run_has_no_status_of_the_object():
    assert "status" not in to_run({**held("WorkflowTemplate"), "status": {"x": 1}}, NOW)


def test_a_path_in_the_workflow_is_one_in_its_object():
    path = ("spec", "templates", 0)
    assert path_in("CronWorkflow", path) == ("spec", "workflowSpec", "templates", 0)
    assert path_in("WorkflowTemplate", path) == path
    assert path_in("CronWorkflow", ("metadata",)) == ("metadata",)


@pytest.mark.parametrize(
    ("cluster", "label"), [(False, "workflow-template"), (True, "cluster-workflow-template")]
)
def test_a_run_of_a_template_on_a_server_refers_to_it(cluster, label):
    made = referring("train", cluster)
    assert made["spec"] == {"workflowTemplateRef": {"name": "train", "clusterScope": cluster}}
    assert made["metadata"]["labels"] == {f"workflows.argoproj.io/{label}": "train"}


TEMPLATE = "kind: WorkflowTemplate\nmetadata: {name: %s}\nspec: {entrypoint: main}\n"
WORKFLOW = "kind: Workflow\nmetadata: {name: w}\nspec: {entrypoint: main}\n"


def chosen(text, name=None):
    return documents.choose(documents.parse(text, "f.yaml"), name)


def test_a_file_with_one_template_means_it():
    found = chosen(TEMPLATE % "a")
    assert (found.kind, found.name) == ("WorkflowTemplate", "a")


def test_a_template_beside_a_workflow_is_meant_only_by_its_name():
    text = TEMPLATE % "a" + "---\n" + WORKFLOW
    assert chosen(text).name == "w"
    assert chosen(text, "a").kind == "WorkflowTemplate"


def test_of_several_one_is_chosen_by_its_name():
    text = "---\n".join(TEMPLATE % name for name in ("a", "b"))
    with pytest.raises(documents.ManifestError, match="holds 2 WorkflowTemplates") as caught:
        chosen(text)
    assert "1 a, 2 b" in caught.value.hint
    assert chosen(text, "b").name == "b"


@pytest.mark.parametrize(
    "text",
    [
        "kind: CronWorkflow\nmetadata: {name: c}\nspec: {schedules: []}\n",
        "kind: CronWorkflow\nmetadata: {name: c}\nspec: [1]\n",
        "kind: WorkflowTemplate\nmetadata: {name: c}\n",
        "kind: WorkflowTemplate\nmetadata: [c]\nspec: {}\n",
    ],
)
def test_one_that_holds_no_workflow_is_an_error_with_its_place(text):
    with pytest.raises(documents.ManifestError, match="is not a mapping") as caught:
        chosen(text)
    assert caught.value.where == "f.yaml:1:1"
