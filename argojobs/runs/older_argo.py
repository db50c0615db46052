"""What a server that is older than the Argo which argojobs goes by does otherwise with a workflow."""

from __future__ import annotations

import re

from argojobs.lint import lint
from argojobs.service import Service, Workflow

#: The version that this engine follows, and that lint judges by.
OURS = (4, 1)


def notes_for(service: Service, workflow: Workflow) -> list[str]:
    """Return what to tell of a workflow before it runs on a server of an older version.

    The server is asked for its version only where there is something to tell.
    """
    usual = lint(workflow, refs="off")
    more = [one for one in lint(workflow, refs="off", older=True) if one not in usual]
    if not more or not _is_older(service.version()):
        return []
    return [f"{one.message}; {one.hint}" for one in more]


def _is_older(version: str) -> bool:
    found = re.match(r"v?(\d+)\.(\d+)", version)
    return found is not None and (int(found[1]), int(found[2])) < OURS
