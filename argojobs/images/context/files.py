"""Which files a build takes from its context: what COPY and ADD name, less `.dockerignore`.

Only these are sent to a builder, so nothing else can enter an image, and a changed file rebuilds
only what takes it. Files that look like secrets are refused, and links that lead outside.
Source: the Dockerfile reference, COPY; wildcards are those of Go's `filepath.Match`, and `**` is
any number of folders as buildah has it (docker takes fewer: more is sent than it needs).
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from argojobs.errors import UsageError
from argojobs.images.context.file import ContextFile, cannot_read, sort_key
from argojobs.images.context.secrets import Secret, check_secrets, read_whole
from argojobs.images.context.walk import Tree
from argojobs.images.dockerfiles.dockerfile import Dockerfile
from argojobs.images.dockerfiles.ignore import Ignore, wildcard
from argojobs.images.dockerfiles.sources import EVERYTHING, Source

#: More links on the way to a source are a circle (the number is Linux's own).
_MOST_LINKS = 40
_WILD = frozenset("*?[\\")
_GIT = ".git"


@dataclass(frozen=True, slots=True)
class Context:
    """The files of a build, sorted by path, and what to tell about them, a line each."""

    files: tuple[ContextFile, ...]
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(file.size for file in self.files)


def context_files(
    dockerfile: Dockerfile,
    root: Path,
    sources: Iterable[Source],
    ignore: Ignore,
    allow: Iterable[str] = (),
) -> Context:
    """Return what a build takes.

    Args:
        dockerfile: the build's.
        root: the context's folder.
        sources: what COPY and ADD name.
        ignore: the rules of `.dockerignore`.
        allow: files that only look like secrets and links that may lead outside, as paths or
            patterns (`argojobs.toml`, `[images] allow`).

    Raises:
        UsageError: with the Dockerfile's file:line: a source is not there or is left out, there
            are secrets, or a link leads outside.
        HostError: something cannot be read.
    """
    found = _Found(dockerfile, Tree(root, ignore), tuple(allow))
    for source in sources:
        found.take(source)
    check_secrets(found.secrets, ignore.path)
    files = sorted(found.files.values(), key=sort_key)
    return Context(tuple(files), (*found.notes, *_git_note(dockerfile, found.files)))


def _git_note(dockerfile: Dockerfile, files: Iterable[str]) -> Iterator[str]:
    if any(path == _GIT or path.startswith(f"{_GIT}/") for path in files):
        yield (
            f"{dockerfile.path.name} takes .git, so every commit makes another image: "
            "list .git in .dockerignore"
        )


@dataclass(slots=True)
class _Found:
    """What has been found so far."""

    dockerfile: Dockerfile
    tree: Tree
    allow: tuple[str, ...]
    files: dict[str, ContextFile] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    secrets: list[Secret] = field(default_factory=list)

    def take(self, source: Source) -> None:
        """Add what one source names."""
        if source.pattern == EVERYTHING:
            self.add_below("", source)
        elif _WILD & set(source.pattern):
            self.take_matching(source)
        else:
            self.take_named(source)

    def take_named(self, source: Source) -> None:
        """Add a source without wildcards, which must be there and must not be left out."""
        place = self.resolved(source.pattern, source)
        if not place:
            self.add_below("", source)
            return
        mode = self.mode(place, source)
        if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
            raise self._error(source, "is neither a file nor a folder", "name a file or a folder")
        out = self.tree.left_out(place)
        if out is None:
            self._add(place, mode, source)
        found = self.add_below(place, source) if stat.S_ISDIR(mode) else 0
        if out is not None and not found:
            raise self._error(
                source,
                f"is left out by {out.text!r} ({self.tree.ignore.path}:{out.line})",
                f"bring it back by a line !{source.pattern} after it, or take that line out",
            )

    def take_matching(self, source: Source) -> None:
        """Add what matches a source with wildcards, which may be nothing."""
        parts = source.pattern.split("/")
        wild = next(number for number, part in enumerate(parts) if _WILD & set(part))
        named = "/".join(parts[:wild])
        if named and not os.path.lexists(self.tree.root / named):
            return
        start = self.resolved(named, source) if named else ""
        try:
            pattern = re.compile(_wildcards(parts[wild:]))
        except ValueError as error:
            raise self._error(source, "is not a pattern", "close its brackets") from error
        depth = None if "**" in parts else len(parts) - wild
        for path, mode in list(self.tree.below(start, depth)):
            if pattern.fullmatch(path.removeprefix(f"{start}/" if start else "")):
                self._add(path, mode, source)
                if stat.S_ISLNK(mode):
                    self.follow(path, source)
                elif stat.S_ISDIR(mode):
                    self.add_below(path, source)

    def follow(self, path: str, source: Source) -> None:
        """Add what a link leads to that a pattern found, unless it leads nowhere."""
        if not os.path.exists(self.tree.root / path):  # noqa: PTH110 - a broken link is none
            return
        place = self.resolved(path, source)
        if not place or self.tree.left_out(place) is None:
            if place:
                self._add(place, self.mode(place, source), source)
            self.add_below(place, source)

    def add_below(self, folder: str, source: Source) -> int:
        """Add all below a folder that is not left out; return how many that are."""
        place = self.tree.root / folder
        count = 0
        for path, mode in self.tree.below(folder) if place.is_dir() else ():
            self._add(path, mode, source)
            count += 1
        return count

    def resolved(self, path: str, source: Source) -> str:
        """Return where a path leads in the context; links on the way are added, as docker does."""
        done = ""
        todo = path.split("/")
        links = 0
        while todo:
            here = posixpath.join(done, todo.pop(0))
            mode = self.mode(here, source)
            if not stat.S_ISLNK(mode):
                done = here
                continue
            links += 1
            self._add(here, mode, source)
            inside = _inside(here, self.files[here].target)
            if links > _MOST_LINKS or inside is None:
                why = "leads outside of the context" if inside is None else "is a circle of links"
                raise self._error(source, why, "copy the file itself into the context")
            done = ""
            todo = [*(part for part in inside.split("/") if part), *todo]
        return done

    def mode(self, path: str, source: Source) -> int:
        place = self.tree.root / path
        try:
            return place.lstat().st_mode
        except (FileNotFoundError, NotADirectoryError) as error:
            raise self._error(
                source,
                f"is not there: {place}",
                f"paths are relative to the context, {self.tree.root}",
            ) from error
        except OSError as error:
            raise cannot_read(place, error) from error

    def _add(self, path: str, mode: int, source: Source) -> None:
        """Add one entry, and the folders above it."""
        if path in self.files:
            return
        place = self.tree.root / path
        if stat.S_ISDIR(mode):
            self.files[path] = ContextFile(path, place, "folder")
        elif stat.S_ISLNK(mode):
            self.files[path] = self._link(path, place, source)
        elif stat.S_ISREG(mode):
            digest, size, why = read_whole(place, path)
            if why and not self.allowed(path):
                where = self.dockerfile.where(source.line)
                self.secrets.append(Secret(path, why, source.what, where))
            executable = bool(mode & stat.S_IXUSR)
            self.files[path] = ContextFile(path, place, "file", executable, size, digest)
        else:
            self.notes.append(f"{path} is a {_kind(mode)}: it is left out")
            return
        above = path.rpartition("/")[0]
        if above:
            self._add(above, stat.S_IFDIR, source)

    def _link(self, path: str, place: Path, source: Source) -> ContextFile:
        target = os.fspath(place.readlink())
        if _inside(path, target) is None and not self.allowed(path):
            raise UsageError(
                f"{source.what} takes {path}, a link that leads outside of the context, to {target}",
                where=self.dockerfile.where(source.line),
                hint="list it in .dockerignore, copy the file itself into the context, or, if the "
                "image has the target, name the link in argojobs.toml ([images] allow = [...])",
            )
        return ContextFile(path, place, "link", target=target)

    def allowed(self, path: str) -> bool:
        return any(path == one or fnmatchcase(path, one) for one in self.allow)

    def _error(self, source: Source, why: str, hint: str) -> UsageError:
        return UsageError(
            f"{source.what} takes {source.pattern}, which {why}",
            where=self.dockerfile.where(source.line),
            hint=hint,
        )


def _inside(path: str, target: str) -> str | None:
    """Return where a link leads, relative to the context; None for outside."""
    if target.startswith("/"):
        return None
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if place == ".." or place.startswith("../"):
        return None
    return "" if place == "." else place


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISSOCK, "socket"), (stat.S_ISFIFO, "named pipe"))
    return next((name for is_one, name in kinds if is_one(mode)), "device")


def _wildcards(parts: list[str]) -> str:
    """Return a pattern's parts as a regular expression. Raises ValueError for a malformed one."""
    out = ""
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if part == "**":
            out += ".*" if last else "(?:.*/)?"
        else:
            out += "".join(_pieces(part)) + ("" if last else "/")
    return f"(?s:{out})"


def _pieces(part: str) -> Iterator[str]:
    position = 0
    while position < len(part):
        piece, position = wildcard(part, position)
        yield piece
