# travels with: job
"""How this process was started, and how it ends."""

from __future__ import annotations

import atexit
import os
import sys

from argojobs.job.attempt import written_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from argojobs.job.session import Session
    from argojobs.job.store import Store


def register(session: Session) -> None:
    """Have a session told when the process ends and when it forks."""
    atexit.register(session.end)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=session.before_fork,
            after_in_parent=session.after_fork,
            after_in_child=session.forked,
        )


def register_in_child(end: Callable[[], None]) -> None:
    """Have this called when a process of multiprocessing ends: it does not call what atexit has."""
    if _started_by() is not None:
        from multiprocessing.util import Finalize

        Finalize(None, end, exitpriority=100)


def parent_of(store: Store, who: dict[str, Any]) -> str | None:
    """Return the attempt of which this is a process of multiprocessing's; None if it is of none."""
    parent = _started_by()
    try:
        return None if parent is None else written_by(store, who, parent)
    except OSError:  # the store fails; the writer will say so
        return None


def _started_by() -> int | None:
    """Return the process whose child of multiprocessing's this is."""
    loaded = sys.modules.get("multiprocessing.process")
    parent = None if loaded is None else loaded.parent_process()
    return None if parent is None else parent.pid
