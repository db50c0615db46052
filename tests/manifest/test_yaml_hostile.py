"""Malformed, hostile and huge YAML: an error with its place, in bounded time and memory.

Each hostile text is read by a process of its own with limits on CPU time and memory, so that a
reader that breaks a bound is killed and the test says so. The fuzzing has a fixed number of
examples, from a fixed seed.
"""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from argojobs.errors import ManifestError
from argojobs.manifest import documents
from argojobs.manifest.reading import read
from argojobs.manifest.source_text import decode

SECONDS = 20  # of CPU time; the slowest takes a tenth on an idle machine
MEMORY = 1024 * 1024 * 1024
PLACE = re.compile(r"f\.yaml(:\d+:\d+)?")

CHILD = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))
resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
from argojobs.errors import ManifestError
from argojobs.manifest import documents
from argojobs.manifest.source_text import read_text
try:
    documents.parse(read_text(sys.argv[1]), "f.yaml")
    said = None
except ManifestError as error:
    said = [error.what, error.where.replace(sys.argv[1], "f.yaml"), error.hint]
print(json.dumps(said))
"""


def bomb(leaf: str, levels: int = 40) -> str:
    lines = [f"a0: &a0 {leaf}"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(lines)


def merge_bomb(levels: int = 40) -> str:
    lines = (
        f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 8)}], k{n}: *a{n - 1}}}"
        for n in range(1, levels)
    )
    return "\n".join(["a0: &a0 {k0: 1}", *lines])


ALIASES = "aliases expand"
DEEP = "nest"
LARGE = "MiB"
HOSTILE = {
    "alias bomb of text": (bomb("[x,x,x]"), ALIASES),
    "alias bomb of nothing": (bomb("[]"), ALIASES),
    "alias bomb of one long text": (bomb("[" + "x" * 100_000 + "]"), ALIASES),
    "alias bomb of mappings": (bomb("{a: {b: {c: d}}}"), ALIASES),
    "bomb of merges": (merge_bomb(), ALIASES),
    "deep lists in a line": ("[" * 1_000_000, DEEP),
    "deep mappings in a line": ("{a: " * 300_000, DEEP),
    "deep lists of JSON": ('{"a": ' + "[" * 1_000_000, DEEP),
    "deep mappings of JSON": ('{"a":' * 300_000, DEEP),
    "deep block lists": ("- " * 300_000 + "x", DEEP),
    "deep block mappings": ("\n".join(" " * n + "a:" for n in range(2000)), DEEP),
    "50 MB of one scalar": ("a: " + "x" * 50_000_000, LARGE),
    "50 MB of many lines": ("a: 1\n" * 10_000_000, LARGE),
    "50 MB of JSON": ('{"a": "' + "x" * 50_000_000 + '"}', LARGE),
    "50 MB of spaces": (" " * 50_000_000, LARGE),
    "many wrong keys": ("a: 1\n" * 500_000, "stands here twice"),
    "an unclosed quote of 10 MB": ('a: "' + "x " * 5_000_000, "not valid YAML"),
    "a number of a million digits": ("a: " + "9" * 1_000_000, "not a manifest"),
    "a key of 2 MB": ("x" * 2_000_000 + ": 1", "not valid YAML|no manifest"),
    "many anchors": ("\n".join(f"a{n}: &a{n} 1" for n in range(100_000)), "not a manifest"),
    "many documents": ("---\na: 1\n" * 100_000, "not a manifest"),
    "a tab for indentation": ("a:\n\tb: 1\n", "token"),
    "a duplicate key": ("a: 1\nb: 2\na: 3\n", "stands here twice"),
    "a duplicate key of JSON": ('{"a": 1,\n "a": 2}', "stands here twice"),
    "a NUL": ("a: b\x00c\n", r"U\+0000"),
    "a directive of another version": ("%YAML 9.9\n---\na: 1\n", "not valid YAML"),
    "an unknown tag": ("a: !!python/object/apply:os.system ['true']\n", "tag"),
}
BYTES = {
    "UTF-16 with a mark": ("kind: Workflow\n".encode("utf-16"), "UTF-16"),
    "UTF-16 without a mark": ("kind: Workflow\n".encode("utf-16-le"), r"U\+0000"),
    "UTF-32": ("kind: Workflow\n".encode("utf-32"), "UTF-32"),
    "Latin-1": ("a: é\n".encode("latin-1"), "not UTF-8"),
    "an overlong sequence": (b"a: \xc0\xaf\n", "not UTF-8"),
    "a lone surrogate": (b"a: \xed\xa0\x80\n", "not UTF-8"),
    "random bytes": (random.Random(0).randbytes(1_000_000), "."),
    "zeros": (b"\x00" * 1_000_000, r"U\+0000"),
}


def limited(data: bytes, folder: Path) -> list[str] | None:
    """Read a file in a process with limits; return what the error says, None if there is none."""
    file = folder / "hostile.yaml"
    file.write_bytes(data)
    program = CHILD.format(seconds=SECONDS, memory=MEMORY)
    done = subprocess.run(
        [sys.executable, "-c", program, str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"exit {done.returncode}: {done.stderr[-2000:]}"
    said: list[str] | None = json.loads(done.stdout)
    return said


@pytest.mark.parametrize("name", [*HOSTILE, *BYTES])
def test_hostile_input_is_an_error_with_its_place_within_limits(name: str, tmp_path: Path) -> None:
    if name in HOSTILE:
        text, match = HOSTILE[name]
        data = text.encode()
    else:
        data, match = BYTES[name]
    said = limited(data, tmp_path)
    assert said is not None
    what, where, hint = said
    assert re.search(match, what), what
    assert PLACE.match(where), where
    assert hint
    assert len(what) < 2000, "the message does not repeat the input"


def test_the_limits_hold_the_reader_for_real(tmp_path: Path) -> None:
    """The child is killed where a bound is broken: otherwise the tests above could not fail."""
    program = CHILD.format(seconds=1, memory=MEMORY) + "\nwhile True: pass"
    file = tmp_path / "f.yaml"
    file.write_text("a: 1\n")
    done = subprocess.run(
        [sys.executable, "-c", program, str(file)], capture_output=True, check=False
    )
    assert done.returncode != 0


def test_windows_files_are_read_as_they_are(tmp_path: Path) -> None:
    text = "kind: Workflow\r\nmetadata: {name: x}\r\nspec:\r\n  entrypoint: main\r\n"
    workflow = documents.choose(documents.parse(decode(b"\xef\xbb\xbf" + text.encode()))).workflow
    assert workflow["spec"] == {"entrypoint": "main"}


def placed(error: ManifestError) -> str:
    """Return the place of an error; one without a place or a text is a finding."""
    assert PLACE.match(error.where), error
    assert error.what
    return error.where


def outcome(text: str) -> object:
    """Read a text: its documents, or where the error is. Any other exception is a finding."""
    try:
        return read(text, "f.yaml")
    except ManifestError as error:
        return placed(error)


SIGNS = st.sampled_from([*"{}[],:-?&*!|>'\"%@`#~ \t\n\r\\", "<<", "a", "0", "é", "\x00", "- "])
bounded = settings(
    max_examples=300, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)


@seed(20240229)
@bounded
@given(st.lists(SIGNS, max_size=60).map("".join))
def test_any_signs_are_read_or_refused_with_a_place(text: str) -> None:
    outcome(text)


@seed(20240229)
@bounded
@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    outcome(text)


@seed(20240229)
@bounded
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_with_a_place(data: bytes) -> None:
    try:
        text = decode(data, "f.yaml")
    except ManifestError as error:
        placed(error)
        return
    outcome(text)


CORPUS = (
    "a: &x {b: [1, 2]}\nc: *x\nd: {<<: *x, e: 'f'}\n",
    "spec:\n  arguments:\n    parameters:\n    - name: a\n      value: 1e-4\n  templates: []\n",
    '{"kind": "Workflow", "spec": {"templates": [{"name": "a", "when": "x"}]}}',
    'a: |\n  one\n  two\nb: >-\n  three\n# four\nc: "five\\n"\n--- \nd: ? e\n',
)


def mutated(text: str, chance: random.Random) -> str:
    """Change a text in a few places: cut, doubled, moved, or a sign in between."""
    signs = "{}[],:-?&*!|>'\"%@`#~ \t\n\r\x00é"
    for _ in range(chance.randint(1, 4)):
        one, other = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        kind = chance.randrange(4)
        if kind == 0:
            text = text[:one] + text[other:]
        elif kind == 1:
            text = text[:other] + text[one:other] * chance.randint(1, 5) + text[other:]
        elif kind == 2:
            text = text[:one] + chance.choice(signs) + text[one:]
        else:
            text = text[:one] + text[other:] + text[one:other]
    return text


@pytest.mark.parametrize("number", range(len(CORPUS)))
def test_mutations_are_read_or_refused_with_a_place(number: int) -> None:
    chance = random.Random(number)
    results = [outcome(mutated(CORPUS[number], chance)) for _ in range(1500)]
    refused = sum(isinstance(each, str) for each in results)
    assert 0 < refused < len(results), "both happen"
