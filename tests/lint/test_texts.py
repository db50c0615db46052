"""Expressions, of which Argo's lint does not look at the names."""

import json

import pytest
from support.whole_examples import codes, complete

from argojobs.lint import lint


class TestExpressions:
    """Argo's lint does not look into them; what is named there is missing when they run."""

    @pytest.mark.parametrize(
        "text",
        [
            "asInt(inputs.parameters.n) + 1",
            "toJson(workflow.parameters)",
            "workflow.parameters.missing ?? 'a'",
            "workflow?.parameters?.missing",
            "map([1, 2], {# + 1})",
            "filter([{'a': 1}], {.a > 0})",
            "sprig.trim(workflow.name) + node.name + pod.name",
            "workflow.creationTimestamp.Y",
        ],
    )
    def test_what_is_there_is_not_spoken_of(self, text):
        example = "inputs: {parameters: [{name: 'n', default: '1'}]}\ncontainer: {image: 'busybox:1.36', args: [%s]}"
        assert codes(example % json.dumps("{{=" + text + "}}")) == []

    @pytest.mark.parametrize(
        ("text", "hint"),
        [
            ("workflow.parameters.epoch", "did you mean 'workflow.parameters.epochs'?"),
            ("inputs.parameters.m", "did you mean 'inputs.parameters.n'?"),
            ("workflow.nam", "did you mean 'workflow.name'?"),
            ("sprig.trimm('a')", "did you mean sprig.trim?"),
            ("fromJson('{}')", "did you mean fromJSON?"),
            ("epochs", "names begin with inputs."),
            ("retries", "only a template with a retryStrategy knows it"),
        ],
    )
    def test_what_is_not_there_is_named_with_what_may_be_meant(self, text, hint):
        example = "{arguments: {parameters: [{name: epochs, value: '1'}]}, templates: [{name: main, inputs: {parameters: [{name: 'n', default: '1'}]}, container: {image: 'busybox:1.36', args: [%s]}}]}"
        (found,) = lint(complete(example % json.dumps("{{=" + text + "}}")))
        assert found.code == "unresolved-reference"
        assert hint in found.hint

    def test_a_let_is_known_where_argo_lets_it_be(self):
        retry = "container: {image: 'busybox:1.36'}\nretryStrategy: {limit: 1, expression: \"let a = 1; lastRetry.exitCode == string(a)\"}"
        assert codes(retry) == []

    @pytest.mark.parametrize(
        "text",
        [
            "let v = 2; v + 1",
            "map([1,2], let d = # * 2; d + 1)",
            "let a = inputs.parameters.n; let b = a; b + a",
            "let f = {a: 1}; f.a",
        ],
    )
    def test_a_let_is_known_in_a_tag(self, text):
        """Argo 4.0.5 runs them all."""
        example = "templates: [{name: main, inputs: {parameters: [{name: 'n', default: '1'}]}, container: {image: 'busybox:1.36', args: [%s]}}]"
        assert codes(example % json.dumps("{{=" + text + "}}")) == []

    @pytest.mark.parametrize("text", ["let v = item; v + v", "map([1], let d = item; d)"])
    def test_a_let_with_an_item_is_an_error_as_argo_wants_every_name_there(self, text):
        step = "steps: [[{name: a, template: t, withItems: [x], arguments: {parameters: [{name: p, value: %s}]}}]]"
        found = lint(complete(step % json.dumps("{{=" + text + "}}")))[-1]
        assert (found.level, found.code) == ("error", "unresolved-reference")
        assert "where an item of a loop is put in" in found.message

    def test_metrics_have_names_of_their_own(self):
        metrics = "metrics: {prometheus: [{name: a, help: b, when: '{{status}} == Failed', counter: {value: '1'}, labels: [{key: k, value: '{{=duration}}'}]}]}"
        assert codes("container: {image: 'busybox:1.36'}\n" + metrics) == []

    def test_a_data_template_has_names_of_its_own(self):
        data = "templates: [{name: main, data: {source: {artifactPaths: {name: a, s3: {key: k}}}, transformation: [{expression: %s}]}}]"
        assert codes(data % json.dumps("filter(data, {# endsWith '.pdf'})")) == []
        assert codes(data % json.dumps("filter(data, {")) == ["expression-syntax"]
