"""A manifest as a program of the DSL: it says the same, and it runs the same."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from argojobs.compile.bundle import IMAGE_CODE, inline_code, pack
from argojobs.compile.dsl_source import to_dsl_source
from argojobs.compile.load import load
from argojobs.compile.pipeline.workflow import compile_pipeline
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

STEP = """
import sys
n, words, before, out = sys.argv[1:]
open(out, "w").write(open(before).read() + f"{int(n) + 1} {words!r};")
"""


def _workflow(text: str) -> dict[str, Any]:
    return documents.choose(documents.parse(text)).workflow


def _loaded(source: str, folder: Path) -> Any:
    file = folder / "program.py"
    file.write_text(source)
    return load(file, "main" if "--pipeline main" in source else "")


def _compiled(source: str, folder: Path) -> dict[str, Any]:
    return compile_pipeline(_loaded(source, folder).pipeline, code=IMAGE_CODE)


def _template(manifest: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(t for t in manifest["spec"]["templates"] if t["name"] == name)
    return found


def _refused(text: str) -> str:
    with pytest.raises(UnsupportedError) as caught:
        to_dsl_source(_workflow(text))
    assert caught.value.hint
    return caught.value.what


def test_the_first_users_file_becomes_a_program_of_the_same_structure(tmp_path: Path) -> None:
    source = to_dsl_source(_workflow(CRISPLIT))
    made = _compiled(source, tmp_path)
    values = {p["name"]: p["value"] for p in made["spec"]["arguments"]["parameters"]}
    assert values == {
        "train_image": "train:1", "output_name": "20230114demo", "batch_size": "2",
        "target_structure": "0.5", "dataset_path": "/tmp/data", "start": "0", "debug": "false",
    }  # fmt: skip
    assert made["spec"]["priority"] == 1
    assert made["metadata"]["annotations"]["workflows.argoproj.io/title"] == "Pretrain, then prune"
    train = _template(made, "train")
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
    tasks = {task["name"]: task for task in _template(made, "crisplit")["dag"]["tasks"]}
    assert tasks["prune-01"]["depends"].startswith("pretrain-00")
    assert "start" in tasks["pretrain-00"]["when"]


def test_the_command_of_the_program_is_that_of_the_manifest(tmp_path: Path) -> None:
    source = to_dsl_source(_workflow(CRISPLIT))
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


def _chain(when: str = "") -> str:
    """Two commands and a shell script, as an ordinary manifest."""
    task = {
        "name": "A",
        "template": "hop",
        "arguments": {
            "parameters": [{"name": "n", "value": "{{workflow.parameters.n}}"}],
            "artifacts": [{"name": "before", "raw": {"data": "begin;"}}],
        },
    }
    second = {
        "name": "second",
        "template": "hop",
        "depends": "A",
        "arguments": {
            "parameters": [
                {"name": "n", "value": "5"},
                {"name": "words", "value": "w-{{workflow.parameters.n}} $HOME"},
            ],
            "artifacts": [{"name": "before", "from": "{{tasks.A.outputs.artifacts.after}}"}],
        },
    }
    last = {
        "name": "last",
        "template": "show",
        "depends": "second",
        **({"when": when} if when else {}),
        "arguments": {
            "artifacts": [{"name": "file", "from": "{{tasks.second.outputs.artifacts.after}}"}]
        },
    }
    hop = {
        "name": "hop",
        "inputs": {
            "parameters": [{"name": "n"}, {"name": "words", "value": "it's {none}"}],
            "artifacts": [{"name": "before", "path": "/tmp/before"}],
        },
        "outputs": {"artifacts": [{"name": "after", "path": "/tmp/after"}]},
        "container": {
            "image": "python",
            "command": [sys.executable, "-c", STEP],
            "args": [
                "{{inputs.parameters.n}}", "{{inputs.parameters.words}}", "/tmp/before",
                "/tmp/after",
            ],
        },
    }  # fmt: skip
    show = {
        "name": "show",
        "inputs": {"artifacts": [{"name": "file", "path": "/tmp/file"}]},
        "container": {"image": "alpine", "command": ["cat", "/tmp/file"]},
    }
    spec = {
        "entrypoint": "main",
        "arguments": {"parameters": [{"name": "n", "value": "1"}, {"name": "go", "value": "1"}]},
        "templates": [{"name": "main", "dag": {"tasks": [task, second, last]}}, hop, show],
    }
    whole = {"kind": "Workflow", "metadata": {"name": "chain"}, "spec": spec}
    return json.dumps(whole)


def _lines(service: Any, manifest: dict[str, Any], name: str) -> tuple[str, list[str]]:
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

    manifest = _workflow(_chain(when))
    project = tmp_path / "project"
    project.mkdir()
    loaded = _loaded(to_dsl_source(manifest), project)
    code = inline_code(pack(loaded.root))
    made = compile_pipeline(loaded.pipeline, code=code, root=loaded.root, python=sys.executable)
    with LocalService(tmp_path / "home", submitter=capture(project=project)) as service:
        one = _lines(service, manifest, "one")
        other = _lines(service, made, "other")
        service.shutdown(force=True)
    assert one == other == ("Succeeded", ["""begin;2 "it's {none}";6 'w-1 $HOME';"""])


def test_a_template_without_python_is_kept_as_it_is_and_said(tmp_path: Path) -> None:
    source = to_dsl_source(_workflow(_chain()))
    assert "# Kept as Argo has it: its image may have no Python, which a @command needs." in source
    made = _compiled(source, tmp_path)
    kept = json.loads(_chain())["spec"]["templates"][2]
    assert _template(made, "show") == kept


LOOP = """
kind: Workflow
metadata: {generateName: loop-}
spec:
  entrypoint: main
  arguments: {parameters: [{name: words, value: '["x", "y"]'}]}
  templates:
  - name: main
    steps:
    - - {name: first, template: print, arguments: {parameters: [{name: text, value: a}]}}
    - - name: fan
        template: print
        arguments: {parameters: [{name: text, value: "{{item}}"}]}
        withParam: "{{workflow.parameters.words}}"
      - name: twice
        template: inner
        arguments: {parameters: [{name: num, value: "3"}]}
  - name: inner
    inputs: {parameters: [{name: num}]}
    dag:
      tasks:
      - name: count
        template: print
        arguments: {parameters: [{name: text, value: "{{item}}"}]}
        withItems: [b, c]
      - name: one
        template: number
        arguments: {parameters: [{name: num, value: "{{inputs.parameters.num}}"}]}
  - name: print
    inputs: {parameters: [{name: text}]}
    container: {image: python, command: [python3, -c, "print('{{inputs.parameters.text}}')"]}
  - name: number
    inputs: {parameters: [{name: num}]}
    container: {image: python, command: [python3, -c, "print({{inputs.parameters.num}})"]}
