"""A diagnosis on the screen, and for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from argojobs.cli.phases import sign
from argojobs.cli.text import Line
from argojobs.diagnosis.finding import Finding
from argojobs.runs.diagnosis import Looked
from argojobs.runs.view.phases import BROKEN, of_run
from argojobs.runs.wording import plain, plural

_WELL = {
    "Succeeded": "it succeeded",
    "Running": "nothing hinders it",
    "Pending": "it has not begun, and nothing says why yet",
}


def as_data(looked: Looked) -> dict[str, Any]:
    """Return a diagnosis for programs."""
    run = looked.evidence.workflow
    return {
        "run": looked.evidence.run,
        "state": of_run(run),
        "findings": [asdict(finding) for finding in looked.findings],
        "not_looked_at": looked.missing,
    }


def lines_of(looked: Looked, *, signs: bool) -> list[Line]:
    """Return what people read: a finding with where it is, what to do, and a command."""
    run, evidence = looked.evidence.workflow, looked.evidence
    phase = of_run(run)
    mark, style = sign(phase, signs=signs)
    head = "" if looked.findings else f": {_WELL.get(phase, 'nothing is known of why')}"
    lines: list[Line] = [[(f"{mark} ", style), (evidence.run, "bold"), (f"  {phase}{head}", style)]]
    for finding in looked.findings:
        lines += [[], *_lines_of(finding, red=phase in BROKEN)]
    if looked.missing:
        lines += [[], [("Not looked at", "bold")]]
        lines += [[(f"  {plain(text)}", "dim")] for text in looked.missing]
    return lines


def _lines_of(finding: Finding, *, red: bool) -> list[Line]:
    where = finding.step or "the run"
    others = f" and {plural(finding.others, 'other step')}" if finding.others else ""
    lines: list[Line] = [
        [(f"{plain(where)}{others}: ", "bold"), (plain(finding.what), "red" if red else "yellow")]
    ]
    lines += [[("  do: ", "dim"), (plain(finding.remedy), "")]] if finding.remedy else []
    lines += [[("  $ ", "dim"), (plain(finding.command), "")]] if finding.command else []
    details = f"  {finding.cause}{f', pod {finding.pod}' if finding.pod else ''}"
    return [*lines, [(details, "dim")]]
