"""Which steps of a run wait for a debugger, and what is said of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.debugged import PORT, TOLD, place, run

from argojobs.cli.debug.beside import beside_of
from argojobs.runs.debug_steps import Waiting, own_port, said, template_of, to_attach, waits
from argojobs.runtime.debugger import WAITING


def test_what_a_step_says_is_understood() -> None:
    line = WAITING.format(host="0.0.0.0", port=3001, code="/a folder/code")
    assert said("r-1", line) == Waiting("r-1", 3001, "/a folder/code")
    assert said("r-1", f"[rank 0] {line}") is not None
    assert said("r-1", "waiting for a debugger") is None


@pytest.mark.parametrize(
    ("workflow", "port"),
    [
        (run(ports=[PORT]), 3000),
        (run(ports=[PORT], debug="false"), 0),
        (run(ports=[{"name": "http", "containerPort": 80}]), 0),
        (run(), 0),
        (run(ports=[PORT], env=[TOLD]), 0),
    ],
    ids=["its own", "not asked for", "another port", "no port", "told by us"],
)
def test_a_program_that_debugs_itself_is_known_by_its_port(
    workflow: dict[str, Any], port: int
) -> None:
    assert own_port(workflow, workflow["spec"]["templates"][0]) == port
    assert (beside_of(place(), workflow, Path("/p")) is not None) == bool(
        port or "env" in workflow["spec"]["templates"][0]["container"]
    )


def test_a_run_that_nobody_follows_says_how_to_attach() -> None:
    (line,) = to_attach(run(env=[TOLD]), " --context lab")
    assert line.endswith("argojobs debug r --context lab")
    assert to_attach(run(debug="false"), "") == []


def inside(kind: str, *, told: bool) -> dict[str, Any]:
    """A run of two steps or tasks with templates inside, of which the second was told to wait."""
    calls = [
        {"name": name, "inline": {"container": {"image": name, "env": env}}}
        for name, env in (("fit", []), ("fit-more", [TOLD] if told else []))
    ]
    body = {"steps": [[call] for call in calls]} if kind == "steps" else {"dag": {"tasks": calls}}
    return {"metadata": {"name": "r"}, "spec": {"templates": [{"name": "main", **body}]}}


@pytest.mark.parametrize(
    ("kind", "name", "image"),
    [
        ("dag", "r.fit", "fit"),
        ("dag", "r.fit-more", "fit-more"),
        ("dag", "r.fit-more(1:a.fit)(0)", "fit-more"),
        ("steps", "r[1].fit-more(0)", "fit-more"),
        ("steps", "r[1]", None),
        ("dag", "r.other", None),
    ],
)
def test_the_template_inside_a_task_is_found_by_its_nodes_name(
    kind: str, name: str, image: str | None
) -> None:
    workflow = inside(kind, told=True)
    workflow["status"] = {
        "nodes": {
            "r": {"name": "r", "type": "DAG", "templateName": "main"},
            "r-1": {"name": name, "type": "Pod", "boundaryID": "r"},
        }
    }
    template = template_of(workflow, "r-1")
    assert (template["container"]["image"] if image else template) == (image or {})
    assert waits(template) == (image == "fit-more")


def test_an_attempt_of_a_graph_inside_a_task_leads_further_in() -> None:
    inner = {"dag": {"tasks": [{"name": "b", "inline": {"container": {"image": "i"}}}]}}
    tasks = [{"name": "a", "inline": inner}]
    workflow = {
        "spec": {"templates": [{"name": "main", "dag": {"tasks": tasks}}]},
        "status": {
            "nodes": {
                "r": {"name": "r", "templateName": "main"},
                "r-1": {"name": "r.a(0)", "boundaryID": "r"},
                "r-2": {"name": "r.a(0).b", "boundaryID": "r-1"},
            }
        },
    }
    assert template_of(workflow, "r-2") == {"container": {"image": "i"}}
    workflow["status"]["nodes"]["r-2"]["templateRef"] = {"name": "x"}
    assert template_of(workflow, "r-2") == {}


def test_a_run_is_followed_whose_steps_that_wait_are_inline() -> None:
    assert beside_of(place(), inside("dag", told=True), Path("/p")) is not None
    assert beside_of(place(), inside("steps", told=True), Path("/p")) is not None
    assert beside_of(place(), inside("dag", told=False), Path("/p")) is None
