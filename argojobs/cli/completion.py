"""What a shell completes: names of runs."""

from __future__ import annotations


def complete_run(incomplete: str) -> list[str]:
    """Return the names that begin so, and the short ends of names that do, and `@latest`."""
    from argojobs.cli.connect import connect
    from argojobs.cli.names import LATEST, all_names
    from argojobs.errors import ArgojobsError

    try:
        names = all_names(connect())
    except ArgojobsError:  # a shell's completion has no place for a message
        return []
    ends = [name.rpartition("-")[2] for name in names] if incomplete else []
    found = [name for name in [*names, *ends, LATEST] if name.startswith(incomplete)]
    return list(dict.fromkeys(found))
