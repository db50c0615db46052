"""Variables and how values reach a template (Argo docs: variables, parameters, artifacts)."""

from __future__ import annotations

import pytest
from support.player import Ended, Player, given, manifest, nodes, play, tree

from argojobs.engine.model import PodEnded, PodResult


def args(text: str, *, spec: str = "{}", workflow: dict | None = None) -> str:
    """What `text` in a pod's args is in the pod that is started."""
    made = manifest("container: {image: i}", spec=spec)
    made["metadata"].update(workflow or {})
    made["spec"]["templates"][0]["container"]["args"] = [text]
    player = Player(made)
    player.begin()
    return str(player.started[0].template["container"]["args"][0])


@pytest.mark.parametrize(
    ("tag", "value"),
    [
        ("workflow.name", "wf"),
        ("workflow.namespace", "argo"),
        ("workflow.uid", "00000000-0000-4000-8000-000000000000"),
        ("workflow.mainEntrypoint", "main"),
        ("workflow.status", "Running"),
        ("workflow.parameters.p", "v"),
        ("workflow.parameters", '[{"name":"p","value":"v"}]'),
        ("workflow.parameters.json", '[{"name":"p","value":"v"}]'),
        ("workflow.labels.l", "L"),
        ("workflow.labels.json", '{"l":"L"}'),
        ("workflow.annotations.a/b", "A"),
        ("workflow.creationTimestamp", "2027-01-15T08:00:00Z"),
        ("workflow.creationTimestamp.Y", "2027"),
        ("workflow.creationTimestamp.s", "1800000000"),
        ("workflow.priority", "7"),
        ("workflow.duration", "0.000000"),
        ("node.name", "wf"),
        ("pod.name", "wf"),
        ("steps.name", ""),
        ("workflow.failures", "{{workflow.failures}}"),
        ("inputs.parameters.nope", "{{inputs.parameters.nope}}"),
        ("=asInt(workflow.parameters.p + '1') ?? 'x'", None),
        ("=workflow.parameters.p + '!'", "v!"),
        ("=1 + 2", "3"),
    ],
)
def test_global_variables(tag: str, value: str | None) -> None:
    text = f"{{{{{tag}}}}}"
    spec = "{priority: 7, arguments: {parameters: [{name: p, value: v}]}}"
    metadata = {"labels": {"l": "L"}, "annotations": {"a/b": "A"}}
    assert args(text, spec=spec, workflow=metadata) == (text if value is None else value)


def test_the_callers_name_and_the_pods() -> None:
    player = Player(
        manifest(
            "dag: {tasks: [{name: a, template: t, withItems: [x]}]}",
            more="[{name: t, container: {image: '{{tasks.name}} {{node.name}} {{pod.name}}'}}]",
        )
    )
    player.begin()
    start = player.started[0]
    assert start.template["container"]["image"] == f"a(0:x) wf.a(0:x) {start.name}"


@pytest.mark.parametrize(
    ("declared", "argument", "value"),
    [
        ("{name: x, default: d}", None, "d"),
        ("{name: x, default: d, value: v}", None, "v"),
        ("{name: x, default: d, value: v}", "a", "a"),
        ("{name: x}", "a", "a"),
        ("{name: x}", "1.50", "1.50"),
    ],
)
def test_an_argument_wins_over_the_inputs_value_and_that_over_its_default(
    declared: str, argument: str | None, value: str
) -> None:
    call = (
        ""
        if argument is None
        else f", arguments: {{parameters: [{{name: x, value: '{argument}'}}]}}"
    )
    done = play(
        manifest(
            f"steps: [[{{name: a, template: t{call}}}]]",
            more=f"[{{name: t, inputs: {{parameters: [{declared}]}}, container: {{image: i}}}}]",
        )
    )
    assert given(done, "wf[0].a") == {"x": value}


def test_values_of_yaml_become_their_json_text() -> None:
    spec = "{arguments: {parameters: [{name: n, value: 3}, {name: b, value: true}]}}"
    assert args("{{workflow.parameters.n}} {{workflow.parameters.b}}", spec=spec) == "3 true"


def test_a_global_argument_without_a_value_fails_the_workflow_before_any_node() -> None:
    made = manifest("container: {image: i}", spec="{arguments: {parameters: [{name: n}]}}")
    done = play(made)
    assert done["status"]["phase"] == "Failed"
    assert done["status"]["message"].startswith("failed to set global parameters: ")
    assert done["status"]["nodes"] == {}


