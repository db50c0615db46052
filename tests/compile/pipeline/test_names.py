"""Names that are no DNS labels: cut with a hash, told in the workflow's annotations."""

from __future__ import annotations

import json
from typing import Any

from argojobs import each, pipeline, step, use
from argojobs.compile.code import Code
from argojobs.compile.pipeline.workflow import compile_pipeline
from argojobs.dsl.names import label
from argojobs.manifest.names import FULL_NAME, FULL_NAMES

CODE = Code("image", "", "", "", {}, {})
LONG = "train_the_model_of_the_second_stage_on_all_of_the_digits_with_noise"


@step
def Fit(rate: float) -> float: ...


def _long(rate: float) -> float: ...


_long.__name__ = _long.__qualname__ = LONG
long_step = globals()[LONG] = step(_long)
scan = use({"name": "Scan", "container": {"image": "a"}, "outputs": {"parameters": []}})


@pipeline(name="Two stages (night)")
def named(rate: float = 0.1) -> None:
    first = Fit(rate)
    Fit(first)
    long_step.options(name="The warm-up")(first)
    each([0.1, 0.2], lambda one: long_step(one))
    scan()


def compiled(made: Any, **options: Any) -> dict[str, Any]:
    return compile_pipeline(made, code=CODE, **options)


def names_of(manifest: dict[str, Any]) -> tuple[list[str], list[str]]:
    spec = manifest["spec"]
    (root,) = [one for one in spec["templates"] if one["name"] == spec["entrypoint"]]
    return [one["name"] for one in spec["templates"]], [t["name"] for t in root["dag"]["tasks"]]


def test_templates_and_tasks_are_labels_and_the_annotation_has_their_full_names() -> None:
    manifest = compiled(named)
    templates, tasks = names_of(manifest)
    fit, whole, scanned = label("Fit"), label(LONG), label("Scan")
    night, warm = label("Two stages (night)"), label("The warm-up")
    assert set(templates) == {night, fit, whole, scanned}
    assert tasks == [fit, f"{fit}-2", warm, whole, scanned]
    annotations = manifest["metadata"]["annotations"]
    assert manifest["metadata"]["generateName"] == f"{night}-"
    assert annotations[FULL_NAME] == "Two stages (night)"
    assert json.loads(annotations[FULL_NAMES]) == {
        night: "Two stages (night)",
        fit: "Fit",
        f"{fit}-2": "Fit-2",
        warm: "The warm-up",
        whole: LONG,
        scanned: "Scan",
    }


def test_good_names_need_no_annotation() -> None:
    @pipeline
    def plain_name(rate: float = 0.1) -> None:
        Fit.options(name="fit")(rate)

    annotations = compiled(plain_name)["metadata"]["annotations"]
    assert FULL_NAME not in annotations
    assert json.loads(annotations[FULL_NAMES]) == {label("Fit"): "Fit"}
