"""What a workflow must be before it runs; one test a rule."""

import copy
import json

import pytest

from argojobs.errors import ManifestError
from argojobs.manifest import documents
from argojobs.manifest.check import check, clean

LEAF = {"name": "leaf", "inputs": {"parameters": [{"name": "x"}]}, "container": {"image": "i"}}
PASSED = {"parameters": [{"name": "x", "value": "1"}]}


def workflow(*templates, **spec):
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"generateName": "w-"},
        "spec": {"entrypoint": "main", "templates": [*templates, copy.deepcopy(LEAF)], **spec},
    }


def dag(*tasks, **more):
    return {"name": "main", "dag": {"tasks": list(tasks), **more}}


def task(name="a", template="leaf", arguments=PASSED, **more):
    return {"name": name, "template": template, "arguments": arguments, **more}


def steps(*groups):
    return {"name": "main", "steps": [list(group) for group in groups]}


def codes(manifest):
    return [
        (one.code, ".".join(map(str, one.path))) for one in check(manifest) if one.level == "error"
    ]


def test_a_good_workflow():
    templates = [dag(task("a"), task("b", depends="a.Succeeded"), task("c", depends="a && b"))]
    assert check(workflow(*templates)) == []
    assert check(workflow(steps([task("a")], [task("b"), task("c")]))) == []


def test_the_entrypoint_is_there():
    assert codes(workflow(dag(task()), entrypoint="nope")) == [
        ("template-unknown", "spec.entrypoint")
    ]
    assert codes(workflow(dag(task()), entrypoint=None)) == [("entrypoint-missing", "spec")]


def test_the_nearest_template_is_proposed():
    (finding,) = check(workflow(dag(task(template="leave"))))
    assert finding.hint == "did you mean 'leaf'? the templates are: main, leaf"


def test_templates_elsewhere_are_not_looked_for():
    manifest = workflow(entrypoint=None)
    manifest["spec"] = {"workflowTemplateRef": {"name": "elsewhere"}}
    assert check(manifest) == []


def test_template_names_are_unique_and_legal():
    base = "spec.templates"
    assert codes(workflow(dag(task()), dict(LEAF))) == [("duplicate-template", f"{base}.2.name")]
    assert codes(workflow(dag(task()), {"suspend": {}})) == [("template-name", f"{base}.1")]
    named = {"name": "a_b", "suspend": {}}
    assert codes(workflow(dag(task()), named)) == [("template-name", f"{base}.1.name")]
    assert codes(workflow(dag(task()), {**named, "name": "a" * 129})) == [
        ("template-name", f"{base}.1.name")
    ]


def test_a_template_is_exactly_one_thing():
    assert codes(workflow(dag(task()), {"name": "n"})) == [("template-type", "spec.templates.1")]
    both = {"name": "n", "suspend": {}, "container": {}}
    assert codes(workflow(dag(task()), both)) == [("template-types", "spec.templates.1")]
    defaults = {"container": {"image": "i"}}
    assert codes(workflow(dag(task()), {"name": "n"}, templateDefaults=defaults)) == []


@pytest.mark.parametrize(
    ("main", "where"),
    [
        (dag(task(template="zz")), "dag.tasks.0.template"),
        (steps([task(template="zz")]), "steps.0.0.template"),
        (dag(task(onExit="zz")), "dag.tasks.0.onExit"),
        (dag(task(hooks={"exit": {"template": "zz"}})), "dag.tasks.0.hooks.exit.template"),
    ],
)
def test_what_is_called_is_there(main, where):
    assert codes(workflow(main)) == [("template-unknown", f"spec.templates.0.{where}")]


def test_a_call_names_exactly_one_template():
    assert codes(workflow(dag({"name": "a"}))) == [
        ("template-reference", "spec.templates.0.dag.tasks.0")
    ]
    both = task(templateRef={"name": "x", "template": "y"})
    assert codes(workflow(dag(both)))[0][0] == "template-reference"
    assert codes(workflow(dag(task(template="{{inputs.parameters.t}}")))) == []