def test_an_unknown_entrypoint_is_an_error_of_the_workflow() -> None:
    done = play(manifest("container: {image: i}", spec="{entrypoint: nope}"))
    assert done["status"]["phase"] == "Error"
    assert done["status"]["message"] == (
        "error in entry template execution: template nope not found"
    )


def test_a_value_with_quotes_and_newlines_arrives_as_it_is() -> None:
    text = 'say "hi"\\n\n{not} a tag'
    made = manifest("steps: [[{name: a, template: pod}]]")
    made["spec"]["arguments"] = {"parameters": [{"name": "p", "value": text}]}
    step = made["spec"]["templates"][0]["steps"][0][0]
    step["arguments"] = {"parameters": [{"name": "x", "value": "{{workflow.parameters.p}}"}]}
    player = Player(made)
    player.begin()
    assert player.started[0].template["container"]["args"] == [text]


def test_exit_code_host_and_times_of_a_step() -> None:
    tags = "{{steps.a.exitCode}} {{steps.a.hostNodeName}} {{steps.a.startedAt}} {{steps.a.id}}"
    done = play(
        manifest(f"""
steps:
- - {{name: a, template: pod, continueOn: {{failed: true}}}}
- - {{name: b, template: pod, arguments: {{parameters: [{{name: x, value: "{tags}"}}]}}}}
"""),
        {"wf[0].a": Ended(code=3)},
    )
    node_id = nodes(done)["wf[0].a"]["id"]
    assert given(done, "wf[1].b") == {"x": f"3 localhost 2027-01-15T08:00:00Z {node_id}"}


SKIPPED = """
steps:
- - {name: a, template: maker, when: "false"}
- - {name: b, template: %s, arguments: {parameters: [{name: x, value: "%s"}]}}
"""
MAKER = """
- name: maker
  outputs:
    parameters:
    - {name: bare, valueFrom: {path: /o}}
    - {name: kept, valueFrom: {path: /o, default: d}}
  container: {image: i}
- name: strict
  inputs: {parameters: [{name: x}]}
  container: {image: i}
"""


@pytest.mark.parametrize(
    ("template", "value", "given_value"),
    [
        ("pod", "{{steps.a.outputs.parameters.kept}}", "d"),
        ("pod", "{{steps.a.outputs.parameters.bare}}", ""),
        ("strict", "{{=steps.a.outputs.parameters.bare ?? 'else'}}", "else"),
    ],
)
def test_outputs_of_a_skipped_step(template: str, value: str, given_value: str) -> None:
    done = play(manifest(SKIPPED % (template, value), more=MAKER))
    assert given(done, "wf[1].b") == {"x": given_value}


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("strict", "{{steps.a.outputs.parameters.bare}}"),
        ("pod", "x{{steps.a.outputs.parameters.bare}}"),
    ],
)
def test_an_absent_optional_that_nothing_handles_is_an_error(template: str, value: str) -> None:
    done = play(manifest(SKIPPED % (template, value), more=MAKER))
    assert done["status"]["phase"] == "Failed"
    assert "absent optional" in nodes(done)["wf[1]"]["message"]


ARTIFACTS = """
steps:
- - {name: make, template: make}
- - {name: use, template: use, arguments: {artifacts: [{name: in, %s}]}}
"""
MAKE = """
- name: make
  outputs: {artifacts: [{name: out, path: /out}]}
  container: {image: i}
- name: use
  inputs: {artifacts: [{name: in, path: /in, mode: 0755, optional: %s}]}
  container: {image: i}
"""


@pytest.mark.parametrize(
    ("source", "key"),
    [
        ("from: '{{steps.make.outputs.artifacts.out}}'", "P/out.tgz"),
        ("from: '{{steps.make.outputs.artifacts.out}}', subPath: a/b", "P/out.tgz/a/b"),
        ("fromExpression: steps.make.outputs.artifacts.out", "P/out.tgz"),
        ("s3: {key: '{{workflow.name}}/k'}", "wf/k"),
    ],
)
def test_an_artifact_argument_has_the_location_it_means(source: str, key: str) -> None:
    player = Player(manifest(ARTIFACTS % source, more=MAKE % "false"))
    player.play({"wf[0].make": Ended(artifacts=["out"])})
    (artifact,) = player.started[1].template["inputs"]["artifacts"]
    assert artifact["s3"]["key"] == key.replace("P", player.started[0].name)
    assert (artifact["name"], artifact["path"], artifact["mode"]) == ("in", "/in", 0o755)


