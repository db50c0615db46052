"""Fields and their types, and what the other rules make of them."""

import pytest
from support.whole_examples import codes, complete, stops, task, workflow

from argojobs.lint import lint


def test_wrong_types_stop_the_check_early():
    assert stops(workflow({"name": "main", "steps": [task()]})) == [
        ("wrong-type", "spec.templates.0.steps.0")
    ]


class TestEmptyEntries:
    @pytest.mark.parametrize(
        "example",
        [
            "steps: [[null]]",
            "steps: [null]",
            "dag: {tasks: [null]}",
            "container: {image: 'busybox:1.36', command: [null]}",
            "dag: {tasks: [{name: a, template: work, dependencies: [null]}]}",
        ],
    )
    def test_a_dash_with_nothing_behind_it_is_an_error(self, example):
        assert codes(example) == ["wrong-type"]

    def test_an_item_of_a_loop_may_be_null(self):
        assert codes("steps: [[{name: a, template: work, withItems: [null, 1]}]]") == []

    def test_a_step_or_task_of_nothing_lacks_a_name(self):
        assert "step-name" in codes("steps: [[{}]]")
        assert "task-name" in codes("dag: {tasks: [{}]}")


class TestNumbersWhereTextBelongs:
    @pytest.mark.parametrize(
        "example",
        [
            "container: {image: 5}",
            "timeout: 5\ncontainer: {image: 'busybox:1.36'}",
            "suspend: {duration: 5}",
            "dag: {tasks: [{name: 5, template: work}]}",
            "dag: {tasks: [{name: a, template: work, depends: 5}]}",
            "steps: [[{name: a, template: work, when: true}]]",
            "resource: {action: get, manifest: 5}",
            "container: {image: 'busybox:1.36', volumeMounts: [{name: 5, mountPath: /x}]}",
            "metadata: {generateName: 5}",
        ],
    )
    def test_they_are_found_and_the_rules_take_them_as_text(self, example):
        assert codes(example)[0] == "not-quoted"

    def test_a_name_is_what_it_was_written_as(self):
        example = """
arguments: {parameters: [{name: n, value: 5}, {name: 007, value: 5}]}
templates:
- name: main
  container: {image: "busybox:1.36", args: ["{{workflow.parameters.n}}{{workflow.parameters.007}}"]}
"""
        assert codes(example) == ["not-quoted", "not-quoted"]

    def test_a_template_of_another_object_is_taken_as_text_too(self):
        library = complete("kind: WorkflowTemplate\nspec: {templates: [{name: 5, suspend: {}}]}")
        library["metadata"]["name"] = "shared"
        call = "dag: {tasks: [{name: a, templateRef: {name: shared, template: '5'}}]}"
        assert codes(call, templates=[library]) == []


class TestTypedFields:
    """Argo reads numbers and quantities when it reads the object, before it replaces any tag."""

    TAG = "'{{workflow.name}}'"

    @pytest.mark.parametrize(
        "example",
        [
            "container: {image: 'busybox:1.36', resources: {requests: {cpu: %s}}}",
            "script: {image: 'busybox:1.36', command: [sh], source: ls, resources: {limits: {memory: %s}}}",
            "{container: {image: 'busybox:1.36'}, volumes: [{name: v, emptyDir: {sizeLimit: %s}}]}",
            "{volumeClaimTemplates: [{metadata: {name: v}, spec: {resources: {requests: {storage: %s}}}}]}",
            "{suspend: {}, sidecars: [{name: s, image: a:1, resources: {limits: {cpu: %s}}}]}",
        ],
    )
    @pytest.mark.parametrize("value", [TAG, "40GB", "'1 Gi'"])
    def test_a_quantity_is_one_wherever_it_stands(self, example, value):
        assert codes(example % value) == ["quantity"]
        assert codes(example % "500m") == []

    @pytest.mark.parametrize(
        "example",
        [
            "container: {image: 'busybox:1.36', ports: [{containerPort: %s}]}",
            "{parallelism: %s}",
            "container: {image: 'busybox:1.36', tty: %s}",
        ],
    )
    def test_a_number_or_boolean_is_no_tag(self, example):
        workflow = complete(example % self.TAG)
        (found,) = lint(workflow)
        assert (found.level, found.code) == ("error", "wrong-type")
        assert "podSpecPatch" in found.hint

    def test_a_number_or_text_may_be_a_tag(self):
        example = "{container: {image: 'busybox:1.36'}, activeDeadlineSeconds: %s}"
        assert codes(example % self.TAG) == []
