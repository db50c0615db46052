"""Lint as a whole: references to other objects, kinds, conditions, and large manifests."""

import json

import pytest
from support.whole_examples import complete
from support.work_done import calls

from argojobs.lint import lint
from argojobs.lint.ancestry import Ancestry
from argojobs.lint.conditions import quoted
from argojobs.lint.durations import is_duration, is_go_duration
from argojobs.lint.durations import remedy as in_hours
from argojobs.lint.schedule import schedule_fault
from argojobs.lint.subject import Caller
from argojobs.manifest.quantities import quantity

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
    workflow = complete(example)
    return [one.level for one in lint(workflow, kind=workflow["kind"], **options)]


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
        assert codes(CALL % ("'5'", ""), templates=[library]) == []


class TestHostPorts:
    PORT = "{name: serve, container: {image: 'busybox:1.36', ports: [{containerPort: 80, hostPort: 80}]}}"
    DAG = (
        "{name: main, dag: {tasks: [{name: a, template: serve%s}, {name: b, template: serve%s}]}%s}"
    )

    def codes(self, one="", other="", more="", spec=""):
        dag = self.DAG % (one, other, more)
        return codes("{templates: [" + dag + ", " + self.PORT + "]" + spec + "}")

    def test_two_at_once_collide_unless_only_one_of_them_runs(self):
        assert self.codes() == ["host-port"]
        assert self.codes(spec=", parallelism: 1") == ["host-port-runs"]
        assert self.codes(more=", parallelism: 1") == ["host-port-runs"]
        when = ", when: \"'{{workflow.name}}' %s 'a'\""
        assert self.codes(when % "==", when % "!=") == ["host-port-runs"]
        assert self.codes(when % "==", when.replace("'a'", "'b'") % "==") == ["host-port-runs"]
        assert self.codes(when % "!=", when.replace("'a'", "'b'") % "!=") == ["host-port"]
        assert self.codes(when % "==", "") == ["host-port"]

    def test_one_run_alone_is_said_more_weakly(self):
        example = "{templates: [{name: main, container: {image: 'busybox:1.36', ports: [%s]}}]}"
        assert codes(example % "{containerPort: 80, hostPort: 80}") == ["host-port-runs"]
        assert codes(example % "{containerPort: 80}") == []
        assert self.codes(", depends: b") == ["host-port-runs"]


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
            ("{{workflow.status}} == Succeeded", []),
            ("{{workflow.name}} = a", ["when-syntax"]),
            ("{{workflow.{{workflow.name}}}} < 2", []),
        ],
    )
    def test_a_condition_is_judged_by_what_its_values_may_do(self, text, expected):
        task = {"name": "a", "template": "work", "when": text}
        workflow = complete("dag: {tasks: [{name: a, template: work}]}")
        workflow["spec"]["templates"][0]["dag"]["tasks"] = [task]
        assert [one.code for one in lint(workflow)] == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("{{workflow.parameters.sha}} != 0000000", ["when-unquoted"]),
            ("{{workflow.parameters.sha}} == 5", ["when-unquoted"]),
            ("5 < {{ workflow.parameters.sha }}", ["when-unquoted"]),
            ("{{inputs.parameters.words}} > 1", ["when-unquoted"]),
            ("'{{workflow.parameters.sha}}' != '0000000'", []),
            ("{{workflow.parameters.count}} == 5", []),
            ("{{workflow.parameters.flag}} == true", []),
            ("'{{workflow.parameters.quote}}' == 'a'", ["when-unquoted"]),
            ("{{inputs.parameters.none}} == 5", []),
        ],
    )
    def test_a_value_that_is_there_already_must_not_break_it(self, text, expected):
        values = {"sha": "5d1ca16", "count": "3", "flag": "true", "quote": "it's"}
        workflow = complete("dag: {tasks: [{name: a, template: work}]}")
        spec = workflow["spec"]
        spec["arguments"] = {
            "parameters": [{"name": name, "value": value} for name, value in values.items()]
        }
        inputs = [{"name": "words", "default": "a b"}, {"name": "none"}]
        spec["templates"][0]["inputs"] = {"parameters": inputs}
        spec["arguments"]["parameters"].append({"name": "none", "value": "a b"})
        spec["templates"][0]["dag"]["tasks"][0]["when"] = text
        found = lint(workflow)
        assert [one.code for one in found] == expected
        assert all(one.hint for one in found)

    def test_the_quoted_form_is_shown(self):
        assert quoted("{{a}} == not-this") == "'{{a}}' == 'not-this'"
        assert (
            quoted("{{a}} == one two && {{b}} != 'c'") == "'{{a}}' == 'one two' && '{{b}}' != 'c'"
        )
        assert quoted("{{a}} > 3 && {{b}} == c") == "{{a}} > 3 && '{{b}}' == 'c'"

    @pytest.mark.parametrize("text", ["{{a", "{{a}} == ", "'a' == ", "a in (", "'", "a && "])
    def test_a_huge_one_costs_work_in_proportion(self, text):
        def work(times):
            workflow = complete("steps: [[{name: a, template: work}]]")
            workflow["spec"]["templates"][0]["steps"][0][0]["when"] = text * times
            return calls(lambda: found.append(lint(workflow)))

        found = []
        work(10)  # what is looked up once
        short, long = work(1_000), work(10_000)
        assert all(found)
        assert long < 10.5 * short

    def test_the_remedy_is_whole_and_can_be_pasted(self):
        workflow = complete("steps: [[{name: a, template: work}]]")
        step = workflow["spec"]["templates"][0]["steps"][0][0]
        for text, remedy in [
            ("{{workflow.name}} in (x)", "'{{workflow.name}}' == 'x'"),
            ("{{workflow.name}} == two words", "'{{workflow.name}}' == 'two words'"),
        ]:
            step["when"] = text
            (found,) = lint(workflow)
            assert found.hint.endswith(remedy)
            assert "token types" not in found.message


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


