"""A comparison for a reader: a row a run, in as many blocks one below the other as the width asks for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import NamedTuple

from argojobs.cli.compare_formats import head_of, is_right, texts_of
from argojobs.cli.phases import style
from argojobs.cli.text import Line, cells, fit, pad
from argojobs.results.comparing import Column, Table

_GAP = "  "
#: Of a narrow screen the names of the runs take so much at most.
_SHARE = 0.5
_LACKS = "-"


def table_lines(table: Table, width: int, *, signs: bool) -> list[Line]:
    """Lay a comparison out.

    Args:
        table: what is shown.
        width: of the screen, 0 for one without end.
        signs: whether it shows more than ASCII.

    Returns:
        The lines; each block begins with the first column.
    """
    laid = [_laid(column) for column in table.columns]
    if not laid:
        return []
    first = laid[0]
    most = max(8, int(width * _SHARE))
    if width and first.width > most:
        first = _Laid([fit(text, most, signs=signs) for text in first.texts], most)
    phases = [column.name == "phase" and column.kind == "fact" for column in table.columns]
    lines: list[Line] = []
    for block in _blocks([one.width for one in laid], first.width, width):
        lines += [[]] if lines else []
        shown = [first, *(laid[place] for place in block)]
        lines += _block(shown, [False, *(phases[place] for place in block)])
    return lines


class _Laid(NamedTuple):
    """A column's head and cells, how wide the widest is, and on which side they stand."""

    texts: list[str]
    width: int
    is_right: bool = False

    def form_and_texts(self) -> tuple[str, list[str]]:
        """Return how `%` has the texts all of one width; it counts letters, and cells are meant."""
        if "".join(self.texts).isascii():
            return f"%{'' if self.is_right else '-'}{self.width}s", self.texts
        padded = [
            " " * (self.width - cells(text)) + text if self.is_right else pad(text, self.width)
            for text in self.texts
        ]
        return "%s", padded


def _laid(column: Column) -> _Laid:
    texts = [head_of(column), *texts_of(column)]
    if "" in texts:
        texts = [text or _LACKS for text in texts]
    is_plain = "".join(texts).isascii()
    return _Laid(texts, max(map(len if is_plain else cells, texts)), is_right(column))


def _blocks(widths: Sequence[int], first: int, width: int) -> list[list[int]]:
    """Return which columns stand beside each other after the first; a wider one has its own block."""
    blocks: list[list[int]] = [[]]
    used = first
    for place, own in enumerate(widths[1:], start=1):
        used += len(_GAP) + own
        if width and used > width and blocks[-1]:
            blocks.append([])
            used = first + len(_GAP) + own
        blocks[-1].append(place)
    return blocks


def _block(columns: Sequence[_Laid], phases: Sequence[bool]) -> list[Line]:
    """Return the lines of a block; phases: which of the columns says them in its colours."""
    if True not in phases:
        return [[(row, "" if number else "dim")] for number, row in enumerate(_joined(columns))]
    at = list(phases).index(True)
    before, middle, after = (
        _joined(some) for some in (columns[:at], columns[at : at + 1], columns[at + 1 :])
    )
    styles = {phase: style(phase.strip()) for phase in middle}
    lines: list[Line] = [
        [(lead + _GAP, ""), (phase, styles[phase]), (_GAP + rest, "")]
        for lead, phase, rest in zip(before, middle, after or repeat(""), strict=False)
    ]
    lines[0] = [("".join(text for text, _ in lines[0]), "dim")]
    return lines


def _joined(columns: Sequence[_Laid]) -> list[str]:
    """Return columns side by side, row by row."""
    laid = [column.form_and_texts() for column in columns]
    form = _GAP.join(one for one, _ in laid)
    return [form % row for row in zip(*(texts for _, texts in laid), strict=True)]
