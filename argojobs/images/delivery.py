"""Where an image is built, and whether it arrived: what all that build and push share."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from argojobs.errors import ServerError
from argojobs.images.unwinding import unwinding

if TYPE_CHECKING:
    from argojobs.images.registry.client import Registry


class Workplace(NamedTuple):
    """A private folder for one build, in it one for secrets, and one with a login or None."""

    folder: Path
    secrets: Path
    login: Path | None


@contextmanager
def workplace(
    registry: Registry | None, environ: Mapping[str, str] | None = None
) -> Iterator[Workplace]:
    """Give a place to build in that only this user can read, gone at the end.

    It has secrets, so it goes as well when the terminal is closed or the process is asked to end.
    registry: whose login it has; None for nothing that is pushed.
    """
    from argojobs.images.logins.login import private_login

    entered = (
        private_login(registry.host, registry.credentials, environ)
        if registry is not None
        else nullcontext()
    )
    with (
        unwinding(),
        tempfile.TemporaryDirectory(prefix="argojobs-image-") as folder,
        entered as login,
    ):
        secrets = Path(folder) / "secrets"
        secrets.mkdir(mode=0o700)
        yield Workplace(Path(folder), secrets, login)


def arrived(registry: Registry, repository: str, tag: str) -> str:
    """Return the digest of what was just pushed, as the registry tells it.

    Args:
        registry: where it was pushed.
        repository: the image's name there.
        tag: one that it was pushed by.

    Raises:
        ServerError: the registry does not have it.
    """
    digest = registry.digest(repository, tag)
    if not digest:
        raise ServerError(
            f"the registry {registry.host} took {registry.full_name(repository)}:{tag}, and does not "
            "have it",
            hint="try again; if it stays so, ask who keeps the registry",
        )
    return digest
