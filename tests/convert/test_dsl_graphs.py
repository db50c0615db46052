"""The graph of a manifest as a program of the DSL: loops, steps, conditions, what is kept."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.dsl_programs import (
    LOOP,
    WITHOUT_FIRST,
    chain,
    compiled_in,
    template_of,
    workflow_of,
)

from argojobs.convert.dsl_source import to_dsl_source
from argojobs.errors import UnsupportedError


def test_loops_steps_and_nested_graphs(tmp_path: Path) -> None:
    source = to_dsl_source(workflow_of(WITHOUT_FIRST))
    assert "each(words, lambda item: print.options(" in source.replace("print_", "print")
    made = compiled_in(source, tmp_path)
    tasks = {t["name"]: t for t in template_of(made, "loop")["dag"]["tasks"]}
    assert set(tasks) == {"fan", "twice"}
    assert "withParam" in tasks["fan"]
    assert "num: int" in source


def _fan(**changes: Any) -> dict[str, Any]:
    """The manifest with another `fan`, which waits for `first`."""
    manifest = workflow_of(LOOP)
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
    made = compiled_in(source, tmp_path)
    tasks = {t["name"]: t for t in template_of(made, "loop")["dag"]["tasks"]}
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
    made = compiled_in(source, tmp_path)
    tasks = {t["name"]: t for t in template_of(made, "loop")["dag"]["tasks"]}
    given = [tasks[f"fan-{n}"]["arguments"]["parameters"][0]["value"] for n in (0, 1)]
    assert given == ["debian", "alpine"]


def _changed(change: dict[str, Any]) -> dict[str, Any]:
    manifest = json.loads(chain())
    manifest["spec"]["templates"][0]["dag"]["tasks"][2].update(change)
    return workflow_of(json.dumps(manifest))


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
            "withSequence of the task last: '{{workflow.parameters.n}}' is not a number yet",
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
    made = compiled_in(source, tmp_path)
    for template in manifest["spec"]["templates"]:
        assert template_of(made, template["name"]) == template


def test_a_graph_within_itself_is_kept(tmp_path: Path) -> None:
    manifest = workflow_of(WITHOUT_FIRST)
    inner = manifest["spec"]["templates"][1]
    again = {"name": "again", "template": "inner", "arguments": {}}
    inner["dag"]["tasks"].append(again)
    source = to_dsl_source(manifest)
    assert "# Kept as Argo has it: it calls itself, and a pipeline has an end." in source
    assert template_of(compiled_in(source, tmp_path), "inner") == inner


def test_graphs_within_each_other_are_refused() -> None:
    manifest = workflow_of(LOOP)
    manifest["spec"]["templates"][1]["dag"]["tasks"].append({"name": "up", "template": "main"})
    with pytest.raises(UnsupportedError, match="it calls main, which calls it"):
        to_dsl_source(manifest)


@pytest.mark.parametrize("depends", ["A.Succeeded", "(A.Succeeded) && second", "(A && second)"])
def test_success_of_what_is_never_skipped_is_what_after_waits_for(
    depends: str, tmp_path: Path
) -> None:
    manifest = _changed({"depends": f"second && {depends}"})
    tasks = template_of(compiled_in(to_dsl_source(manifest), tmp_path), "chain")["dag"]["tasks"]
    assert tasks[-1]["depends"] == "second && a"


def test_success_of_what_may_be_skipped_is_more_than_after_says() -> None:
    manifest = _changed({"depends": "second && A.Succeeded"})
    manifest["spec"]["templates"][0]["dag"]["tasks"][0]["when"] = (
        "'{{workflow.parameters.go}}' == x"
    )
    assert "Kept as Argo has it: `depends: second && A.Succeeded`" in to_dsl_source(manifest)


SKIPPED = "{{workflow.parameters.go}} < %d"


def test_an_output_of_what_may_be_skipped_is_taken_as_argo_takes_it(tmp_path: Path) -> None:
    """The first users' `start`: what is skipped leaves nothing, and who wants that errors."""
    from argojobs.engine.local import LocalService
    from argojobs.engine.submitter import capture

    manifest = json.loads(chain())
    tasks = manifest["spec"]["templates"][0]["dag"]["tasks"]
    tasks[0]["when"], tasks[1]["when"] = SKIPPED % 1, SKIPPED % 2
    del tasks[2]
    manifest = workflow_of(json.dumps(manifest))
    source = to_dsl_source(manifest)
    assert "Kept as Argo has it: second takes an output of A, which `when:" in source
    made = compiled_in(source, tmp_path)
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
