import pytest
from support.work_done import calls

from argojobs.manifest.fields import MISPLACED, check_fields, table


def found(spec):
    workflow = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {},
        "spec": spec,
    }
    return [(one.level, one.code, one.path) for one in check_fields(workflow)]


def test_the_table_is_whole():
    known = {"string", "integer", "number", "boolean", "quantity", "integer-or-string", "any"}

    def leaf(kind):
        return leaf(kind[1]) if isinstance(kind, list) and kind[0] != "enum" else kind

    for fields in table().values():
        for kind in map(leaf, fields.values()):
            assert isinstance(kind, list) or kind in known or kind in table()
    assert {"Workflow", "WorkflowSpec", "Template", "DAGTask", "WorkflowStep"} <= set(table())


def test_no_misplaced_field_is_a_field_of_its_object():
    for name, fields in MISPLACED.items():
        assert not set(fields) & set(table()[name])


def test_known_fields_of_many_kinds():
    assert (
        found(
            {
                "entrypoint": "main",
                "parallelism": 2,
                "suspend": False,
                "nodeSelector": {"a": "b"},
                "volumes": [{"name": "v", "emptyDir": {"medium": "Memory"}}],
                "templates": [
                    {
                        "name": "main",
                        "activeDeadlineSeconds": "{{inputs.parameters.t}}",
                        "retryStrategy": {"limit": 3},
                        "container": {
                            "image": "i",
                            "resources": {"limits": {"cpu": 0.5, "memory": "1Gi"}},
                        },
                        "steps": [[{"name": "s", "withItems": [1, {"a": 2}]}]],
                        "plugin": {"whatever": {"x": 1}},
                        "parallelism": None,
                    }
                ],
            }
        )
        == []
    )


def test_an_empty_entry_of_a_list_is_an_error_but_for_items_of_loops():
    assert found({"volumes": [{"name": "v"}, None]}) == [
        ("error", "wrong-type", ("spec", "volumes", 1))
    ]
    assert found({"templates": [{"steps": [[{"withItems": [None]}]]}]}) == []


def test_a_known_field_in_a_wrong_place_is_a_warning():
    assert found({"templates": [{"container": {"retryStrategy": {"limit": "3"}}}]}) == [
        ("warning", "misplaced-field", ("spec", "templates", 0, "container", "retryStrategy"))
    ]
    (finding,) = check_fields({"annotations": {}})
    assert (finding.level, finding.path) == ("warning", ("annotations",))
    assert "metadata" in finding.hint


def test_any_other_field_is_an_error_with_the_nearest_name():
    (finding,) = check_fields({"spec": {"templates": [{"retrystrategy": {}}]}})
    assert (finding.level, finding.code) == ("error", "unknown-field")
    assert finding.hint == "did you mean `retryStrategy`?"
    (finding,) = check_fields({"spec": {"templates": [{"dag": {"zzzzzz": {}}}]}})
    assert "tasks" in finding.hint


@pytest.mark.parametrize("name", ["schedule", "schedules", "timezone", "concurrencyPolicy"])
def test_a_field_of_a_cron_workflow_is_told_as_one(name):
    (finding,) = check_fields({"spec": {name: "x"}})
    assert finding.code == "unknown-field"
    assert finding.hint == "a CronWorkflow has it, in its spec beside `workflowSpec`"


@pytest.mark.parametrize(
    "spec",
    [
        {"parallelism": "two"},
        {"parallelism": 1.5},
        {"parallelism": True},
        {"suspend": "yes"},
        {"templates": {}},
        {"templates": ["x"]},
        {"nodeSelector": []},
        {"arguments": "x"},
        {"entrypoint": ["main"]},
        {"templates": [{"retryStrategy": {"limit": [3]}}]},
        {"templates": [{"container": {"resources": {"limits": {"cpu": True}}}}]},
    ],
)
def test_a_wrong_type_is_an_error(spec):
    ((level, code, path),) = found(spec)
    assert (level, code, path[0]) == ("error", "wrong-type", "spec")


def test_a_number_where_text_belongs_is_taken_as_text_with_a_warning():
    env = [{"name": "A", "value": 2}, {"name": "B", "value": True}]
    path = ("spec", "templates", 0, "container", "env")
    assert found({"templates": [{"container": {"env": env}}]}) == [
        ("warning", "not-text", (*path, 0, "value")),
        ("warning", "not-text", (*path, 1, "value")),
    ]


def test_a_file_with_countless_unknown_fields_costs_little_for_each():
    workflow = {"kind": "Workflow", "spec": {f"k{number}": 1 for number in range(200_000)}}
    found = []
    assert calls(lambda: found.extend(check_fields(workflow))) < 20 * 200_000
    assert len(found) == 1001
    assert found[-1].message == "and 199000 more fields that Argo does not know"
