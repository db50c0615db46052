"""`when` texts as conditions."""

import pytest

from argojobs.convert.dsl.condition import Comparison, Joined, comparisons, condition
from argojobs.convert.dsl.tags import CannotSayError


def test_a_comparison_knows_whether_numbers_are_compared():
    assert condition("{{workflow.parameters.a}} < 1").numeric
    assert condition("{{workflow.parameters.a}} == 1").numeric
    assert not condition("'{{workflow.parameters.a}}' == '1'").numeric
    assert not condition("{{workflow.parameters.a}} == yes").numeric


def test_and_binds_tighter_than_or():
    tag = "{{workflow.parameters.a}}"
    found = condition(f"{tag} == x || !({tag} == y) && {tag} != z")
    assert isinstance(found, Joined)
    assert found.operator == "|"
    assert isinstance(found.parts[0], Comparison)
    assert found.parts[1].operator == "&"
    assert [each.right.value for each in comparisons(found)] == ["x", "y", "z"]


@pytest.mark.parametrize(
    "text",
    [
        "true",
        "1 == 1",
        "{{item}}",
        "{{item}} =~ x",
        "({{item}} == 1",
        "{{item}} in (1)",
        "{{=x}} == 1",
    ],
)
def test_other_forms_are_refused(text):
    with pytest.raises(CannotSayError):
        condition(text)
