"""Templates from elsewhere in a manifest: graphs with what they call, and what they print."""

from __future__ import annotations

from typing import Any

import pytest

from argojobs import DefinitionError, each, pipeline, step, use, when
from argojobs.compile.bundle import IMAGE_CODE
from argojobs.compile.pipeline.workflow import compile_pipeline
from argojobs.expressions import tags


@step
def take(score: float) -> None: ...


@step
def take_all(scores: list[float]) -> None: ...


def compiled(made: Any) -> dict[str, Any]:
    spec: dict[str, Any] = compile_pipeline(made, code=IMAGE_CODE)["spec"]
    return spec


def test_a_graph_comes_with_the_templates_that_it_calls() -> None:
    say = use({"name": "Say", "container": {"image": "a"}})
    graph = {"name": "both", "steps": [[{"name": "a", "template": "Say"}], [{"template": "both"}]]}
    both = use(graph, calls={"Say": say})

    @pipeline
    def calling() -> None:
        both()

    made = {one["name"]: one for one in compiled(calling)["templates"]}
    assert made["both"]["steps"] == [
        [{"name": "a", "template": say.name}],
        [{"template": "both"}],
    ]
    assert made[say.name]["container"] == {"image": "a"}
    assert graph["steps"][0][0]["template"] == "Say"


def test_a_template_that_a_graph_calls_must_be_given() -> None:
    graph = {"name": "both", "steps": [[{"name": "a", "template": "say"}]]}
    both = use(graph)

    @pipeline
    def calling() -> None:
        both()

    with pytest.raises(DefinitionError, match="calls 'say', which is not given") as caught:
        compiled(calling)
    assert "calls={'say': use(...)}" in caught.value.hint
    with pytest.raises(DefinitionError, match="which is not a template from elsewhere"):
        use(graph, calls={"say": take})


def test_what_a_template_prints_is_its_result_where_its_type_is_given() -> None:
    noisy = use({"name": "noisy", "script": {"source": "print(1)"}}, outputs={"result": float})

    @pipeline
    def printing() -> None:
        noise = noisy()
        with when(noise.result > 0.5):
            take(noise.result)

    made = compiled(printing)["templates"]
    (task,) = [t for t in made[0]["dag"]["tasks"] if t["name"] == "take"]
    (argument,) = task["arguments"]["parameters"]
    assert argument["value"] == "{{tasks.noisy.outputs.result}}"
    assert "tasks['noisy'].outputs.result" in task["when"]
    with pytest.raises(DefinitionError, match="has no output 'result'"):
        use({"name": "quiet", "suspend": {}}, outputs={"result": str})


def test_what_the_items_of_a_fan_out_print_is_gathered_though_there_may_be_none() -> None:
    """Argo 4.0.5 waits for what an expression names, and keeps what the text mentions."""
    counts = use(
        {
            "name": "counts",
            "inputs": {"parameters": [{"name": "n"}]},
            "container": {"image": "a"},
        },
        outputs={"result": float},
    )

    @pipeline
    def gathering(numbers: list[int]) -> None:
        take_all(each(numbers, lambda n: counts(n=n).result))

    task = next(t for t in compiled(gathering)["templates"][0]["dag"]["tasks"] if "depends" in t)
    (argument,) = task["arguments"]["parameters"]
    text = argument["value"].partition("{{=")[2].removesuffix("}}")
    mention = "tasks['counts'].outputs.result"
    assert text.count(mention) == 1
    assert f"/* {mention} */" in text
    for known, expected in (
        ({"status": "Skipped"}, "[]"),
        ({"status": "Succeeded", "outputs.result": "[1,2]"}, "[1,2]"),
    ):
        values = {f"tasks.counts.{name}": value for name, value in known.items()}
        assert tags.replace(f"{{{{={text}}}}}", values, strict=True) == expected


def test_an_exit_handler_may_be_such_a_template() -> None:
    plain = {"name": "tell", "container": {"image": "a", "args": ["{{workflow.status}}"]}}

    @pipeline(on_exit=use(plain))
    def told(score: float = 0.5) -> None:
        take(score)

    spec = compiled(told)
    assert spec["onExit"] == "tell"
    assert plain in spec["templates"]


def test_an_exit_handler_gets_only_what_the_pipeline_takes() -> None:
    wanting = {"name": "tell", "inputs": {"parameters": [{"name": "score"}]}, "suspend": {}}

    @pipeline(on_exit=use(wanting))
    def told(score: float = 0.5) -> None:
        take(score)

    assert compiled(told)["onExit"] == "tell"

    @pipeline(on_exit=use(wanting))
    def without() -> None:
        take(0.5)

    with pytest.raises(DefinitionError, match="takes 'score', which is not given"):
        compiled(without)
