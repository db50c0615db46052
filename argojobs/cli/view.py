"""The tree of a run as lines: a sign, a name, a time and a note for each step.

With a height, what is over or still to come is folded so that what runs or broke stays in sight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from argojobs.cli import phases
from argojobs.cli.pace_text import pace_text
from argojobs.cli.text import Line, Screen, Span, cells, fit
from argojobs.results.pace import Pace
from argojobs.runs.view.phases import BROKEN, ENDED
from argojobs.runs.view.steps import Step, items_done, progress, succeeded
from argojobs.runs.view.times import elapsed
from argojobs.runs.wording import plain, plural
from argojobs.service import Workflow, phase_of

#: So many items of a fan-out are shown one by one; of more, only those that run or broke.
ITEMS = 8
#: So many log lines stand under a step that runs, where there is room.
LOG_LINES = 3
#: So many stay under a step that ended well, in a tree of no more than so many rows.
KEPT_LINES, KEPT_ROWS = 2, 12


class Row(NamedTuple):
    """One row: a step, or a fold of several neighbours that are alike."""

    depth: int
    step: Step
    folded: int = 0


def tree_lines(
    steps: Sequence[Step],
    now: float,
    screen: Screen,
    *,
    height: int = 0,
    logs: Mapping[str, Sequence[str]] | None = None,
    keep: bool = False,
    paces: Mapping[str, Pace] | None = None,
) -> list[Line]:
    """Draw a tree at a moment.

    Args:
        steps: the roots of the tree.
        now: seconds since 1970.
        screen: where it is shown.
        height: at most so many lines; 0: as many as it needs.
        logs: the newest log lines by pod id, shown under the steps that run.
        keep: whether a few stand under those that ended well, too, if it is a small tree: what a
            short step said is not lost.
        paces: how far steps said they are, by their nodes' ids.
    """
    rows = _rows_of(steps, compact=False)
    if height and len(rows) > height:
        rows = folded(_rows_of(steps, compact=True), height)
    names = [_label(row, signs=screen.signs) for row in rows]
    widest = max((cells(name) for name in names), default=0)
    name_width = min(widest, max(16, (screen.width or 100) // 2))
    room = (height - len(rows)) if height else 0
    running = sum(bool(_newest(row, logs)) for row in rows)
    share = min(LOG_LINES, room // running) if running and room > 0 else 0
    lines: list[Line] = []
    for row, name in zip(rows, names, strict=True):
        pace = (paces or {}).get(row.step.node_id)
        lines.append(_row_line(row, name, name_width, now, screen, pace))
        told = _newest(row, logs)[-share:] if share else ()
        if keep and len(rows) <= KEPT_ROWS:
            told = _last(row, logs)
        for text in told:
            bar = "│" if screen.signs else "|"
            lines.append([("  " * (row.depth + 2) + f"{bar} {plain(text)}", "dim")])
    return lines


def _rows_of(steps: Sequence[Step], *, compact: bool, depth: int = 0) -> list[Row]:
    """Flatten a tree; compact hides what lies within steps that ended well or have not begun."""
    rows: list[Row] = []
    for step in steps:
        rows.append(Row(depth, step))
        if compact and _quiet(step):
            continue
        rows.extend(_rows_of(_shown(step, compact=compact), compact=compact, depth=depth + 1))
    return rows


def _shown(step: Step, *, compact: bool) -> Sequence[Step]:
    """Return the children worth a row each: all, but of a large fan-out the busy and broken."""
    if not step.is_fan_out:
        return step.children
    if step.phase == "" or (len(step.children) <= ITEMS and not compact):
        return step.children if step.phase else ()
    broken = [child for child in step.children if child.phase in BROKEN]
    running = [child for child in step.children if child.phase == "Running"]
    return (broken + running)[:ITEMS]


def folded(rows: list[Row], height: int) -> list[Row]:
    """Fold the longest runs of neighbours that ended well, or wait, until all fits."""
    while len(rows) > height:
        start, length = _longest_run(rows)
        if length < 2:
            break
        count = sum(row.folded or 1 for row in rows[start : start + length])
        first = rows[start]
        rows = [*rows[:start], Row(first.depth, first.step, count), *rows[start + length :]]
    if len(rows) > height:
        hidden = len(rows) - height + 1
        rows = [*rows[: height - 1], Row(0, Step("", ""), hidden)]
    return rows


def _longest_run(rows: Sequence[Row]) -> tuple[int, int]:
    """Find the longest run of rows of one depth and kind that may be folded."""
    best, start = (0, 0), 0
    for position in range(1, len(rows) + 1):
        if position < len(rows) and _kind(rows[position]) == _kind(rows[start]) is not None:
            continue
        if _kind(rows[start]) is not None and position - start > best[1]:
            best = (start, position - start)
        start = position
    return best


def _kind(row: Row) -> tuple[int, bool] | None:
    return (row.depth, row.step.phase == "") if _quiet(row.step) else None


def _quiet(step: Step) -> bool:
    """Tell whether nothing goes on in a step: it ended well, or has not begun."""
    return step.phase == "" or (step.phase in ENDED and step.phase not in BROKEN)


def _newest(row: Row, logs: Mapping[str, Sequence[str]] | None) -> Sequence[str]:
    """Return the newest log lines of a row's step, if it runs."""
    if not logs or row.folded or row.step.phase != "Running" or not row.step.pods:
        return ()
    return logs.get(row.step.pods[-1], ())


