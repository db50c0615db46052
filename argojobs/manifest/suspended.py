"""Suspend nodes that wait to be resumed, and the outputs that whoever resumes them gives.

Source: Argo docs, suspending (`valueFrom: {supplied: {}}`); node field selectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from . import selectors
from .view import parameters_of

Node = Mapping[str, Any]


def is_waiting(node: Node) -> bool:
    """Tell whether a node is a suspend node that waits to be resumed."""
    return node["type"] == "Suspend" and bool(node["phase"] == "Running")


def waiting(nodes: Iterable[Node], selector: str = "") -> list[Node]:
    """Return the suspend nodes that wait, of a field selector's where one is given.

    Raises UsageError for a wrong selector.
    """
    terms = selectors.parse(selector) if selector else []
    return [node for node in nodes if is_waiting(node) and selectors.matches(terms, node)]


def supplied_outputs(node: Node) -> dict[str, str | None]:
    """Return the outputs whose values a node waits for, with the default of each, None for none."""
    sources = {
        str(parameter["name"]): parameter.get("valueFrom") or {}
        for parameter in parameters_of(node.get("outputs"))
    }
    return {
        name: source.get("default")
        for name, source in sources.items()
        if source.get("supplied") is not None
    }
