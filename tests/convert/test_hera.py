"""hera on both sides: the same manifest, whichever way round."""

from pathlib import Path
from typing import Any

import pytest

from argojobs.compile.hera_in import from_hera
from argojobs.convert.hera_source import to_hera_source
from argojobs.convert.hera_workflow import to_hera
from argojobs.errors import ManifestError, UnsupportedError
from argojobs.manifest import documents
from argojobs.manifest.json_read import typed_tree
from argojobs.manifest.kinds import KINDS

hera = pytest.importorskip("hera.workflows")

#: Examples of Argo that use fields which hera's models do not have.
UNKNOWN_TO_HERA = {
    "pod-resources.yaml": "spec.podResources",
    "resource-claims.yaml": "spec.resourceClaims",
    "workflow-level-executor-plugin.yaml": "spec.executorPlugins",
}
#: A key stands twice in it, which our reader refuses.
UNREADABLE = "k8s-patch-json-workflow.yaml"


def _workflow(**spec: Any) -> dict[str, Any]:
    templates = [{"name": "main", "container": {"image": "alpine"}}]
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"generateName": "x-"},
        "spec": {"entrypoint": "main", "templates": templates, **spec},
    }


def _executed(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, "program.py", "exec"), names)
    return from_hera(names["workflow"])


def _manifests(shared: Path) -> list[tuple[str, dict[str, Any]]]:
    found = []
    files = sorted((shared / "argo" / "examples").rglob("*.yaml"))
    for file in [*files, shared / "cases" / "tried" / "step-contract.yaml"]:
        if file.name == UNREADABLE:
            continue
        found += [(file.name, each.workflow) for each in documents.candidates(documents.load(file))]
    return found


def test_examples_of_argo_are_equal_both_ways(shared: Path) -> None:
    manifests = _manifests(shared)
    assert len(manifests) > 150
    assert {manifest["kind"] for _, manifest in manifests} == set(KINDS)
    for name, manifest in manifests:
        if name in UNKNOWN_TO_HERA:
            with pytest.raises(UnsupportedError, match=UNKNOWN_TO_HERA[name]):
                to_hera(manifest)
        else:
            assert from_hera(to_hera(manifest)) == manifest, name


#: Templates of examples that hera's own classes do not say: what they lack.
ONLY_MODELS = {
    "artifacts-workflowtemplate.yaml": "containers of a set that say what they depend on",
    "dag-inline-clusterworkflowtemplate.yaml": "an inline template",
    "dag-inline-workflowtemplate.yaml": "an inline template",
    "dag-disable-failFast.yaml": "DAG sets failFast of the template as well",
    "data-transformations.yaml": "Data takes its artifact by another form",
    "template-defaults.yaml": "templateDefaults have no kind of template",
    "workspace-workflow.yaml": "a Resource without a manifest",
}


def test_examples_as_hera_programs_build_equal_manifests(shared: Path) -> None:
    for name, manifest in _manifests(shared):
        if name not in UNKNOWN_TO_HERA:
            source = to_hera_source(manifest)
            assert _executed(source) == manifest, name
            assert ("m.Template(" in source) == (name in ONLY_MODELS), name


def test_golden_manifests_are_equal_both_ways() -> None:
    golden = sorted((Path(__file__).parent.parent / "golden").glob("*.yaml"))
    assert golden
    for file in golden:
        manifest = documents.choose(documents.load(file)).workflow
        assert from_hera(to_hera(manifest)) == manifest, file.name
        assert _executed(to_hera_source(manifest)) == manifest, file.name


def test_values_keep_their_text() -> None:
    texts = ["2", "0.0", "1e-4", "007", "true", "null", "", "a: b", "{{x}}", "é\n\t'\"\\"]
    parameters = [{"name": f"p{number}", "value": text} for number, text in enumerate(texts)]
    manifest = _workflow(arguments={"parameters": [*parameters, {"name": "unset"}]})
    assert from_hera(to_hera(manifest)) == manifest
    assert _executed(to_hera_source(manifest)) == manifest


