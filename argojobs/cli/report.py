"""What a failing run says: the user's own traceback first, then what failed and where to look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from argojobs.cli.phases import sign
from argojobs.cli.text import Line, Screen, plain
from argojobs.cli.times import elapsed
from argojobs.cli.tree import Step, failed_steps, leaves, steps_of
from argojobs.service import Service

#: The newest log lines of the failing step that are shown.
TAIL = 20
TRACEBACK = "Traceback (most recent call last):"


def failure_lines(
    workflow: dict[str, Any], log: Sequence[str], screen: Screen, *, took: float | None = None
) -> list[Line]:
    """Return the report of a run that failed: at most 25 lines, of which 20 are the log's."""
    name = str(workflow["metadata"]["name"])
    status = workflow.get("status") or {}
    steps = steps_of(workflow)
    if was_stopped(workflow):
        return _stopped_lines(name, steps, screen, took)
    broken = failed_steps(steps)
    lines: list[Line] = [[(text, "")] for text in tail(log)]
    mark, style = sign(str(status.get("phase", "Failed")), signs=screen.signs)
    message = _one_line(str(status.get("message", "")))
    if broken:
        first = broken[0]
        message = _one_line(first.message) or message
        lines.append([(f"{mark} {first.path} failed", style), (_because(message), "red")])
        facts = [_attempts(first), _others(len(broken) - 1)]
        first_facts = [fact for fact in facts if fact]
        if first_facts:
            lines.append([("  " + ", ".join(first_facts), "dim")])
    done, count = _succeeded(steps)
    after = f" after {elapsed(took)}" if took is not None else ""
    ended = str(status.get("phase", "")).lower() or "failed"
    word = "ended in an error" if ended == "error" else ended
    why = "" if broken else _because(message)
    lines.append(
        [(f"{name} {word}{after}", "bold"), (f", {done} of {count} steps succeeded{why}", "")]
    )
    more = [f"argojobs logs {name} {broken[0].path}"] if broken else []
    more.append(f"argojobs get {name}")
    lines.append([("  more: " + "   ".join(more), "dim")])
    return lines


def was_stopped(workflow: dict[str, Any]) -> bool:
    """Tell whether a run ended because somebody wanted it to (Argo's shutdown)."""
    message = str((workflow.get("status") or {}).get("message", ""))
    return message.startswith("Stopped with strategy")


def _stopped_lines(
    name: str, steps: Sequence[Step], screen: Screen, took: float | None
) -> list[Line]:
    done, count = _succeeded(steps)
    after = f" after {elapsed(took)}" if took is not None else ""
    mark = "■" if screen.signs else "#"
    return [
        [
            (f"{mark} {name} was stopped{after}", "yellow"),
            (f", {done} of {count} steps succeeded", ""),
        ],
        [(f"  more: argojobs get {name}   argojobs logs {name}", "dim")],
    ]


def _succeeded(steps: Sequence[Step]) -> tuple[int, int]:
    """Return how many leaf steps succeeded, and how many there are as far as is known."""
    phases = [step.phase for step in leaves(steps)]
    return phases.count("Succeeded"), len(phases)


def tail(log: Sequence[str]) -> list[str]:
    """Return the part of a log's end that explains a failure, in at most 20 lines.

    If a Python traceback is among the last lines, that is what begins the report; one longer
    than there is room for keeps its first line and its end.
    """
    kept = [plain(text) for text in log]
    while kept and not kept[-1].strip():
        kept.pop()
    last = kept[-TAIL:]
    starts = [i for i, text in enumerate(last) if text.strip() == TRACEBACK]
    if starts:
        return last[starts[0] :]
    earlier = [text for text in kept[-200:] if text.strip() == TRACEBACK]
    if earlier and len(kept) > TAIL:
        return [TRACEBACK, "  ...", *kept[-(TAIL - 2) :]]
    return last


def failing_log(service: Service, workflow: dict[str, Any]) -> list[str]:
    """Read the newest log lines of the step that failed first; none if it has no pod."""
    broken = failed_steps(steps_of(workflow))
    if not broken or not broken[0].pods or was_stopped(workflow):
        return []
    name = str(workflow["metadata"]["name"])
    pod = broken[0].pods[-1]
    return [line.text for line in service.logs(name, node_id=pod, tail=200)]


def _because(message: str) -> str:
    return f": {message}" if message else ""


def _one_line(message: str) -> str:
    return plain(message.strip().splitlines()[0]) if message.strip() else ""


def _attempts(step: Step) -> str:
    if step.attempts < 2:
        return ""
    return f"{step.attempts} attempts made, this is the log of the last"


def _others(count: int) -> str:
    return f"{count} other step{'s' if count > 1 else ''} failed too" if count else ""