class TestPlaces:
    TWO = "{inputs: {artifacts: [{name: a, path: %s, raw: {data: x}}, {name: b, path: %s, raw: {data: x}}]}, %s}"

    @pytest.mark.parametrize(
        "work",
        [
            "container: {image: 'busybox:1.36'}",
            "script: {image: 'busybox:1.36', command: [sh], source: ls}",
            "containerSet: {containers: [{name: main, image: 'busybox:1.36'}]}",
        ],
    )
    def test_two_inputs_do_not_share_one(self, work):
        assert codes(self.TWO % ("/x", "/x", work)) == ["mount-path"]
        assert codes(self.TWO % ("'/{{workflow.name}}'", "'/{{workflow.name}}'", work)) == [
            "mount-path"
        ]
        assert codes(self.TWO % ("/x", "/x/y", work)) == []

    def test_nor_does_an_input_with_a_volume(self):
        work = "volumes: [{name: v, emptyDir: {}}], container: {image: 'busybox:1.36', "
        work += "volumeMounts: [{name: v, mountPath: /v}]}"
        assert codes(self.TWO % ("/v", "/w", work)) == ["mount-path"]
        assert codes(self.TWO % ("/v/a", "/w", work)) == []


class TestSecrets:
    def test_the_tokens_of_a_vocabulary_are_none(self):
        text = "{arguments: {parameters: [{name: %s, value: x}]}, templates: [{name: main, suspend: {}}]}"
        assert codes(text % "pad_token") == []
        assert codes(text % "hub_token") == ["secret-literal"]

    TOKEN = "hf_" + "aB3" * 11 + "x"

    @pytest.mark.parametrize(
        "example",
        [
            "container: {image: 'busybox:1.36', args: [--token=%s]}",
            "container: {image: 'busybox:1.36', env: [{name: A, value: '%s'}]}",
            "script: {image: 'busybox:1.36', command: [sh], source: 'login %s'}",
            "arguments: {parameters: [{name: a, value: 'Bearer %s'}]}",
        ],
    )
    def test_what_has_the_form_of_a_token_is_an_error_wherever_it_stands(self, example):
        (found,) = lint(complete(example % self.TOKEN))
        assert (found.level, found.code) == ("error", "secret-literal")
        assert "Hugging Face" in found.message
        assert self.TOKEN not in found.message + found.hint

    def test_a_name_that_only_sounds_so_is_a_warning(self):
        assert levels("arguments: {parameters: [{name: token, value: 'abc'}]}") == ["warning"]
        assert levels("arguments: {parameters: [{name: token, value: '{{workflow.name}}'}]}") == []

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("boundary_token", "\n"),
            ("password", "  "),
            ("sep.token", "|||"),
            ("mask-token", "[MASK]"),
            ("first_token", "<|begin|>"),
            ("max_token", "512"),
            ("token", "true"),
            ("api_key", "/run/secrets/key"),
            ("api_key", "$(KEY)"),
            ("password", "{{workflow.name}}"),
        ],
    )
    def test_what_hides_nothing_is_not_one(self, name, value):
        assert self.codes(name, value) == []

    @pytest.mark.parametrize(
        ("name", "value"),
        [("password", "1234"), ("api_token", "abc"), ("token", "x7-k"), ("secret", "<o>k")],
    )
    def test_what_may_be_one_is_said(self, name, value):
        assert self.codes(name, value) == ["secret-literal", "secret-literal"]

    def codes(self, name, value):
        workflow = complete("container: {image: 'busybox:1.36'}")
        spec = workflow["spec"]
        spec["arguments"] = {"parameters": [{"name": name.replace(".", "-"), "value": value}]}
        env = [{"name": name, "value": value}]
        spec["templates"][0]["container"]["env"] = env
        return [one.code for one in lint(workflow) if one.code != "value-altered"]