def test_numbers_where_hera_wants_text_become_their_text() -> None:
    manifest = _workflow(arguments={"parameters": [{"name": "a", "value": 2}]})
    container = {"image": "a", "resources": {"requests": {"cpu": 1, "memory": 1.5}}}
    manifest["spec"]["templates"] = [{"name": "main", "container": container}]
    before = typed_tree(manifest)
    made = from_hera(to_hera(manifest))
    assert made["spec"]["arguments"]["parameters"] == [{"name": "a", "value": "2"}]
    requests = made["spec"]["templates"][0]["container"]["resources"]["requests"]
    assert requests == {"cpu": "1", "memory": "1.5"}
    assert typed_tree(manifest) == before, "what was given is not changed"


def test_times_are_text_as_kubernetes_writes_them() -> None:
    manifest = _workflow()
    manifest["metadata"]["creationTimestamp"] = "2026-01-02T03:04:05Z"
    assert from_hera(to_hera(manifest)) == manifest


def test_a_field_hera_has_no_place_for_is_named() -> None:
    template = {"name": "main", "container": {"image": "a", "imgae": "b"}}
    with pytest.raises(UnsupportedError, match=r"spec\.templates\[0\]\.container\.imgae"):
        to_hera(_workflow(templates=[template]))


def test_what_hera_refuses_is_said_with_its_place() -> None:
    with pytest.raises(ManifestError, match="hera refuses the manifest") as caught:
        to_hera(_workflow(templates=[{"name": "main", "container": {"image": ["a"]}, "dag": 3}]))
    assert caught.value.where.startswith("spec.templates[0]")


def test_another_kind_is_not_a_workflow() -> None:
    with pytest.raises(ManifestError, match="a ConfigMap is not a Workflow"):
        to_hera({"kind": "ConfigMap"})


def test_what_hera_drops_of_a_cron_workflow_is_named() -> None:
    inner = _workflow()["spec"]
    spec = {"schedules": ["@daily"], "workflowMetadata": {"labels": {"a": "b"}}}
    manifest = {"kind": "CronWorkflow", "metadata": {"name": "c"}}
    manifest["spec"] = {**spec, "workflowSpec": inner}
    with pytest.raises(UnsupportedError, match=r"spec\.workflowMetadata"):
        to_hera(manifest)


def test_the_default_of_a_cron_workflows_argument_comes_back() -> None:
    inner = {**_workflow()["spec"], "arguments": {"parameters": [{"name": "a", "default": "1"}]}}
    manifest = {**_workflow(), "kind": "CronWorkflow", "metadata": {"name": "c"}}
    manifest["spec"] = {"schedules": ["@daily"], "workflowSpec": inner}
    assert from_hera(to_hera(manifest)) == manifest


def test_defaults_of_arguments_that_hera_drops_come_back() -> None:
    parameters = [hera.Parameter(name="a", default="1"), hera.Parameter(name="b", value="2")]
    workflow = hera.Workflow(name="x", entrypoint="main", arguments=parameters)
    assert from_hera(workflow)["spec"]["arguments"]["parameters"] == [
        {"name": "a", "default": "1"},
        {"name": "b", "value": "2"},
    ]


def test_a_workflow_that_hera_cannot_build_is_a_manifest_error() -> None:
    workflow = hera.Workflow(name="x", entrypoint="main", templates=["main"])
    with pytest.raises(ManifestError, match="hera cannot build the workflow"):
        from_hera(workflow)


