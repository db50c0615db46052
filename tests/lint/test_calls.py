"""What tasks, steps, hooks and the workflow itself call, here and in other objects."""

import pytest
from support.whole_examples import (
    PASSED,
    codes,
    complete,
    dag,
    levels,
    steps,
    stops,
    task,
    workflow,
)

from argojobs.lint import lint
from argojobs.manifest.findings import errors

SHARED = complete("""
kind: WorkflowTemplate
metadata: {name: shared}
spec:
  templates:
  - name: train
    inputs: {parameters: [{name: epochs}]}
    container: {image: "busybox:1.36"}
""")
CALL = "dag: {tasks: [{name: a, templateRef: {name: shared, template: %s}%s}]}"
EPOCHS = ", arguments: {parameters: [{name: epochs, value: '2'}]}"


def test_a_good_workflow():
    templates = [dag(task("a"), task("b", depends="a.Succeeded"), task("c", depends="a && b"))]
    assert lint(workflow(*templates)) == []
    assert lint(workflow(steps([task("a")], [task("b"), task("c")]))) == []


def test_the_entrypoint_is_there():
    assert stops(workflow(dag(task()), entrypoint="nope")) == [
        ("template-unknown", "spec.entrypoint")
    ]
    assert stops(workflow(dag(task()), entrypoint=None)) == [("entrypoint-missing", "spec")]


def test_the_nearest_template_is_proposed():
    finding, _ = lint(workflow(dag(task(template="leave"))))  # and that nothing calls `leaf`
    assert finding.hint == "did you mean 'leaf'? the templates are: main, leaf"


def test_templates_elsewhere_are_not_looked_for():
    manifest = workflow(entrypoint=None)
    manifest["spec"] = {"workflowTemplateRef": {"name": "elsewhere"}}
    assert lint(manifest, refs="off") == []


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
    assert stops(workflow(main)) == [("template-unknown", f"spec.templates.0.{where}")]


def test_a_call_names_exactly_one_template():
    assert stops(workflow(dag({"name": "a"}))) == [
        ("template-reference", "spec.templates.0.dag.tasks.0")
    ]
    both = task(templateRef={"name": "x", "template": "y"})
    assert stops(workflow(dag(both)))[0][0] == "template-reference"
    assert stops(workflow(dag(task(template="{{workflow.name}}")))) == []


def test_required_inputs_are_supplied():
    where = "spec.templates.0.dag.tasks.0.template"
    assert stops(workflow(dag(task(arguments={})))) == [("input-missing", where)]
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
        "container": {"image": "i:1"},
    }
    (finding,) = errors(lint(workflow(dag(task(template="wants", arguments={})), wants)))
    assert "'f'" in finding.message
    given = {"artifacts": [{"name": "f", "from": "{{x}}"}]}
    assert stops(workflow(dag(task(template="wants", arguments=given)), wants)) == []


def test_the_entrypoint_and_the_exit_handler_get_the_arguments_of_the_workflow():
    arguments = {"parameters": [{"name": "x"}]}
    assert stops(workflow(entrypoint="leaf", arguments=arguments)) == []
    assert stops(workflow(entrypoint="leaf")) == [("input-missing", "spec.entrypoint")]
    assert stops(workflow(dag(task()), onExit="leaf")) == [("input-missing", "spec.onExit")]


def test_inline_templates_are_checked_as_well():
    inline = {"inputs": {"parameters": [{"name": "x"}]}, "container": {"image": "i:1"}}
    good = {"name": "a", "inline": inline, "arguments": PASSED}
    assert stops(workflow(dag(good))) == []
    assert stops(workflow(dag({"name": "a", "inline": inline}))) == [
        ("input-missing", "spec.templates.0.dag.tasks.0.inline")
    ]


@pytest.mark.parametrize("name", ["c_d", "c d", "-c", "c.d", "c" * 129])
def test_names_of_tasks_and_steps_are_legal(name):
    assert stops(workflow(dag(task(name)))) == [("task-name", "spec.templates.0.dag.tasks.0.name")]
    assert stops(workflow(steps([task(name)]))) == [
        ("step-name", "spec.templates.0.steps.0.0.name")
    ]


def test_names_of_tasks_and_steps_stand_once():
    assert stops(workflow(dag(task(), task()))) == [
        ("duplicate-task", "spec.templates.0.dag.tasks.1.name")
    ]
    assert stops(workflow(steps([task()], [task()]))) == [
        ("duplicate-step", "spec.templates.0.steps.1.0.name")
    ]
    assert stops(workflow(dag({"template": "leaf", "arguments": PASSED}))) == [
        ("task-name", "spec.templates.0.dag.tasks.0")
    ]


def test_hooks_say_when_they_run():
    hooks = {"running": {"template": "main"}}
    assert stops(workflow(dag(task()), hooks=hooks)) == [("hook-expression", "spec.hooks.running")]


