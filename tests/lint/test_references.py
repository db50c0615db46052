"""What tags name, and whether it is there in time."""

import pytest
from support.whole_examples import codes

from argojobs.lint.ancestry import Ancestry
from argojobs.lint.subject import Caller


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


class TestGatheredOutputs:
    """Argo's own lint has a list of what a tag may name, and looks into no expression."""

    @pytest.mark.parametrize(
        ("loop", "value", "expected"),
        [
            ("withItems: [a, b]", "{{tasks.a.outputs.parameters}}", []),
            ("withParam: '[1]'", "{{tasks.a.outputs.parameters}}", []),
            ("withSequence: {count: 2}", "{{tasks.a.outputs.parameters.o}}", []),
            ("withSequence: {count: 2}", "{{=toJson(tasks.a.outputs.parameters)}}", []),
            (
                "withSequence: {count: 2}",
                "{{tasks.a.outputs.parameters}}",
                ["unresolved-reference"],
            ),
        ],
    )
    def test_a_tag_names_all_of_a_loop_over_a_list(self, loop, value, expected):
        task = f"{{name: b, template: use, depends: a, arguments: {{parameters: [{{name: p, value: '{value}'}}]}}}}"
        found = codes(f"""
templates:
- {{name: main, dag: {{tasks: [{{name: a, template: make, {loop}}}, {task}]}}}}
- name: make
  container: {{image: 'busybox:1.36'}}
  outputs: {{parameters: [{{name: o, valueFrom: {{path: /tmp/o}}}}]}}
- {{name: use, inputs: {{parameters: [{{name: p}}]}}, container: {{image: 'busybox:1.36'}}}}
""")
        assert found == expected
