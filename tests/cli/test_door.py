"""All that goes to the terminal goes through one door, which cleans and masks it."""

import ast
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import argojobs
from argojobs.cli import door
from argojobs.cli.text import show
from argojobs.net import known_secrets
from argojobs.runs import wording
from argojobs.runs.wording import clean, coloured, plain

PACKAGE = Path(argojobs.__file__).parent

#: What a terminal would obey, and what is left of it between "a" and "b".
HOSTILE = {
    "title": ("\x1b]0;owned\x07", ""),
    "title, ended otherwise": ("\x1b]2;owned\x1b\\", ""),
    "title in C1": ("\x9d0;owned\x9c", ""),
    "clipboard": ("\x1b]52;c;cm0gLXJmIH4=\x07", ""),
    "link": ("\x1b]8;;http://evil.example/\x1b\\text\x1b]8;;\x1b\\", "text"),
    "screen cleared": ("\x1b[2J\x1b[H", ""),
    "in C1": ("\x9b2J", ""),
    "line above overwritten": ("\x1b[1A\x1b[2K", ""),
    "answer asked for": ("\x1b[6n\x1b[c\x1bZ", ""),
    "mode set": ("\x1b[?1049h\x1b=\x1b>", ""),
    "reset": ("\x1bc", ""),
    "device string": ("\x1bP+q544e\x1b\\", ""),
    "private message": ("\x1b^x\x1b\\\x1b_x\x1b\\", ""),
    "charset": ("\x1b(0", ""),
    "one in another": ("\x1b\x1b[0m[2J", "[2J"),
    "half a sequence": ("\x1b", ""),
    "half in C1": ("\x9b", ""),
    "backspaces": ("\b\b\b", ""),
    "bell and null": ("\x07\x00\x0b\x0c", ""),
    "another direction": ("\u202e\u2066\u200f", ""),
    "invisible": ("\u200b\u2060\ufeff\U000e0041", ""),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_a_terminal_obeys_is_taken_out(name):
    given_, left = HOSTILE[name]
    end = "" if name.startswith("half") else "b"  # else it would be half of another one
    for door_of in (clean, plain, coloured):
        assert door_of(f"a{given_}{end}").replace("\x1b[0m", "") == f"a{left}{end}"


def test_texts_in_any_language_lines_and_tabs_stay():
    text = "ä 模型 👩\u200d🔬 é\tx\ny"
    assert clean(text) == coloured(text) == text


def test_logs_keep_colours_which_end_and_the_returns_of_progress_bars():
    assert coloured("\x1b[1;31mred\x1b[0m") == "\x1b[1;31mred\x1b[0m\x1b[0m"
    assert coloured("\x1b[38:2::1:2:3mred") == "\x1b[38:2::1:2:3mred\x1b[0m"
    assert coloured(" 10%\r 50%\r") == " 10%\r 50%\r"
    assert coloured("\x1b[31m\x1b[2Jred") == "\x1b[31mred\x1b[0m"


@given(st.text(st.sampled_from("\x1b\x9b\x9d[]0;m2JP\\\x07\r\nab\x1b")))
def test_nothing_is_left_that_a_terminal_obeys(text):
    assert not set(clean(text)) & set("\x1b\x9b\x9d\x07\r")
    assert clean(clean(text)) == clean(text)
    left = wording._SGR.sub("", coloured(text))
    assert not set(left) & set("\x1b\x9b\x9d\x07")


def test_secrets_that_went_to_a_server_are_masked(monkeypatch):
    monkeypatch.setattr(known_secrets, "_known", set())
    known_secrets.remember("a-token-of-ours")
    known_secrets.remember("abc")  # too short to be told from words
    assert clean("echo: a-token-of-ours abc") == coloured("echo: a-token-of-ours abc")
    assert clean("echo: a-token-of-ours abc") == "echo: *** abc"


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize("write", ["put_data", "put_log"])
def test_what_programs_read_is_left_as_it_is_but_on_a_terminal(monkeypatch, write):
    for stream, seen in ((io.StringIO(), "\x1b]0;x\x07\x9by"), (Terminal(), "")):
        monkeypatch.setattr("sys.stdout", stream)
        getattr(door, write)("\x1b]0;x\x07\x9by")
        assert stream.getvalue().removesuffix("\n") == seen


def test_lines_are_cleaned_wherever_their_texts_come_from():
    stream = io.StringIO()
    show([[("\x1b[2Jone", "green"), ("\x1b]0;x\x07 two", "")]], stream=stream)
    assert stream.getvalue() == "one two\n"


#: Who writes past the door, and why.
KNOWN = {
    "api.py": "progress for a script, a clean line each",
    "cli/door.py": "the door",
    "cli/entering.py": "a shell in a step has the terminal",
    "cli/follow.py": "rich draws lines that are clean (`shown`)",
    "cli/metrics_follow.py": "rich draws lines that are clean (`shown`)",
    "cli/transfer.py": "rich draws a bar whose text is clean",
    "compile/bundle.py": "a program that runs in an image",
    "engine/executors/process/forkserver.py": "the controller's log",
    "engine/executors/process/executor.py": "the controller's log",
    "engine/executors/process/supervisor.py": "the controller's log",
    "engine/journal.py": "the controller's log",
    "edits/notify.py": "a program that runs in an image",
    "runtime": "what runs in a step",
    "dsl": "what runs in a step",
    "job": "what runs in a step",
}


def writers():
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        if any(writes_itself(node) for node in ast.walk(ast.parse(path.read_text()))):
            yield relative.parts[0] if relative.parts[0] in KNOWN else str(relative)


def writes_itself(node):
    """Whether it prints, or takes a stream's own way to write."""
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        return called.rpartition(".")[2] in {"print", "echo", "secho", "print_exc", "Console"}
    if isinstance(node, ast.Attribute) and node.attr in {"write", "writelines", "buffer"}:
        owner = ast.unparse(node.value)
        return owner.rpartition(".")[2] in {
            "stdout", "stderr", "__stdout__", "__stderr__", "stream", "target", "console", "out",
        }  # fmt: skip
    return False


def test_nobody_writes_past_the_door():
    assert set(writers()) <= set(KNOWN), "write with put, put_data, put_log or show"
