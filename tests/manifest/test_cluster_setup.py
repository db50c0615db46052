"""What doctor writes for a namespace."""

from __future__ import annotations

from argojobs.manifest.cluster_setup import (
    Setup,
    reader_rules,
    setup_objects,
    submitter_rules,
)


def allowed(rules, verb, resource):
    return any(verb in rule["verbs"] and resource in rule["resources"] for rule in rules)


def named(objects):
    return [(one["kind"], one["metadata"]["name"]) for one in objects]


def test_a_submitter_may_what_the_verbs_need():
    rules = submitter_rules()
    for verb in ("create", "get", "list", "watch", "update", "patch", "delete"):
        assert allowed(rules, verb, "workflows"), verb
    assert allowed(rules, "delete", "pods"), "Argo's retry deletes pods as who asks"
    assert allowed(rules, "get", "pods/log")
    for way in ("pods/exec", "pods/portforward"):
        assert allowed(rules, "create", way), way
        assert allowed(rules, "get", way), "a websocket is asked for by GET"
    assert not allowed(rules, "get", "secrets")


def test_only_the_stores_secret_may_be_read():
    (rule,) = [one for one in submitter_rules("keys") if "secrets" in one["resources"]]
    assert rule["resourceNames"] == ["keys"]
    assert rule["verbs"] == ["get"]


def test_a_reader_may_change_nothing():
    verbs = {verb for rule in reader_rules() for verb in rule["verbs"]}
    assert verbs == {"get", "list", "watch"}
    for resource in ("secrets", "pods/exec", "pods/portforward"):
        assert not any(resource in rule["resources"] for rule in reader_rules()), resource


def test_the_objects_come_in_an_order_in_which_they_can_be_applied():
    setup = Setup("lab", "runner", "keys", {"storage": "40Gi"}, {"lab": 2}, "limits")
    found = named(setup_objects(setup))
    assert found[0] == ("Namespace", "lab")
    assert found[1] == ("ServiceAccount", "runner")
    assert ("PersistentVolumeClaim", "storage") in found
    assert found[-1] == ("ConfigMap", "limits")
    for name in ("argojobs-submitter", "argojobs-reader"):
        kinds = [kind for kind, called in found if called == name]
        assert kinds == ["ServiceAccount", "Role", "RoleBinding"]


def test_the_executor_is_bound_to_the_runs_account():
    objects = setup_objects(Setup("lab"))
    assert ("ServiceAccount", "default") not in named(objects), "each namespace has it"
    (binding,) = [
        one
        for one in objects
        if one["kind"] == "RoleBinding" and one["metadata"]["name"] == "argojobs-executor"
    ]
    assert binding["subjects"] == [
        {"kind": "ServiceAccount", "name": "default", "namespace": "lab"}
    ]


def test_the_executor_may_report_outputs_and_what_it_collected_and_no_more():
    (role,) = [
        one
        for one in setup_objects(Setup("lab"))
        if one["kind"] == "Role" and one["metadata"]["name"] == "argojobs-executor"
    ]
    assert {
        (resource, verb)
        for rule in role["rules"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    } == {
        ("workflowtaskresults", "create"),
        ("workflowtaskresults", "patch"),
        ("workflowartifactgctasks", "list"),
        ("workflowartifactgctasks", "watch"),
        ("workflowartifactgctasks/status", "patch"),
    }


def test_all_but_the_namespace_is_in_it():
    for one in setup_objects(Setup("lab", limits={"x": 2}, limits_name="l")):
        assert one["kind"] == "Namespace" or one["metadata"]["namespace"] == "lab"
