"""Text with styles as plain data, and how it becomes characters on a stream.

A `Line` is a list of (text, style) pairs; styles are rich's names ("green", "bold red", "dim"),
so that the same lines go to rich's live display and, without importing rich, to any stream.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, TextIO

from argojobs.cli.door import put_lines
from argojobs.runs.progress import Kind
from argojobs.runs.wording import clean, plain

Span = tuple[str, str]
Line = Sequence[Span]

_SGR = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


class Screen(NamedTuple):
    """What a stream can show: colours, signs beyond ASCII, redrawing, and its size."""

    colour: bool = False
    signs: bool = True
    live: bool = False
    width: int = 80
    height: int = 24


def screen_of(stream: TextIO) -> Screen:
    """Look at a stream and the environment; NO_COLOR and TERM=dumb are respected."""
    terminal = stream.isatty()
    dumb = os.environ.get("TERM", "") == "dumb"
    size = shutil.get_terminal_size((80, 24))
    return Screen(
        colour=terminal and not dumb and not os.environ.get("NO_COLOR"),
        signs=_shows_signs(stream),
        live=terminal and not dumb,
        width=size.columns if terminal else 0,
        height=size.lines,
    )


def _shows_signs(stream: TextIO) -> bool:
    """Tell whether the stream's encoding has the signs that we use."""
    try:
        "✔●│…".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def cells(text: str) -> int:
    """Return how many terminal cells a text takes."""
    if text.isascii():
        return len(text)
    return len(text) + sum(_cells_of(other) - 1 for other in _BEYOND_ASCII.findall(text))


@lru_cache(maxsize=1024)  # a text has few different ones, and a list thousands of texts
def _cells_of(character: str) -> int:
    import unicodedata

    if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def fit(text: str, width: int, *, signs: bool = True) -> str:
    """Cut a text to a number of cells, marking the cut.

    Args:
        text: one line.
        width: in cells; 0 means no limit.
        signs: whether the mark may be a sign beyond ASCII.
    """
    if width <= 0 or cells(text) <= width:
        return text
    mark = "…" if signs else "~"
    kept, used = [], 0
    for character in text:
        used += _cells_of(character)
        if used > width - 1:
            break
        kept.append(character)
    return "".join(kept) + mark


def wrapped(text: str, width: int) -> list[str]:
    """Break a text at blanks into lines of so many characters, each indented as it is.

    A longer word is broken too: nothing is lost. Width 0 means no limit.
    """
    import textwrap

    if width <= 0 or len(text) <= width:
        return [text]
    indent = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(
        text.lstrip(),
        width,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_on_hyphens=False,
    )


def pad(text: str, width: int) -> str:
    """Fill a text with blanks up to a number of cells."""
    return text + " " * (width - cells(text))


def cut(line: Line, width: int, *, signs: bool = True) -> list[Span]:
    """Cut a line to a number of cells, marking the cut.

    Args:
        line: with its styles.
        width: in cells; 0 means no limit.
        signs: whether the mark may be a sign beyond ASCII.
    """
    if width <= 0:
        return list(line)
    spans: list[Span] = []
    left = width
    for position, (text, style) in enumerate(line):
        rest = sum(cells(other) for other, _ in line[position + 1 :])
        if cells(text) + rest <= left or cells(text) < left:
            spans.append((text, style))
            left -= cells(text)
            continue
        spans.append((fit(text + ("  " if rest else ""), left, signs=signs), style))
        break
    return spans


def painted(line: Line, *, colour: bool) -> str:
    """Turn a line into characters, with terminal colours where wanted."""
    if not colour:
        return "".join(text for text, _ in line).rstrip()
    return "".join(_paint(text, style) for text, style in line)


def _paint(text: str, style: str) -> str:
    codes = ";".join(_SGR[word] for word in style.split())
    return f"\x1b[{codes}m{text}\x1b[0m" if codes and text else text


def shown(line: Line) -> list[Span]:
    """Return a line whose texts may be shown, wherever they come from."""
    return [(clean(text), style) for text, style in line]


def more_lines(commands: Sequence[str], width: int) -> list[Line]:
    """Name commands that say more, on one line where all fit into so many cells, else one each."""
    lead, line = "  more: ", "   ".join(commands)
    if not width or cells(lead + line) <= width:
        return [[(lead + line, "dim")]]
    rest = [[(" " * len(lead) + one, "dim")] for one in commands[1:]]
    return [[(lead + commands[0], "dim")], *rest]


def columns(
    rows: Iterable[Sequence[Span]], *, gap: int = 2, right: frozenset[int] = frozenset()
) -> list[list[Span]]:
    """Lay rows of cells out in columns as wide as their widest cell; the last one is not padded.

    Args:
        rows: of any lengths.
        gap: blanks between two columns.
        right: the numbers of the columns, from 0 on, whose cells stand at the right.
    """
    table = [list(row) for row in rows]
    if not table:
        return []
    sizes = [[cells(text) for text, _ in row] for row in table]
    count = max(len(row) for row in table)
    widths = [max(row[i] for row in sizes if i < len(row)) for i in range(count)]
    lines: list[list[Span]] = []
    for row, own in zip(table, sizes, strict=True):
        line: list[Span] = []
        for i, span in enumerate(row):
            blank = " " * (widths[i] - own[i])
            between = " " * gap if i else ""
            if i in right:
                line += ((between + blank, ""), span)
            else:
                line += ((between, ""), span)
                if i < len(row) - 1:
                    line.append((blank, ""))
        lines.append([span for span in line if span[0]])
    return lines


def indented(lines: Iterable[Line]) -> list[Line]:
    """Return lines two blanks further to the right."""
    return [[("  ", ""), *line] for line in lines]


def show(
    lines: Iterable[Line], *, stream: TextIO | None = None, screen: Screen | None = None
) -> None:
    """Write lines to a stream, cut to its width.

    Args:
        lines: with their styles.
        stream: standard output unless given.
        screen: what the stream can show; unless given it is looked at.
    """
    target = stream or sys.stdout
    seen = screen or screen_of(target)
    put_lines(
        [
            painted(cut(shown(line), seen.width, signs=seen.signs), colour=seen.colour)
            for line in lines
        ],
        target,
    )


def warn(texts: Iterable[str], word: str = "warning") -> None:
    """Write warnings or notes to standard error, each once and whole."""
    seen = screen_of(sys.stderr)
    lines: list[Line] = [[(f"{word}: ", "yellow"), (text, "")] for text in dict.fromkeys(texts)]
    show(lines, stream=sys.stderr, screen=Screen(seen.colour, seen.signs, width=0))


def tell(kind: Kind, text: str) -> None:
    """Write what `runs` reports to standard error: see `runs.progress`."""
    if kind == "progress":
        say(text)
    else:
        warn([text], kind)


def say(text: str) -> None:
    """Write a line of what is going on to standard error."""
    seen = screen_of(sys.stderr)
    show(
        [[(plain(text), "dim")]], stream=sys.stderr, screen=Screen(seen.colour, seen.signs, width=0)
    )
