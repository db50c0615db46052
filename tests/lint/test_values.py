"""Secrets and images among values."""

import pytest
from support.whole_examples import codes, complete, levels

from argojobs.lint import lint


class TestSecrets:
    def test_the_tokens_of_a_vocabulary_are_none(self):
        text = "{arguments: {parameters: [{name: %s, value: x}]}, templates: [{name: main, suspend: {}}]}"
        assert codes(text % "pad_token") == []
        assert codes(text % "hub_token") == ["secret-literal"]

    TOKEN = "hf_" + "aB3" * 11 + "x"

    @pytest.mark.parametrize(
        "example",
        [
            "container: {image: 'busybox:1.36', args: [--token=%s]}",
            "container: {image: 'busybox:1.36', env: [{name: A, value: '%s'}]}",
            "script: {image: 'busybox:1.36', command: [sh], source: 'login %s'}",
            "arguments: {parameters: [{name: a, value: 'Bearer %s'}]}",
        ],
    )
    def test_what_has_the_form_of_a_token_is_an_error_wherever_it_stands(self, example):
        (found,) = lint(complete(example % self.TOKEN))
        assert (found.level, found.code) == ("error", "secret-literal")
        assert "Hugging Face" in found.message
        assert self.TOKEN not in found.message + found.hint

    def test_a_name_that_only_sounds_so_is_a_warning(self):
        assert levels("arguments: {parameters: [{name: token, value: 'abc'}]}") == ["warning"]
        assert levels("arguments: {parameters: [{name: token, value: '{{workflow.name}}'}]}") == []

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("boundary_token", "\n"),
            ("password", "  "),
            ("sep.token", "|||"),
            ("mask-token", "[MASK]"),
            ("first_token", "<|begin|>"),
            ("max_token", "512"),
            ("token", "true"),
            ("api_key", "/run/secrets/key"),
            ("api_key", "$(KEY)"),
            ("password", "{{workflow.name}}"),
        ],
    )
    def test_what_hides_nothing_is_not_one(self, name, value):
        assert self.codes(name, value) == []

    @pytest.mark.parametrize(
        ("name", "value"),
        [("password", "1234"), ("api_token", "abc"), ("token", "x7-k"), ("secret", "<o>k")],
    )
    def test_what_may_be_one_is_said(self, name, value):
        assert self.codes(name, value) == ["secret-literal", "secret-literal"]

    def codes(self, name, value):
        workflow = complete("container: {image: 'busybox:1.36'}")
        spec = workflow["spec"]
        spec["arguments"] = {"parameters": [{"name": name.replace(".", "-"), "value": value}]}
        env = [{"name": name, "value": value}]
        spec["templates"][0]["container"]["env"] = env
        return [one.code for one in lint(workflow) if one.code != "value-altered"]


class TestImages:
    EXAMPLE = "{arguments: {parameters: [{name: image, value: '%s'}]}, templates: [{name: main, container: {image: '{{workflow.parameters.image}}'}}]}"

    def test_one_that_a_parameter_names_is_judged_by_its_value(self):
        assert codes(self.EXAMPLE % "train:latest") == ["image-latest"]
        assert codes(self.EXAMPLE % "localhost:5000/train") == ["image-latest"]
        assert codes(self.EXAMPLE % "localhost:5000/train:1.2") == []
        assert codes(self.EXAMPLE % "train@sha256:abc") == []
