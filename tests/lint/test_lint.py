"""Lint as a whole: names in many places, Argo's examples, large manifests."""

import json

from support.whole_examples import codes, complete, dag, stops, task, workflow
from support.work_done import calls

from argojobs.errors import ManifestError
from argojobs.lint import lint
from argojobs.manifest import documents


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
                for one in lint(document.workflow, refs="off")
                if one.level == "error" or one.code == "misplaced-field"
            ]
        if found and verdict["ok"]:
            wrong[name] = found
    assert len(verdicts) > 100
    assert wrong == {}


class TestNames:
    def test_one_with_a_tag_is_read_when_the_tag_is_replaced(self):
        name = "'{{workflow.name}}'"
        assert codes("steps: [[{name: " + name + ", template: work}]]") == []
        assert codes("dag: {tasks: [{name: " + name + ", template: work}]}") == []
        output = "{name: 'r {{workflow.name}}', valueFrom: {path: /r}}"
        example = "{container: {image: 'busybox:1.36'}, %s: {parameters: [%s]}}"
        assert codes(example % ("outputs", output)) == []
        assert codes(example % ("inputs", output)) == ["parameter-name"]

    def test_a_template_with_one_cannot_be_called(self):
        assert codes("{templates: [{name: main, suspend: {}}, {name: '{{=1}}', suspend: {}}]}") == [
            "template-name",
            "template-unused",
        ]

    def test_volumes_of_a_workflow_may_name_outputs_of_tasks(self):
        tag = "{{tasks.a.outputs.parameters.x}}"
        text = "{volumes: [{name: v, configMap: {name: '%s'}}]}"
        assert codes(text % tag) == []
        assert codes(text % tag.replace("tasks", "steps")) == []
        assert codes(text % tag.replace("tasks.a", "inputs")) == ["unresolved-reference"]


class TestLargeManifests:
    def large(self, count, name="t"):
        tasks = []
        for number in range(count):
            task = {"name": f"{name}{number}", "template": "work"}
            if number:
                value = f"{{{{tasks.{name}{number // 2}.outputs.result}}}}"
                task["arguments"] = {"parameters": [{"name": "x", "value": value}]}
                task["depends"] = f"{name}{number - 1}"
            tasks.append(task)
        workflow = complete("dag: {tasks: [{name: t0, template: work}]}")
        workflow["spec"]["templates"][0]["dag"]["tasks"] = tasks
        workflow["spec"]["templates"][1]["inputs"] = {"parameters": [{"name": "x", "default": "1"}]}
        return workflow

    def test_ten_times_as_many_tasks_cost_ten_times_the_work(self):
        found = []

        def work(count):
            workflow = self.large(count, f"of-{count}-")  # texts that no cache has yet
            return calls(lambda: found.extend(lint(workflow)))

        work(10)  # what is looked up once
        short, long = work(300), work(3_000)
        assert short > 10_000
        assert long < 10.5 * short
        assert not found

    def test_what_is_above_one_mebibyte_is_said(self):
        assert [one.code for one in lint(self.large(12_000))] == ["object-size"]


def test_ten_thousand_tasks_need_no_recursion():
    tasks = [task("t0")] + [task(f"t{n}", dependencies=[f"t{n - 1}"]) for n in range(1, 10_000)]
    assert stops(workflow(dag(*tasks))) == []