def test_the_program_is_readable() -> None:
    container = {"image": "alpine", "command": ["sh", "-c"], "args": ["echo one\necho two\n"]}
    tasks = [
        {"name": "a", "template": "say-it"},
        {"name": "b", "template": "say-it", "depends": "a"},
        {"name": "c", "template": "say-it", "depends": "b"},
        {"name": "d", "template": "say-it", "depends": "a && c", "when": "1 == 1"},
        {"name": "e", "template": "later", "depends": "a.Failed"},
    ]
    templates = [
        {"name": "say-it", "container": container},
        {"name": "main", "dag": {"tasks": tasks}},
        {"name": "later", "suspend": {"duration": "5"}},
    ]
    assert to_hera_source(_workflow(templates=templates)) == (
        "from hera.workflows import Container, DAG, Suspend, Task, Workflow\n"
        "\n"
        'with Workflow(generate_name="x-", entrypoint="main") as workflow:\n'
        "    say_it = Container(\n"
        '        name="say-it",\n'
        '        image="alpine",\n'
        '        command=["sh", "-c"],\n'
        "        args=[\n"
        "            (\n"
        '                "echo one\\n"\n'
        '                "echo two\\n"\n'
        "            ),\n"
        "        ],\n"
        "    )\n"
        "\n"
        '    with DAG(name="main"):\n'
        '        a = Task(name="a", template=say_it)\n'
        '        b = Task(name="b", template=say_it)\n'
        '        c = Task(name="c", template=say_it)\n'
        '        d = Task(name="d", template=say_it, when="1 == 1")\n'
        '        Task(name="e", template="later", depends="a.Failed")\n'
        "        a >> b >> c\n"
        "        [a, c] >> d\n"
        "\n"
        '    Suspend(name="later", duration="5")\n'
        "\n"
        'if __name__ == "__main__":\n'
        "    print(workflow.to_yaml())\n"
    )


def test_what_hera_has_classes_for_is_said_by_them() -> None:
    container = {
        "image": "alpine",
        "env": [
            {"name": "A", "value": "1"},
            {"name": "B", "valueFrom": {"secretKeyRef": {"name": "hub", "key": "token"}}},
        ],
        "volumeMounts": [{"name": "v", "mountPath": "/v"}],
    }
    template = {
        "name": "main",
        "inputs": {
            "parameters": [{"name": "n", "value": "1"}],
            "artifacts": [{"name": "d", "path": "/d", "raw": {"data": "x"}}],
        },
        "outputs": {"artifacts": [{"name": "o", "path": "/o", "archive": {"none": {}}}]},
        "retryStrategy": {"limit": "3"},
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}],
        "container": container,
    }
    manifest = _workflow(templates=[template], arguments={"artifacts": [{"name": "x"}]})
    source = to_hera_source(manifest)
    assert _executed(source) == manifest
    assert " m.Template" not in source
    for text in (
        'Parameter(name="n", value="1")',
        'RawArtifact(name="d", path="/d", data="x")',
        'Artifact(name="o", archive=NoneArchiveStrategy(), path="/o")',
        'Env(name="A", value="1")',
        'SecretEnv(name="B", secret_name="hub", secret_key="token")',
        'RetryStrategy(limit="3")',
        'ExistingVolume(name="v", mount_path="/v", claim_name="c")',
    ):
        assert text in source, text


def test_steps_that_run_side_by_side() -> None:
    steps = [[{"name": "a", "template": "main"}], [{"name": n, "template": "main"} for n in "bc"]]
    templates = [{"name": "all", "steps": steps}, {"name": "main", "container": {"image": "a"}}]
    manifest = _workflow(templates=templates)
    source = to_hera_source(manifest)
    assert _executed(source) == manifest
    assert 'with Steps(name="all") as steps:' in source
    assert "with steps.parallel():" in source


def test_names_that_are_no_variables() -> None:
    names = ["class", "2nd", "a-b", "a.b", "workflow", "m"]
    templates: list[dict[str, Any]] = [{"name": n, "container": {"image": "a"}} for n in names]
    tasks = [{"name": f"t{number}", "template": name} for number, name in enumerate(names)]
    tasks += [{"name": "workflow", "template": "m"}, {"name": "a-b", "template": "m"}]
    tasks.append({"name": "last", "template": "m", "depends": "workflow && a-b"})
    manifest = _workflow(templates=[*templates, {"name": "main", "dag": {"tasks": tasks}}])
    source = to_hera_source(manifest)
    assert _executed(source) == manifest
    for variable in ("template_class", "template_2nd", "a_b", "template_workflow", "template_m"):
        assert f"\n    {variable} = Container(" in source
    assert "[task_workflow, task_a_b] >> last" in source
