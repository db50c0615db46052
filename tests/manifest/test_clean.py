"""What is sent: without what Argo would drop, and with text where text belongs."""

import copy

from support.whole_examples import dag, task, workflow

from argojobs.manifest import documents
from argojobs.manifest.clean import clean
from argojobs.manifest.fields import check_fields


def test_clean_drops_what_is_misplaced_and_changes_nothing_else():
    manifest = workflow(dag(task()), priority=1)
    manifest["annotations"] = {"a": "b"}
    container = manifest["spec"]["templates"][1]["container"]
    container["retryStrategy"] = {"limit": "3"}
    container["timeout"] = "1m"
    container["env"] = [{"name": "A", "value": 2}, {"name": "B", "value": "2"}]
    before = copy.deepcopy(manifest)
    findings = check_fields(manifest)
    assert {finding.level for finding in findings} == {"warning"}
    cleaned = clean(manifest, findings)
    assert manifest == before
    expected = copy.deepcopy(before)
    del expected["annotations"]
    leaf = expected["spec"]["templates"][1]["container"]
    del leaf["retryStrategy"], leaf["timeout"]
    leaf["env"][0]["value"] = "2"
    assert cleaned == expected
    assert check_fields(cleaned) == []
    assert cleaned["spec"]["templates"][0] is manifest["spec"]["templates"][0]


def test_a_manifest_of_the_first_users(shared):
    contents = documents.load(shared / "cases" / "crisplitdemo.yaml")
    document = documents.choose(contents)
    findings = check_fields(document.workflow)
    assert [
        (one.level, contents.place(document, one.path).rpartition("yaml:")[2]) for one in findings
    ] == [
        ("warning", "102:11"),
        ("warning", "6:3"),
    ]
    assert check_fields(clean(document.workflow, findings)) == []
    values = {
        one["name"]: one.get("value")
        for one in document.workflow["spec"]["arguments"]["parameters"]
    }
    assert values["target_structure"] == "0.0"
    assert values["output_name"] == "20230114demo"
    assert values["debug"] == "false"
    rate = document.workflow["spec"]["templates"][1]["inputs"]["parameters"][2]
    assert rate == {"name": "learning_rate", "value": "1e-4"}
