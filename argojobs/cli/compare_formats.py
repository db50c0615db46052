"""A comparison as CSV, Markdown, LaTeX, HTML or JSON.

CSV and JSON have numbers as they are, bit for bit; the others have what a reader takes in. Names and
texts are anybody's: each format has them so that they are nothing but text.
"""

from __future__ import annotations

import csv
import html
import io
import json
import math
import re
from collections.abc import Callable
from enum import Enum
from typing import Any

from argojobs.cli.pace_text import value_text
from argojobs.results.cell import Cell, number_of
from argojobs.results.columns import in_json
from argojobs.results.comparing import RUN, Column, Table
from argojobs.runs.view.times import elapsed
from argojobs.runs.wording import plain

#: A text is cut there in what people read.
_LONGEST = 60
_SEPARATOR = "\x00"


class CompareFormat(str, Enum):
    """How a comparison is printed."""

    table = "table"
    csv = "csv"
    md = "md"
    latex = "latex"
    html = "html"
    json = "json"


def texts_of(column: Column) -> list[str]:
    """Return the cells of a column as they are read: "" for nothing, short numbers, one line."""
    cells = column.cells
    if column.name == "duration":
        return ["" if cell is None else elapsed(float(cell)) for cell in cells]
    try:
        fast = ("%.6g" + _SEPARATOR) * len(cells) % tuple(cells)  # nearly all columns are numbers
    except TypeError:
        return [_text(cell) for cell in cells]
    if "e+" in fast:  # whole numbers have all of their digits
        return [_text(cell) for cell in cells]
    return fast.split(_SEPARATOR)[:-1]


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    if not isinstance(cell, str):
        return _number_text(cell)
    text = plain(" ".join(cell.split()))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _number_text(number: float) -> str:
    if isinstance(number, int) and abs(number) >= 10**_LONGEST:
        return "inf" if number > 0 else "-inf"
    return str(number) if isinstance(number, int) else value_text(number)


def is_right(column: Column) -> bool:
    """Tell whether a column is of numbers, which stand on the right."""
    if column.kind == "metric":
        return True
    return column.name != RUN and all(
        cell is None or not isinstance(cell, str) or number_of(cell) is not None
        for cell in column.cells
    )


def head_of(column: Column) -> str:
    """Return the name of a column in one line."""
    return plain(" ".join(column.name.split()))


def csv_text(table: Table) -> str:
    """Return a comparison as CSV; what a run lacks is empty."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow([column.name for column in table.columns])
    writer.writerows(zip(*(column.cells for column in table.columns), strict=True))
    return lines.getvalue()


def json_text(table: Table) -> str:
    """Return a comparison as a list of objects, one a row and line; what a run lacks is null."""
    names = [column.name for column in table.columns]
    columns = [[_in_json(cell, column) for cell in column.cells] for column in table.columns]
    rows = (
        json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False, allow_nan=False)
        for row in zip(*columns, strict=True)
    )
    return "[\n" + ",\n".join(rows) + "\n]\n"


def _in_json(cell: Cell, column: Column) -> Any:
    """Return a cell as JSON has it: parameters as numbers where they are some, NaN as its text."""
    if isinstance(cell, str) and column.kind == "parameter":
        number = number_of(cell)
        finite = number is not None and math.isfinite(number)
        return number if finite else cell
    return in_json(cell) if isinstance(cell, float) else cell


def markdown(table: Table) -> str:
    """Return a comparison as a table of Markdown."""
    right = [is_right(column) for column in table.columns]
    lines = [_piped(_escaped_md(head_of(column)) for column in table.columns)]
    lines.append(_piped("---:" if so else "---" for so in right))
    lines += (_piped(map(_escaped_md, row)) for row in _rows(table))
    return "\n".join(lines) + "\n"


def _rows(table: Table) -> list[tuple[str, ...]]:
    return list(zip(*map(texts_of, table.columns), strict=True))


def _piped(texts: Any) -> str:
    return f"| {' | '.join(texts)} |"


#: What Markdown, and HTML in it, would take for a sign of its own; an underscore only at a word's edge.
_IN_MD = re.compile(r"[\\`*\[\]<>&|~$]|(?<![^\W_])_|_(?![^\W_])")


def _escaped_md(text: str) -> str:
    return _IN_MD.sub(r"\\\g<0>", text)


_IN_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"{\textquotesingle}",
}  # fmt: skip
_POWER = re.compile(r"(-?[\d.]+)e([+-])0*(\d+)")


def latex(table: Table) -> str:
    """Return a comparison as a `tabular`, which needs no packages."""
    right = [is_right(column) for column in table.columns]
    heads = " & ".join(_escaped_latex(head_of(column)) for column in table.columns)
    lines = [rf"\begin{{tabular}}{{{''.join('r' if so else 'l' for so in right)}}}", r"\hline"]
    lines += [rf"{heads} \\", r"\hline"]
    for row in _rows(table):
        shown = map(_in_latex, row, right)
        lines.append(rf"{' & '.join(shown)} \\")
    return "\n".join([*lines, r"\hline", r"\end{tabular}"]) + "\n"


def _in_latex(text: str, is_number: bool) -> str:
    """Return a text; a number in the way numbers are set."""
    power = _POWER.fullmatch(text)
    if power:
        sign = "-" if power[2] == "-" else ""
        return rf"${power[1]} \cdot 10^{{{sign}{power[3]}}}$"
    if is_number and text in ("inf", "-inf"):
        return text.replace("inf", r"$\infty$").replace("-$", "$-")
    if is_number and text.startswith("-"):
        return f"${text}$"
    return _escaped_latex(text)


def _escaped_latex(text: str) -> str:
    return "".join(_IN_LATEX.get(one, one) for one in text)


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>argojobs compare</title>
<style>
body {{ font: 14px sans-serif; margin: 1.5em; }}
table {{ border-collapse: collapse; }}
th, td {{ border-bottom: 1px solid #ccc; padding: .25em .75em; text-align: left; white-space: nowrap; }}
thead th {{ position: sticky; top: 0; background: #fff; border-bottom: 2px solid #444; }}
.n {{ text-align: right; font-variant-numeric: tabular-nums; }}
.Failed, .Error {{ color: #b00; }}
.Running, .Pending {{ color: #06c; }}
</style>
</head>
<body>
<table>
<thead>
<tr>{heads}</tr>
</thead>
<tbody>
{rows}
</tbody>
</table>
</body>
</html>
"""


def html_page(table: Table) -> str:
    """Return a comparison as a page of its own, without scripts and without anything from elsewhere."""
    columns = table.columns
    right = [' class="n"' if is_right(column) else "" for column in columns]
    heads = (
        f"<th{own}>{html.escape(head_of(column))}</th>"
        for own, column in zip(right, columns, strict=True)
    )
    phases = [column.name == "phase" and column.kind == "fact" for column in columns]
    rows = ["<tr>" + "".join(map(_html_cell, row, right, phases)) + "</tr>" for row in _rows(table)]
    return _PAGE.format(heads="".join(heads), rows="\n".join(rows))


def _html_cell(text: str, attributes: str, is_phase: bool) -> str:
    if is_phase and text.isalpha():
        attributes = f' class="{text}"'
    return f"<td{attributes}>{html.escape(text)}</td>"


WRITERS: dict[CompareFormat, Callable[[Table], str]] = {
    CompareFormat.csv: csv_text,
    CompareFormat.md: markdown,
    CompareFormat.latex: latex,
    CompareFormat.html: html_page,
    CompareFormat.json: json_text,
}
