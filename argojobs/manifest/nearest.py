"""The nearest valid name to a wrong one, for hints."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_MOST_LISTED = 40
#: Among so many names the nearest is looked for; of more, among those that begin alike.
_MOST = 2_000


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like `name`, or None where none is near."""
    by_fold = {one.replace("-", "_").casefold(): one for one in known}
    found = difflib.get_close_matches(name.replace("-", "_").casefold(), by_fold, 1, 0.6)
    return by_fold[found[0]] if found else None


def suggestion(name: str, known: Iterable[str], *, what: str) -> str:
    """Return a hint: the nearest name where there is one, and the list of all.

    Args:
        name: what was written.
        known: what could have been meant.
        what: how the hint calls these (`the parameters are`).
    """
    names = list(known)
    if len(names) > _MOST:
        names = sorted(names, key=lambda one: one[:1] != name[:1])[:_MOST]
    near = nearest(name, names)
    listed = ", ".join(names[:_MOST_LISTED]) + (" ..." if len(names) > _MOST_LISTED else "")
    every = f"{what}: {listed}" if names else f"{what}: none"
    return f"did you mean {near!r}? {every}" if near else every
