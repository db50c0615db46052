"""Where runs are: the service of a context, its pods, the store beside it, and what it can do.

Here alone is decided between this machine and a server: whoever gets a target knows protocols, and
asks for what a target can do by the name of that. The engine of this machine and the client of a
server are imported when one of them is meant: it is never both, and each is half of what a short
command imports.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from argojobs.config.choosing import choose
from argojobs.config.contexts import LOCAL
from argojobs.config.settings import load_settings
from argojobs.runs.cluster import pods_of_cluster
from argojobs.runs.progress import Tell, silent

if TYPE_CHECKING:
    from argojobs.config.contexts import Context
    from argojobs.engine.local import LocalService
    from argojobs.service import Pods, Service, Workflow
    from argojobs.storage.repository import Repository

    Results = Callable[[Sequence[Workflow]], Path]


@dataclass(frozen=True)
class Target:
    """A context at work, and what it can do; unless told otherwise, what a server can.

    How it is reached:
        connect: opens the service of its runs, when that is first asked for.
        repository: opens where code and artifacts are stored; raises UsageError where the context
            has no S3.
        again: makes one more service, for a thread of its own.
        options: what a command must say to get here, with a blank in front; "" where it need not
            say it.
        tell: hears what goes on here.
        open_pods: opens the pods in a namespace of the context, its own for "".

    What it can do:
        detaches_on_interrupt: a run that is followed goes on when Ctrl-C leaves it; else it stops.
        has_owners: runs of several users are here, and only mine are changed unasked.
        has_images: steps run in images, which are built, pushed and pulled.
        has_templates: workflow templates are kept here.
        may_be_older: its Argo may be older than the one that argojobs goes by.
        steps_here: steps are processes of this machine: they listen at its ports and may see its
            files.
        artifacts_here: what the repository holds are files of this machine.
        claims: the folder in which the folders of claims lie, None where they are Kubernetes'.
        results: brings what runs report to this machine, and returns the folder in which it lies
            by their names; None where it cannot be read.
        pause: so often it is asked whether something has changed, in seconds.
    """

    context: Context
    connect: Callable[[], Service]
    repository: Callable[[], Repository]
    again: Callable[[], Service]
    options: str = ""
    tell: Tell = silent
    open_pods: Callable[[Context, str], AbstractContextManager[Pods]] = pods_of_cluster
    detaches_on_interrupt: bool = True
    has_owners: bool = True
    has_images: bool = True
    has_templates: bool = True
    may_be_older: bool = True
    steps_here: bool = False
    artifacts_here: bool = False
    claims: Path | None = None
    results: Results | None = None
    pause: float = 1.0

    @cached_property
    def service(self) -> Service:
        """The runs. Opened now: the way to a server may be through a cluster."""
        return self.connect()

    @property
    def keeps_code_in_store(self) -> bool:
        """Whether there is a store, so that code need not travel in the manifest."""
        return self.artifacts_here or self.context.s3 is not None

    def pods(self, namespace: str = "") -> AbstractContextManager[Pods]:
        """Give the pods of a namespace, the context's own for "", while it is open.

        Raises UsageError where there is no way to them.
        """
        return self.open_pods(self.context, namespace)


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
    if chosen.built_in:
        if not new_run:
            return this_machine(local(), options=said, tell=tell)
        here = _local_for_run(project or Path.cwd(), strict_resources, share_host_paths)
        return this_machine(here, options=said, tell=tell)

    from argojobs.runs.remote import remote_repository, remote_service

    # Opened once: its keys may be what a command prints, which takes a while.
    repository = cache(partial(remote_repository, chosen))
    again = partial(remote_service, chosen, repository, said, tell)
    place = Target(
        chosen, again, repository, again, said, tell, results=_results_of(chosen, repository)
    )
    if chosen.server:  # what is wrong with it is told now; the way through a cluster takes a while
        _ = place.service
    return place


def _results_of(context: Context, repository: Callable[[], Repository]) -> Results | None:
    """Return what brings the results of runs on a server: from a store that their steps may use."""
    if context.s3 is None or not context.s3.secret_name:
        return None

    def bring(runs: Sequence[Workflow]) -> Path:
        from argojobs.runs.mirrored_results import mirrored
        from argojobs.storage.s3_place import of_context

        assert context.s3 is not None
        return mirrored(of_context(context.s3), repository, runs)

    return bring


def this_machine(here: LocalService, *, options: str = "", tell: Tell = silent) -> Target:
    """Return this machine as a target.

    Args:
        here: its service.
        options: what a command must say to get here, with a blank in front.
        tell: hears what goes on here.
    """

    def pods(_context: Context, _namespace: str) -> AbstractContextManager[Pods]:
        from argojobs.engine.pods import LocalPods

        return nullcontext(LocalPods(here))

    return Target(
        LOCAL,
        lambda: here,
        here.repository,
        local,
        options,
        tell,
        pods,
        detaches_on_interrupt=False,
        has_owners=False,
        has_images=False,
        has_templates=False,
        may_be_older=False,
        steps_here=True,
        artifacts_here=True,
        claims=here.home / "claims",
        results=lambda _: here.home / "results",
        pause=0.1,
    )


def local() -> LocalService:
    """Return the service of this machine."""
    from argojobs.engine.local import LocalService

    return LocalService()


def _local_for_run(project: Path, strict_resources: bool, share_host_paths: bool) -> LocalService:
    from argojobs.engine.local import LocalService
    from argojobs.engine.submitter import capture

    submitter = capture(load_settings(project), project=project, share_host_paths=share_host_paths)
    return LocalService(submitter=submitter, strict_resources=strict_resources)
