"""Argo's phases as a reader sees them: a sign, a colour, a word."""

from __future__ import annotations

from argojobs.cli.text import Span

#: phase -> (sign, sign in ASCII, style). "" is a step that has no node yet.
_PHASES = {
    "Succeeded": ("✔", "+", "green"),
    "Failed": ("✖", "x", "bold red"),
    "Error": ("✖", "!", "bold red"),
    "Running": ("●", "*", "cyan"),
    "Pending": ("◌", ".", "yellow"),
    "Skipped": ("–", "-", "dim"),
    "Omitted": ("–", "-", "dim"),
    "Daemoned": ("●", "*", "cyan"),
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


def word(phase: str) -> str:
    """Return a phase as a word; a workflow that nobody has begun yet is Pending."""
    return phase or "Pending"
