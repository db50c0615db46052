"""The service that a verb talks to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from argojobs.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from argojobs.engine.local import LocalService
    from argojobs.service import Service

LOCAL = "local"


def connect(context: str = "", server: str = "") -> Service:
    """Return the service of a context or server; without either, this machine.

    Raises UsageError for anything but `local`, and HostError when the home cannot serve.
    """
    check_context(context, server)
    return local()


def local() -> LocalService:
    """Return the service of this machine."""
    from argojobs.engine.local import LocalService

    return LocalService()


def connect_to_run(
    project: Path, *, strict_resources: bool = False, share_host_paths: bool = False
) -> LocalService:
    """Return the service of this machine for a new run of the project in a folder.

    What its steps get of this process (interpreter, environment, claims) is recorded here.
    """
    from argojobs.config.settings import load_settings
    from argojobs.engine.local import LocalService
    from argojobs.engine.submitter import capture

    submitter = capture(load_settings(project), project=project, share_host_paths=share_host_paths)
    return LocalService(submitter=submitter, strict_resources=strict_resources)


def check_context(context: str = "", server: str = "") -> None:
    """Refuse servers and contexts other than this machine, which this release does not have."""
    for option, value in (("--context", context), ("--server", server)):
        if value and value != LOCAL:
            raise UsageError(
                f"{option} {value}: this release runs on this machine only",
                hint="real Argo servers and contexts come with the next release; to use this "
                f"manifest on one now: argojobs compile FILE | argo submit -  (or leave {option} out)",
            )
