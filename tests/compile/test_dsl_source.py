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


WITHOUT_FIRST = LOOP.replace(
    "    - - {name: first, template: print, arguments: {parameters: [{name: text, value: a}]}}\n",
    "",
)


def test_loops_steps_and_nested_graphs(tmp_path: Path) -> None:
    source = to_dsl_source(_workflow(WITHOUT_FIRST))
    assert "each(words, lambda item: print.options(" in source.replace("print_", "print")
    made = _compiled(source, tmp_path)
    tasks = {t["name"]: t for t in _template(made, "loop")["dag"]["tasks"]}
    assert set(tasks) == {"fan", "twice"}
    assert "withParam" in tasks["fan"]
    assert "num: int" in source


def _fan(**changes: Any) -> dict[str, Any]:
    """The manifest with another `fan`, which waits for `first`."""
    manifest = _workflow(LOOP)
    (fan, _) = manifest["spec"]["templates"][0]["steps"][1]
    del fan["withParam"]
    fan.update(changes)
    return manifest


@pytest.mark.parametrize(
    ("loop", "items"),
    [
        ({"withItems": ["1", "2"]}, ["1", "2"]),
        ({"withParam": '["a", 7, 0.10, true]'}, ["a", "7", "0.10", "true"]),
        ({"withSequence": {"count": "3"}}, ["0", "1", "2"]),
        ({"withSequence": {"start": "2", "end": "0"}}, ["2", "1", "0"]),
        ({"withSequence": {"start": "9", "count": "2", "format": "n%02d"}}, ["n09", "n10"]),
        ({"withSequence": {"count": "2", "format": "testuser%02X"}}, ["testuser00", "testuser01"]),
    ],
)
def test_constants_that_wait_for_others_are_an_ordinary_loop(
    loop: dict[str, Any], items: list[str], tmp_path: Path
) -> None:
    source = to_dsl_source(_fan(**loop))
    assert "for number, item in enumerate([" in source
    made = _compiled(source, tmp_path)
    tasks = {t["name"]: t for t in _template(made, "loop")["dag"]["tasks"]}
    fan = [tasks[f"fan-{number}"] for number in range(len(items))]
    assert [each["depends"] for each in fan] == ["first"] * len(items)
    given = [each["arguments"]["parameters"][0]["value"] for each in fan]
    assert [text.strip('"') for text in given] == items
    assert f"fan-{len(items)}" not in tasks


def test_maps_as_items_are_an_ordinary_loop_over_maps(tmp_path: Path) -> None:
    manifest = _fan(
        withItems=[{"image": "debian", "tag": 9}, {"image": "alpine", "tag": 3}],
        arguments={"parameters": [{"name": "text", "value": "{{item.image}}"}]},
    )
    source = to_dsl_source(manifest)
    assert 'text=item["image"]' in source
    made = _compiled(source, tmp_path)
    tasks = {t["name"]: t for t in _template(made, "loop")["dag"]["tasks"]}
    given = [tasks[f"fan-{n}"]["arguments"]["parameters"][0]["value"] for n in (0, 1)]
    assert given == ["debian", "alpine"]


