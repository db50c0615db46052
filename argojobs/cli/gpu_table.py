"""How GPUs look on a screen, and as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from argojobs.cli.text import Line, Span, columns
from argojobs.runs.wording import plural
from argojobs.service import Gpus, GpuUse

Waiting = Sequence[tuple[str, GpuUse]]


def gpu_lines(found: Sequence[Gpus], waiting: Waiting, context: str) -> list[Line]:
    """Lay GPUs out: a line for each machine, below it who uses them; then who waits.

    Args:
        found: the GPUs, by machine and kind.
        waiting: who waits, with the resource.
        context: its name, told where there are no GPUs.
    """
    if not found:
        return [[(f"{context} has no GPUs", "")]]
    rows: list[list[Span]] = [[(head, "dim") for head in ("MACHINE", "GPUS", "FREE", "USED", "BY")]]
    for gpus in found:
        rows.append(
            [
                (gpus.machine, "bold"),
                (f"{gpus.total} {gpus.resource}", ""),
                (str(gpus.free), "green" if gpus.free else "yellow"),
                (str(gpus.used), ""),
                ("", ""),
            ]
        )
        rows += [
            [("", ""), ("", ""), ("", ""), (str(use.count), ""), (_who(use), "")]
            for use in gpus.uses
        ]
    lines: list[Line] = [*columns(rows)]
    free = sum(gpus.free for gpus in found)
    total = sum(gpus.total for gpus in found)
    lines.append([(f"{free} of {plural(total, 'GPU')} free", "bold")])
    lines += [
        [(f"waiting: {use.count} {resource}, {_who(use)}", "yellow")] for resource, use in waiting
    ]
    return lines


def as_data(found: Sequence[Gpus], waiting: Waiting, context: str) -> dict[str, Any]:
    """Return all of it for programs.

    Args:
        found: the GPUs, by machine and kind.
        waiting: who waits, with the resource.
        context: its name.
    """
    return {
        "context": context,
        "free": sum(gpus.free for gpus in found),
        "total": sum(gpus.total for gpus in found),
        "machines": [
            {
                "machine": gpus.machine,
                "resource": gpus.resource,
                "total": gpus.total,
                "free": gpus.free,
                "uses": [_use(use) for use in gpus.uses],
            }
            for gpus in found
        ],
        "waiting": [{"resource": resource, **_use(use)} for resource, use in waiting],
    }


def _who(use: GpuUse) -> str:
    return f"{use.user}  {use.run or use.pod}"


def _use(use: GpuUse) -> dict[str, Any]:
    return {name: getattr(use, name) for name in GpuUse.__slots__}