"""


def test_loops_steps_and_nested_graphs(tmp_path: Path) -> None:
    text = LOOP.replace("    - - {name: first", "    - - {name: zero").replace(
        '        withParam: "{{workflow.parameters.words}}"', '        withItems: ["1", "2"]'
    )
    refused = _refused(text)
    assert "fan: a loop waits for" in refused
    without = LOOP.replace(
        "    - - {name: first, template: print, arguments: "
        "{parameters: [{name: text, value: a}]}}\n",
        "",
    )
    source = to_dsl_source(_workflow(without))
    assert "each(words, lambda item: print.options(" in source.replace("print_", "print")
    made = _compiled(source, tmp_path)
    tasks = {t["name"]: t for t in _template(made, "loop")["dag"]["tasks"]}
    assert set(tasks) == {"fan", "twice"}
    assert "withParam" in tasks["fan"]
    assert "num: int" in source


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"depends": "A.Failed"}, "last: `depends: A.Failed`"),
        ({"onExit": "show"}, "`onExit` of the task last"),
        ({"withSequence": {"count": "3"}}, "`withSequence` of the task last"),
        ({"when": "{{tasks.A.outputs.result}} == x"}, "the tag {{tasks.A.outputs.result}}"),
        ({"templateRef": {"name": "x", "template": "y"}}, "`templateRef` of the task last"),
        ({"when": "{{workflow.parameters.n}} =~ 1"}, "the condition"),
    ],
)
def test_what_the_dsl_has_no_words_for_is_named(change: dict[str, Any], said: str) -> None:
    manifest = json.loads(_chain())
    manifest["spec"]["templates"][0]["dag"]["tasks"][2].update(change)
    what = _refused(json.dumps(manifest))
    assert said.removeprefix("last: ") in what
    assert what.startswith("the DSL has no words for main:")


def test_an_output_of_what_may_be_skipped_is_refused() -> None:
    text = CRISPLIT.replace(
        '          when: "{{workflow.parameters.start}} < 1"\n          arguments:\n'
        "            parameters:\n            - {name: prune, value: true}",
        '          when: "{{workflow.parameters.start}} < 2"\n          arguments:\n'
        "            parameters:\n            - {name: prune, value: true}",
    )
    assert text != CRISPLIT
    assert "prune-01 takes an output of pretrain-00, which `when:" in _refused(text)


def test_fields_of_the_workflow_without_a_place_are_all_named() -> None:
    manifest = json.loads(_chain())
    manifest["spec"].update({"hooks": {"exit": {}}, "parallelism": 2, "ttlStrategy": {}})
    assert _refused(json.dumps(manifest)) == (
        "the DSL has no words for spec.hooks; spec.parallelism"
    )


#: At least so many of Argo's examples become programs that compile.
EXPRESSIBLE = 55


def test_examples_of_argo_become_programs_or_say_why_not(shared: Path, tmp_path: Path) -> None:
    written = 0
    for file in sorted((shared / "argo" / "examples").rglob("*.yaml")):
        if file.name == "k8s-patch-json-workflow.yaml":  # a key stands twice in it
            continue
        for number, document in enumerate(documents.load(file).workflows):
            try:
                source = to_dsl_source(document.workflow)
            except UnsupportedError:
                continue
            folder = tmp_path / f"{file.stem}-{number}"
            folder.mkdir()
            program = folder / "program.py"
            program.write_text(source)
            wanted = source.partition("--pipeline ")[2].partition(".")[0]
            loaded = load(program, wanted)
            assert compile_pipeline(loaded.pipeline, code=IMAGE_CODE)["spec"]["entrypoint"]
            written += 1
    assert written >= EXPRESSIBLE


def test_the_command_line_writes_it() -> None:
    from argojobs.cli.verbs.compile import Target, written

    manifest = _workflow(_chain())
    assert written(manifest, Target.dsl, None) == to_dsl_source(manifest)
