"""Lint as a whole: references to other objects, kinds, conditions, and large manifests."""

import time

import pytest
import yaml

from argojobs.manifest.lint import lint
from argojobs.manifest.lint.ancestry import Ancestry
from argojobs.manifest.lint.conditions import quoted
from argojobs.manifest.lint.durations import is_duration, is_go_duration
from argojobs.manifest.lint.resources import quantity
from argojobs.manifest.lint.rules.example import complete
from argojobs.manifest.lint.schedule import schedule_fault
from argojobs.manifest.lint.subject import Caller

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


def codes(example, **options):
    workflow = complete(example)
    return [one.code for one in lint(workflow, kind=workflow["kind"], **options)]


def levels(example, **options):
    return [one.level for one in lint(complete(example), **options)]


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


class TestConditions:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("'{{workflow.name}}' == 'not-this'", []),
            ("{{workflow.name}} < 2", []),
            ("{{workflow.name}} == 2", []),
            ("{{= workflow.name == 'x' }}", []),
            ("'{{workflow.name}}' in ('x', 'y')", []),
            ("{{workflow.name}} == #f00", ["when-syntax"]),
            ("{{workflow.name}} == a && (", ["when-syntax"]),
            ("{{workflow.name}} != ''", ["when-unquoted"]),
        ],
    )
    def test_a_condition_is_judged_by_what_its_values_may_do(self, text, expected):
        task = {"name": "a", "template": "work", "when": text}
        workflow = complete("dag: {tasks: [{name: a, template: work}]}")
        workflow["spec"]["templates"][0]["dag"]["tasks"] = [task]
        assert [one.code for one in lint(workflow)] == expected

    def test_the_quoted_form_is_shown(self):
        assert quoted("{{a}} == not-this") == "'{{a}}' == 'not-this'"
        assert (
            quoted("{{a}} == one two && {{b}} != 'c'") == "'{{a}}' == 'one two' && '{{b}}' != 'c'"
        )


class TestReferences:
    def test_what_a_hook_of_a_task_names_is_the_task_itself(self):
        hook = "hooks: {running: {template: note, expression: 'tasks.a.status == \"Running\"'}}"
        example = "dag: {tasks: [{name: a, template: work, " + hook + "}]}"
        assert codes(example) == []

    def test_far_ancestors_are_known(self):
        tasks = [{"name": f"t{n}", "depends": f"t{n - 1}" if n else ""} for n in range(50)]
        ancestry = Ancestry([Caller((), task) for task in tasks])
        assert ancestry.before("t0", "t49")
        assert not ancestry.before("t49", "t0")
        assert not ancestry.before("t7", "t7")

    def test_a_default_or_the_same_condition_makes_a_skipped_output_safe(self):
        made = "{name: make, container: {image: 'busybox:1.36'}, outputs: {parameters: [{name: o, valueFrom: {path: /o%s}}]}}"
        used = "{name: use, inputs: {parameters: [{name: x}]}, container: {image: 'busybox:1.36'}}"
        argument = "arguments: {parameters: [{name: x, value: '{{tasks.a.outputs.parameters.o}}'}]}"
        when = "when: \"'{{workflow.name}}' == 'x'\""
        dag = "{name: main, dag: {tasks: [{name: a, template: make, %s}, {name: b, template: use, depends: %s, %s%s}]}}"
        example = "{templates: [" + dag + ", " + made + ", " + used + "]}"
        assert codes(example % (when, "a", argument, "", "")) == ["skipped-output"]
        assert codes(example % (when, "a", argument, "", ", default: '1'")) == []
        assert codes(example % (when, "a", argument, ", " + when, "")) == []
        assert codes(example % (when, "a.Succeeded", argument, "", "")) == []


class TestPlainFacts:
    @pytest.mark.parametrize(
        "text", ["0 3 * * *", "*/5 0-6,8 * jan mon-fri", "@daily", "@every 1h"]
    )
    def test_schedules(self, text):
        assert schedule_fault(text) == ""

    @pytest.mark.parametrize(
        "text", ["", "* * * *", "60 * * * *", "* * * * mun", "@often", "*/0 * * * *"]
    )
    def test_what_is_no_schedule(self, text):
        assert schedule_fault(text)

    def test_durations(self):
        assert is_duration("20")
        assert is_duration("1h30m")
        assert is_duration("2d", days=True)
        assert not is_duration("2d")
        assert not is_go_duration("20")
        assert not is_duration("soon")

    def test_quantities(self):
        assert quantity("500m") * 2 == quantity("1")
        assert quantity("1Ki") == 1024
        assert quantity("1e3") == quantity("1k")
        assert quantity("40GB") is None


class TestLargeManifests:
    def large(self, count):
        tasks = []
        for number in range(count):
            task = {"name": f"t{number}", "template": "work"}
            if number:
                value = f"{{{{tasks.t{number // 2}.outputs.result}}}}"
                task["arguments"] = {"parameters": [{"name": "x", "value": value}]}
                task["depends"] = f"t{number - 1}"
            tasks.append(task)
        workflow = complete("dag: {tasks: [{name: t0, template: work}]}")
        workflow["spec"]["templates"][0]["dag"]["tasks"] = tasks
        workflow["spec"]["templates"][1]["inputs"] = {"parameters": [{"name": "x", "default": "1"}]}
        return workflow

    def test_ten_thousand_tasks_cost_at_most_twice_their_reading(self):
        workflow = self.large(10_000)
        text = yaml.dump(workflow, Dumper=yaml.CSafeDumper)
        begin = time.process_time()
        yaml.load(text, Loader=yaml.CSafeLoader)
        reading = time.process_time() - begin
        begin = time.process_time()
        found = lint(workflow)
        assert time.process_time() - begin <= 2 * reading
        assert {one.code for one in found} <= {"object-size"}

    def test_what_is_above_one_mebibyte_is_said(self):
        assert [one.code for one in lint(self.large(12_000))] == ["object-size"]
