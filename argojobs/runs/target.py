"""Where runs are: the service of a context and the store beside it.

The engine of this machine and the client of a server are imported when one of them is meant: it is
never both, and each is half of what a short command imports.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from argojobs.config.choosing import choose
from argojobs.config.settings import load_settings
from argojobs.runs.progress import Tell, silent

if TYPE_CHECKING:
    from argojobs.config.contexts import Context
    from argojobs.engine.local import LocalService
    from argojobs.service import Service, Workflow
    from argojobs.storage.repository import Repository


class Target(NamedTuple):
    """A context at work.

    service: its runs. repository: opens where code and artifacts are stored; raises UsageError
    where the context has no S3. again: makes one more service, for a thread of its own. options:
    what a command must say to get here, with a blank in front; "" where it need not say it.
    local: the service once more, where it is this machine's. tell: hears what goes on here.
    """

    context: Context
    service: Service
    repository: Callable[[], Repository]
    again: Callable[[], Service]
    options: str = ""
    local: LocalService | None = None
    tell: Tell = silent

    @property
    def stores(self) -> bool:
        """Whether there is a store, so that code need not travel in the manifest."""
        return self.local is not None or self.context.s3 is not None


class Opened:
    """A service that is opened when it is first used: the way to it may be through a cluster."""

    def __init__(self, open_: Callable[[], Service]) -> None:
        self._open = cache(open_)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._open(), name)


def connect(context: str = "", server: str = "") -> Service:
    """Return the service of a context or server; without either, of the one in use.

    Raises UsageError for an unknown context, and HostError when the home cannot serve.
    """
    return target(context, server).service


def target(
    context: str = "",
    server: str = "",
    project: Path | None = None,
    *,
    strict_resources: bool = False,
    share_host_paths: bool = False,
    new_run: bool = False,
    tell: Tell = silent,
) -> Target:
    """Return where runs are, or begin.

    Args:
        context: the name of a context; without it and a server the one in use.
        server: the name of a context or the URL of a server.
        project: the folder whose argojobs.toml may name the context, the current one unless given.
        strict_resources: for a new run on this machine, whether it is refused without its GPUs.
        share_host_paths: for a new run on this machine, whether steps see this machine's paths.
        new_run: what steps on this machine get of this process (interpreter, environment, claims)
            is recorded.
        tell: hears what goes on there.

    Raises:
        UsageError: for an unknown context or one that lacks something.
        HostError: where the home cannot serve.
    """
    chosen = choose(context, server, project)
    said = f" --context {context}" if context else f" --server {server}" if server else ""
    if not chosen.is_local:
        from argojobs.runs.remote import remote_repository, remote_service

        # Opened once: its keys may be what a command prints, which takes a while.
        repository = cache(partial(remote_repository, chosen))
        again = partial(remote_service, chosen, repository, said, tell)
        service = again() if chosen.server else cast("Service", Opened(again))
        return Target(chosen, service, repository, again, said, tell=tell)
    if not new_run:
        here = local()
    else:
        here = _local_for_run(project or Path.cwd(), strict_resources, share_host_paths)
    return Target(chosen, here, here.repository, local, said, here, tell)


def runs_of(place: Target, *, short: bool) -> list[Workflow]:
    """Return all runs of a context, newest first. short: what a line about each needs is enough."""
    summaries = getattr(place.service, "summaries", None) if short else None
    found: list[Workflow] = place.service.list() if summaries is None else summaries()
    return found


def local() -> LocalService:
    """Return the service of this machine."""
    from argojobs.engine.local import LocalService

    return LocalService()


def _local_for_run(project: Path, strict_resources: bool, share_host_paths: bool) -> LocalService:
    from argojobs.engine.local import LocalService
    from argojobs.engine.submitter import capture

    submitter = capture(load_settings(project), project=project, share_host_paths=share_host_paths)
    return LocalService(submitter=submitter, strict_resources=strict_resources)
