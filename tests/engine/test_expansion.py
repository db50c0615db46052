"""`$(NAME)` and `$$` as Kubernetes expands them."""

from __future__ import annotations

import pytest

from argojobs.engine.expansion import container_variables, expand
from argojobs.errors import HostError, UnsupportedError

# From the table of Kubernetes' own tests of its expansion (third_party/forked/golang/expansion).
VARIABLES = {"VAR_A": "A", "VAR_B": "B", "VAR_C": "C", "VAR_REF": "$(VAR_A)", "VAR_EMPTY": ""}


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("$(VAR_A)", "A"),
        ("___$(VAR_B)___", "___B___"),
        ("$(VAR_A)_$(VAR_B)", "A_B"),
        ("$$(VAR_B)_$(VAR_A)", "$(VAR_B)_A"),
        ("$$$(VAR_A)", "$A"),
        ("$$$$(VAR_A)", "$$(VAR_A)"),
        ("$VAR_A)", "$VAR_A)"),
        ("${VAR_A}", "${VAR_A}"),
        ("$(VAR_B)_______$(A", "B_______$(A"),
        ("$(NOPE)", "$(NOPE)"),
        ("$(VAR_REF)", "$(VAR_A)"),
        ("foo$(VAR_EMPTY)bar", "foobar"),
        ("$?_boo_$!", "$?_boo_$!"),
        ("$", "$"),
        ("a$", "a$"),
        ("$$", "$"),
        ("$()", "$()"),
        ("\n$(VAR_A)\n$\n", "\nA\n$\n"),
    ],
)
def test_expansion(text, expanded):
    assert expand(text, VARIABLES) == expanded


def test_a_variable_sees_those_before_it():
    entries = [
        {"name": "A", "value": "1"},
        {"name": "B", "value": "$(A)-$(C)"},
        {"name": "C", "value": "2"},
        {"name": "D"},
    ]
    assert container_variables(entries, {}, {}) == {"A": "1", "B": "1-$(C)", "C": "2", "D": ""}


def test_fields_of_the_pod():
    entries = [
        {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "L", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['none']"}}},
    ]
    assert container_variables(entries, {"metadata.name": "p"}, {}) == {"POD": "p", "L": ""}


@pytest.mark.parametrize(
    "source",
    [{"configMapKeyRef": {"name": "s", "key": "k"}}, {"fieldRef": {"fieldPath": "spec.x"}}],
)
def test_other_sources_are_refused_by_name(source):
    with pytest.raises(UnsupportedError, match="TOKEN"):
        container_variables([{"name": "TOKEN", "valueFrom": source}], {}, {})


def test_a_secret_is_what_the_settings_refer_to_and_is_not_expanded():
    reference = {"secretKeyRef": {"name": "hub", "key": "token"}}
    entries = [{"name": "TOKEN", "valueFrom": reference}, {"name": "URL", "value": "x:$(TOKEN)"}]
    found = container_variables(entries, {}, {"hub": {"token": "$(A)$$"}})
    assert found == {"TOKEN": "$(A)$$", "URL": "x:$(A)$$"}


def test_a_secret_that_is_not_there_says_where_to_put_it():
    reference = {"name": "hub", "key": "token"}
    with pytest.raises(HostError, match="the key 'token' of the secret 'hub'") as caught:
        container_variables([{"name": "HUB", "valueFrom": {"secretKeyRef": reference}}], {}, {})
    assert '[local.secrets.hub]  token = "env:HUB"' in caught.value.hint
    optional = {"secretKeyRef": {**reference, "optional": True}}
    assert container_variables([{"name": "HUB", "valueFrom": optional}], {}, {}) == {}
