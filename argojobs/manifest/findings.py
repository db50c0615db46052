"""What a check finds in a workflow: a value, shown by whoever asked for the check."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ..errors import ManifestError
from .places import Path, path_text

Level = Literal["warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault, at a path from the top of the Workflow object.

    code: a stable name for machines (`unknown-field`). hint: what to do.
    """

    level: Level
    code: str
    path: Path
    message: str
    hint: str = ""

    def __str__(self) -> str:
        where = path_text(self.path)
        text = f"{where}: {self.message}" if where else self.message
        return f"{text} [{self.code}]"


def error(code: str, path: Path, message: str, hint: str = "") -> Finding:
    """Return a finding that stops a run.

    Args:
        code: a stable name for machines (`unknown-field`).
        path: where it is, from the top of the object.
        message: what is wrong.
        hint: what to do, "" for nothing to say.
    """
    return Finding("error", code, path, message, hint)


def warning(code: str, path: Path, message: str, hint: str = "") -> Finding:
    """Return a finding that is shown, and the run goes on.

    Args:
        code: a stable name for machines (`newer-field`).
        path: where it is, from the top of the object.
        message: what is wrong.
        hint: what to do, "" for nothing to say.
    """
    return Finding("warning", code, path, message, hint)


def errors(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that stop a run."""
    return [finding for finding in findings if finding.level == "error"]


_MOST_SHOWN = 10


def as_error(
    found: list[Finding], where: str = "", file: str = "", way_round: str = ""
) -> ManifestError:
    """Return the errors among findings as one ManifestError.

    Args:
        found: the findings, with an error among them.
        where: the place of the first error (`file:line:column`), "" where it is not known.
        file: what to name instead then.
        way_round: how to go on all the same, "" where there is no way.
    """
    faults = errors(found)
    first = faults[0]
    what = f"{path_text(first.path)}: {first.message}" if first.path else first.message
    hints = [first.hint] if first.hint else []
    if len(faults) > 1:
        hints.append(f"and {len(faults) - 1} more:")
        hints.extend(f"- {finding}" for finding in faults[1:_MOST_SHOWN])
    hints += [way_round] if way_round else []
    return ManifestError(what, where=where or file, hint="\n  ".join(hints))