def _last(row: Row, logs: Mapping[str, Sequence[str]] | None) -> Sequence[str]:
    """Return the last log lines of a row's step, if it ended well."""
    if not logs or row.folded or row.step.phase != "Succeeded" or not row.step.pods:
        return ()
    return logs.get(row.step.pods[-1], ())[-KEPT_LINES:]


def _label(row: Row, *, signs: bool) -> str:
    indent = "  " * (row.depth + 1)
    if row.folded:
        what = "to come" if row.step.phase == "" else "done"
        dots = "…" if signs else "..."
        return f"{indent}{dots} {row.folded} {what}" if row.step.name else f"{indent}{dots}"
    return f"{indent}{phases.sign(row.step.phase, signs=signs)[0]} {row.step.label}"


def _row_line(
    row: Row, label: str, name_width: int, now: float, screen: Screen, pace: Pace | None
) -> Line:
    """Lay out one row: label, time, note."""
    step = row.step
    if row.folded:
        note = "" if step.name else f"{row.folded} more rows"
        return [(f"{label} {note}".rstrip(), "dim")]
    label = fit(label, name_width, signs=screen.signs)
    indent = len(label) - len(label.lstrip())
    sign, style = phases.sign(step.phase, signs=screen.signs)
    name_style = "dim" if step.phase in {"", "Skipped", "Omitted"} else ""
    spans: list[Span] = [
        (label[:indent], ""),
        (label[indent : indent + len(sign)], style),
        (label[indent + len(sign) :], name_style),
    ]
    time, note = _time(step, now), _note(step, screen, now, pace)
    if time or note:
        spans.append((" " * (name_width - cells(label)), ""))
        spans.append((f"  {time:>7}", "dim"))
    if note:
        spans.append((f"  {note}", "red" if step.phase in BROKEN else "dim"))
    return spans


def _time(step: Step, now: float) -> str:
    if step.started is None or step.reused or not step.began:
        return ""
    if step.phase in {"Skipped", "Omitted", "Pending", ""}:
        return ""
    end = step.finished if step.finished is not None else now
    return elapsed(max(0.0, end - step.started))


def items_text(step: Step, now: float) -> str:
    """Say how far a fan-out is: `120 of 500, 3 failed, about 2m 10s left`."""
    done, count, broken, left = items_done(step, now)
    failed = f", {broken} failed" if broken else ""
    about = f", about {elapsed(left)} left" if left is not None and left >= 1 else ""
    return f"{done} of {count}{failed}{about}"


def _note(step: Step, screen: Screen, now: float, pace: Pace | None) -> str:
    """Say what a row's sign and time do not: attempts, counts, the message of what is not well."""
    notes: list[str] = []
    if step.attempts > 1:
        of = f" of {step.limit}" if step.limit else ""
        notes.append(f"attempt {step.attempts}{of}")
    if step.waited >= 1 and not step.children:
        notes.append(f"waited {elapsed(step.waited)}")
    if pace is None and step.done is not None and step.phase not in {"Pending", "Succeeded"}:
        notes.append(f"{step.done[0]} of {step.done[1]}")
    if step.is_fan_out and step.children:
        notes.append(items_text(step, now))
    if pace is not None:
        notes.append(pace_text(pace))
    if not step.began:
        notes.append("never began")
    if step.reused:
        notes.append("reused")
    elif step.phase in {"Skipped", "Omitted"}:
        notes.append(step.phase.lower())
    elif step.message and step.phase != "Succeeded" and not step.children:
        notes.append(plain(step.message.splitlines()[0]))
    return (" · " if screen.signs else ", ").join(notes)


def ended_counts(workflow: Workflow, steps: Sequence[Step]) -> str:
    """Say how far a run is, or, where it broke, how many of its steps succeeded."""
    if phase_of(workflow) not in BROKEN:
        return counts(steps)
    done, count = succeeded(steps)
    return f"{done} of {plural(count, 'step')} succeeded"


def counts(steps: Sequence[Step]) -> str:
    """Say progress: `3 of 8 steps (38 %)`."""
    done, count = progress(steps)
    percent = f" ({100 * done // count} %)" if count else ""
    return f"{done} of {plural(count, 'step')}{percent}"
