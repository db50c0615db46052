"""Expressions, conditions and paths for which an evaluation could take for ever or all memory.

All are evaluated in one process with little memory, which the kernel ends when one of them holds it
up. Each has to end in a value or in an error of ours.
"""

import json
import resource
import signal
import subprocess
import sys

import pytest

from argojobs.errors import ArgojobsError
from argojobs.expressions import condition, expr, tags
from argojobs.expressions.budget import bounded

MEMORY = 2 << 30
CPU_SECONDS = 20  # of one text: a tenth of it is what the budget allows


def doubled(names: str, start: str, pattern: str) -> str:
    """Let each name be a value made of many of the one before: small to write, endless to read."""
    lets, before = [], start
    for name in names:
        lets.append(f"let {name}={pattern.replace('@', before)}")
        before = name
    return "; ".join(lets) + "; "


TEN = doubled("abcdefgh", "1", "[@,@,@,@,@,@,@,@,@,@]")
MAPS = doubled("abcdefghijklmnopqrstuvwxyz", "1", "{'x':@,'y':@}")
ONES = "repeat('1',300000)+'x'"

EXPRESSIONS = [
    # B1's own, and patterns that take exponential, cubic or quadratic time elsewhere
    "sprig.regexMatch('(a+)+$', repeat('a',100000)+'!')",
    "repeat('a',300000) matches '(a|a)*b'",
    "jsonpath('[{\"a\":\"' + repeat('a',50000) + '\"}]', '$[?(@.a =~ \"(a+)+b\")]')",
    "sprig.regexFindAll('a.*b|a', repeat('a',20000), -1)",
    "sprig.regexFindAll('(a|b)*a(a|b){15}c|a', repeat('abaab',4000), -1)",
    "sprig.regexReplaceAll('a', repeat('a',100000), repeat('b',100000))",
    "sprig.regexSplit('(x*)*', repeat('xy',100000), -1)",
    "map(1..100000, 'a' matches ('a{1,'+string(#%900+1)+'}'))",
    "sprig.regexMatch(repeat('(a|b)*',1000)+'c', repeat('ab',100000))",
    # patterns of our own, over somebody's text
    "sprig.camelcase(repeat('-',300000))",
    "sprig.snakecase(repeat('A',300000))",
    f"asFloat({ONES})",
    f"sprig.int({ONES.replace('1', '0', 1)})",
    f"duration({ONES})",
    f"sprig.dateModify({ONES}, now())",
    "sprig.toDate(repeat('2',60), repeat('1',80)+'x')",
    "date(repeat('1',80)+'x', repeat('2',60))",
    "sprig.semverCompare(repeat('a',100000), '1.2.3')",
    # loops in loops
    "map(1..1000, map(1..1000, map(1..1000, #)))",
    "filter(1..100000, # in 1..1000000)",
    "let l=map(1..10000,#); filter(l, # in l)",
    "reduce(1..1000000, #acc + repeat('x',1000), '')",
    "uniq(map(1..100000, #))",
    "sort(map(1..200000, -#))",
    "jsonpath('['+repeat('[1,2],',30000)+'1]', '$..*..*..*')",
    "jsonpath('['+repeat('{\"a\":1},',30000)+'1]', '$[?(@.a in $..a)]')",
    # small texts, huge values
    "map(1..100000, repeat('x', 1000000))",
    "map(1..1000, sprig.until(1000000))",
    "replace(repeat('a',1000000), '', repeat('b',1000000))",
    "sprig.replace('a', repeat('b',1000000), repeat('a',1000000))",
    "join(map(1..10000,'a'), repeat('b',100000))",
    "sprig.join(repeat('b',100000), map(1..10000,'a'))",
    "sprig.indent(100000, repeat('\\n',100000))",
    "map(1..1000, sprig.randAlpha(1000000))",
    f"{TEN} toJSON(h)",
    f"{TEN} string(h)",
    f"{TEN} h == map(h, #)",
    f"{TEN} mean(h)",
    f"{TEN} flatten(h)",
    f"{TEN} sprig.deepCopy(h)",
    f"{MAPS} sprig.merge(z, y, z)",
    f"{MAPS} toJSON(z)",
    "sprig.quote(" * 20 + "repeat('\"',100)" + ")" * 20,
    "toJSON(" * 20 + "repeat('\"',100)" + ")" * 20,
    # depth
    "fromJSON(repeat('[',100000))",
    "fromJSON(repeat('[',900)+repeat(']',900))",
    "(" * 5000 + "1" + ")" * 5000,
    "[" * 500 + "]" * 500,
    "1 + " * 20000 + "1",
    "-" * 5000 + "1",
    "not " * 5000 + "true",
]

CONDITIONS = [
    "'" + "a" * 50000 + "!' =~ '(a+)+$'",
    "!" * 100000 + "true",
    "(" * 100000,
    "'a'+" * 50000 + "'a' == 'a'",
    "1 in (" + "1," * 50000 + "1)",
    "true ? " * 20000 + "true",
    "1" * 1000000 + "x == 1",
    "'" + "\\'" * 300000 + "' == 'a'",
]


def evaluate_all(texts: list[tuple[str, str]]) -> None:
    """Evaluate each text in this process, printing what became of it; what does not end, ends it."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for kind, text in texts:
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        try:
            with bounded(200_000):
                if kind == "condition":
                    condition.holds(text)
                elif kind == "tag":
                    tags.replace("{{=" + text + "}}", {}, strict=True)
                else:
                    expr.evaluate(text, {})
            said = "value"
        except ArgojobsError:
            said = "error"
        print(said, flush=True)


def test_whatever_the_text_its_evaluation_ends():
    texts = [("expression", text) for text in EXPRESSIONS]
    texts += [("tag", text) for text in EXPRESSIONS if "}}" not in text][::8]
    texts += [("condition", text) for text in CONDITIONS]
    made = subprocess.run(
        [sys.executable, __file__], input=json.dumps(texts), capture_output=True, text=True
    )
    ended = made.stdout.split()
    print(f"hostile texts: {len(ended)} of {len(texts)} ended, {ended.count('error')} in an error")
    stuck = "" if len(ended) == len(texts) else texts[len(ended)][1][:200]
    assert not stuck, f"{made.stderr[-2000:]}\nheld up by: {stuck}"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("len(map(1..100000, # * 2 + 1))", 100_000),
        ("len(sprig.regexFindAll('[a-z]+', repeat('word ', 10000), -1))", 10_000),
        ("len(sprig.toJson(map(1..20000, string(#))))", 148_895),
        ("sprig.regexMatch('^[^@]+@[^@]+$', repeat('a', 200000) + '@b')", True),
        ("sum(filter(1..50000, # % 2 == 0))", 625_025_000),
    ],
)
def test_honest_work_of_this_size_is_done(text, value):
    assert expr.evaluate(text, {}) == value


if __name__ == "__main__":
    evaluate_all([tuple(pair) for pair in json.load(sys.stdin)])
