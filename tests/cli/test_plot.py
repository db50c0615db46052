"""Curves made of characters."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from argojobs.cli.plot import Curve, chart
from argojobs.cli.text import cells


def drawn(
    *curves: Curve, title: str = "loss", width: int = 40, height: int = 5, signs: bool = True
):
    lines = chart(title, curves, width=width, height=height, signs=signs)
    return ["".join(text for text, _ in line) for line in lines]


def curve(ys: Sequence[float], xs: Sequence[float] | None = None, name: str = "train") -> Curve:
    return Curve(name, range(len(ys)) if xs is None else xs, ys)


def test_a_line_has_its_axes_beside_it() -> None:
    assert drawn(curve([0, 1, 2, 3, 4]), width=24, signs=False) == [
        "loss  train",
        "4 |                  ***",
        "  |             *****   ",
        "2 |        *****        ",
        "  |   *****             ",
        "0 |***                  ",
        "   0         2         4",
    ]


def test_with_braille_a_character_has_eight_dots() -> None:
    lines = drawn(curve([0, 1]), width=6 + 12, height=3)
    assert lines[1].startswith("  1 ┤")
    assert "⠉" in lines[1]
    assert all(
        0x2800 <= ord(sign) < 0x2900 or sign in " ┤.0123456789"
        for line in lines[1:]
        for sign in line
    )


def test_it_is_as_wide_and_high_as_it_may_be() -> None:
    for width in (30, 80, 200):
        for height in (3, 10):
            lines = drawn(curve([math.sin(x / 9) for x in range(500)]), width=width, height=height)
            assert len(lines) == height + 2
            assert max(map(cells, lines)) <= width


def test_nan_and_infinities_are_gaps() -> None:
    whole = drawn(curve([1.0] * 101), signs=False)
    broken = drawn(curve([1.0] * 40 + [math.nan, math.inf] * 10 + [1.0] * 41), signs=False)
    dots = [line.count("*") for line in (whole[3], broken[3])]
    assert 0 < dots[1] < dots[0]
    assert broken[3].index("*") == whole[3].index("*")
    assert broken[3].rindex("*") == whole[3].rindex("*")


@pytest.mark.parametrize("values", [[], [math.nan], [math.inf, -math.inf]])
def test_without_a_finite_value_it_says_so(values: list[float]) -> None:
    assert drawn(curve(values)) == ["loss  no finite values"]


def test_one_point_is_one_dot() -> None:
    lines = drawn(curve([7.0], [3.0]), signs=False)
    assert sum(line.count("*") for line in lines) == 1
    assert "7 |" in lines[3]
    assert lines[-1].strip() == "3"


def test_huge_numbers_are_drawn() -> None:
    lines = drawn(curve([1.7e308, -1.7e308], [-1.7e308, 1.7e308]), signs=False)
    assert lines[1].startswith(" 1.7e+308 |*")
    assert lines[5].endswith("*")


def test_steps_that_go_backward_are_drawn_as_they_are() -> None:
    there_and_back = drawn(curve([0, 1, 0], [0, 10, 0]), signs=False)
    assert there_and_back == drawn(curve([0, 1], [0, 10]), signs=False)


def test_a_spike_among_a_hundred_thousand_points_is_seen() -> None:
    values = [0.0] * 100_000
    values[50_123] = 1.0
    lines = drawn(curve(values), signs=False)
    assert lines[1].count("*") == 1
    assert all(line.count("*") >= 1 for line in lines[1:6])


def test_several_curves_have_colours_and_names() -> None:
    first, second = curve([0, 1]), curve([1, 0], name="test")
    lines = chart("loss", [first, second], width=40, height=5)
    assert lines[0] == [("loss", "bold"), ("  train", "cyan"), ("  test", "yellow")]
    assert {style for line in lines[1:6] for _, style in line} == {"dim", "cyan", "yellow"}
    many = chart("loss", [curve([0, 1], name=f"items({n})") for n in range(99)], width=60, height=5)
    assert "".join(text for text, _ in many[0]).endswith("items(4)  +94")
