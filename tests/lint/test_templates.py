"""What templates are called, and that each is one thing."""

from support.whole_examples import LEAF, dag, stops, task, workflow


def test_template_names_are_unique_and_legal():
    base = "spec.templates"
    assert stops(workflow(dag(task()), dict(LEAF))) == [("duplicate-template", f"{base}.2.name")]
    assert stops(workflow(dag(task()), {"suspend": {}})) == [("template-name", f"{base}.1")]
    named = {"name": "a_b", "suspend": {}}
    assert stops(workflow(dag(task()), named)) == [("template-name", f"{base}.1.name")]
    assert stops(workflow(dag(task()), {**named, "name": "a" * 129})) == [
        ("template-name", f"{base}.1.name")
    ]


def test_a_template_is_exactly_one_thing():
    assert stops(workflow(dag(task()), {"name": "n"})) == [("template-type", "spec.templates.1")]
    both = {"name": "n", "suspend": {}, "container": {"image": "i:1"}}
    assert stops(workflow(dag(task()), both)) == [("template-types", "spec.templates.1")]
    defaults = {"container": {"image": "i"}}
    assert stops(workflow(dag(task()), {"name": "n"}, templateDefaults=defaults)) == []