def test_raw_and_missing_optional_artifacts() -> None:
    raw = Player(manifest(ARTIFACTS % "raw: {data: '{{workflow.name}}'}", more=MAKE % "false"))
    raw.play()
    assert raw.started[1].template["inputs"]["artifacts"][0]["raw"] == {"data": "wf"}
    source = "from: '{{steps.make.outputs.artifacts.out}}', optional: true"
    gone = Player(manifest(ARTIFACTS % source, more=MAKE % "true"))
    assert gone.play()["status"]["phase"] == "Succeeded"
    assert "s3" not in gone.started[1].template["inputs"]["artifacts"][0]


def test_a_missing_artifact_that_is_not_optional_is_an_error() -> None:
    source = "from: '{{steps.make.outputs.artifacts.out}}'"
    done = play(manifest(ARTIFACTS % source, more=MAKE % "false"))
    assert nodes(done)["wf[1]"]["message"].startswith("failed to resolve references: unable to ")


def test_a_global_output_is_the_workflows_and_visible_to_later_templates() -> None:
    done = play(
        manifest(
            """
steps:
- - {name: a, template: out}
- - {name: b, template: pod, arguments: {parameters: [{name: x, value: "{{workflow.outputs.parameters.g}}"}]}}
""",
            more="""
- name: out
  outputs: {parameters: [{name: o, globalName: g, valueFrom: {path: /o}}]}
  container: {image: i}
""",
        ),
        {"wf[0].a": Ended(parameters={"o": "everywhere"})},
    )
    assert given(done, "wf[1].b") == {"x": "everywhere"}
    assert done["status"]["outputs"]["parameters"] == [{"name": "g", "value": "everywhere"}]


def test_a_global_output_that_was_not_written_is_named_without_a_value() -> None:
    """As the real Argo 4.0.5 shows it, of the step and of the workflow."""
    declared = {"name": "o", "globalName": "g", "valueFrom": {"path": "/o"}}
    player = Player(
        manifest(
            "container: {image: i}\noutputs: {parameters: [{name: o, globalName: g, valueFrom: {path: /o}}]}"
        )
    )
    player.begin()
    (node_id,) = player.pods
    outputs = {"parameters": [declared], "exitCode": "1"}
    player.send(PodEnded(node_id, PodResult("Failed", "", player.now, player.now, outputs)))
    assert player.node("wf")["outputs"]["parameters"] == [declared]
    assert player.object()["status"]["outputs"] == {"parameters": [{"name": "g"}]}


def test_template_defaults_lie_below_every_template() -> None:
    player = Player(
        manifest(
            "container: {image: i}",
            spec="{templateDefaults: {timeout: 30s, container: {imagePullPolicy: Never}, script: {source: x}}}",
        )
    )
    player.begin()
    template = player.started[0].template
    assert template["container"] == {"image": "i", "imagePullPolicy": "Never"}
    assert template["timeout"] == "30s"
    assert "script" not in template


def test_volumes_of_the_workflow_come_with_the_template_that_mounts_them() -> None:
    mount = "volumeMounts: [{name: v, mountPath: /v}, {name: c, mountPath: /c}]"
    player = Player(
        manifest(
            f"container: {{image: i, {mount}}}",
            spec="""
volumes: [{name: v, persistentVolumeClaim: {claimName: "{{workflow.name}}-claim"}}, {name: other, emptyDir: {}}]
volumeClaimTemplates: [{metadata: {name: c}}]
""",
        )
    )
    player.begin()
    assert player.started[0].template["volumes"] == [
        {"name": "v", "persistentVolumeClaim": {"claimName": "wf-claim"}},
        {"name": "c", "persistentVolumeClaim": {"claimName": "wf-c"}},
    ]


def test_labels_from_expressions_are_set_before_the_first_node() -> None:
    done = play(
        manifest(
            "container: {image: i}",
            spec="""
arguments: {parameters: [{name: p, value: v}]}
workflowMetadata: {labels: {a: b}, labelsFrom: {c: {expression: workflow.parameters.p}}}
""",
        )
    )
    labels = done["metadata"]["labels"]
    assert (labels["a"], labels["c"]) == ("b", "v")
    assert tree(done) == {"wf": "Succeeded"}


def test_lists_of_parameters_that_are_empty_are_null() -> None:
    text = "{{=inputs.parameters}} {{workflow.parameters}}"
    main = f"{{container: {{image: i, args: ['{text}', '{{{{workflow.parameters.json}}}}']}}}}"
    player = Player(manifest(main))
    player.begin()
    (pod,) = player.started
    assert pod.template["container"]["args"] == ["null null", "null"]
