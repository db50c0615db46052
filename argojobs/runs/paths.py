"""Where the files of a step's traceback lie on this machine.

A step sees its project as `/argojobs/code`; whoever reads its log wants the file that can be
opened.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from argojobs.errors import ArgojobsError
from argojobs.service import Service

#: A line of a traceback; without a private root the pod's folder stands before /argojobs.
_FILE = re.compile(r'^(\s*(?:\|\s*)*File ")[^"]*/argojobs/code/([^"]+)(".*)$')

Localise = Callable[[str], str]


def localiser(service: Service, run: str) -> Localise:
    """Return how to write the lines of a run's logs: files of its project where they lie here."""
    try:
        root = service.project(run)
    except ArgojobsError:  # it was deleted meanwhile: its lines are shown as they are
        root = None
    return (lambda text: text) if root is None else partial(localised, root=root)


def localised(text: str, root: Path) -> str:
    """Return a log line with the path of a project's file as this machine has it."""
    if 'File "' not in text:
        return text
    found = _FILE.match(text.rstrip("\r"))
    if found is None or not (root / found[2]).is_file():
        return text
    return f"{found[1]}{root / found[2]}{found[3]}"
