"""Watching one run: the whole object after each change, told cheaply that there was one.

The home's change number says that something has changed, the run's own that it was about this
run; and only the node rows that changed are read again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from argojobs.engine.objects import with_nodes
from argojobs.engine.store.changes import last_change
from argojobs.engine.store.store import Store
from argojobs.errors import NotFoundError
from argojobs.service import FINAL_PHASES, WatchEvent, Workflow

#: Seconds between two looks.
INTERVAL = 0.02

#: A reader of a big object rests so many times as long as it took to put it together.
REST = 3.0

#: Seconds between two checks that somebody works on the run.
CHECK_INTERVAL = 1.0


class Pace:
    """Waits for the store to change: short naps, and now and then a check of the controller."""

    def __init__(
        self,
        store: Store,
        check: Callable[[], None],
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._check = check
        self._sleep = sleep
        self._clock = clock
        self._change = last_change(store)
        self._checked = clock()

    def nap(self, seconds: float = INTERVAL) -> None:
        """Wait a moment, whatever happens."""
        self._sleep(seconds)
        if self._clock() - self._checked >= CHECK_INTERVAL:
            self._check()
            self._checked = self._clock()

    def until_change(self, rest: float = 0.0) -> None:
        """Return once something has changed in the home, not before `rest` seconds are over."""
        self.nap(max(rest, INTERVAL))
        while (change := last_change(self._store)) == self._change:
            self.nap()
        self._change = change


def watch_run(store: Store, name: str, pace: Pace) -> Iterator[WatchEvent]:
    """Yield the object now and after each change, until it is final or deleted.

    Args:
        store: of the home.
        name: of the run.
        pace: how to wait for a change.

    Raises:
        NotFoundError: it is not there at the beginning.
    """
    rows: dict[str, dict[str, Any]] = {}
    seen, last = 0, Workflow()
    while True:
        began = time.monotonic()
        try:
            change = store.change_of(name)
            if change == seen:
                pace.until_change()
                continue
            workflow, newer = store.changed_nodes(name, seen)
        except NotFoundError:
            if not seen:
                raise
            yield WatchEvent("DELETED", last)
            return
        rows.update(newer)
        workflow = with_nodes(workflow, rows)
        last = workflow
        yield WatchEvent("MODIFIED" if seen else "ADDED", workflow)
        if workflow["status"].get("phase") in FINAL_PHASES:
            return
        seen = int(workflow["metadata"]["resourceVersion"])
        pace.until_change((time.monotonic() - began) * REST)
