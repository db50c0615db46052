"""Expressions and their values, by Argo's environment rules and expr-lang's semantics."""

from datetime import UTC, datetime
from random import Random

import pytest

from argojobs.errors import ExpressionError
from argojobs.expressions import expr
from argojobs.expressions.values import Duration

ENV = {
    "inputs.parameters.x": "10",
    "inputs.parameters.empty": "",
    "item": "5",
    "item.k": "v",
    "retries": "2",
    "steps.flip-coin.outputs.result": "heads",
    "steps.flip-coin.outputs.artifacts.model": {"name": "model", "s3": {"key": "a/b"}},
    "data": ["a/main.log", "a/x.txt"],
}
NOW = datetime(2024, 2, 3, 4, 5, 6, tzinfo=UTC)


def value(source: str) -> object:
    return expr.evaluate(source, ENV, now=NOW, random=Random(1))


def error(source: str) -> ExpressionError:
    with pytest.raises(ExpressionError) as caught:
        value(source)
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("inputs.parameters.x", "10"),
        ("inputs['parameters']['x']", "10"),
        ("steps['flip-coin'].outputs.result", "heads"),
        ("item", {"k": "v"}),  # the longer of item and item.k wins
        ("$env.retries", "2"),
        ("inputs.parameters.zz", None),
        ("inputs.parameters.zz?.deeper.still", None),
        ("inputs.parameters.zz?.['x']", None),
        ("inputs.parameters.zz ?? 'default'", "default"),
        ("nil ?? nil ?? 3", 3),
        ("steps['flip-coin'].outputs.artifacts.model.s3.key", "a/b"),
        ('filter(data, {# endsWith "main.log"})', ["a/main.log"]),
    ],
)
def test_names(source, expected):
    assert value(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("7 / 2", 3.5),
        ("4 / 2", 2.0),
        ("-7 % 3", -1),
        ("2 ** 3 ** 2", 512.0),
        ("1 + 2 * 3", 7),
        ("-2 ** 2", -4.0),
        ("9223372036854775807 + 1", -9223372036854775808),
        ("1_000 + 0x10 + 0b11 + 0o17", 1034),
        (".5 + 1e1", 10.5),
        ("1/0", float("inf")),
        ("10 .. 12", [10, 11, 12]),
        ("3 .. 1", []),
        ("1 == 1.0", True),
        ("1 < 2 < 3", True),
        ("3 > 2 > 2", False),
        ("'10' < '9'", True),
        ("'a' + 'b'", "ab"),
        ("not true or true", True),
        ("!false && true", True),
        ("1 not in [2]", True),
        ("'k' in {'k': 1} ", True),
        ("'a' in inputs.parameters.zz", False),
        ("inputs.parameters.zz contains 'a'", False),
        ("'abc' not contains 'b'", False),
        ("true ? 1 : 2", 1),
        ("false ? 1 : true ? 2 : 3", 2),
        ("true ?: false", True),
        ("if item.k == 'v' { 1 } else if true { 2 } else { 3 }", 1),
        ("let a = 2; let b = a * 2; a + b", 6),
        ("1; 2; 3", 3),
        ("'hello'[1:3]", "el"),
        ("'hello'[:-1]", "hell"),
        ("[1,2,3][-1]", 3),
        ("[1,2,3][1:]", [2, 3]),
        ("[1,2,3][5:9]", []),
        ("{a: 1, 'b': [2], (string(3)): 4,}", {"a": 1, "b": [2], "3": 4}),
        ('`raw\\n` + "\\u00e9\\x41\\101\\u{1F600}"', "raw\\néAA😀"),
        ("1 // one\n + /* two */ 2", 3),
    ],
)
def test_operators(source, expected):
    result = value(source)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("map([1,2], # * 2)", [2, 4]),
        ("map([5,6], #index)", [0, 1]),
        ("filter([{n:1},{n:2}], .n > 1)", [{"n": 2}]),
        ("map([[1,2],[3]], map(#, # + 1))", [[2, 3], [4]]),
        ("all([], #)", True),
        ("any([1,2], # > 1)", True),
        ("one([1,2,2], # == 2)", False),
        ("none([1], # == 2)", True),
        ("count([1,2,3], # > 1)", 2),
        ("count([true,false])", 1),
        ("sum([1,2.5])", 3.5),
        ("sum([{n:1},{n:2}], .n)", 3),
        ("find([1,2,3], # > 1)", 2),
        ("find([1], # > 1)", None),
        ("findIndex([1,2], # > 1)", 1),
        ("findLast([1,2,3], # > 1)", 3),
        ("findLastIndex([3,2,1], # > 1)", 1),
        ("reduce([1,2,3], #acc + #, 10)", 16),
        ("reduce([1,2,3], #acc * #)", 6),
        ("groupBy([1,2,3], # % 2)[1]", [1, 3]),
        ("sortBy(['bb','a'], len(#))", ["a", "bb"]),
        ("sortBy([1,3,2], #, 'desc')", [3, 2, 1]),
        ("data | filter(# contains 'x') | len()", 1),
    ],
)
def test_predicates(source, expected):
    assert value(source) == expected


