"""`images.lock`: which image every registry has of each name, by its digest, one a line.

    localhost:32000/train@sha256:4f0a... content=9c1b... commit=0123456789ab platform=linux/amd64

`deploy` writes it and people commit it: two who deploy to two registries merge without a
conflict. Two lines for one image are an error and never a choice in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from argojobs.config.whole_files import replace_file
from argojobs.errors import HostError, UsageError

#: In the project's root.
LOCK_FILE = "images.lock"

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_CONTENT = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{7,64}(-dirty)?")
_PLATFORM = re.compile(r"[a-z0-9]+/[a-z0-9_]+(/[a-z0-9.]+)?")
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
_HEAD = "# Images by their digests, from ./deploy: commit this file.\n"


class Locked(NamedTuple):
    """One image in one registry.

    registry: the host, and the path before the name, if there is one. digest: with `sha256:` in
    front. content: the hash of what it was built from. commit: that it was built at; "" where
    there was no git.
    """

    registry: str
    name: str
    digest: str
    content: str
    commit: str = ""
    platform: str = "linux/amd64"

    @property
    def repository(self) -> str:
        """The image's name in its registry, without tag and digest."""
        return f"{self.registry}/{self.name}"

    @property
    def reference(self) -> str:
        """What a manifest says to run exactly this image."""
        return f"{self.repository}@{self.digest}"

    @property
    def key(self) -> tuple[str, str]:
        """What there is only one line for."""
        return self.repository, self.platform


def read_lock(path: Path) -> tuple[Locked, ...]:
    """Return the images of a lock file, none where there is no file.

    Raises UsageError with file:line for a line that is none, for two of one image, and for the
    marks of a merge that nobody finished.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", hint="restore it from git") from error
    lines: dict[tuple[str, str], int] = {}
    found: list[Locked] = []
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{path}:{number}"
        if line.startswith(_CONFLICT):
            raise UsageError(
                "a merge of this file is not finished",
                where=where,
                hint="keep one line for each image and registry, and take these marks out; "
                "./deploy writes the line anew",
            )
        if not line.strip() or line.startswith("#"):
            continue
        one = _read(line, where)
        if one.key in lines:
            raise UsageError(
                f"{one.repository} ({one.platform}) stands on line {lines[one.key]} already",
                where=where,
                hint="keep the line that is right, or run ./deploy: it writes the line anew when "
                "both are gone",
            )
        lines[one.key] = number
        found.append(one)
    return tuple(found)


def _read(line: str, where: str) -> Locked:
    reference, *words = line.split()
    repository, _, digest = reference.partition("@")
    registry, slash, name = repository.rpartition("/")
    facts = dict(word.partition("=")[::2] for word in words)
    if (
        not slash
        or not name
        or not _DIGEST.fullmatch(digest)
        or not _CONTENT.fullmatch(facts.get("content", ""))
        or not _COMMIT.fullmatch(facts.get("commit", "0000000"))
        or not _PLATFORM.fullmatch(facts.get("platform", ""))
        or len(facts) != len(words)
    ):
        raise UsageError(
            f"{line[:80]!r} is not a line of {LOCK_FILE}",
            where=where,
            hint="take it out and run ./deploy, or restore the file from git; a line is "
            "REGISTRY/NAME@sha256:DIGEST content=HASH commit=COMMIT platform=linux/amd64",
        )
    return Locked(
        registry, name, digest, facts["content"], facts.get("commit", ""), facts["platform"]
    )


def with_entries(lock: Sequence[Locked], entries: Iterable[Locked]) -> tuple[Locked, ...]:
    """Return the lock with these entries, each in place of the one with its key, sorted."""
    every = {one.key: one for one in (*lock, *entries)}
    return tuple(every[key] for key in sorted(every))


def lock_text(lock: Iterable[Locked]) -> str:
    """Return the text of a lock file."""
    return _HEAD + "".join(f"{_line(one)}\n" for one in lock)


def _line(one: Locked) -> str:
    commit = f" commit={one.commit}" if one.commit else ""
    return f"{one.reference} content={one.content}{commit} platform={one.platform}"


def write_lock(path: Path, lock: Iterable[Locked]) -> None:
    """Write a lock file, whole or not at all. Raises HostError where it cannot be written."""
    try:
        replace_file(path, lock_text(lock).encode())
    except OSError as error:
        raise HostError(
            f"{path} cannot be written: {error.strerror or error}",
            hint="make room, or look at the folder's permissions, and run ./deploy again",
        ) from error


def known_in(lock: Iterable[Locked], registry: str) -> dict[str, str]:
    """Return the images of a registry: from their names to what a manifest says of them.

    registry: as images are named in it, without a scheme. Raises UsageError for a name that the
    registry has for several platforms, of which a manifest can say only one.
    """
    found: dict[str, Locked] = {}
    for one in lock:
        if not one.repository.startswith(f"{registry}/"):
            continue
        name = one.repository[len(registry) + 1 :]
        other = found.setdefault(name, one)
        if other != one:
            raise UsageError(
                f"{LOCK_FILE} has {name} for {other.platform} and for {one.platform}",
                hint=f"take the line out that the nodes cannot run, or name one: image="
                f"'{one.reference[:60]}...'",
            )
    return {name: one.reference for name, one in found.items()}


def registries_of(lock: Iterable[Locked]) -> tuple[str, ...]:
    """Return the registries that a lock names, sorted."""
    return tuple(sorted({one.registry for one in lock}))
