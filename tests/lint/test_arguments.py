"""Names and values of parameters and artifacts."""

import pytest
from support.whole_examples import PASSED, dag, levels, stops, task, workflow


def test_arguments_have_values():
    where = "spec.templates.0.dag.tasks.0.arguments"
    assert stops(workflow(dag(task(arguments={"parameters": [{"name": "x"}]})))) == [
        ("argument-value", f"{where}.parameters.0")
    ]
    for artifact in ({"name": "f"}, {"name": "f", "fromExpression": "workflow"}):
        arguments = {**PASSED, "artifacts": [artifact]}
        assert stops(workflow(dag(task(arguments=arguments)))) == [
            ("argument-value", f"{where}.artifacts.0")
        ]


def test_names_of_parameters_are_legal_and_stand_once():
    twice = {"parameters": [{"name": "x", "value": "1"}, {"name": "x", "value": "2"}]}
    assert stops(workflow(dag(task(arguments=twice)))) == [
        ("duplicate-name", "spec.templates.0.dag.tasks.0.arguments.parameters.1.name")
    ]
    odd = {"parameters": [{"name": "a b", "value": "1"}, {"value": "1"}]}
    assert stops(workflow(dag(task()), arguments=odd)) == [
        ("parameter-name", "spec.arguments.parameters.0"),
        ("parameter-name", "spec.arguments.parameters.1"),
    ]


class TestEnums:
    """What `argo lint`, submit and the controller of 4.0.5 say of a value that an enum lacks."""

    LEAF = (
        "templates: [{name: main, inputs: {parameters: [%s]}, container: {image: 'busybox:1.36'}}]"
    )

    @pytest.mark.parametrize(
        "parameter",
        [
            "{name: x, default: q, enum: [a, b]}",
            "{name: x, value: q, enum: [a, b]}",
            "{name: x, default: q, enum: []}",
        ],
    )
    def test_of_an_input_it_is_not_looked_at_so_that_it_is_a_warning(self, parameter):
        assert levels(self.LEAF % parameter) == ["warning"]

    def test_of_an_argument_the_value_is_looked_at_and_the_default_is_not(self):
        arguments = "arguments: {parameters: [%s]}\n"
        work = self.LEAF % ""
        value, default = (
            "{name: x, value: q, enum: [a]}",
            "{name: x, value: a, default: q, enum: [a]}",
        )
        assert levels(arguments % value + work) == ["error"]
        assert levels(arguments % "{name: x, value: q, enum: []}" + work) == ["error"]
        assert levels(arguments % default + work) == ["warning"]
