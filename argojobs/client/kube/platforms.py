"""Which kind of machine the nodes of a cluster are, as images are named after it: `linux/amd64`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any


def platform_of(nodes: Iterable[Mapping[str, Any]]) -> str:
    """Return the platform of most nodes, "" where none says one.

    Source: Kubernetes API reference, NodeSystemInfo.
    """
    found: Counter[str] = Counter()
    for node in nodes:
        facts = (node.get("status") or {}).get("nodeInfo") or {}
        if facts.get("operatingSystem") and facts.get("architecture"):
            found[f"{facts['operatingSystem']}/{facts['architecture']}"] += 1
    return max(sorted(found), key=found.__getitem__, default="")
