"""Curves in a terminal: two by four dots a character where it has braille, stars where it has not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from argojobs.cli.text import Line, Span, cells, fit

#: The colours of curves that share a chart.
COLOURS = ("cyan", "yellow", "green", "magenta", "red", "blue")

#: The bits of a braille character, by row and column: Unicode, block U+2800.
_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_BRAILLE = 0x2800
_LEAST_WIDTH, _LEAST_HEIGHT = 12, 3


class Curve(NamedTuple):
    """A line through points; it has a gap where a value is not a finite number."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float]


class Range(NamedTuple):
    """From where to where an axis goes."""

    low: float
    high: float

    def part(self, value: float) -> float:
        """Return where a value lies: 0 at the low end, 1 at the high one."""
        # Halves: the whole range of huge numbers is more than a number can be.
        size = self.high / 2 - self.low / 2
        return (value / 2 - self.low / 2) / size if size else 0.5


def chart(
    title: str, curves: Sequence[Curve], *, width: int, height: int, signs: bool = True
) -> list[Line]:
    """Draw curves over each other.

    Args:
        title: What stands above.
        curves: What is drawn, each in a colour; their names stand beside the title.
        width: So many cells are taken, axis and all.
        height: So many lines the curves have.
        signs: Whether braille may be used.

    Returns:
        The lines; without a finite value one line that says so.
    """
    points = [list(_finite(curve)) for curve in curves]
    xs = _range(x for each in points for x, _ in each if x is not None)
    ys = _range(y for each in points for _, y in each if y is not None)
    if xs is None or ys is None:
        return [[(title, "bold"), ("  no finite values", "dim")]]
    height = max(_LEAST_HEIGHT, height)
    labels = [number_text(ys.high), number_text(ys.low / 2 + ys.high / 2), number_text(ys.low)]
    if ys.low == ys.high:
        labels = ["", labels[1], ""]
    margin = max(map(len, labels))
    wide = max(_LEAST_WIDTH, width - margin - 2)
    across, down = (2, 4) if signs else (1, 1)
    drawn: dict[tuple[int, int], int] = {}
    owner: dict[tuple[int, int], int] = {}
    for number, each in enumerate(points):
        for x, y in _dots(each, xs, ys, wide * across, height * down):
            cell = (y // down, x // across)
            drawn[cell] = drawn.get(cell, 0) | _BITS[y % 4][x % 2]
            owner[cell] = number
    lines: list[Line] = [_head(title, curves, width)]
    bar = "┤" if signs else "|"
    for row in range(height):
        label = {0: labels[0], (height - 1) // 2: labels[1], height - 1: labels[2]}.get(row, "")
        line: list[Span] = [(f"{label:>{margin}} {bar}", "dim")]
        for column in range(wide):
            bits = drawn.get((row, column), 0)
            sign = (chr(_BRAILLE + bits) if signs else "*") if bits else " "
            line.append((sign, COLOURS[owner.get((row, column), 0) % len(COLOURS)]))
        lines.append(_joined(line))
    return [*lines, [(" " * (margin + 2) + _axis(xs, wide), "dim")]]


def number_text(value: float) -> str:
    """Say a number at an axis."""
    return f"{value:.4g}"


def _finite(curve: Curve) -> Iterator[tuple[float, float] | tuple[None, None]]:
    """Yield the points of a curve; a gap where one is not finite."""
    for x, y in zip(curve.xs, curve.ys, strict=True):
        yield (x, y) if math.isfinite(x) and math.isfinite(y) else (None, None)


def _range(values: Iterable[float]) -> Range | None:
    low, high = math.inf, -math.inf
    for value in values:
        low, high = min(low, value), max(high, value)
    return Range(low, high) if low <= high else None


def _dots(
    points: Sequence[tuple[float, float] | tuple[None, None]],
    xs: Range,
    ys: Range,
    width: int,
    height: int,
) -> Iterator[tuple[int, int]]:
    """Yield the dots of a line through points, from the upper left.

    Neighbours that come to stand above each other are one upright stroke: a curve of a hundred
    thousand points has few of them.
    """
    end: tuple[int, int] | None = None  # of what was drawn
    column, entered, top, bottom, left = -1, 0, 0, 0, 0  # of the stroke that is not drawn yet
    for x, y in [*points, (None, None)]:
        across = -1 if x is None else round(xs.part(x) * (width - 1))
        down = 0 if y is None else round((1 - ys.part(y)) * (height - 1))
        if across == column >= 0:
            top, bottom, left = min(top, down), max(bottom, down), down
            continue
        if column >= 0:
            if end is not None:
                yield from _between(end, (column, entered))
            yield from ((column, dot) for dot in range(top, bottom + 1))
        end = (column, left) if column >= 0 and across >= 0 else None
        column, entered, top, bottom, left = across, down, down, down, down


def _between(start: tuple[int, int], end: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the dots from one to another."""
    (x, y), (right, down) = start, end
    steps = max(abs(right - x), abs(down - y))
    for step in range(1, steps + 1):
        yield round(x + (right - x) * step / steps), round(y + (down - y) * step / steps)


def _head(title: str, curves: Sequence[Curve], width: int) -> Line:
    """Return the title; of several curves with their names, each in its colour."""
    line: list[Span] = [(title, "bold")]
    if len(curves) == 1:
        return [*line, (f"  {curves[0].name}" if curves[0].name else "", "dim")]
    room = width - cells(title)
    for number, curve in enumerate(curves):
        name = "  " + fit(curve.name, 40)
        if room < cells(name) + 6:
            return [*line, (f"  +{len(curves) - number}", "dim")]
        room -= cells(name)
        line.append((name, COLOURS[number % len(COLOURS)]))
    return line


def _axis(xs: Range, width: int) -> str:
    """Return the labels below: the first step, the middle one, and the last."""
    first, last = number_text(xs.low), number_text(xs.high)
    if xs.low == xs.high:
        return first.center(width).rstrip()
    middle = number_text(xs.low / 2 + xs.high / 2)
    room = width - len(first) - len(last)
    if room < len(middle) + 2:
        return first + last.rjust(width - len(first))
    left = max(1, width // 2 - len(first) - len(middle) // 2)
    return first + " " * left + middle + last.rjust(width - len(first) - left - len(middle))


def _joined(line: Sequence[Span]) -> list[Span]:
    """Put neighbours of one style together; blanks have any style."""
    joined = [line[0]]
    for text, style in line[1:]:
        last, last_style = joined[-1]
        if len(joined) > 1 and (style == last_style or text == " "):
            joined[-1] = (last + text, last_style)
        else:
            joined.append((text, style))
    return joined
