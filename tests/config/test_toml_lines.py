"""Every key has its line, whatever stands before it."""

import pytest
import tomllib

from argojobs.config.toml_lines import lines_of

TEXT = """\
# a comment with [brackets] and a = sign
title = "a # no comment"   # one

[contexts."gke.sandbox"]
text = \"\"\"
fake = 1
[fake]
\"\"\"
literal = '''
fake = "'x'"
'''
list = [ # comment ]
  "a, ]",
  [1, 2], # = x
  {inner = 1},
]
table = { one = "}", two = { three = 3 } }
dotted.key = 1

[[many]]
a = 1
[[many]]
a = 2
b = 1979-05-27T07:32:00Z
"""


def test_keys_are_found_and_values_are_stepped_over():
    assert lines_of(TEXT) == {
        ("title",): 2,
        ("contexts",): 4,
        ("contexts", "gke.sandbox"): 4,
        ("contexts", "gke.sandbox", "text"): 5,
        ("contexts", "gke.sandbox", "literal"): 9,
        ("contexts", "gke.sandbox", "list"): 12,
        ("contexts", "gke.sandbox", "list", "inner"): 15,
        ("contexts", "gke.sandbox", "table"): 17,
        ("contexts", "gke.sandbox", "table", "one"): 17,
        ("contexts", "gke.sandbox", "table", "two"): 17,
        ("contexts", "gke.sandbox", "table", "two", "three"): 17,
        ("contexts", "gke.sandbox", "dotted"): 18,
        ("contexts", "gke.sandbox", "dotted", "key"): 18,
        ("many",): 22,
        ("many", "a"): 23,
        ("many", "b"): 24,
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a comment",
        'a = """x\\""""\nb = 1',
        "a = ''\nb = \"\"",
        "a = []\nb = {}",
        "a = [\n]\n\n[b]\r\nc = 1\r\n",
        "'a' . \"b\\u0041\" . c = 1.5 # x",
        'a = """one"""""\nb = 2',
        "[ a . b ]\nc=1",
        "a = [1,2,\n3,]\nb = true",
    ],
)
def test_the_keys_are_those_that_the_standard_reader_finds(text):
    def places(value, at=()):
        found = set()
        for key, inner in value.items():
            found.add((*at, key))
            if isinstance(inner, dict):
                found |= places(inner, (*at, key))
        return found

    assert set(lines_of(text)) == places(tomllib.loads(text))
