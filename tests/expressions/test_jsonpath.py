"""JSONPath as Argo's jsonpath(...) reads it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.errors import ExpressionError
from argojobs.expressions import jsonpath

VALUE = {
    "a": {"b": [1.0, 2.0, {"c": "d"}]},
    "people": [{"name": "x", "age": 41.0}, {"name": "y", "age": 43.0}, {"name": "z"}],
    "odd key": 1.0,
    "limit": 42.0,
    "z": None,
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("$", VALUE),
        ("$.a.b", [1.0, 2.0, {"c": "d"}]),
        ("$['odd key']", 1.0),
        ('$["odd key"]', 1.0),
        ("$.a.b[0]", 1.0),
        ("$.a.b[-1].c", "d"),
        ("$.a.b[0:2]", [1.0, 2.0]),
        ("$.a.b[::-1]", [{"c": "d"}, 2.0, 1.0]),
        ("$.a.b[0,1]", [1.0, 2.0]),
        ("$['limit','z']", [42.0, None]),
        ("$.people[*].name", ["x", "y", "z"]),
        ("$.people[*].age", [41.0, 43.0]),
        ("$.a.*", [[1.0, 2.0, {"c": "d"}]]),
        ("$..c", ["d"]),
        ("$..name", ["x", "y", "z"]),
        ("$.people[?(@.age>42)].name", ["y"]),
        ("$.people[?(@.age>40 && @.age<42)].name", ["x"]),
        ("$.people[?(@.age > $.limit)].name", ["y"]),
        ("$.people[?(@.name == 'z' || @.age == 41)].name", ["x", "z"]),
        ("$.people[?(@.age)].name", ["x", "y"]),
        ("$.people[?(!@.age)].name", []),  # an error for z, which leaves it out
        ("$.people[?(@.name in ['x','z'])].name", ["x", "z"]),
        ("$.people[?(@.name =~ '^[xy]$')].name", ["x", "y"]),
        ("$.people[?(@.age>40)][0].name", "x"),
        ("$.people.length", 3),
        ("$.z", None),
    ],
)
def test_found(path, expected):
    assert jsonpath.query(path, VALUE) == expected


@pytest.mark.parametrize(
    "path",
    [
        "",
        "a",
        "$.nope",
        "$.a.b[9]",
        "$.a[0]",
        "$.people.name",
        "$.a[",
        "$.a[]",
        "$.a[x]",
        "$..a..b..c..d",
        "$.a.b[(@.length-1)]",
        "$.people[?()]",
        "$.limit[*]",
    ],
)
def test_errors(path):
    with pytest.raises(ExpressionError) as caught:
        jsonpath.query(path, VALUE)
    assert caught.value.hint


def refusal(path: str) -> ExpressionError | None:
    try:
        jsonpath.query(path, VALUE)
    except ExpressionError as error:
        return error
    return None


@given(st.text(alphabet="$@.[]()?*'\"ab01:,-!=<>&| ", max_size=25).map("$".__add__))
def test_arbitrary_paths_raise_nothing_else(path):
    refused = refusal(path)
    assert refused is None or refused.hint
