"""Templates from elsewhere as steps: hera's, or a manifest's."""

from __future__ import annotations

import pytest
from support.tracing import check, load, refused, show, traced, train

from argojobs import DefinitionError, Model, each, step, use

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
    with refused("is not a template"):
        use(3)
    with refused("the name None is not text"):
        use({"suspend": {}})


@step
def read(texts: list[str]) -> None: ...


@step
def weigh(score: float, model: Model) -> None: ...


def test_outputs_of_all_items_are_gathered():
    scan = use(PLAIN)

    def body() -> None:
        data = train(1).model
        found = each([1, 2], lambda depth: scan(max_depth=depth, data=data))
        read(found.the_summary)
        with refused("the artifact 'found' of a fan-out", "only a step's own artifacts"):
            show(found.found)

    calls = traced(body).calls
    gathered = calls[-1].arguments["texts"]
    assert (gathered.name_, gathered.gathered_) == ("the_summary", True)


def test_its_artifacts_fit_any_kind():
    scan = use(PLAIN)

    def body() -> None:
        show(scan(max_depth=1, data=train(1).model).found)

    assert traced(body).calls[-1].base == "show"


def test_outputs_are_typed_if_it_is_said_how():
    scan = use(PLAIN, outputs={"the-summary": float, "found": Model})

    def body() -> None:
        found = scan(max_depth=1, data=train(1).model)
        weigh(found.the_summary, found.found)
        with refused("takes a Dataset, not a Model"):
            load(found.found)

    assert traced(body).calls[-1].base == "weigh"


def test_a_type_that_no_output_has_is_refused():
    with refused("scan has no output 'summary'", "the_summary"):
        use(PLAIN, outputs={"summary": float})
    with refused("'found' of scan is one of its artifacts"):
        use(PLAIN, outputs={"found": float})
    with refused("'the_summary' of scan is one of its parameters"):
        use(PLAIN, outputs={"the_summary": Model})


def test_a_function_below_heras_script_is_its_template():
    from hera.workflows import script

    @script(image="python:3.12")
    def count(words: str) -> None:
        print(words)

    with refused("hera cannot build this template", "from __future__ import annotations"):
        use(count)
    count.__wrapped__.__annotations__ = {"words": str, "return": None}
    template = use(count).template
    assert template["name"] == "count"
    assert [one["name"] for one in template["inputs"]["parameters"]] == ["words"]
    assert "print(words)" in template["script"]["source"]


def test_an_optional_artifact_goes_into_an_optional_one_only():
    scan = use(PLAIN)

    def body(old: Model | None = None) -> None:
        data = train(1).model
        scan(max_depth=1, data=data, old=old)
        with refused("takes an artifact that is always there"):
            scan(max_depth=1, data=old)

    assert traced(body).calls[-1].arguments["old"].optional_