class TestImages:
    EXAMPLE = "{arguments: {parameters: [{name: image, value: '%s'}]}, templates: [{name: main, container: {image: '{{workflow.parameters.image}}'}}]}"

    def test_one_that_a_parameter_names_is_judged_by_its_value(self):
        assert codes(self.EXAMPLE % "train:latest") == ["image-latest"]
        assert codes(self.EXAMPLE % "localhost:5000/train") == ["image-latest"]
        assert codes(self.EXAMPLE % "localhost:5000/train:1.2") == []
        assert codes(self.EXAMPLE % "train@sha256:abc") == []


class TestExpressions:
    """Argo's lint does not look into them; what is named there is missing when they run."""

    @pytest.mark.parametrize(
        "text",
        [
            "asInt(inputs.parameters.n) + 1",
            "toJson(workflow.parameters)",
            "workflow.parameters.missing ?? 'a'",
            "workflow?.parameters?.missing",
            "map([1, 2], {# + 1})",
            "filter([{'a': 1}], {.a > 0})",
            "sprig.trim(workflow.name) + node.name + pod.name",
            "workflow.creationTimestamp.Y",
        ],
    )
    def test_what_is_there_is_not_spoken_of(self, text):
        example = "inputs: {parameters: [{name: 'n', default: '1'}]}\ncontainer: {image: 'busybox:1.36', args: [%s]}"
        assert codes(example % json.dumps("{{=" + text + "}}")) == []

    @pytest.mark.parametrize(
        ("text", "hint"),
        [
            ("workflow.parameters.epoch", "did you mean 'workflow.parameters.epochs'?"),
            ("inputs.parameters.m", "did you mean 'inputs.parameters.n'?"),
            ("workflow.nam", "did you mean 'workflow.name'?"),
            ("sprig.trimm('a')", "did you mean sprig.trim?"),
            ("fromJson('{}')", "did you mean fromJSON?"),
            ("epochs", "names begin with inputs."),
            ("retries", "only a template with a retryStrategy knows it"),
        ],
    )
    def test_what_is_not_there_is_named_with_what_may_be_meant(self, text, hint):
        example = "{arguments: {parameters: [{name: epochs, value: '1'}]}, templates: [{name: main, inputs: {parameters: [{name: 'n', default: '1'}]}, container: {image: 'busybox:1.36', args: [%s]}}]}"
        (found,) = lint(complete(example % json.dumps("{{=" + text + "}}")))
        assert found.code == "unresolved-reference"
        assert hint in found.hint

    def test_a_let_is_known_where_argo_lets_it_be(self):
        retry = "container: {image: 'busybox:1.36'}\nretryStrategy: {limit: 1, expression: \"let a = 1; lastRetry.exitCode == string(a)\"}"
        assert codes(retry) == []

    @pytest.mark.parametrize(
        "text",
        [
            "let v = 2; v + 1",
            "map([1,2], let d = # * 2; d + 1)",
            "let a = inputs.parameters.n; let b = a; b + a",
            "let f = {a: 1}; f.a",
        ],
    )
    def test_a_let_is_known_in_a_tag(self, text):
        """Argo 4.0.5 runs them all."""
        example = "templates: [{name: main, inputs: {parameters: [{name: 'n', default: '1'}]}, container: {image: 'busybox:1.36', args: [%s]}}]"
        assert codes(example % json.dumps("{{=" + text + "}}")) == []

    @pytest.mark.parametrize("text", ["let v = item; v + v", "map([1], let d = item; d)"])
    def test_a_let_with_an_item_is_an_error_as_argo_wants_every_name_there(self, text):
        step = "steps: [[{name: a, template: t, withItems: [x], arguments: {parameters: [{name: p, value: %s}]}}]]"
        found = lint(complete(step % json.dumps("{{=" + text + "}}")))[-1]
        assert (found.level, found.code) == ("error", "unresolved-reference")
        assert "where an item of a loop is put in" in found.message

    def test_metrics_have_names_of_their_own(self):
        metrics = "metrics: {prometheus: [{name: a, help: b, when: '{{status}} == Failed', counter: {value: '1'}, labels: [{key: k, value: '{{=duration}}'}]}]}"
        assert codes("container: {image: 'busybox:1.36'}\n" + metrics) == []

    def test_a_data_template_has_names_of_its_own(self):
        data = "templates: [{name: main, data: {source: {artifactPaths: {name: a, s3: {key: k}}}, transformation: [{expression: %s}]}}]"
        assert codes(data % json.dumps("filter(data, {# endsWith '.pdf'})")) == []
        assert codes(data % json.dumps("filter(data, {")) == ["expression-syntax"]