def test_what_is_not_taken_is_not_evaluated():
    assert value("true ? 1 : inputs.a.b.c") == 1
    assert value("false && inputs.a.b.c") is False
    assert value("true || inputs.a.b.c") is True
    assert value("1 ?? inputs.a.b.c") == 1


def test_now_and_random_values_come_from_outside():
    assert value("now()") == NOW
    assert value("(now() - date('2024-02-03')).Hours()") == pytest.approx(4.085)
    assert value("now() - duration('1h') < now()") is True
    assert value("date('2024-01-02') - date('2024-01-01')") == Duration(86400 * 10**9)
    assert value("sprig.uuidv4()") == value("sprig.uuidv4()")
    assert isinstance(expr.evaluate("now()", {}), datetime)


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("foo", "unknown name foo"),
        ("true ? 1 : foo.bar", "unknown name foo"),
        ("inputs.parameters.zz.y", "cannot fetch y from nil"),
        ("inputs.parameters.x + 1", "mismatched types string and int"),
        ("retries > 1", "mismatched types string and int"),
        ("retries == 2", "mismatched types string and int"),
        ("asInt('1.5')", "int(1.5)"),
        ("1 % 0", "divide by zero"),
        ("[1][1]", "out of range"),
        ("'a'.b", "has no field b"),
        ("item.k ? 1 : 2", "non-bool"),
        ("1 ?? 2 + 3", "cannot be mixed"),
        ("reduce([], #acc)", "empty array"),
        ("now().Nope()", "no method Nope"),
        ("now().Format(1)", "cannot call"),
        ("sprig.nope('a')", "cannot call nil"),
        ("sprig.trunc('3', 'abc')", "cannot use string as argument (type int)"),
        ("trim()", "not enough arguments"),
        ("lower('a', 'b')", "too many arguments"),
        ("filter({a: 1}, true)", "takes only array"),
        ("let item = 1; item", "cannot redeclare"),
        ("'a' matches '(?=x)'", "regexp"),
        ("#", "unexpected"),
        ("nil in nil", "mismatched types nil and nil"),
        ("'a' ?: 'b'", "non-bool"),
    ],
)
def test_errors_say_what_is_wrong(source, what):
    assert what in error(source).what


@pytest.mark.parametrize(
    "source",
    [
        "reduce(1..60, #acc + #acc, 'x')",
        "toJSON(reduce(1..60, [#acc, #acc], 1))",
        "string(reduce(1..60, [#acc, #acc], 1))",
        "reduce(1..60, [#acc, #acc], 1) == reduce(1..60, [#acc, #acc], 1)",
        "flatten(reduce(1..40, [#acc, #acc], 1))",
        "1..1000000000",
        "repeat('x', 1000000000)",
        "sprig.repeat(1000000000, 'x')",
        "sprig.until(1000000000)",
        "(" * 1000 + "1" + ")" * 1000,
        "-" * 1000 + "1",
        "a" + ".b" * 1000,
        "1" + "+1" * 10000,
        "{a: " * 1000,
    ],
    ids=lambda source: source[:40],
)
def test_work_is_bounded(source):
    error(source)


def test_a_long_row_of_operators_is_no_deep_nesting():
    assert value("+".join(["1"] * 3000)) == 3000
    assert value(" || ".join(["false"] * 3000)) is False


def test_expand_nests_dotted_names_without_touching_the_values():
    inner = {"b": 1}
    assert expr.expand({"a": inner, "a.c": 2, "x.y-z.q": 3}) == {
        "a": {"c": 2},
        "x": {"y-z": {"q": 3}},
    }
    assert inner == {"b": 1}
    assert expr.expand({"a.b": 1, "c.d": 2}, roots=["a"]) == {"a": {"b": 1}}


def test_names_are_the_longest_paths_without_functions():
    source = "sprig.trim(a.b['c-d'].e) + (f?.g ?? h[0].i) + asInt(j)"
    assert expr.names(source) == ("a.b.c-d.e", "f.g", "h", "j")


def test_required_names_leave_out_what_may_be_missing():
    assert expr.required_names("a.b ?? 'x'") == ("a",)
    assert expr.required_names("a.b?.c") == ("a",)
    assert expr.required_names("a.b.c") == ("a", "a.b", "a.b.c")
    assert expr.required_names("let v = 1; v") == ("v",)
