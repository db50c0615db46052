"""Lines that say where a run is to be seen in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from argojobs.cli.text import Line
from argojobs.runs.links import storage_link, ui_link

if TYPE_CHECKING:
    from argojobs.config.contexts import Context


def link_lines(workflow: dict[str, Any], context: Context) -> list[Line]:
    """Return both links as lines; none for this machine."""
    links = (("ui", ui_link(workflow, context)), ("storage", storage_link(workflow, context)))
    return [[(f"  {title:<8}", "dim"), (link, "")] for title, link in links if link]
