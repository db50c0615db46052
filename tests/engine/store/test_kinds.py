"""Other kinds than runs: kept, listed, changed and deleted by version, as Kubernetes does it."""

import re

import pytest

from argojobs.engine.store.kinds import (
    create_object,
    delete_object,
    get_object,
    list_objects,
    replace_object,
)
from argojobs.engine.store.store import Store
from argojobs.errors import ConflictError, NotFoundError


@pytest.fixture
def store(tmp_path):
    opened = Store.open(tmp_path)
    yield opened
    opened.close()


def template(name="train", namespace="default", kind="WorkflowTemplate", **spec):
    metadata = {"name": name, "uid": f"uid-{name}", "creationTimestamp": "2026-01-02T03:04:05Z"}
    if namespace:
        metadata["namespace"] = namespace
    return {"kind": kind, "metadata": metadata, "spec": spec}


KEY = ("WorkflowTemplate", "default", "train")


def version(found):
    return found["metadata"]["resourceVersion"]


def test_what_is_created_is_there_with_a_version(store):
    made = create_object(store, template(entrypoint="main"))
    assert version(made) == "1"
    assert made["spec"] == {"entrypoint": "main"}
    assert get_object(store, *KEY) == made


def test_a_name_is_taken_once_in_its_kind_and_namespace(store):
    create_object(store, template())
    with pytest.raises(ConflictError, match=r'^workflowtemplates.argoproj.io "train" already exis'):
        create_object(store, template())
    create_object(store, template(namespace="lab"))
    create_object(store, template(kind="CronWorkflow"))


@pytest.mark.parametrize(
    ("kind", "called"),
    [
        ("WorkflowTemplate", "workflowtemplates"),
        ("ClusterWorkflowTemplate", "clusterworkflowtemplates"),
        ("CronWorkflow", "cronworkflows"),
    ],
)
def test_what_is_not_there_is_said_in_kubernetes_words(store, kind, called):
    with pytest.raises(NotFoundError, match=f'^{called}.argoproj.io "train" not found'):
        get_object(store, kind, "default", "train")
    with pytest.raises(NotFoundError, match=called):
        replace_object(store, template(kind=kind))
    with pytest.raises(NotFoundError, match=called):
        delete_object(store, kind, "default", "train")


def test_a_list_is_of_one_kind_by_names(store):
    for name, namespace in (("b", "default"), ("a", "default"), ("c", "argo")):
        create_object(store, template(name, namespace))
    create_object(store, template("shared", "", "ClusterWorkflowTemplate"))
    listed = [found["metadata"]["name"] for found in list_objects(store, "WorkflowTemplate")]
    assert listed == ["c", "a", "b"]
    (found,) = list_objects(store, "WorkflowTemplate", "argo")
    assert found == get_object(store, "WorkflowTemplate", "argo", "c")
    (shared,) = list_objects(store, "ClusterWorkflowTemplate")
    assert shared == get_object(store, "ClusterWorkflowTemplate", "", "shared")


def test_a_change_keeps_what_the_object_was_made_with(store):
    first = create_object(store, template(step=1))
    given = template(step=2)
    given["metadata"] |= {"uid": "another", "creationTimestamp": None, "labels": {"a": "b"}}
    changed = replace_object(store, given)
    assert changed["spec"] == {"step": 2}
    assert changed["metadata"] == {
        **first["metadata"],
        "labels": {"a": "b"},
        "resourceVersion": "2",
    }
    assert get_object(store, *KEY) == changed


def test_a_change_of_an_older_version_is_refused(store):
    first = create_object(store, template(step=1))
    second = replace_object(store, {**first, "spec": {"step": 2}})
    refused = (
        'Operation cannot be fulfilled on workflowtemplates.argoproj.io "train": the object has '
        "been modified; please apply your changes to the latest version and try again"
    )
    with pytest.raises(ConflictError, match=f"^{re.escape(refused)}$"):
        replace_object(store, {**first, "spec": {"step": 3}})
    with pytest.raises(ConflictError, match="has been modified"):
        delete_object(store, *KEY, version(first))
    assert get_object(store, *KEY) == second
    delete_object(store, *KEY, version(second))
    with pytest.raises(NotFoundError):
        get_object(store, *KEY)


def test_one_that_is_deleted_leaves_its_name_and_nothing_of_it(store, tmp_path):
    create_object(store, template(token="s3cr3t-value"))
    delete_object(store, *KEY)
    for path in tmp_path.iterdir():
        assert b"s3cr3t-value" not in path.read_bytes(), path.name
    create_object(store, template())


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": "CronWorkflow", "metadata": 5}'])
def test_a_damaged_one_is_its_name_and_can_be_put_right_or_deleted(store, text):
    create_object(store, template("good"))
    create_object(store, template())
    with store.transaction() as connection:
        connection.execute("UPDATE objects SET object = ? WHERE name = 'train'", (text,))
    good, bad = list_objects(store, "WorkflowTemplate")
    assert "spec" in good
    assert bad == {
        "kind": "WorkflowTemplate",
        "metadata": {"name": "train", "namespace": "default", "resourceVersion": "2"},
    }
    assert replace_object(store, template(step=2))["spec"] == {"step": 2}
    delete_object(store, *KEY)
