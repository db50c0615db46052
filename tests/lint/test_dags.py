"""What the tasks of a dag depend on."""

import pytest
from support.whole_examples import dag, stops, task, workflow

from argojobs.lint import lint


def test_a_task_with_dependencies_begins_with_a_letter():
    assert stops(workflow(dag(task("a"), task("1b", dependencies=["a"])))) == [
        ("task-name", "spec.templates.0.dag.tasks.1.name")
    ]
    assert stops(workflow(dag(task("1b")))) == []


@pytest.mark.parametrize("needs", [{"depends": "zz.Failed"}, {"dependencies": ["zz"]}])
def test_dependencies_are_there(needs):
    (field,) = needs
    assert stops(workflow(dag(task(), task("b", **needs)))) == [
        ("dependency-unknown", f"spec.templates.0.dag.tasks.1.{field}")
    ]


def test_dependencies_are_written_in_one_way_and_can_be_read():
    mixed = dag(task(), task("b", depends="a"), task("c", dependencies=["a"]))
    assert stops(workflow(mixed)) == [("depends-and-dependencies", "spec.templates.0.dag.tasks")]
    assert stops(workflow(dag(task(), task("b", depends="a &&")))) == [
        ("depends-syntax", "spec.templates.0.dag.tasks.1.depends")
    ]


def test_cycles_are_found():
    tasks = [task("a", depends="c"), task("b", depends="a"), task("c", depends="b")]
    (finding,) = lint(workflow(dag(*tasks)))
    assert finding.code == "cycle"
    assert "a -> c -> b -> a" in finding.message
    assert stops(workflow(dag(task("a", depends="a"))))[0][0] == "cycle"


def test_the_target_is_there():
    assert stops(workflow(dag(task(), target="a zz"))) == [
        ("target-unknown", "spec.templates.0.dag.target")
    ]
