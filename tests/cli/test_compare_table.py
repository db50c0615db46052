"""A comparison on a terminal: in blocks as wide as it is, with nothing lost."""

from __future__ import annotations

import pytest

from argojobs.cli.compare_table import table_lines
from argojobs.cli.text import cells, painted
from argojobs.results.comparing import Run, Table, compared
from argojobs.results.digest import Digest


def table(count: int, columns: int, name: str = "demo") -> Table:
    return compared([
        Run(
            {"run": f"{name}-{number:03}", "phase": "Failed" if number else "Succeeded"},
            {f"parameter-{column}": f"value-{number}-{column}" for column in range(columns)}, Digest(),
        )
        for number in range(count)
    ])  # fmt: skip


def texts(shown: Table, width: int, *, signs: bool = True) -> list[str]:
    return [painted(line, colour=False) for line in table_lines(shown, width, signs=signs)]


def test_what_fits_is_one_block() -> None:
    assert texts(table(2, 1), 80) == [
        "run       phase      parameter-0",
        "demo-000  Succeeded  value-0-0",
        "demo-001  Failed     value-1-0",
    ]


@pytest.mark.parametrize("width", [20, 40, 79, 200])
def test_three_hundred_wide_runs_have_blocks_that_fit(width: int) -> None:
    lines = texts(table(300, 30), width)
    assert all(cells(line) <= max(width, len("demo-000  parameter-10")) for line in lines)
    heads = [line for line in lines if line.startswith("run")]
    assert len(heads) > 1
    assert [name for head in heads for name in head.split()[1:]] == [
        "phase",
        *(f"parameter-{n}" for n in range(30)),
    ]
    assert len(lines) == len(heads) * 301 + len(heads) - 1


def test_without_end_there_is_one_block() -> None:
    assert len(texts(table(3, 200), 0)) == 4


def test_long_names_of_runs_are_cut_on_a_narrow_screen() -> None:
    lines = texts(table(2, 2, "a-very-long-name-of-a-run"), 30)
    assert lines[1].startswith("a-very-long-na…  ")
    assert texts(table(2, 2, "a-very-long-name-of-a-run"), 30, signs=False)[1].startswith(
        "a-very-long-na~  "
    )


def test_phases_have_their_colours() -> None:
    spans = [span for line in table_lines(table(2, 1), 0, signs=True) for span in line]
    assert ("Succeeded", "green") in spans
    assert ("Failed   ", "bold red") in spans


def test_wide_characters_stand_one_below_the_other() -> None:
    shown = compared([
        Run({"run": "a"}, {"名前": "模型", "b": "1"}, Digest()), Run({"run": "b"}, {"名前": "x", "b": "2"}, Digest()),
    ])  # fmt: skip
    ends = {cells(line.rstrip()) for line in texts(shown, 0)}
    assert len(ends) == 1


def test_a_page_of_nothing_is_nothing() -> None:
    assert texts(compared([]), 80) == []
