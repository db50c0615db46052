"""Where something stands in a manifest: a path of keys and indexes, and how it is written."""

from __future__ import annotations

import re

#: Keys and indexes from the top of a document: `("spec", "templates", 1, "container")`.
Path = tuple[str | int, ...]

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def path_text(path: Path) -> str:
    """Return a path as Argo writes it: `spec.templates[1].container`."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif _PLAIN_KEY.fullmatch(step):
            parts.append(f".{step}" if parts else step)
        else:
            parts.append(f"[{step!r}]")
    return "".join(parts)


def place_text(file: str, line: int, column: int) -> str:
    """Return `file:line:column`, or `line:column` where the file has no name.

    Args:
        file: its name, or "".
        line: from 1.
        column: from 1.
    """
    return f"{file}:{line}:{column}" if file else f"{line}:{column}"
