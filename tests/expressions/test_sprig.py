"""sprig's functions, as its docs describe them."""

from datetime import UTC, datetime
from random import Random

import pytest

from argojobs.errors import ExpressionError, TagError
from argojobs.expressions import tags
from argojobs.expressions.expr import evaluate
from argojobs.expressions.sprig import FUNCTIONS, NOT_OFFERED

NOW = datetime(2024, 2, 3, 4, 5, 6, tzinfo=UTC)


def value(source: str) -> object:
    return evaluate(source, {}, now=NOW, random=Random(7))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("sprig.trunc(-2, 'abcdef')", "ef"),
        ("sprig.substr(1, 3, 'hello')", "el"),
        ("sprig.abbrev(5, 'hello world')", "he..."),
        ('sprig.title("hello world\'s")', "Hello World'S"),
        ('sprig.title("a/b.c d_e 1x éa")', "A/B.C D_e 1x Éa"),
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


URL = "sprig.urlParse('HTTP://u:p@[::1]:80/a%20b?q=1#f%20g')"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("sprig.wrap(3, 'abc def')", "abc\ndef"),
        ("sprig.wrap(5, 'a longword  b cc')", "a\nlongword\n b cc"),
        ("sprig.wrap(-4, 'ab c')", "ab\nc"),
        ("sprig.wrapWith(3, '|', 'abcdefg hi jkl')", "abc|def|g|hi|jkl"),
        ("sprig.abbrevboth(5, 10, '1234 5678 9123')", "...5678..."),
        ("sprig.abbrevboth(100, 8, 'abcdefghijklmn')", "...jklmn"),
        ("sprig.abbrevboth(-5, 8, 'abcdefghijklmn')", "abcde..."),
        ("sprig.typeIsLike('string', 'a')", True),
        ("sprig.typeIsLike('semver.Version', sprig.semver('1.2'))", True),
        ("sprig.semver('1.2.3-rc.1').Minor() + 1", 3),
        ("string(sprig.semver('v1.2-a+b'))", "1.2.0-a+b"),
        ("toJson([sprig.semver('1.2.3').IncMinor()])", '["1.3.0"]'),
        ("toJson(sprig.semver('1.2.3-a').IncPatch())", '"1.2.3"'),
        ("sprig.semver('v1.2').Original()", "v1.2"),
        ("sprig.semver('1.2') == sprig.semver('1.2')", True),
        (URL + ".hostname", "::1"),
        (URL + ".path", "/a b"),
        (f"sprig.urlJoin({URL})", "http://u:p@[::1]:80/a%20b?q=1#f%20g"),
        ("sprig.urlParse('mailto:joe@x.org').opaque", "joe@x.org"),
        ("sprig.urlJoin(sprig.dict('path', 'a:b/c'))", "./a:b/c"),
        ("sprig.urlJoin(sprig.dict('userinfo', 'u:p', 'host', 'h'))", "//u:p@h"),
        ("sprig.int64('12.7')", 12),
        ("sprig.int64('010')", 8),
        ("sprig.int64('0x10')", 16),
        ("sprig.int64('08')", 0),
        ("sprig.randAlpha(-1)", ""),
        ("len(sprig.randBytes(3))", 4),
        ("sprig.regexMatch('(', 'a')", False),
    ],
)
def test_what_sprig_4_0_5_gives(source, expected):
    """Each evaluated by Argo's own code."""
    assert value(source) == expected


@pytest.mark.parametrize("name", sorted(NOT_OFFERED))
def test_what_only_argo_offers_is_an_error_and_does_not_stay_as_text(name):
    with pytest.raises(TagError, match=f"this engine has no sprig.{name}"):
        tags.replace("{{=sprig." + name + "('a')}}", {}, strict=False)
    assert tags.replace("{{=false ? sprig." + name + "('a') : 'b'}}", {}, strict=False) == "b"


def test_every_function_of_sprig_is_known():
    """The list of sprig 3.3.0, which Argo 4 has, without the two that Argo removes."""
    assert len(FUNCTIONS) == 209
    assert {"env", "expandenv"}.isdisjoint(FUNCTIONS)


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
        "sprig.semver('01.2.3')",
        "sprig.semver('1.2.3').Nope()",
        "sprig.urlParse('http://h:a/x')",
        "sprig.urlParse('http://h%41/x')",
        "sprig.urlParse('http://[::1/x')",
        "sprig.urlParse('http://u @h/')",
        "sprig.urlParse('http://h/%zz')",
        "sprig.urlParse('x:y\\n')",
        "sprig.urlParse(':x')",
        "sprig.urlJoin(sprig.dict('scheme', 1))",
        "sprig.urlJoin(sprig.dict('userinfo', 'u p', 'host', 'h'))",
        "sprig.wrapWith(1, sprig.repeat(2000, 'x'), sprig.repeat(2000, 'a'))",
    ],
)
def test_error(source):
    with pytest.raises(ExpressionError) as caught:
        value(source)
    assert caught.value.hint
