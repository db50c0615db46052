"""Field selectors of nodes, as Argo and Kubernetes read them."""

import pytest

from argojobs.errors import UsageError
from argojobs.manifest import selectors

NODE = {
    "id": "wf-1",
    "name": "wf[0].a",
    "displayName": "a,b",
    "templateName": "work",
    "phase": "Running",
    "inputs": {"parameters": [{"name": "n", "value": "1"}, {"name": "none"}]},
}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("", True),
        ("phase=Running", True),
        ("phase==Running", True),
        ("phase!=Running", False),
        ("phase=Running,templateName=work", True),
        ("phase=Running,templateName=other", False),
        (r"displayName=a\,b", True),
        ("name=wf[0].a", True),
        ("id=wf-1", True),
        ("inputs.parameters.n.value=1", True),
        ("inputs.parameters.none.value=", True),
        ("unknown=", True),
        ("unknown=x", False),
        (r"phase=a\=b", False),
    ],
)
def test_a_selector_holds_when_all_its_terms_do(text, holds):
    assert selectors.matches(selectors.parse(text), NODE) is holds


@pytest.mark.parametrize("text", ["phase", "=x", "a=b=c", "phase=Running,x", "a=\\x"])
def test_what_is_no_selector_is_refused(text):
    with pytest.raises(UsageError, match="invalid selector") as caught:
        selectors.parse(text)
    assert "displayName=approve" in caught.value.hint


def test_a_template_of_a_template_reference_is_known_by_its_name():
    node = {**NODE, "templateRef": {"name": "shared", "template": "theirs"}}
    terms = selectors.parse("templateName=theirs,templateRef.name=shared")
    assert selectors.matches(terms, node)
