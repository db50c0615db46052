"""Coverage: what cannot be honoured is refused by its path, what has no meaning is noted."""

import pytest

from argojobs.engine.coverage import reachable, refuse_uncovered
from argojobs.errors import UnsupportedError


def workflow(*templates, **spec):
    main = {"name": "main", "container": {"image": "a", "command": ["true"]}}
    return {"spec": {"entrypoint": "main", "templates": list(templates or (main,)), **spec}}


def main(**fields):
    return {"name": "main", "container": {"image": "a", "command": ["true"]}, **fields}


REFUSED = [
    (workflow(workflowTemplateRef={"name": "x"}), "spec.workflowTemplateRef"),
    (workflow(synchronization={"mutexes": []}), "spec.synchronization"),
    (workflow(templateDefaults={"daemon": True}), "spec.templateDefaults.daemon"),
    (workflow(main(sidecars=[{"name": "x"}])), "spec.templates[0].sidecars"),
    (workflow(main(daemon=True)), "spec.templates[0].daemon"),
    (workflow(main(memoize={"key": "x"})), "spec.templates[0].memoize"),
    (workflow({"name": "main", "http": {"url": "x"}}), "spec.templates[0].http"),
    (workflow({"name": "main", "resource": {}}), "spec.templates[0].resource"),
    (workflow({"name": "main", "plugin": {"x": {}}}), "spec.templates[0].plugin"),
    (
        workflow({"name": "main", "steps": [[{"name": "a", "templateRef": {"name": "x"}}]]}),
        "spec.templates[0].steps[0][0].templateRef",
    ),
    (
        workflow({"name": "main", "steps": [{"name": "a", "templateRef": {"name": "x"}}]}),
        "spec.templates[0].steps[0][0].templateRef",
    ),
    (
        workflow(hooks={"exit": {"templateRef": {"name": "x", "template": "y"}}}),
        "spec.hooks.exit.templateRef",
    ),
    (
        workflow(arguments={"artifacts": [{"name": "a", "s3": {"key": "k", "bucket": "b"}}]}),
        "spec.arguments.artifacts[0].s3.bucket",
    ),
    (
        workflow({"name": "main", "dag": {"tasks": [{"name": "a", "inline": main(daemon=True)}]}}),
        "spec.templates[0].dag.tasks[0].inline.daemon",
    ),
    (
        workflow(
            main(
                container={
                    "command": ["x"],
                    "env": [
                        {"name": "A", "value": "1"},
                        {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "s", "key": "k"}}},
                    ],
                }
            )
        ),
        "spec.templates[0].container.env[1].valueFrom.configMapKeyRef",
    ),
    (
        workflow(arguments={"parameters": [{"name": "a", "valueFrom": {"configMapKeyRef": {}}}]}),
        "spec.arguments.parameters[0].valueFrom.configMapKeyRef",
    ),
    (workflow(volumes=[{"name": "v", "secret": {"secretName": "s"}}]), "spec.volumes[0].secret"),
    (
        workflow(main(inputs={"artifacts": [{"name": "a", "path": "/a", "git": {"repo": "r"}}]})),
        "spec.templates[0].inputs.artifacts[0].git",
    ),
]


@pytest.mark.parametrize(("given", "path"), REFUSED, ids=[path for _, path in REFUSED])
def test_what_cannot_be_honoured_is_refused_by_its_path(given, path):
    with pytest.raises(UnsupportedError) as caught:
        refuse_uncovered(given)
    assert caught.value.where == path
    assert "nothing was started" in caught.value.hint


def test_one_error_lists_all():
    given = workflow(main(daemon=True, sidecars=[{}]), podSpecPatch="x")
    with pytest.raises(UnsupportedError, match="3 fields") as caught:
        refuse_uncovered(given)
    for path in ("spec.podSpecPatch", "spec.templates[0].daemon", "spec.templates[0].sidecars"):
        assert path in caught.value.what


def test_empty_or_false_asks_for_nothing():
    assert refuse_uncovered(workflow(main(daemon=False, sidecars=[]), suspend=False)) == []


def test_a_suspend_that_ends_by_itself_is_honoured():
    assert refuse_uncovered(workflow({"name": "main", "suspend": {"duration": "5"}})) == []


def test_the_pods_own_fields_are_honoured():
    env = [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]
    assert refuse_uncovered(workflow(main(container={"command": ["x"], "env": env}))) == []


def test_fields_without_meaning_are_noted_once():
    given = workflow(
        main(nodeSelector={"a": "b"}),
        {
            "name": "other",
            "nodeSelector": {"a": "b"},
            "container": {"imagePullPolicy": "Always", "command": ["x"]},
        },
        serviceAccountName="x",
        onExit="other",
    )
    assert refuse_uncovered(given) == [
        "imagePullPolicy has no meaning on this machine (spec.templates[1].container.imagePullPolicy)",
        "nodeSelector has no meaning on this machine (spec.templates[0].nodeSelector and 1 more)",
        "serviceAccountName has no meaning on this machine (spec.serviceAccountName)",
    ]


def test_an_annotation_that_says_where_progress_begins_has_a_meaning():
    begins = {"workflows.argoproj.io/progress": "0/10"}
    assert refuse_uncovered(workflow(main(metadata={"annotations": begins}))) == []
    for more in (
        {"annotations": {**begins, "a": "b"}},
        {"annotations": begins, "labels": {"a": "b"}},
    ):
        assert len(refuse_uncovered(workflow(main(metadata=more)))) == 1


def test_a_template_that_nothing_reaches_is_not_looked_at():
    unused = {"name": "unused", "http": {"url": "x"}}
    assert refuse_uncovered(workflow(main(), unused)) == []


def test_everything_that_is_called_is_reached():
    spec = {
        "entrypoint": "a",
        "onExit": "e",
        "templates": [
            {"name": "a", "dag": {"tasks": [{"name": "1", "template": "b", "onExit": "d"}]}},
            {
                "name": "b",
                "steps": [[{"name": "1", "template": "c"}], [{"name": "2", "template": "a"}]],
            },
            {"name": "c"},
            {"name": "d"},
            {"name": "e"},
            {"name": "unused"},
        ],
    }
    assert [index for index, _ in reachable(spec)] == [0, 1, 2, 3, 4]


def test_a_name_that_is_a_tag_may_be_any_template():
    spec = {
        "entrypoint": "{{workflow.parameters.which}}",
        "templates": [{"name": "a"}, {"name": "b"}],
    }
    assert [index for index, _ in reachable(spec)] == [0, 1]
