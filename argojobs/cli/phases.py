"""Argo's phases as a reader sees them: a sign, a colour, a word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from argojobs.cli.text import Span
from argojobs.service import phase_of

#: phase -> (sign, sign in ASCII, style). "" is a step that has no node yet; Stopped is no phase
#: of Argo's, but what people call a run that Failed because somebody wanted its end.
_PHASES = {
    "Succeeded": ("✔", "+", "green"),
    "Failed": ("✖", "x", "bold red"),
    "Error": ("✖", "!", "bold red"),
    "Running": ("●", "*", "cyan"),
    "Pending": ("◌", ".", "yellow"),
    "Skipped": ("–", "-", "dim"),
    "Omitted": ("–", "-", "dim"),
    "Daemoned": ("●", "*", "cyan"),
    "Stopped": ("■", "#", "yellow"),
    "": ("·", ".", "dim"),
}

#: Phases in which a node no longer changes.
ENDED = frozenset({"Succeeded", "Failed", "Error", "Skipped", "Omitted"})
BROKEN = frozenset({"Failed", "Error"})


def sign(phase: str, *, signs: bool = True) -> Span:
    """Return the sign of a phase with its style."""
    fancy, simple, style = _PHASES.get(phase, _PHASES[""])
    return (fancy if signs else simple, style)


def style(phase: str) -> str:
    """Return the style in which a phase is written."""
    return _PHASES.get(phase, _PHASES[""])[2]


def was_stopped(workflow: Mapping[str, Any]) -> bool:
    """Tell whether a run ended because somebody wanted it to (Argo's shutdown)."""
    message = str((workflow.get("status") or {}).get("message", ""))
    return message.startswith("Stopped with strategy")


def of_run(workflow: Mapping[str, Any]) -> str:
    """Return a run's phase as people call it: one that somebody ended is Stopped."""
    if was_stopped(workflow):
        return "Stopped"
    return word(phase_of(workflow))


def word(phase: str) -> str:
    """Return a phase as a word; a workflow that nobody has begun yet is Pending."""
    return phase or "Pending"
