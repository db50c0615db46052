"""The rules of a .dockerignore, checked against what moby's own matcher answered."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.errors import UsageError
from argojobs.images.dockerfiles.ignore import (
    Ignore,
    ignore_file,
    judge,
    may_return,
    parse_ignore,
    read_ignore,
)

#: Asked of github.com/moby/patternmatcher 0.6.1, `ignorefile.ReadAll` and, folder by folder,
#: `MatchesUsingParentResults`: x is left out, a point stays.
ANSWERS = json.loads(Path(__file__).with_name("ignore_answers.json").read_text())


def left_out(text: str, path: str) -> bool:
    patterns, above, out = parse_ignore(text), (), None
    parts = path.split("/")
    for number in range(len(parts)):
        out, above = judge(patterns, "/".join(parts[: number + 1]), above)
    return out is not None


@pytest.mark.parametrize(
    ("text", "answers"), ANSWERS["answers"], ids=lambda value: repr(value)[:60]
)
def test_as_moby_answers(text, answers):
    found = "".join("x" if left_out(text, path) else "." for path in ANSWERS["paths"])
    assert found == answers


@pytest.mark.parametrize(
    ("text", "out", "stays"),
    [
        ("creds.yaml", ["creds.yaml"], ["sub/creds.yaml"]),  # anchored, unlike .gitignore
        ("**/creds.yaml", ["creds.yaml", "a/b/creds.yaml"], ["mycreds.yaml"]),
        ("/data/", ["data/x"], ["src/data/x"]),
        ("*/temp*", ["a/temp", "a/temperature/x"], ["temp", "a/b/temp"]),
        ("docs\n!docs/README.md", ["docs/a"], ["docs/README.md"]),
        ("!docs/README.md\ndocs", ["docs/README.md"], []),  # the last line decides
        ("**\n!src\nsrc/*.pyc", ["a", "src/b.pyc"], ["src/a.py", "src/x/b.pyc"]),
        ("# comment\n #x", [" #x".strip()], ["# comment"]),
        ("\ufeffa\r\nb\r\n", ["a", "b"], ["c"]),
        (".", [], ["a"]),
        ("../x", [], ["x"]),
        ("a\\*b", ["a*b"], ["axb"]),
        ("[a-c]?.py", ["bx.py"], ["dx.py", "b/.py"]),
    ],
)
def test_documented_rules(text, out, stays):
    assert [path for path in out if not left_out(text, path)] == []
    assert [path for path in stays if left_out(text, path)] == []


@pytest.mark.parametrize("line", ["!", "! ", "!/", "/!", "[", "a[b", "[]", "[b-a]", "a\\", "[-a]"])
def test_a_pattern_that_is_none_is_told_with_its_line(line):
    with pytest.raises(UsageError) as caught:
        parse_ignore(f"ok\n\n{line}\n", "x/.dockerignore")
    assert caught.value.where == "x/.dockerignore:3"
    assert caught.value.hint


def test_names_that_are_no_utf8(tmp_path):
    file = tmp_path / ".dockerignore"
    file.write_bytes(b"caf\xe9*\n")
    patterns = read_ignore(file).patterns
    assert judge(patterns, "caf\udce9.txt")[0] is patterns[0]
    assert judge(patterns, "café.txt")[0] is None


def test_the_dockerfiles_own_ignore_file_comes_first(tmp_path):
    dockerfile = tmp_path / "docker" / "train.Dockerfile"
    dockerfile.parent.mkdir()
    assert ignore_file(dockerfile, tmp_path) is None
    assert read_ignore(None) == Ignore()
    (tmp_path / ".dockerignore").write_text("a")
    assert ignore_file(dockerfile, tmp_path) == tmp_path / ".dockerignore"
    own = dockerfile.with_name("train.Dockerfile.dockerignore")
    own.write_text("b")
    assert ignore_file(dockerfile, tmp_path) == own


@pytest.mark.parametrize(
    ("exception", "folder", "expected"),
    [
        ("!a/b", "a", True),
        ("!a/b", "a/b/c", True),
        ("!a/b", "b", False),
        ("!a/*.py", "a/c", True),
        ("!a/*.py", ".git", False),
        ("!**/*.py", ".git", True),
        ("a/b", "a", False),
    ],
)
def test_where_an_exception_may_match(exception, folder, expected):
    assert may_return(parse_ignore(exception), folder) is expected


parts = st.sampled_from(["a", "b", "ab", ".x", "c.py", "d"])
paths = st.lists(parts, min_size=1, max_size=4).map("/".join)
pieces = st.sampled_from(["a", "b", "*", "**", "?", "*.py", ".x", "[a-b]", "ab"])
lines = st.tuples(st.booleans(), st.lists(pieces, min_size=1, max_size=3)).map(
    lambda one: ("!" if one[0] else "") + "/".join(one[1])
)
texts = st.lists(lines, max_size=5).map("\n".join)


@given(texts, paths)
def test_leaving_a_folder_without_hope_loses_nothing(text, path):
    """Where `may_return` says no, nothing below an excluded folder stays."""
    patterns = parse_ignore(text)
    folder = path.rpartition("/")[0]
    if folder and left_out(text, folder) and not may_return(patterns, folder):
        assert left_out(text, path)


@given(texts, paths)
def test_a_last_line_for_a_path_decides(text, path):
    assert left_out(f"{text}\n{path}", path)
    assert not left_out(f"{text}\n!{path}", path)


@given(texts, paths, st.lists(parts, min_size=1, max_size=2).map("/".join))
def test_without_exceptions_what_is_below_goes_with_the_folder(text, path, below):
    plain = text.replace("!", "")
    if left_out(plain, path):
        assert left_out(plain, f"{path}/{below}")
