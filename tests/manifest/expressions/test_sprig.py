"""sprig's functions, as its docs describe them."""

from datetime import UTC, datetime
from random import Random

import pytest

from argojobs.errors import ExpressionError
from argojobs.manifest.expressions.expr import evaluate

NOW = datetime(2024, 2, 3, 4, 5, 6, tzinfo=UTC)


def value(source: str) -> object:
    return evaluate(source, {}, now=NOW, random=Random(7))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("sprig.trunc(-2, 'abcdef')", "ef"),
        ("sprig.substr(1, 3, 'hello')", "el"),
        ("sprig.abbrev(5, 'hello world')", "he..."),
        ('sprig.title("hello world\'s")', "Hello World's"),
        ("sprig.untitle('Hello World')", "hello world"),
        ("sprig.nospace(' a b ')", "ab"),
        ("sprig.initials('First Try')", "FT"),
        ("sprig.swapcase('aB')", "Ab"),
        ("sprig.snakecase('FirstName')", "first_name"),
        ("sprig.kebabcase('HTTPServer')", "http-server"),
        ("sprig.camelcase('http_server')", "HttpServer"),
        ("sprig.quote('a\"b', 1, nil)", '"a\\"b" "1"'),
        ("sprig.cat('a', nil, 1)", "a 1"),
        ("sprig.indent(2, 'a\\nb')", "  a\n  b"),
        ("sprig.plural('one', 'many', 2)", "many"),
        ("sprig.trimAll('$', '$5$')", "5"),
        ("sprig.splitn('/', 2, 'a/b/c')", {"_0": "a", "_1": "b/c"}),
        ("sprig.join('-', [1, nil, 'a'])", "1-a"),
        ("sprig.sortAlpha(['b', 'a'])", ["a", "b"]),
        ("sprig.b64dec('?')", "not base64: Only base64 data is allowed"),
        ("sprig.b32dec(sprig.b32enc('abc'))", "abc"),
        ("sprig.sha1sum('abc')", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("sprig.regexReplaceAll('a(x*)b', '-ab-axxb-', '${1}W')", "-W-xxW-"),
        ("sprig.regexReplaceAllLiteral('a', 'aa', '$1')", "$1$1"),
        ("sprig.regexFindAll('[2,4,6,8]', '123456789', -1)", ["2", "4", "6", "8"]),
        ("sprig.regexSplit('z+', 'pizza', -1)", ["pi", "a"]),
        ("sprig.regexQuoteMeta('1.2')", "1\\.2"),
        ("sprig.base('/a/b.txt')", "b.txt"),
        ("sprig.dir('/a/b.txt')", "/a"),
        ("sprig.ext('/a/b.txt')", ".txt"),
        ("sprig.clean('/a//b/..')", "/a"),
        ("sprig.isAbs('/a')", True),
        ("sprig.int('7.0')", 7),
        ("sprig.int('abc')", 0),
        ("sprig.atoi('1.5')", 0),
        ("sprig.add('1', 2, 3.9)", 6),
        ("sprig.div(-7, 2)", -3),
        ("sprig.mod(-7, 2)", -1),
        ("sprig.mul(2, '3')", 6),
        ("sprig.addf(0.1, 0.2)", 0.3),
        ("sprig.divf(1, 4)", 0.25),
        ("sprig.max(1, '5', 3)", 5),
        ("sprig.round(123.5555, 3)", 123.556),
        ("sprig.ceil('1.2')", 2.0),
        ("sprig.floor(1/0)", float("inf")),
        ("sprig.toDecimal('777')", 511),
        ("sprig.seq(5)", "1 2 3 4 5"),
        ("sprig.seq(-3)", "1 0 -1 -2 -3"),
        ("sprig.seq(0, 2, 10)", "0 2 4 6 8 10"),
        ("sprig.untilStep(3, 6, 2)", [3, 5]),
        ("sprig.default('d', 0)", "d"),
        ("sprig.coalesce(0, '', [], 'a')", "a"),
        ("sprig.empty({})", True),
        ("sprig.compact([1, '', nil])", [1]),
        ("sprig.fromJson('{')", None),
        ("sprig.toRawJson('<')", '"<"'),
        ("sprig.kindOf([1])", "slice"),
        ("sprig.append([1], 2)", [1, 2]),
        ("sprig.rest([1, 2])", [2]),
        ("sprig.initial([1, 2])", [1]),
        ("sprig.without([1, 2, 3], 2)", [1, 3]),
        ("sprig.slice([1, 2, 3], 1, 2)", [2]),
        ("sprig.chunk(2, [1, 2, 3])", [[1, 2], [3]]),
        ("sprig.dict('a', 1, 'b')", {"a": 1, "b": ""}),
        ("sprig.get({'a': 1}, 'b')", ""),
        ("sprig.pick({'a': 1, 'b': 2}, 'b')", {"b": 2}),
        ("sprig.omit({'a': 1, 'b': 2}, 'b')", {"a": 1}),
        ("sprig.keys({'b': 1, 'a': 2})", ["a", "b"]),
        ("sprig.dig('a', 'b', 0, {'a': {'b': 1}})", 1),
        ("sprig.dig('a', 'x', 0, {'a': {'b': 1}})", 0),
        ("sprig.merge({'a': 1}, {'a': 2, 'b': 3})", {"a": 1, "b": 3}),
        ("sprig.mergeOverwrite({'a': 1}, {'a': 2})", {"a": 2}),
        ("sprig.date('2006-01-02', now())", "2024-02-03"),
        ("sprig.date('2006', 0)", "1970"),
        ("sprig.dateInZone('15:04', now(), 'Asia/Tokyo')", "13:05"),
        ("sprig.unixEpoch(sprig.dateModify('-1h', now()))", "1706929506"),
        ("sprig.ago(date('2024-02-03'))", "4h5m6s"),
        ("sprig.duration('95')", "1m35s"),
        ("sprig.durationRound('2400h')", "3mo"),
        ("sprig.toDate('2006-01-02', '2017-12-31').Year()", 2017),
    ],
)
def test_value(source, expected):
    result = value(source)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("constraint", "version", "satisfied"),
    [
        (">=1.2", "1.3.0", True),
        ("^1.2.0", "1.9.9", True),
        ("^1.2.0", "2.0.0", False),
        ("^0.2.3", "0.3.0", False),
        ("~1.2.3", "1.2.9", True),
        ("~1.2.3", "1.3.0", False),
        ("1.2.x", "1.2.7", True),
        ("1.2.x", "1.3.0", False),
        (">1.2.3, <2", "1.5.0", True),
        (">1.2.3 <2", "2.0.0", False),
        ("1.0.0 - 2.0.0", "1.5.0", True),
        ("<1 || >=3", "3.0.0", True),
        (">=1.0.0", "1.1.0-rc.1", False),
        (">=1.1.0-rc.1", "1.1.0-rc.2", True),
        ("*", "9.9.9", True),
        ("!=1.2.3", "1.2.3", False),
    ],
)
def test_versions(constraint, version, satisfied):
    assert value(f"sprig.semverCompare('{constraint}', '{version}')") is satisfied


def test_random_values_are_drawn_from_the_given_source():
    assert value("sprig.randAlphaNum(8)") == value("sprig.randAlphaNum(8)")
    assert len(str(value("sprig.randNumeric(5)"))) == 5
    assert str(value("sprig.uuidv4()"))[14] == "4"


@pytest.mark.parametrize(
    "source",
    [
        "sprig.div(1, 0)",
        "sprig.seq(-9223372036854775807)",
        "sprig.mod(1, 'x')",
        "sprig.divf(1, 0)",
        "sprig.mustFromJson('{')",
        "sprig.mustToDate('2006', 'x')",
        "sprig.semverCompare('>=abc', '1.0.0')",
        "sprig.semverCompare('>=1', 'x')",
        "sprig.fail('no')",
        "sprig.slice([1], 5)",
        "sprig.chunk(0, [1])",
        "sprig.randInt(2, 1)",
        "sprig.has(1, 'a')",
        "sprig.env('HOME')",
        "sprig.expandenv('$HOME')",
    ],
)
def test_error(source):
    with pytest.raises(ExpressionError) as caught:
        value(source)
    assert caught.value.hint