def test_required_inputs_are_supplied():
    where = "spec.templates.0.dag.tasks.0.template"
    assert codes(workflow(dag(task(arguments={})))) == [("input-missing", where)]
    wants = {
        "name": "wants",
        "inputs": {
            "parameters": [{"name": "a", "default": ""}, {"name": "b", "valueFrom": {}}],
            "artifacts": [
                {"name": "f", "path": "/f"},
                {"name": "g", "path": "/g", "optional": True},
                {"name": "h", "path": "/h", "raw": {"data": ""}},
            ],
        },
        "container": {},
    }
    (finding,) = check(workflow(dag(task(template="wants", arguments={})), wants))
    assert "'f'" in finding.message
    given = {"artifacts": [{"name": "f", "from": "{{x}}"}]}
    assert check(workflow(dag(task(template="wants", arguments=given)), wants)) == []


def test_the_entrypoint_and_the_exit_handler_get_the_arguments_of_the_workflow():
    arguments = {"parameters": [{"name": "x"}]}
    assert codes(workflow(entrypoint="leaf", arguments=arguments)) == []
    assert codes(workflow(entrypoint="leaf")) == [("input-missing", "spec.entrypoint")]
    assert codes(workflow(dag(task()), onExit="leaf")) == [("input-missing", "spec.onExit")]


def test_inline_templates_are_checked_as_well():
    inline = {"inputs": {"parameters": [{"name": "x"}]}, "container": {}}
    good = {"name": "a", "inline": inline, "arguments": PASSED}
    assert codes(workflow(dag(good))) == []
    assert codes(workflow(dag({"name": "a", "inline": inline}))) == [
        ("input-missing", "spec.templates.0.dag.tasks.0.inline")
    ]


def test_arguments_have_values():
    where = "spec.templates.0.dag.tasks.0.arguments"
    assert codes(workflow(dag(task(arguments={"parameters": [{"name": "x"}]})))) == [
        ("argument-value", f"{where}.parameters.0")
    ]
    for artifact in ({"name": "f"}, {"name": "f", "fromExpression": "a"}):
        arguments = {**PASSED, "artifacts": [artifact]}
        assert codes(workflow(dag(task(arguments=arguments)))) == [
            ("argument-value", f"{where}.artifacts.0")
        ]


def test_names_of_parameters_are_legal_and_stand_once():
    twice = {"parameters": [{"name": "x", "value": "1"}, {"name": "x", "value": "2"}]}
    assert codes(workflow(dag(task(arguments=twice)))) == [
        ("duplicate-name", "spec.templates.0.dag.tasks.0.arguments.parameters.1.name")
    ]
    odd = {"parameters": [{"name": "a b", "value": "1"}, {"value": "1"}]}
    assert codes(workflow(dag(task()), arguments=odd)) == [
        ("parameter-name", "spec.arguments.parameters.0"),
        ("parameter-name", "spec.arguments.parameters.1"),
    ]


@pytest.mark.parametrize("name", ["c_d", "c d", "-c", "c.d", "c" * 129])
def test_names_of_tasks_and_steps_are_legal(name):
    assert codes(workflow(dag(task(name)))) == [("task-name", "spec.templates.0.dag.tasks.0.name")]
    assert codes(workflow(steps([task(name)]))) == [
        ("step-name", "spec.templates.0.steps.0.0.name")
    ]


def test_names_of_tasks_and_steps_stand_once():
    assert codes(workflow(dag(task(), task()))) == [
        ("duplicate-task", "spec.templates.0.dag.tasks.1.name")
    ]
    assert codes(workflow(steps([task()], [task()]))) == [
        ("duplicate-step", "spec.templates.0.steps.1.0.name")
    ]
    assert codes(workflow(dag({"template": "leaf", "arguments": PASSED}))) == [
        ("task-name", "spec.templates.0.dag.tasks.0")
    ]


def test_a_task_with_dependencies_begins_with_a_letter():
    assert codes(workflow(dag(task("a"), task("1b", dependencies=["a"])))) == [
        ("task-name", "spec.templates.0.dag.tasks.1.name")
    ]
    assert codes(workflow(dag(task("1b")))) == []


@pytest.mark.parametrize("needs", [{"depends": "zz.Failed"}, {"dependencies": ["zz"]}])
def test_dependencies_are_there(needs):
    (field,) = needs
    assert codes(workflow(dag(task(), task("b", **needs)))) == [
        ("dependency-unknown", f"spec.templates.0.dag.tasks.1.{field}")
    ]


def test_dependencies_are_written_in_one_way_and_can_be_read():
    mixed = dag(task(), task("b", depends="a"), task("c", dependencies=["a"]))
    assert codes(workflow(mixed)) == [("depends-and-dependencies", "spec.templates.0.dag.tasks")]
    assert codes(workflow(dag(task(), task("b", depends="a &&")))) == [
        ("depends-syntax", "spec.templates.0.dag.tasks.1.depends")
    ]


