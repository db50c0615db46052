"""Argo's phases as a reader sees them: a sign, a colour, a word."""

from __future__ import annotations

from argojobs.cli.text import Span

#: phase -> (sign, sign in ASCII, style). "" is a step that has no node yet; Stopped is not a phase
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


def sign(phase: str, *, signs: bool = True) -> Span:
    """Return the sign of a phase with its style."""
    fancy, simple, style = _PHASES.get(phase, _PHASES[""])
    return (fancy if signs else simple, style)


def style(phase: str) -> str:
    """Return the style in which a phase is written."""
    return _PHASES.get(phase, _PHASES[""])[2]