def _changed(change: dict[str, Any]) -> dict[str, Any]:
    manifest = json.loads(_chain())
    manifest["spec"]["templates"][0]["dag"]["tasks"][2].update(change)
    return _workflow(json.dumps(manifest))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"depends": "A.Failed"}, "`depends: A.Failed` of the task last: after= waits for tasks"),
        ({"depends": "second || A"}, "`depends: second || A` of the task last"),
        ({"onExit": "show"}, "`onExit` of the task last"),
        ({"hooks": {"exit": {"template": "show"}}}, "`hooks` of the task last"),
        ({"continueOn": {"failed": True}}, "`continueOn` of the task last"),
        (
            {"withSequence": {"count": "{{workflow.parameters.n}}"}},
            "withSequence of the task last: '{{workflow.parameters.n}}' is no number yet",
        ),
        (
            {"withSequence": {"count": "5000"}},
            "withSequence of the task last, which has 5000 items",
        ),
        ({"templateRef": {"name": "x", "template": "y"}}, "`templateRef` of the task last"),
        ({"when": "{{workflow.parameters.n}} =~ 1"}, "the condition"),
    ],
)
def test_a_graph_that_the_dsl_has_no_words_for_is_kept_with_the_reason(
    change: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    manifest = _changed(change)
    source = to_dsl_source(manifest)
    comments = " ".join(line.removeprefix("# ") for line in source.splitlines())
    assert f"Kept as Argo has it: {reason}" in comments
    assert "# Kept as Argo has it: main calls it." in source
    made = _compiled(source, tmp_path)
    for template in manifest["spec"]["templates"]:
        assert _template(made, template["name"]) == template


def test_a_graph_within_itself_is_kept(tmp_path: Path) -> None:
    manifest = _workflow(WITHOUT_FIRST)
    inner = manifest["spec"]["templates"][1]
    again = {"name": "again", "template": "inner", "arguments": {}}
    inner["dag"]["tasks"].append(again)
    source = to_dsl_source(manifest)
    assert "# Kept as Argo has it: it calls itself, and a pipeline has an end." in source
    assert _template(_compiled(source, tmp_path), "inner") == inner


def test_graphs_within_each_other_are_refused() -> None:
    manifest = _workflow(LOOP)
    manifest["spec"]["templates"][1]["dag"]["tasks"].append({"name": "up", "template": "main"})
    with pytest.raises(UnsupportedError, match="it calls main, which calls it"):
        to_dsl_source(manifest)


@pytest.mark.parametrize("depends", ["A.Succeeded", "(A.Succeeded) && second", "(A && second)"])
def test_success_of_what_is_never_skipped_is_what_after_waits_for(
    depends: str, tmp_path: Path
) -> None:
    manifest = _changed({"depends": f"second && {depends}"})
    tasks = _template(_compiled(to_dsl_source(manifest), tmp_path), "chain")["dag"]["tasks"]
    assert tasks[-1]["depends"] == "second && a"


def test_success_of_what_may_be_skipped_is_more_than_after_says() -> None:
    manifest = _changed({"depends": "second && A.Succeeded"})
    manifest["spec"]["templates"][0]["dag"]["tasks"][0]["when"] = (
        "'{{workflow.parameters.go}}' == x"
    )
    assert "Kept as Argo has it: `depends: second && A.Succeeded`" in to_dsl_source(manifest)


def test_what_a_template_prints_is_its_result(tmp_path: Path) -> None:
    manifest = _workflow(LOOP)
    (fan, _) = manifest["spec"]["templates"][0]["steps"][1]
    del fan["withParam"]
    fan["when"] = "{{steps.first.outputs.result}} == a"
    fan["arguments"]["parameters"][0]["value"] = "{{steps.first.outputs.result}}"
    source = to_dsl_source(manifest)
    assert "Kept as Argo has it: what it prints is used (`outputs.result`)." in source
    assert 'outputs={"result": str},' in source
    assert 'with when(first.result == "a"):' in source
    tasks = {t["name"]: t for t in _template(_compiled(source, tmp_path), "loop")["dag"]["tasks"]}
    (argument,) = tasks["fan"]["arguments"]["parameters"]
    assert argument["value"] == "{{tasks.first.outputs.result}}"
    assert tasks["fan"]["when"] == "{{=(tasks['first'].outputs.result == 'a')}}"


def test_a_number_that_is_printed_is_one(tmp_path: Path) -> None:
    manifest = _workflow(LOOP)
    (fan, _) = manifest["spec"]["templates"][0]["steps"][1]
    fan["when"] = "{{steps.first.outputs.result}} > 3"
    del fan["withParam"]
    fan["arguments"]["parameters"][0]["value"] = "x"
    source = to_dsl_source(manifest)
    assert 'outputs={"result": float},' in source
    assert "with when(first.result > 3.0):" in source
    assert _compiled(source, tmp_path)


def test_an_exit_handler_may_be_a_template_as_argo_has_it(tmp_path: Path) -> None:
    manifest = _workflow(_chain())
    tell = {"name": "tell", "container": {"image": "curl", "args": ["{{workflow.status}}"]}}
    manifest["spec"]["templates"].append(tell)
    manifest["spec"]["onExit"] = "tell"
    made = _compiled(to_dsl_source(manifest), tmp_path)
    assert made["spec"]["onExit"] == "tell"
    assert _template(made, "tell") == tell


def test_what_the_workflow_says_of_all_pods_stands_at_each(tmp_path: Path) -> None:
    manifest = _workflow(_chain())
    manifest["spec"] |= {"serviceAccountName": "runner", "nodeSelector": {"gpu": "yes"}}
    manifest["spec"]["templates"][2]["serviceAccountName"] = "own"
    made = _compiled(to_dsl_source(manifest), tmp_path)
    hop, show = _template(made, "hop"), _template(made, "show")
    assert (hop["serviceAccountName"], hop["nodeSelector"]) == ("runner", {"gpu": "yes"})
    assert (show["serviceAccountName"], show["nodeSelector"]) == ("own", {"gpu": "yes"})


@pytest.mark.parametrize("text", ["$HOME/data", "100$", "a$b"])
def test_a_dollar_in_a_variable_stays(text: str, tmp_path: Path) -> None:
    manifest = _workflow(_chain())
    own = {"name": "PLACE", "value": text}
    manifest["spec"]["templates"][1]["container"]["env"] = [own]
    source = to_dsl_source(manifest)
    assert f'env={{"PLACE": "{text}"}}' in source
    assert own in _template(_compiled(source, tmp_path), "hop")["container"]["env"]


@pytest.mark.parametrize("text", ["$(OTHER)/data", "a$$b"])
def test_a_variable_of_other_variables_is_kept_as_it_is(text: str, tmp_path: Path) -> None:
    manifest = _workflow(WITHOUT_FIRST)
    own = {"name": "PLACE", "value": text}
    manifest["spec"]["templates"][3]["container"]["env"] = [own]
    source = to_dsl_source(manifest)
    assert "Kept as Argo has it: the variable PLACE, whose value Kubernetes puts together" in source
    assert own in _template(_compiled(source, tmp_path), "number")["container"]["env"]


@pytest.mark.parametrize("value", ["$x", "[1, 2]", "a\u0007"])
def test_a_value_that_a_kept_template_would_get_encoded_is_refused(value: str) -> None:
    manifest = _workflow(_chain("'{{workflow.parameters.go}}' == y"))
    manifest["spec"]["arguments"]["parameters"][1]["value"] = value
    with pytest.raises(UnsupportedError, match="the parameter go, whose value holds"):
        to_dsl_source(manifest)


SKIPPED = "{{workflow.parameters.go}} < %d"


def test_an_output_of_what_may_be_skipped_is_taken_as_argo_takes_it(tmp_path: Path) -> None:
    """The first users' `start`: what is skipped leaves nothing, and who wants that errors."""
    from argojobs.engine.local import LocalService
    from argojobs.engine.submitter import capture

    manifest = json.loads(_chain())
    tasks = manifest["spec"]["templates"][0]["dag"]["tasks"]
    tasks[0]["when"], tasks[1]["when"] = SKIPPED % 1, SKIPPED % 2
    del tasks[2]
    manifest = _workflow(json.dumps(manifest))
    source = to_dsl_source(manifest)
    assert "Kept as Argo has it: second takes an output of A, which `when:" in source
    made = _compiled(source, tmp_path)
    seen = {}
    with LocalService(tmp_path / "home", submitter=capture(project=tmp_path)) as service:
        for which, one in (("manifest", manifest), ("program", made)):
            for go in ("0", "1", "2"):
                seen[which, go] = _phases(service, one, f"{which}-{go}", go)
        service.shutdown(force=True)
    for go in ("0", "1", "2"):
        assert seen["manifest", go] == seen["program", go]
    assert [seen["program", go][0] for go in ("0", "1", "2")] == ["Succeeded", "Error", "Succeeded"]


def _phases(service: Any, manifest: dict[str, Any], name: str, go: str) -> tuple[str, set[Any]]:
    """Run a manifest with `go` and return its phase, and those of its two tasks."""
    parameters = [
        {**one, "value": go} if one["name"] == "go" else one
        for one in manifest["spec"]["arguments"]["parameters"]
    ]
    spec = {**manifest["spec"], "arguments": {"parameters": parameters}}
    service.create({**manifest, "metadata": {"name": name}, "spec": spec})
    *_, last = service.watch(name)
    nodes = last.workflow["status"]["nodes"].values()
    tasks = {(n["displayName"], n["phase"]) for n in nodes if n["displayName"] in ("A", "second")}
    return last.workflow["status"]["phase"], tasks


def test_the_first_users_file_as_it_is_compiles_to_the_same_tasks(
    shared: Path, tmp_path: Path
) -> None:
    manifest = documents.load(shared / "cases" / "crisplitdemo.yaml").workflows[0].workflow
    made = _compiled(to_dsl_source(manifest), tmp_path)
    (sequence, train) = manifest["spec"]["templates"]
    assert _template(made, "sequence") == sequence
    written = _template(made, "train")
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
    manifest = json.loads(_chain())
    manifest["spec"].update({"hooks": {"exit": {}}, "parallelism": 2, "ttlStrategy": {}})
    assert _refused(json.dumps(manifest)) == (
        "the DSL has no words for spec.hooks; spec.parallelism"
    )


def test_the_command_line_writes_it() -> None:
    from argojobs.cli.verbs.compile import Target, written

    manifest = _workflow(_chain())
    assert written(manifest, Target.dsl, None) == to_dsl_source(manifest)


def test_a_null_field_is_none():
    leaf = {"name": "main", "container": {"image": "a:1", "command": ["true"]}}
    manifest = {"metadata": {"generateName": "a-"}, "spec": {"entrypoint": "main"}}
    with_nulls = {**leaf, "retryStrategy": None, "inputs": None}
    assert to_dsl_source(
        {**manifest, "spec": {**manifest["spec"], "templates": [with_nulls], "volumes": None}}
    ) == to_dsl_source({**manifest, "spec": {**manifest["spec"], "templates": [leaf]}})
