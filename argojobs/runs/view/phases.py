"""Argo's phases: which of them are final, and what people call them."""

from __future__ import annotations

from argojobs.manifest.view import status_of
from argojobs.service import Workflow, phase_of

#: Phases in which a node no longer changes.
ENDED = frozenset({"Succeeded", "Failed", "Error", "Skipped", "Omitted"})


BROKEN = frozenset({"Failed", "Error"})


def was_stopped(workflow: Workflow) -> bool:
    """Tell whether a run ended because somebody wanted it to (Argo's shutdown)."""
    message = str(status_of(workflow).get("message", ""))
    return message.startswith("Stopped with strategy")


def of_run(workflow: Workflow) -> str:
    """Return a run's phase as people call it: one that somebody ended is Stopped."""
    if was_stopped(workflow):
        return "Stopped"
    return word(phase_of(workflow))


def word(phase: str) -> str:
    """Return a phase as a word; a workflow that nobody has begun yet is Pending."""
    return phase or "Pending"