class TestEnums:
    """What `argo lint`, submit and the controller of 4.0.5 say of a value that an enum lacks."""

    LEAF = (
        "templates: [{name: main, inputs: {parameters: [%s]}, container: {image: 'busybox:1.36'}}]"
    )

    @pytest.mark.parametrize(
        "parameter",
        [
            "{name: x, default: q, enum: [a, b]}",
            "{name: x, value: q, enum: [a, b]}",
            "{name: x, default: q, enum: []}",
        ],
    )
    def test_of_an_input_it_is_not_looked_at_so_that_it_is_a_warning(self, parameter):
        assert levels(self.LEAF % parameter) == ["warning"]

    def test_of_an_argument_the_value_is_looked_at_and_the_default_is_not(self):
        arguments = "arguments: {parameters: [%s]}\n"
        work = self.LEAF % ""
        value, default = (
            "{name: x, value: q, enum: [a]}",
            "{name: x, value: a, default: q, enum: [a]}",
        )
        assert levels(arguments % value + work) == ["error"]
        assert levels(arguments % "{name: x, value: q, enum: []}" + work) == ["error"]
        assert levels(arguments % default + work) == ["warning"]


class TestCronWorkflows:
    CRON = "{kind: CronWorkflow, metadata: {name: c, labels: {team: a}}, spec: {schedules: ['0 3 * * *'], %s}}"

    @pytest.mark.parametrize(
        "spec",
        [
            'when: "{{= cronworkflow.lastScheduledTime == nil || (now() - cronworkflow.lastScheduledTime).Seconds() > 360 }}"',
            "when: \"{{= cronworkflow.labels.team == 'a' }}\"",
            "stopStrategy: {expression: 'cronworkflow.failed >= 3'}",
            "timezone: Europe/Berlin",
            "timezone: Local",
        ],
    )
    def test_what_they_know_before_a_workflow_begins(self, spec):
        assert codes(self.CRON % spec) == []

    @pytest.mark.parametrize(
        ("spec", "code"),
        [
            ("when: \"{{= cronworkflow.labels.owner == 'a' }}\"", "unresolved-reference"),
            ("when: '{{cronworkflow.nam}} == 1'", "unresolved-reference"),
            ("when: '{{cronworkflow.name}} == a b'", "when-syntax"),
            ("stopStrategy: {expression: 'failed >= 3'}", "unresolved-reference"),
            ("timezone: Mars/Olympus", "cron-schedule"),
        ],
    )
    def test_what_they_do_not(self, spec, code):
        assert codes(self.CRON % spec) == [code]


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
        assert not is_duration("2d")
        assert in_hours("2d", "") == "there are no days: write 48h"
        assert in_hours("soon", "other") == "other"
        assert not is_go_duration("20")
        assert not is_duration("soon")

    @pytest.mark.parametrize(
        ("example", "code"),
        [
            ("suspend: {duration: %s}", "suspend-duration"),
            ("{%s, retryStrategy: {limit: 1, backoff: {duration: '%%s'}}}", "backoff"),
            ("{%s, retryStrategy: {limit: 1, backoff: {duration: '1', cap: %%s}}}", "backoff"),
            (
                "{%s, retryStrategy: {limit: 1, backoff: {duration: '1', maxDuration: %%s}}}",
                "backoff",
            ),
            ("{%s, timeout: %%s}", "timeout"),
            ("{%s, pendingTimeout: %%s}", "timeout"),
            ("{%s, memoize: {key: a, maxAge: %%s, cache: {configMap: {name: c}}}}", "memoize"),
            ("{spec: {podGC: {deleteDelayDuration: %s}}}", "pod-gc"),
        ],
    )
    @pytest.mark.parametrize("text", ["1d", "1w", "soon", "1 h", "5 minutes"])
    def test_days_are_no_unit_anywhere(self, example, code, text):
        example = example % "container: {image: 'busybox:1.36'}" if "%%" in example else example
        assert code in codes(example % text)
        assert code not in codes(example % "24h")

    def test_quantities(self):
        assert quantity("500m") * 2 == quantity("1")
        assert quantity("1Ki") == 1024
        assert quantity("1e3") == quantity("1k")
        assert quantity("40GB") is None
        assert quantity("1e999999999") is None


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
