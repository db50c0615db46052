"""What an image is made of, as a value: equal recipes make equal images.

The hash is over what each file of the context is (path, kind, whether it may be run, content), not
over an archive's bytes: no version of a library decides it. Base images count by the name that
the Dockerfile gives them (docs/adr/0009).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from argojobs.images.builds import Build
from argojobs.images.context.file import ContextFile, sort_key
from argojobs.images.context.files import context_files
from argojobs.images.dockerfiles.dockerfile import Dockerfile, read_dockerfile
from argojobs.images.dockerfiles.ignore import ignore_file, read_ignore
from argojobs.images.dockerfiles.sources import secret_ids, sources

#: Part of every hash: another number, where the same recipe means another image.
_FORMAT = 1
TAG_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Recipe:
    """A build with all that it depends on.

    files: its context, sorted. content: the hash. secrets: the ids that it mounts, sorted.
    platform: `linux/amd64`, or "" for the builder's own. parent: what it is built on, of these.
    notes: to be told, a line each.
    """

    build: Build
    dockerfile: Dockerfile
    files: tuple[ContextFile, ...]
    content: str
    secrets: tuple[str, ...]
    platform: str
    parent: Recipe | None = None
    notes: tuple[str, ...] = ()

    @property
    def tag(self) -> str:
        """The tag by which a registry has it: the first 16 digits of the hash."""
        return self.content[:TAG_LENGTH]


def recipes(
    builds: Iterable[Build], platform: str = "", allow: Iterable[str] = ()
) -> tuple[Recipe, ...]:
    """Return the recipe of each build, in the order given.

    Args:
        builds: a parent stands before its children.
        platform: `linux/amd64`, "" where it is not known.
        allow: what only looks like a secret, see `context_files`.

    Raises:
        UsageError, HostError: as `read_dockerfile` and `context_files`.
    """
    allow = tuple(allow)
    done: dict[str, Recipe] = {}
    for build in builds:
        done[build.name] = _recipe(build, done.get(build.parent), platform, allow)
    return tuple(done.values())


def _recipe(build: Build, parent: Recipe | None, platform: str, allow: tuple[str, ...]) -> Recipe:
    dockerfile = read_dockerfile(build.dockerfile)
    ignore = read_ignore(ignore_file(build.dockerfile, build.context))
    taken = sources(dockerfile, build.arguments, platform)
    found = context_files(dockerfile, build.context, taken, ignore, allow)
    files, notes = {file.path: file for file in found.files}, found.notes
    if parent is not None:
        # What the parent's ONBUILD lines say is done first of all in this build.
        triggered = sources(parent.dockerfile, {}, platform, onbuild=True)
        more = context_files(parent.dockerfile, build.context, triggered, ignore, allow)
        files = {**{file.path: file for file in more.files}, **files}
        notes = tuple(dict.fromkeys((*notes, *more.notes)))
    ordered = tuple(sorted(files.values(), key=sort_key))
    secrets = secret_ids(dockerfile)
    content = _content(build, dockerfile, ordered, secrets, platform, parent)
    return Recipe(build, dockerfile, ordered, content, secrets, platform, parent, notes)


def _content(
    build: Build,
    dockerfile: Dockerfile,
    files: tuple[ContextFile, ...],
    secrets: tuple[str, ...],
    platform: str,
    parent: Recipe | None,
) -> str:
    parts = {
        "format": _FORMAT,
        "dockerfile": sha256(dockerfile.text.encode("utf-8", "surrogateescape")).hexdigest(),
        "files": [file.line for file in files],
        "arguments": dict(sorted(build.arguments.items())),
        "platform": platform,
        "parent": parent.content if parent is not None else "",
        "secrets": secrets,
    }
    return sha256(json.dumps(parts, sort_keys=True).encode("ascii")).hexdigest()
