"""How far a pod is, by its own account: `N/M`, as it stands in `$ARGO_PROGRESS_FILE`.

Source: Argo docs, progress; its executor takes the last line, its controller `0 <= N <= M`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The annotation of a template that says where its pods begin.
ANNOTATION = "workflows.argoproj.io/progress"
#: What a pod shows that says nothing, and once it has succeeded.
NONE_DONE, DONE = "0/1", "1/1"
_PROGRESS = re.compile(r"([0-9]{1,18})/([0-9]{1,18})")


def parts(text: str) -> tuple[int, int] | None:
    """Return how much is done, and of how much; None of a text that does not say it."""
    if text == NONE_DONE:
        return 0, 1
    if text == DONE:
        return 1, 1
    match = _PROGRESS.fullmatch(text)
    if match is None:
        return None
    done, total = int(match[1]), int(match[2])
    return (done, total) if done <= total and total > 0 else None


def last_said(text: str) -> str:
    """Return what the last line says that says how far a pod is; "" when none does."""
    for line in reversed(text.splitlines()):
        found = parts(line.strip())
        if found is not None:
            return f"{found[0]}/{found[1]}"
    return ""


def at_start(template: Mapping[str, Any]) -> str:
    """Return where the pods of a template begin."""
    annotations = (template.get("metadata") or {}).get("annotations") or {}
    return last_said(str(annotations.get(ANNOTATION, ""))) or NONE_DONE


def complete(text: str) -> str:
    """Return the same with all of it done."""
    found = parts(text)
    return DONE if found is None else f"{found[1]}/{found[1]}"
