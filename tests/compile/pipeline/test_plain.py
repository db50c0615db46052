"""Values that reach a template from elsewhere must not travel encoded."""

from __future__ import annotations

import json

import pytest

from argojobs import DefinitionError, Outputs, each, either, pipeline, step, use, when
from argojobs.compile.code import Code
from argojobs.compile.pipeline.workflow import compile_pipeline
from argojobs.edits.overrides import parse_assignment
from argojobs.edits.parameters import apply
from argojobs.errors import ParameterError
from argojobs.manifest.signature import signature_of

scan = use(
    {
        "name": "scan",
        "inputs": {"parameters": [{"name": "note"}]},
        "outputs": {"parameters": [{"name": "found", "valueFrom": {"path": "/f"}}]},
        "container": {"image": "scan:1"},
    }
)


class Noted(Outputs):
    note: str


@step
def write(text: str) -> str: ...


@pipeline
def inner(note: str, other: str = "$") -> None:
    scan(note=note)
    write(other)


@pipeline
def noted(before: Noted) -> str:
    scan(note=before.note)
    return before.note


def plain(made):
    manifest = compile_pipeline(made, code=Code("image"))
    parameters = signature_of(manifest)["parameters"]
    return {name for name, entry in parameters.items() if entry.get("plain")}


def test_parameters_that_reach_it_by_any_way_are_marked():
    @pipeline
    def body(a: str, b: str, c: list[str], d: str, e: str, free: str, n: int = 1) -> None:
        scan(note=a)
        inner(b, free)
        each(c, lambda one: scan(note=one))
        with when(n > 1):
            text = write("x")
        scan(note=either(text, d))
        noted(Noted(note=e))

    assert plain(body) == {"a", "b", "c", "d", "e"}


def test_parameters_that_it_names_itself_are_marked():
    told = use({"name": "told", "container": {"args": ["{{workflow.parameters.a}}"]}})
    inner = use({"name": "in", "container": {"args": ["{{=workflow.parameters.b}}"]}})
    steps = [[{"name": "x", "template": "in"}]]
    outer = use({"name": "out", "steps": steps}, calls={"in": inner})
    last = use({"name": "last", "container": {"args": ["{{workflow.parameters.c}}"]}})

    @pipeline(on_exit=last)
    def body(a: str, b: str, c: str, free: str) -> None:
        told()
        outer()
        write(free)

    assert plain(body) == {"a", "b", "c"}


def test_a_json_text_goes_there_as_it_is():
    @pipeline
    def body(note: str = '{"b": 1}', free: str = "{}") -> None:
        scan(note=note)
        write(free)

    manifest = compile_pipeline(body, code=Code("image"))
    values = manifest["spec"]["arguments"]["parameters"]
    assert [one["value"] for one in values] == ['{"b": 1}', "argojobs:base64:e30="]
    given = dict(map(parse_assignment, ['note=[1, "a"]']))
    assert apply(manifest, given)["spec"]["arguments"]["parameters"][0]["value"] == '[1, "a"]'


def test_an_override_of_one_that_would_travel_encoded_is_refused():
    @pipeline
    def body(note: str, free: str) -> None:
        scan(note=note)
        write(free)

    manifest = compile_pipeline(body, code=Code("image"))
    given = dict(map(parse_assignment, ["note=a", "free=costs $5"]))
    values = apply(manifest, given)["spec"]["arguments"]["parameters"]
    assert [one["value"] for one in values] == ["a", "argojobs:base64:Y29zdHMgJDU="]
    with pytest.raises(ParameterError, match="note would reach a template from elsewhere encoded"):
        apply(manifest, dict(map(parse_assignment, ["note=costs $5", "free="])))


def an_item() -> None:
    each(["a", "b$"], lambda one: scan(note=one))


def a_default(note: str = "a$b") -> None:
    scan(note=note)


def an_argument() -> None:
    inner("$HOME")


def a_choice(n: int = 1) -> None:
    with when(n > 1):
        text = write("x")
    scan(note=either(text, "a\x1b"))


@pytest.mark.parametrize("body", [an_item, a_default, an_argument, a_choice])
def test_a_constant_that_would_travel_encoded_is_refused(body):
    with pytest.raises(DefinitionError, match="reach a template from elsewhere encoded") as caught:
        compile_pipeline(pipeline(body), code=Code("image"))
    assert "test_plain.py:" in caught.value.where


def test_a_constant_of_its_own_goes_there_as_it_stands():
    @pipeline
    def body() -> None:
        scan(note="echo $HOME")

    text = json.dumps(compile_pipeline(body, code=Code("image")))
    assert '"value": "echo $HOME"' in text
