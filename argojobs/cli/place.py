"""Where a verb acts, with what happens on the way told on standard error."""

from __future__ import annotations

from pathlib import Path

from argojobs.runs.target import Target


def target(
    context: str = "",
    server: str = "",
    project: Path | None = None,
    *,
    strict_resources: bool = False,
    share_host_paths: bool = False,
    new_run: bool = False,
) -> Target:
    """Return what a verb acts on.

    Args:
        context: the name of a context; without it and a server the one in use.
        server: the name of a context or the URL of a server.
        project: the folder whose argojobs.toml may name the context, the current one unless given.
        strict_resources: for a new run on this machine, whether it is refused without its GPUs.
        share_host_paths: for a new run on this machine, whether steps see this machine's paths.
        new_run: whether a run is to begin there: see `runs.target.target`.
    """
    from argojobs.cli.text import tell
    from argojobs.runs import target as connecting

    return connecting.target(
        context,
        server,
        project,
        strict_resources=strict_resources,
        share_host_paths=share_host_paths,
        new_run=new_run,
        tell=tell,
    )
