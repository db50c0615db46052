"""Files of a context that look like secrets: by where they lie, their name, or what is in them.

Whoever pulls an image can read all of it, a file that a later layer removes as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path

from argojobs.compile.secrets import looks_secret
from argojobs.errors import UsageError
from argojobs.images.context.file import cannot_read

_CHUNK = 1 << 20
#: A key or token that lies across two chunks is seen whole: none is longer than this.
_OVERLAP = 512
_HEAD = 8192
_SHOWN = 10
#: Where programs keep logins, under names that say nothing.
_PLACES = (
    *(".docker/config.json", "containers/auth.json", ".kube/config", ".aws/config"),
    *(".config/gcloud/*", ".azure/*", ".ssh/*"),
)
_PUBLIC = (".ssh/known_hosts", ".ssh/*.pub", ".ssh/config", ".ssh/authorized_keys")


@dataclass(frozen=True, slots=True)
class Secret:
    """A file that looks like one, why, and the instruction that takes it."""

    path: str
    why: str
    what: str
    where: str


def read_whole(path: Path, name: str) -> tuple[str, int, str]:
    """Return a file's sha256, its size, and why it looks like a secret ("" if it does not).

    name: its path in the context. Of a binary file (a null byte near its beginning: a model, an
    archive) only the first MiB is looked at. Raises HostError where it cannot be read.
    """
    digest = sha256()
    size = 0
    why = ""
    before = b""
    binary = False
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                if not size:
                    why = _why(name, chunk)
                    binary = b"\0" in chunk[:_HEAD]
                elif not why and not binary:
                    why = looks_secret("", before + chunk)
                size += len(chunk)
                before = chunk[-_OVERLAP:]
    except OSError as error:
        raise cannot_read(path, error) from error
    return digest.hexdigest(), size, why


def _why(name: str, content: bytes) -> str:
    if _in(name, _PLACES) and not _in(name, _PUBLIC):
        return "its place"
    return looks_secret(name, content)


def _in(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(f"/{name}", f"*/{pattern}") for pattern in patterns)


def check_secrets(secrets: list[Secret], ignore: Path | None) -> None:
    """Raise UsageError where there are any, at the first one's instruction, with the remedies."""
    if not secrets:
        return
    listed = "".join(f"\n    {one.path}  ({one.why})" for one in secrets[:_SHOWN])
    more = f"\n    and {len(secrets) - _SHOWN} more" if len(secrets) > _SHOWN else ""
    raise UsageError(
        f"{secrets[0].what} takes what looks like secrets, which all who pull the image could "
        f"read:{listed}{more}",
        where=secrets[0].where,
        hint=f"list them in {ignore or '.dockerignore'}; a command of the build gets one by "
        "RUN --mount=type=secret,id=creds; or, if they are none, name them in argojobs.toml "
        "([images] allow = [...])",
    )
