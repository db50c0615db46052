"""Templates from elsewhere as steps: hera's, or a manifest's."""

from __future__ import annotations

import pytest

from argojobs import DefinitionError, each, use

from .helpers import check, refused, show, traced, train

PLAIN = {
    "name": "scan",
    "inputs": {
        "parameters": [{"name": "max-depth"}, {"name": "mode", "value": "fast"}],
        "artifacts": [{"name": "data", "path": "/data"}, {"name": "old", "optional": True}],
    },
    "outputs": {
        "parameters": [{"name": "the-summary", "valueFrom": {"path": "/s"}}],
        "artifacts": [{"name": "found", "path": "/f"}],
    },
    "container": {"image": "scan:1"},
}


def test_inputs_are_given_by_name_and_outputs_taken_by_name():
    scan = use(PLAIN)

    def body(depth: int) -> None:
        found = scan(max_depth=depth, data=train(1).model)
        scan.options(name="again", after=[found])(max_depth=[1, {"a": None}], data=found.found)
        scan(max_depth=found.the_summary, data=found.found, mode=True)
        show(found.found) if False else None

    calls = traced(body).calls
    assert [call.base for call in calls] == ["train", "scan", "scan", "scan"]
    assert calls[2].name == "again"
    assert calls[2].arguments["max-depth"] == '[1,{"a":null}]'
    assert calls[3].arguments["mode"] == "true"


def test_a_hera_template_is_taken_as_its_model():
    from hera.workflows import Artifact, Container, Parameter

    scan = use(
        Container(
            name="scan",
            image="scan:1",
            inputs=[Parameter(name="depth")],
            outputs=[Artifact(name="found", path="/f")],
        )
    )
    assert scan.template == {
        "name": "scan",
        "container": {"image": "scan:1"},
        "inputs": {"parameters": [{"name": "depth"}]},
        "outputs": {"artifacts": [{"name": "found", "path": "/f"}]},
    }


def test_an_object_that_knows_its_dict_is_taken():
    class Made:
        def to_dict(self):
            return {"name": "made", "suspend": {}}

    assert use(Made(), name="wait").name == "wait"


def test_it_fans_out_as_a_step_does():
    scan = use(PLAIN)

    def body() -> None:
        data = train(1).model
        each([1, 2], lambda depth: scan(max_depth=depth, data=data))

    assert traced(body).calls[-1].items.texts == ("1", "2")


WRONG = {
    "position": (lambda scan: scan(3), "arguments by position"),
    "unknown": (lambda scan: scan(max_dept=3), "no input 'max_dept'"),
    "missing": (lambda scan: scan(max_depth=3), "lacks the input 'data'"),
    "text for artifact": (lambda scan: scan(max_depth=3, data="x"), "takes an artifact"),
    "outputs": (lambda scan: scan(max_depth=train(1), data=train(1).model), "takes a parameter"),
    "none": (lambda scan: scan(max_depth=None, data=train(1).model), "takes a parameter"),
    "object": (lambda scan: scan(max_depth={1, 2}, data=train(1).model), "not JSON serializable"),
    "tag": (lambda scan: scan(max_depth="{{x}}", data=train(1).model), "which Argo replaces"),
    "field": (lambda scan: scan(max_depth=1, data=train(1).model).summary, "no field 'summary'"),
    "type": (
        lambda scan: check(scan(max_depth=1, data=train(1).model).the_summary),
        "takes a number, not text",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_it_lacks_is_refused(name):
    use_it, match = WRONG[name]
    scan = use(PLAIN)

    def body() -> None:
        use_it(scan)

    with pytest.raises(DefinitionError, match=match):
        traced(body)


def test_it_runs_in_a_pipeline_only():
    scan = use(PLAIN)
    with refused("called outside of a pipeline"):
        scan(max_depth=1)


def test_what_is_no_template_is_refused():
    with refused("is no template"):
        use(3)
    with refused("no DNS label"):
        use({"suspend": {}})