class TestTemplatesOfOtherObjects:
    def test_an_unseen_one_is_what_refs_says(self):
        example = CALL % ("train", "")
        assert levels(example) == ["warning"]
        assert levels(example, refs="strict") == ["error"]
        assert levels(example, refs="off") == []

    def test_a_seen_one_is_looked_into(self):
        assert codes(CALL % ("train", EPOCHS), templates=[SHARED]) == []
        assert codes(CALL % ("train", ""), templates=[SHARED]) == ["input-missing"]
        assert codes(CALL % ("tune", ""), templates=[SHARED], refs="off") == [
            "template-ref-unknown"
        ]

    def test_a_whole_workflow_may_come_from_one(self):
        example = "spec: {workflowTemplateRef: {name: shared}, entrypoint: train%s}"
        assert codes(example % "", templates=[SHARED]) == ["input-missing"]
        assert codes(example % EPOCHS, templates=[SHARED]) == []

    def test_a_template_may_use_parameters_of_the_workflow_that_uses_it(self):
        text = "container: {image: busybox:1.36, args: ['{{workflow.parameters.x}}']}"
        assert codes(text) == ["unresolved-reference"]
        spec = "{kind: WorkflowTemplate, spec: {templates: [{name: main, " + text + "}]}}"
        assert codes(spec) == []

    def test_the_arguments_of_an_object_do_not_come_with_a_template_of_it(self):
        library = complete("""
kind: WorkflowTemplate
metadata: {name: shared}
spec:
  arguments: {parameters: [{name: version, value: "1"}]}
  templates:
  - {name: train, steps: [[{name: a, template: work}]]}
  - {name: work, container: {image: "busybox:1.36", args: ["{{workflow.parameters.version}}"]}}
""")
        call = "{templates: [{name: main, " + CALL % ("train", "") + "}]%s}"
        assert codes(call % "", templates=[library]) == ["unresolved-reference"]
        given = ", arguments: {parameters: [{name: version, value: '2'}]}"
        assert codes(call % given, templates=[library]) == []

    INPUT = "inputs: {parameters: [{name: uri, value: '{{workflow.parameters.uri}}'}]}"
    GIVEN = "arguments: {parameters: [{name: uri, value: x}]}"

    def test_a_value_of_an_input_counts_only_where_a_caller_gives_none(self):
        train = (
            f"{{name: train, {self.INPUT}, steps: [[{{name: a, template: work, {self.GIVEN}}}]]}}"
        )
        work = f"{{name: work, {self.INPUT}, suspend: {{}}}}"
        spec = f"{{entrypoint: train, templates: [{train}, {work}]}}"
        library = complete(f"{{kind: WorkflowTemplate, metadata: {{name: shared}}, spec: {spec}}}")
        assert codes(CALL % ("train", f", {self.GIVEN}"), templates=[library]) == []
        assert codes(CALL % ("train", ""), templates=[library]) == ["unresolved-reference"]

    def test_so_it_is_within_a_workflow(self):
        text = "{templates: [{name: main, steps: [[%s]]}, {name: work, " + self.INPUT
        text += ", suspend: {}}]}"
        given = "{name: a, template: work, " + self.GIVEN + "}"
        without = "{name: b, template: work}"
        assert codes(text % given) == []
        assert codes(text % without) == ["unresolved-reference"]
        assert codes(text % f"{given}, {without}") == ["unresolved-reference"]

    def test_an_entrypoint_is_given_the_workflows_own(self):
        text = "{arguments: {parameters: [%s]}, templates: [{name: main, inputs: {parameters: "
        text += "[{name: uri, value: '{{workflow.parameters.other}}'}]}, suspend: {}}]}"
        assert codes(text % "{name: uri, value: x}") == []
        assert codes(text % "{name: x, value: x}") == ["unresolved-reference"]

    LIBRARY = """
kind: WorkflowTemplate
metadata: {name: shared}
spec:
  entrypoint: train
  templates:
  - {name: train, steps: [[{name: a, template: work}]]}
  - name: work
    volumes: [{name: own, emptyDir: {}}]
    container:
      image: busybox:1.36
      volumeMounts: [{name: own, mountPath: /own}, {name: workdir, mountPath: /work}]
"""

    @pytest.mark.parametrize("kind", ["WorkflowTemplate", "ClusterWorkflowTemplate"])
    def test_a_library_mounts_volumes_of_the_workflow_that_uses_it(self, kind):
        assert codes(self.LIBRARY.replace("WorkflowTemplate", kind)) == []
        assert codes(self.LIBRARY.replace("WorkflowTemplate", "Workflow")) == ["volume-undeclared"]

    def test_who_uses_it_must_have_the_volume(self):
        library = complete(self.LIBRARY)
        call = "{templates: [{name: main, " + CALL % ("train", "") + "}]%s}"
        assert codes(call % "", templates=[library]) == ["volume-undeclared"]
        volume = ", volumes: [{name: workdir, emptyDir: {}}]"
        assert codes(call % volume, templates=[library]) == []
        claim = ", volumeClaimTemplates: [{metadata: {name: workdir}, spec: {}}]"
        assert codes(call % claim, templates=[library]) == []

    def test_a_label_may_come_from_the_workflow_that_uses_it(self):
        text = "{kind: %s, spec: {templates: [{name: main, container: {image: 'busybox:1.36', "
        text += "args: ['{{workflow.labels.a}}', '{{workflow.annotations.b}}']}}]}}"
        assert levels(text % "WorkflowTemplate") == ["warning", "warning"]
        assert levels(text % "Workflow") == ["error", "error"]
