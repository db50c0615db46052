"""Text with styles becomes characters that fit the stream."""

from __future__ import annotations

import io

import pytest

from argojobs.cli.text import cells, columns, cut, fit, more_lines, painted, screen_of, show
from argojobs.runs.wording import plain


class Terminal(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


def words(line: list[tuple[str, str]]) -> str:
    return "".join(text for text, _ in line)


def test_wide_and_combining_characters_take_the_cells_a_terminal_gives_them() -> None:
    assert cells("abc") == 3
    assert cells("模型") == 4
    assert cells("e\u0301") == 1


def test_fit_marks_the_cut_and_never_takes_more_cells_than_there_are() -> None:
    assert fit("pretrain", 20) == "pretrain"
    assert fit("pretrain", 5) == "pret…"
    assert fit("pretrain", 5, signs=False) == "pret~"
    assert cells(fit("模型模型", 6)) <= 6
    assert fit("pretrain", 0) == "pretrain"


def test_cut_keeps_the_styles_of_what_is_left() -> None:
    line = [("ab", "green"), ("cdef", "red")]
    assert cut(line, 4) == [("ab", "green"), ("c…", "red")]
    assert cut(line, 6) == line
    assert cut(line, 0) == line


def test_plain_takes_out_what_a_step_paints_and_keeps_the_last_state_of_a_progress_bar() -> None:
    assert plain("\x1b[31mred\x1b[0m") == "red"
    assert plain("\x1b]0;title\x07text") == "text"
    assert plain(" 10%\r 50%\r100%\r") == "100%"
    assert plain("a\tb") == "a   b"
    assert plain("bell\x07") == "bell"


def test_columns_are_as_wide_as_their_widest_cell_and_the_last_one_is_not_padded() -> None:
    lines = columns([[("a", ""), ("x", "")], [("bbb", ""), ("y", "")]])
    assert [words(line) for line in lines] == ["a    x", "bbb  y"]


def test_colours_are_written_only_where_wanted() -> None:
    line = [("ok", "bold green"), (" fine", "")]
    assert painted(line, colour=False) == "ok fine"
    assert painted(line, colour=True) == "\x1b[1;32mok\x1b[0m fine"


def test_a_terminal_has_colours_unless_no_color_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert screen_of(Terminal()).colour
    assert screen_of(Terminal()).live
    monkeypatch.setenv("NO_COLOR", "1")
    assert not screen_of(Terminal()).colour
    assert screen_of(Terminal()).live


def test_a_dumb_terminal_and_a_pipe_get_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert not screen_of(Terminal()).live
    assert not screen_of(io.StringIO()).live
    assert screen_of(io.StringIO()).width == 0


def test_a_stream_without_our_signs_gets_ascii() -> None:
    ascii_stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    assert not screen_of(ascii_stream).signs


def test_show_writes_a_line_each() -> None:
    stream = io.StringIO()
    show([[("a", "green")], [("b", "")]], stream=stream)
    assert stream.getvalue() == "a\nb\n"


def test_commands_that_say_more_are_never_cut() -> None:
    commands = ["argojobs get demo-x7k2p --context lab", "argojobs logs demo-x7k2p --context lab"]
    assert [text for ((text, _),) in more_lines(commands, 100)] == [
        "  more: argojobs get demo-x7k2p --context lab   argojobs logs demo-x7k2p --context lab"
    ]
    assert [text for ((text, _),) in more_lines(commands, 80)] == [
        "  more: argojobs get demo-x7k2p --context lab",
        "        argojobs logs demo-x7k2p --context lab",
    ]
