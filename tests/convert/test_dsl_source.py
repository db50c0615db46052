"""A manifest as a program of the DSL: it says the same, and it runs the same."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from support.dsl_programs import (
    LOOP,
    WITHOUT_FIRST,
    chain,
    compiled_in,
    loaded_from,
    template_of,
    workflow_of,
)

from argojobs.compile.bundle import inline_code, pack
from argojobs.compile.pipeline.workflow import compile_pipeline
from argojobs.convert.dsl_source import to_dsl_source
from argojobs.errors import UnsupportedError
from argojobs.manifest import documents

CRISPLIT = """
workflow:
  metadata:
    generateName: crisplit-
    annotations: {workflows.argoproj.io/description: "Pretrain, then prune\\n"}
  spec:
    entrypoint: sequence
    priority: 1
    arguments:
      parameters:
      - {name: train_image, value: "train:1"}
      - {name: output_name, value: 20230114demo}
      - {name: batch_size, value: 2}
      - {name: target_structure, value: 0.5}
      - {name: description, value: '{"text":"target {{workflow.parameters.target_structure}}"}'}
      - {name: dataset_path, value: /tmp/data}
      - {name: start, value: 0}
      - {name: debug, value: false}
    volumes:
    - {name: datasets, persistentVolumeClaim: {claimName: datasets}}
    templates:
    - name: sequence
      dag:
        tasks:
        - name: pretrain-00
          template: train
          when: "{{workflow.parameters.start}} < 1"
          arguments:
            parameters:
            - {name: prune, value: false}
            - {name: model_dest, value: "{{workflow.parameters.output_name}}_00"}
            artifacts:
            - {name: prev_results, raw: {data: "batches: 0\\n"}}
        - name: prune-01
          dependencies: [pretrain-00]
          template: train
          when: "{{workflow.parameters.start}} < 1"
          arguments:
            parameters:
            - {name: prune, value: true}
            - {name: model_src, value: "{{workflow.parameters.output_name}}_00"}
            - {name: model_dest, value: "{{workflow.parameters.output_name}}_01"}
            artifacts:
            - {name: prev_results, from: "{{tasks.pretrain-00.outputs.artifacts.results}}"}
    - name: train
      inputs:
        parameters:
        - {name: prune, value: false}
        - {name: epochs, value: 2}
        - {name: learning_rate, value: 1e-4}
        - {name: model_src, value: ""}
        - {name: model_dest}
        artifacts:
        - {name: prev_results, path: /tmp/prev_results.yaml}
      outputs:
        artifacts:
        - {name: results, path: /tmp/results.yaml, archive: {none: {}}}
      volumes:
      - {name: dshm, emptyDir: {medium: Memory}}
      retryStrategy: {limit: "3", retryPolicy: Always}
      container:
        image: "{{workflow.parameters.train_image}}"
        volumeMounts:
        - {mountPath: /dev/shm, name: dshm}
        - {mountPath: "{{workflow.parameters.dataset_path}}", name: datasets}
        command: [python3]
        args:
        - -u
        - networks/cell2d.py
        - -prune={{inputs.parameters.prune}}
        - -learning_rate={{inputs.parameters.learning_rate}}
        - -model={{inputs.parameters.model_src}}:{{inputs.parameters.model_dest}}
        - -batch_size={{workflow.parameters.batch_size}}
        - -description={{workflow.parameters.description}}
        - -resultspath=/tmp/results.yaml
        ports: [{name: debug, containerPort: 3000, hostPort: 3000}]
        env:
        - {name: LEVEL, value: info}
        - {name: HUB, valueFrom: {secretKeyRef: {name: hub, key: token}}}
        resources:
          requests: {ephemeral-storage: "40Gi", "nvidia.com/gpu": '1', cpu: 2}
          limits: {ephemeral-storage: "40Gi", "nvidia.com/gpu": '1'}