def test_cycles_are_found():
    tasks = [task("a", depends="c"), task("b", depends="a"), task("c", depends="b")]
    (finding,) = check(workflow(dag(*tasks)))
    assert finding.code == "cycle"
    assert "a -> c -> b -> a" in finding.message
    assert codes(workflow(dag(task("a", depends="a"))))[0][0] == "cycle"


def test_the_target_is_there():
    assert codes(workflow(dag(task(), target="a zz"))) == [
        ("target-unknown", "spec.templates.0.dag.target")
    ]


def test_hooks_say_when_they_run():
    hooks = {"running": {"template": "main"}}
    assert codes(workflow(dag(task()), hooks=hooks)) == [("hook-expression", "spec.hooks.running")]


@pytest.mark.parametrize(
    ("metadata", "good"),
    [
        ({"name": "a" * 63}, True),
        ({"name": "a" * 64}, False),
        ({"name": "Upper"}, False),
        ({"generateName": "a-"}, True),
        ({"generateName": "A-"}, False),
        ({"generateName": "a" * 100}, True),
        ({}, True),
    ],
)
def test_the_name_of_a_workflow_is_legal(metadata, good):
    manifest = {**workflow(dag(task())), "metadata": metadata}
    assert ([one for one, _ in codes(manifest)] == []) is good


def test_wrong_types_stop_the_check_early():
    assert codes(workflow({"name": "main", "steps": [task()]})) == [
        ("wrong-type", "spec.templates.0.steps.0")
    ]


def test_ten_thousand_tasks_need_no_recursion():
    tasks = [task("t0")] + [task(f"t{n}", dependencies=[f"t{n - 1}"]) for n in range(1, 10_000)]
    assert check(workflow(dag(*tasks))) == []


def test_clean_drops_what_is_misplaced_and_changes_nothing_else():
    manifest = workflow(dag(task()), priority=1)
    manifest["annotations"] = {"a": "b"}
    container = manifest["spec"]["templates"][1]["container"]
    container["retryStrategy"] = {"limit": "3"}
    container["timeout"] = "1m"
    container["env"] = [{"name": "A", "value": 2}, {"name": "B", "value": "2"}]
    before = copy.deepcopy(manifest)
    findings = check(manifest)
    assert {finding.level for finding in findings} == {"warning"}
    cleaned = clean(manifest, findings)
    assert manifest == before
    expected = copy.deepcopy(before)
    del expected["annotations"]
    leaf = expected["spec"]["templates"][1]["container"]
    del leaf["retryStrategy"], leaf["timeout"]
    leaf["env"][0]["value"] = "2"
    assert cleaned == expected
    assert check(cleaned) == []
    assert cleaned["spec"]["templates"][0] is manifest["spec"]["templates"][0]


def test_no_example_that_argo_accepts_has_a_finding(shared):
    verdicts = json.loads((shared / "argo" / "lint" / "expected.json").read_text())["examples"]
    wrong = {}
    for name, verdict in verdicts.items():
        try:
            contents = documents.load(shared / "argo" / "examples" / name)
        except ManifestError as error:
            found = [str(error)]
        else:
            found = [
                str(one)
                for document in contents.workflows
                for one in check(document.workflow)
                if one.code != "newer-field"  # of 4.1 itself
            ]
        if found and verdict["ok"]:
            wrong[name] = found
    assert len(verdicts) > 100
    assert wrong == {}


def test_a_manifest_of_the_first_users(shared):
    contents = documents.load(shared / "cases" / "crisplitdemo.yaml")
    document = documents.choose(contents)
    findings = check(document.workflow)
    assert [
        (one.level, contents.place(document, one.path).rpartition("yaml:")[2]) for one in findings
    ] == [
        ("warning", "102:11"),
        ("warning", "6:3"),
    ]
    assert check(clean(document.workflow, findings)) == []
    values = {
        one["name"]: one.get("value")
        for one in document.workflow["spec"]["arguments"]["parameters"]
    }
    assert values["target_structure"] == "0.0"
    assert values["output_name"] == "20230114demo"
    assert values["debug"] == "false"
    rate = document.workflow["spec"]["templates"][1]["inputs"]["parameters"][2]
    assert rate == {"name": "learning_rate", "value": "1e-4"}
