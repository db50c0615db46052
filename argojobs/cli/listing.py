"""A list of runs for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from argojobs.runs.listing import Listed

if TYPE_CHECKING:
    from argojobs.cli.formats import Format

CONTEXT_NOTE = "argojobs.dev/context"


def print_for_programs(found: Sequence[Listed], output: Format, *, contexts: bool) -> None:
    """Print runs for programs; of several contexts each says in an annotation where it is."""
    from argojobs.cli.formats import print_objects

    runs = [dict(one.run) for one in found]
    if contexts:
        for one, run in zip(found, runs, strict=True):
            metadata = run["metadata"]
            notes = {**(metadata.get("annotations") or {}), CONTEXT_NOTE: one.context}
            run["metadata"] = {**metadata, "annotations": notes}
    print_objects(runs, output)