"""


def refused_for(text: str) -> str:
    with pytest.raises(UnsupportedError) as caught:
        to_dsl_source(workflow_of(text))
    assert caught.value.hint
    return caught.value.what


def test_the_first_users_file_becomes_a_program_of_the_same_structure(tmp_path: Path) -> None:
    source = to_dsl_source(workflow_of(CRISPLIT))
    made = compiled_in(source, tmp_path)
    values = {p["name"]: p["value"] for p in made["spec"]["arguments"]["parameters"]}
    assert values == {
        "train_image": "train:1", "output_name": "20230114demo", "batch_size": "2",
        "target_structure": "0.5", "dataset_path": "/tmp/data", "start": "0", "debug": "false",
    }  # fmt: skip
    assert made["spec"]["priority"] == 1
    assert made["metadata"]["annotations"]["workflows.argoproj.io/title"] == "Pretrain, then prune"
    train = template_of(made, "train")
    container = train["container"]
    assert container["image"] == "{{workflow.parameters.train_image}}"
    mounts = {each["mountPath"]: each["name"] for each in container["volumeMounts"]}
    volumes = {each["name"]: each for each in train["volumes"]}
    claim = volumes[mounts["{{workflow.parameters.dataset_path}}"]]["persistentVolumeClaim"]
    assert claim == {"claimName": "datasets"}
    assert volumes[mounts["/dev/shm"]]["emptyDir"] == {"medium": "Memory"}
    assert {"name": "debug", "containerPort": 3000, "hostPort": 3000} in container["ports"]
    assert container["resources"] == {
        "requests": {"cpu": "2", "ephemeral-storage": "40Gi", "nvidia.com/gpu": "1"},
        "limits": {"ephemeral-storage": "40Gi", "nvidia.com/gpu": "1"},
    }
    assert {"name": "LEVEL", "value": "info"} in container["env"]
    secret = {"secretKeyRef": {"name": "hub", "key": "token"}}
    assert {"name": "HUB", "valueFrom": secret} in container["env"]
    assert train["retryStrategy"]["limit"] == "3"
    assert train["retryStrategy"]["retryPolicy"] == "Always"
    tasks = {task["name"]: task for task in template_of(made, "crisplit")["dag"]["tasks"]}
    assert tasks["prune-01"]["depends"].startswith("pretrain-00")
    assert "start" in tasks["pretrain-00"]["when"]


def test_the_command_of_the_program_is_that_of_the_manifest(tmp_path: Path) -> None:
    source = to_dsl_source(workflow_of(CRISPLIT))
    for text in (
        "Put where they were used, as they hold other parameters: description.",
        "    prune: bool = False,",
        '    learning_rate: str = "1e-4",',
        "    batch_size: int,",
        "    model_dest: list[str],",
        """f'-description={{"text":"target {target_structure}"}}',""",
        'f"-resultspath={out.results}",',
        'place("/tmp/prev_results.yaml", prev_results)',
        "with when(start < 1):",
        'model_dest=[output_name, "_01"],',
    ):
        assert text in source, text


def lines_of(service: Any, manifest: dict[str, Any], name: str) -> tuple[str, list[str]]:
    """Run a manifest and return its phase, and what its last step wrote."""
    service.create({**manifest, "metadata": {"name": name}})
    *_, last = service.watch(name)
    nodes = last.workflow["status"]["nodes"].values()
    node = next(each["id"] for each in nodes if each["displayName"] == "last")
    return last.workflow["status"]["phase"], [
        line.text for line in service.logs(name, node_id=node)
    ]


@pytest.mark.parametrize("when", ["", "{{workflow.parameters.go}} > 0"])
def test_both_run_the_same_on_this_machine(tmp_path: Path, when: str) -> None:
    from argojobs.engine.local import LocalService
    from argojobs.engine.submitter import capture

    manifest = workflow_of(chain(when))
    project = tmp_path / "project"
    project.mkdir()
    loaded = loaded_from(to_dsl_source(manifest), project)
    code = inline_code(pack(loaded.root))
    made = compile_pipeline(loaded.pipeline, code=code, root=loaded.root, python=sys.executable)
    with LocalService(tmp_path / "home", submitter=capture(project=project)) as service:
        one = lines_of(service, manifest, "one")
        other = lines_of(service, made, "other")
        service.shutdown(force=True)
    assert one == other == ("Succeeded", ["""begin;2 "it's {none}";6 'w-1 $HOME';"""])


def test_a_template_without_python_is_kept_as_it_is_and_said(tmp_path: Path) -> None:
    source = to_dsl_source(workflow_of(chain()))
    assert "# Kept as Argo has it: its image may have no Python, which a @command needs." in source
    made = compiled_in(source, tmp_path)
    kept = json.loads(chain())["spec"]["templates"][2]
    assert template_of(made, "show") == kept


def test_what_a_template_prints_is_its_result(tmp_path: Path) -> None:
    manifest = workflow_of(LOOP)
    (fan, _) = manifest["spec"]["templates"][0]["steps"][1]
    del fan["withParam"]
    fan["when"] = "{{steps.first.outputs.result}} == a"
    fan["arguments"]["parameters"][0]["value"] = "{{steps.first.outputs.result}}"
    source = to_dsl_source(manifest)
    assert "Kept as Argo has it: what it prints is used (`outputs.result`)." in source
    assert 'outputs={"result": str},' in source
    assert 'with when(first.result == "a"):' in source
    tasks = {
        t["name"]: t for t in template_of(compiled_in(source, tmp_path), "loop")["dag"]["tasks"]
    }
    (argument,) = tasks["fan"]["arguments"]["parameters"]
    assert argument["value"] == "{{tasks.first.outputs.result}}"
    assert tasks["fan"]["when"] == "{{=(tasks['first'].outputs.result == 'a')}}"


def test_a_number_that_is_printed_is_one(tmp_path: Path) -> None:
    manifest = workflow_of(LOOP)
    (fan, _) = manifest["spec"]["templates"][0]["steps"][1]
    fan["when"] = "{{steps.first.outputs.result}} > 3"
    del fan["withParam"]
    fan["arguments"]["parameters"][0]["value"] = "x"
    source = to_dsl_source(manifest)
    assert 'outputs={"result": float},' in source
    assert "with when(first.result > 3.0):" in source
    assert compiled_in(source, tmp_path)


def test_an_exit_handler_may_be_a_template_as_argo_has_it(tmp_path: Path) -> None:
    manifest = workflow_of(chain())
    tell = {"name": "tell", "container": {"image": "curl", "args": ["{{workflow.status}}"]}}
    manifest["spec"]["templates"].append(tell)
    manifest["spec"]["onExit"] = "tell"
    made = compiled_in(to_dsl_source(manifest), tmp_path)
    assert made["spec"]["onExit"] == "tell"
    assert template_of(made, "tell") == tell


def test_what_the_workflow_says_of_all_pods_stands_at_each(tmp_path: Path) -> None:
    manifest = workflow_of(chain())
    manifest["spec"] |= {"serviceAccountName": "runner", "nodeSelector": {"gpu": "yes"}}
    manifest["spec"]["templates"][2]["serviceAccountName"] = "own"
    made = compiled_in(to_dsl_source(manifest), tmp_path)
    hop, show = template_of(made, "hop"), template_of(made, "show")
    assert (hop["serviceAccountName"], hop["nodeSelector"]) == ("runner", {"gpu": "yes"})
    assert (show["serviceAccountName"], show["nodeSelector"]) == ("own", {"gpu": "yes"})


@pytest.mark.parametrize("text", ["$HOME/data", "100$", "a$b"])
def test_a_dollar_in_a_variable_stays(text: str, tmp_path: Path) -> None:
    manifest = workflow_of(chain())
    own = {"name": "PLACE", "value": text}
    manifest["spec"]["templates"][1]["container"]["env"] = [own]
    source = to_dsl_source(manifest)
    assert f'env={{"PLACE": "{text}"}}' in source
    assert own in template_of(compiled_in(source, tmp_path), "hop")["container"]["env"]


@pytest.mark.parametrize("text", ["$(OTHER)/data", "a$$b"])
def test_a_variable_of_other_variables_is_kept_as_it_is(text: str, tmp_path: Path) -> None:
    manifest = workflow_of(WITHOUT_FIRST)
    own = {"name": "PLACE", "value": text}
    manifest["spec"]["templates"][3]["container"]["env"] = [own]
    source = to_dsl_source(manifest)
    assert "Kept as Argo has it: the variable PLACE, whose value Kubernetes puts together" in source
    assert own in template_of(compiled_in(source, tmp_path), "number")["container"]["env"]


@pytest.mark.parametrize("value", ["$x", '{"a": "$x"}', "a\u0007"])
def test_a_value_that_a_kept_template_would_get_encoded_is_refused(value: str) -> None:
    manifest = workflow_of(chain("'{{workflow.parameters.go}}' == y"))
    manifest["spec"]["arguments"]["parameters"][1]["value"] = value
    with pytest.raises(UnsupportedError, match="the parameter go, whose value holds"):
        to_dsl_source(manifest)


@pytest.mark.parametrize("value", ['{"b":1, "a": [2]}', "[1, 2]", " {}", "[not json"])
def test_a_json_text_reaches_a_kept_template_as_it_is(value: str, tmp_path: Path) -> None:
    manifest = workflow_of(chain("'{{workflow.parameters.go}}' == y"))
    manifest["spec"]["arguments"]["parameters"][1]["value"] = value
    first = manifest["spec"]["templates"][1]
    first["container"]["args"] = ["{{workflow.parameters.go}}"]
    made = compiled_in(to_dsl_source(manifest), tmp_path)
    assert {"name": "go", "value": value} in made["spec"]["arguments"]["parameters"]


@pytest.mark.parametrize("kind", ["WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow"])
def test_an_object_of_another_kind_is_the_pipeline_in_it(kind: str) -> None:
    manifest = workflow_of(WITHOUT_FIRST)
    spec = manifest["spec"]
    if kind == "CronWorkflow":
        spec = {"schedules": ["@daily"], "workflowSpec": spec}
    source = to_dsl_source({**manifest, "kind": kind, "spec": spec})
    program = to_dsl_source(manifest).partition("from __future__")[2]
    assert source.endswith(program)
    left = "spec.schedules" if kind == "CronWorkflow" else f"that it is a {kind}"
    assert f"Not carried over: {left}" in source


def test_a_library_of_templates_is_not_a_pipeline() -> None:
    manifest = workflow_of(WITHOUT_FIRST)
    del manifest["spec"]["entrypoint"]
    with pytest.raises(UnsupportedError, match="no entrypoint: it is a library"):
        to_dsl_source({**manifest, "kind": "WorkflowTemplate"})


def test_the_first_users_file_as_it_is_compiles_to_the_same_tasks(
    shared: Path, tmp_path: Path
) -> None:
    manifest = documents.load(shared / "cases" / "crisplitdemo.yaml").workflows[0].workflow
    made = compiled_in(to_dsl_source(manifest), tmp_path)
    (sequence, train) = manifest["spec"]["templates"]
    assert template_of(made, "sequence") == sequence
    written = template_of(made, "train")
    assert written.pop("volumes") == [*train.pop("volumes"), *manifest["spec"]["volumes"]]
    arguments = {one["name"]: one["value"] for one in manifest["spec"]["arguments"]["parameters"]}
    description = arguments.pop("description")
    tag = "{{workflow.parameters.description}}"
    words = [word.replace(tag, description) for word in train["container"]["args"]]
    train["container"]["args"] = words
    assert written == train
    parameters = made["spec"]["arguments"]["parameters"]
    assert {one["name"]: one["value"] for one in parameters} == arguments


def test_fields_of_the_workflow_without_a_place_are_all_named() -> None:
    manifest = json.loads(chain())
    manifest["spec"].update({"hooks": {"exit": {}}, "parallelism": 2, "ttlStrategy": {}})
    assert refused_for(json.dumps(manifest)) == (
        "the DSL has no words for spec.hooks; spec.parallelism"
    )


def test_the_command_line_writes_it() -> None:
    from argojobs.cli.verbs.compile import Target, _written

    manifest = workflow_of(chain())
    assert _written(manifest, Target.dsl, None) == to_dsl_source(manifest)


def test_a_null_field_is_none():
    leaf = {"name": "main", "container": {"image": "a:1", "command": ["true"]}}
    manifest = {"metadata": {"generateName": "a-"}, "spec": {"entrypoint": "main"}}
    with_nulls = {**leaf, "retryStrategy": None, "inputs": None}
    assert to_dsl_source(
        {**manifest, "spec": {**manifest["spec"], "templates": [with_nulls], "volumes": None}}
    ) == to_dsl_source({**manifest, "spec": {**manifest["spec"], "templates": [leaf]}})
