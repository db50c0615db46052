"""expr-lang's built-ins and the functions that Argo adds."""

import pytest

from argojobs.errors import ExpressionError
from argojobs.expressions.expr import evaluate


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("len('héllo')", 5),
        ("type(1.5)", "float"),
        ("type([])", "array"),
        ("type(now())", "time.Time"),
        ("int('-7')", -7),
        ("int(2.9)", 2),
        ("float('1e-5')", 1e-5),
        ("string(1e6)", "1e+06"),
        ("string(0.00001)", "1e-05"),
        ("string({'b': [1, nil], 'a': true})", "map[a:true b:[1 <nil>]]"),
        ("string(duration('90m1.5s'))", "1h30m1.5s"),
        ("trim('xxaxx', 'x')", "a"),
        ("trimPrefix('abc', 'a')", "bc"),
        ("trimSuffix('abc', 'c')", "ab"),
        ("upper('aé')", "AÉ"),
        ("split('a,b,c', ',', 2)", ["a", "b,c"]),
        ("split('abc', '')", ["a", "b", "c"]),
        ("splitAfter('a,b', ',')", ["a,", "b"]),
        ("replace('aaa', 'a', 'b', 2)", "bba"),
        ("repeat('ab', 2)", "abab"),
        ("join(split('a b', ' '), '-')", "a-b"),
        ("indexOf('éa', 'a')", 2),
        ("hasPrefix('abc', 'ab')", True),
        ("max(1, [5, [7]])", 7),
        ("min([4, 2])", 2),
        ("mean(1, 2)", 1.5),
        ("median([1, 9, 2, 3])", 2.5),
        ("abs(-3)", 3),
        ("ceil(1.2)", 2.0),
        ("floor(-1.2)", -2.0),
        ("round(-1.5)", -2.0),
        ("toBase64('abc')", "YWJj"),
        ("fromBase64('YWJj')", "abc"),
        ("fromJSON('{\"a\": [1, null]}')", {"a": [1.0, None]}),
        ("toJSON([])", "[]"),
        ("toJSON({'a': [1]})", '{\n  "a": [\n    1\n  ]\n}'),
        ("toJson({'b': '<&>', 'a': 1.0})", '{"a":1,"b":"\\u003c\\u0026\\u003e"}'),
        ("toJson(date('2024-01-02'))", '"2024-01-02T00:00:00Z"'),
        ("first([])", None),
        ("last([1, 2])", 2),
        ("get({'a': 1}, 'z')", None),
        ("get([1], 9)", None),
        ("take([1, 2, 3], 2)", [1, 2]),
        ("keys({'b': 1, 'a': 2})", ["a", "b"]),
        ("values({'b': 1, 'a': 2})", [2, 1]),
        ("toPairs({'a': 1})", [["a", 1]]),
        ("fromPairs([['a', 1]]).a", 1),
        ("reverse([1, 2])", [2, 1]),
        ("uniq([1, 1.0, '1', '1'])", [1, "1"]),
        ("concat([1], [2, 3])", [1, 2, 3]),
        ("flatten([[1], [[2]]])", [1, 2]),
        ("sort(['b', 'a'])", ["a", "b"]),
        ("sort([1, 2], 'desc')", [2, 1]),
        ("bitand(6, 3)", 2),
        ("bitshl(1, 63)", -9223372036854775808),
        ("bitushr(-1, 60)", 15),
        ("bitnot(0)", -1),
        ("date('2024-03-01 12:30:00').Minute()", 30),
        ("date('01/02/2024', '02/01/2006').Month()", 2),
        ("date('2024-07-01 10:00:00', '2006-01-02 15:04:05', 'Europe/Berlin').UTC().Hour()", 8),
        ("asFloat('1.50')", 1.5),
        ("jsonpath('{\"a\": 1}', '$.a')", 1.0),
    ],
)
def test_value(source, expected):
    result = evaluate(source, {})
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    "source",
    [
        "int('')",
        "int('1_0')",
        "int(nil)",
        "int('9223372036854775808')",
        "float('x')",
        "float('1e999')",
        "len(1)",
        "join([1])",
        "fromJSON('{')",
        "fromJSON('NaN')",
        "fromJSON('1e999')",
        "fromBase64('?')",
        "toJSON(now)",
        "toJSON(1/0)",
        "toJson(fromPairs([['a', 1]]))",
        "date('x')",
        "date('2024-02-30')",
        "date('2024-01-01', '2006-01-02', 'No/Where')",
        "duration('1')",
        "duration('')",
        "take([1], -1)",
        "keys([1])",
        "fromPairs([1])",
        "groupBy([[1]], #)",
        "sort([1, 'a'])",
        "sort([1], 'up')",
        "bitshl(1, -1)",
        "max(1, 'a')",
        "repeat('a', -1)",
    ],
)
def test_error(source):
    with pytest.raises(ExpressionError) as caught:
        evaluate(source, {})
    assert caught.value.hint
