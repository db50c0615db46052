"""How findings are shown: lines for people, JSON, SARIF 2.1.0, and GitHub's annotations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from argojobs.cli.lint_rules import ALL
from argojobs.cli.text import Line, Span
from argojobs.manifest.kinds import IGNORE
from argojobs.manifest.places import path_text, place_text

if TYPE_CHECKING:
    from argojobs.lint.rule import Rule
    from argojobs.runs.linting import Linted, Report


_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_STYLES = {"error": "bold red", "warning": "yellow"}


def place_of(report: Report) -> str:
    """Return `file:line:column` of a manifest, `file:line` of a program, or the file alone."""
    if report.column:
        return place_text(report.file, report.line, report.column)
    return f"{report.file}:{report.line}" if report.line else report.file


def text_lines(linted: Linted) -> list[Line]:
    """Return two or three lines a finding, and a last one that counts."""
    lines: list[Line] = []
    for report in linted.reports:
        finding = report.finding
        where = f"at {path_text(finding.path)}" if finding.path else ""
        head: list[Span] = [(f"{place_of(report)}: ", "bold")]
        head += [(finding.level, _STYLES[finding.level]), (f": {finding.message} ", "")]
        lines.append([*head, (f"[{finding.code}]", "dim")])
        lines += [[("  " + part, "dim")] for part in (where,) if part]
        lines += [[("  " + part, "")] for part in finding.hint.splitlines()]
    lines.append([(summary(linted), "bold")])
    return lines


def summary(linted: Linted) -> str:
    """Return how much was found in how many files."""
    errors = sum(report.finding.level == "error" for report in linted.reports)
    warnings = len(linted.reports) - errors
    where = _count(len(linted.files), "file")
    if not linted.reports:
        return f"{where}: nothing found"
    return f"{where}: {_count(errors, 'error')}, {_count(warnings, 'warning')}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def as_json(linted: Linted) -> list[dict[str, Any]]:
    """Return findings as plain objects."""
    return [
        {
            "file": report.file,
            "line": report.line or None,
            "column": report.column or None,
            "path": path_text(report.finding.path),
            "level": report.finding.level,
            "code": report.finding.code,
            "message": report.finding.message,
            "remedy": report.finding.hint,
            "page": _page(report.finding.code),
        }
        for report in linted.reports
    ]


def _page(code: str) -> str:
    rule = ALL.get(code)
    return rule.more if rule else ""


def as_sarif(linted: Linted, version: str) -> dict[str, Any]:
    """Return a SARIF log with one run. Source: OASIS SARIF 2.1.0, 3.13 to 3.49."""
    codes = list(dict.fromkeys(report.finding.code for report in linted.reports))
    driver = {
        "name": "argojobs",
        "version": version,
        "semanticVersion": version,
        "rules": [_sarif_rule(code) for code in codes],
    }
    results = [_sarif_result(report, codes.index(report.finding.code)) for report in linted.reports]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return {"$schema": _SARIF, "version": "2.1.0", "runs": [run]}


def _sarif_rule(code: str) -> dict[str, Any]:
    rule = ALL.get(code)
    if rule is None:
        return {"id": code}
    return {
        "id": code,
        "shortDescription": {"text": rule.page.title},
        "fullDescription": {"text": rule.page.explanation},
        "help": {"text": rule.page.remedy},
        "helpUri": rule.more,
    }


def _sarif_result(report: Report, index: int) -> dict[str, Any]:
    finding = report.finding
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(report.file)}}
    if report.line:
        location["region"] = {"startLine": report.line}
    if report.column:
        location["region"]["startColumn"] = report.column
    where: dict[str, Any] = {"physicalLocation": location}
    if finding.path:
        where["logicalLocations"] = [{"fullyQualifiedName": path_text(finding.path)}]
    text = f"{finding.message}\n{finding.hint}" if finding.hint else finding.message
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": finding.level,
        "message": {"text": text},
        "locations": [where],
    }


def _from_here(file: str) -> str:
    """Return a file from the working directory on, where it lies below: so a checkout shows it."""
    path = Path(file)
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return path.as_posix()


def _uri(file: str) -> str:
    """Return a file as SARIF wants it: a relative reference, or a whole `file:` URI."""
    name = _from_here(file)
    return Path(name).as_uri() if Path(name).is_absolute() else quote(name, safe="/")


def github_lines(reports: Sequence[Report]) -> list[str]:
    """Return workflow commands that GitHub shows beside the lines of a change.

    Source: GitHub docs, workflow commands, setting an error or warning message.
    """
    lines = []
    for report in reports:
        finding = report.finding
        parts = {"file": _from_here(report.file), "title": finding.code}
        if report.line:
            parts["line"] = str(report.line)
        if report.column:
            parts["col"] = str(report.column)
        properties = ",".join(f"{name}={_property(value)}" for name, value in parts.items())
        where = f"{path_text(finding.path)}: " if finding.path else ""
        hint = f"\n{finding.hint}" if finding.hint else ""
        lines.append(f"::{finding.level} {properties}::{_data(where + finding.message + hint)}")
    return lines


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def rule_lines(rule: Rule[...]) -> list[Line]:
    """Return what `--explain` shows of a rule."""
    page = rule.page
    lines: list[Line] = [[(rule.code, "bold"), (f" ({rule.level}): {page.title}", "")], [("", "")]]
    lines += [[(page.explanation, "")], [("", "")], [("remedy: ", "bold"), (page.remedy, "")]]
    if rule.level == "warning" or rule.beyond:
        lines += [[("ignore: ", "bold"), (f"{IGNORE}: {rule.code} in metadata.annotations", "")]]
    lines += [[("page:   ", "bold"), (rule.own_page, "")], [("more:   ", "bold"), (rule.more, "")]]
    for title, example in (("wrong:", page.wrong), ("right:", page.right)):
        lines += [[("", "")], [(title, "bold")]]
        lines += [[("  " + part, "dim")] for part in example.rstrip().splitlines()]
    return lines
