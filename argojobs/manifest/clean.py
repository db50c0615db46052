"""A workflow as it is sent: without what Argo would drop, and with text where text belongs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .findings import Finding
from .json_read import scalar_text
from .places import Path


def with_text(value: Mapping[str, Any], findings: Sequence[Finding]) -> Mapping[str, Any]:
    """Return an object with text where something else stands for it, for rules to rely on.

    findings: of `check_fields` for this object.
    """
    texts = [finding for finding in findings if finding.code in ("not-text", "list-value")]
    return clean(value, texts) if texts else value


def clean(workflow: Mapping[str, Any], findings: Sequence[Finding]) -> dict[str, Any]:
    """Return the workflow without misplaced fields, and with text where text belongs.

    findings: of `check_fields` for this workflow, of which no other code counts. Parts that need no change are shared with it.
    """
    cleaned = dict(workflow)
    copied: dict[Path, Any] = {(): cleaned}
    for finding in findings:
        if finding.code in ("misplaced-field", "not-text", "list-value"):
            parent = _copied_parent(copied, finding.path)
            key = finding.path[-1]
            if finding.code == "misplaced-field":
                del parent[key]
            elif finding.code == "list-value":
                parent[key] = json.dumps(parent[key], ensure_ascii=False)
            else:
                parent[key] = scalar_text(parent[key])
    return cleaned


def _copied_parent(copied: dict[Path, Any], path: Path) -> Any:
    """Return the collection that holds a path, copied (once) with all above it."""
    for length in range(1, len(path)):
        part = path[:length]
        if part not in copied:
            above = copied[part[:-1]]
            value = above[part[-1]]
            copied[part] = above[part[-1]] = value.copy()
    return copied[path[:-1]]
