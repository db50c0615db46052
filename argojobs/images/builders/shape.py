"""What a builder of images is: a small table of commands. Nothing here runs anything.

`docker.py`, `buildah.py` (podman, too) and `buildctl.py` hold one table each, `choosing.py` finds
which of them this machine has, and `building.py` runs their commands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Argv = list[str]

#: The identifier of times in an image: seconds since 1970, always the same.
EPOCH = "0"

_FROM_SCRATCH = re.compile(
    r"^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*scratch\b", re.IGNORECASE | re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Task:
    """An image to build.

    tags: its references, all of one repository; the first is its name. context: the folder with
    the files. dockerfile: the file, in the context or elsewhere. secrets: files for
    `RUN --mount=type=secret,id=...`, by their ids; an empty platform is the builder's own.
    parent: the reference of an image of ours that this one is built from, as a build argument
    names it; "" where it is built from none. plain_http, auth_folder: how a registry is
    reached, to pull and to push; the folder's config.json has the login (`../logins/login.py`).
    origin: the file that the Dockerfile is a copy of, for messages.
    """

    tags: tuple[str, ...]
    context: Path
    dockerfile: Path
    arguments: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, Path] = field(default_factory=dict)
    platform: str = ""
    no_cache: bool = False
    parent: str = ""
    plain_http: bool = False
    auth_folder: Path | None = None
    origin: Path | None = None


@dataclass(frozen=True, slots=True)
class Builder:
    """A builder that this machine has.

    build, push: the commands that do it, in order; the first of the tags is pushed. has: the command that ends with 0 where an image
    is on this machine. login: the variables that lead its commands to an auth folder. mounts:
    whether it knows `RUN --mount`, which secrets need.
    """

    name: str
    program: str
    version: str
    build: Callable[[Task], list[Argv]]
    push: Callable[[Task], list[Argv]]
    has: Callable[[str], Argv]
    environment: Mapping[str, str] = field(default_factory=dict)
    login: Callable[[Path], dict[str, str]] = lambda _folder: {}
    mounts: bool = True


def pairs(option: str, values: Mapping[str, str]) -> Argv:
    """Return `option NAME=VALUE` for each value, in the order of the names."""
    return [word for name in sorted(values) for word in (option, f"{name}={values[name]}")]


def secrets_of(task: Task) -> Argv:
    """Return the options that give a build its secrets: files, never their text."""
    found = sorted(task.secrets.items())
    return [word for name, path in found for word in ("--secret", f"id={name},src={path}")]


def tags_of(task: Task) -> Argv:
    """Return `--tag REFERENCE` for each tag."""
    return [word for tag in task.tags for word in ("--tag", tag)]


def _starts_from_nothing(task: Task) -> bool:
    """Tell whether an image starts `FROM scratch`.

    For such images the caches of buildah, podman and docker's older builder do not look at the
    platform: seen with buildah 1.28 and docker 20.10, which gave the one of another platform.
    """
    text = task.dockerfile.read_text(encoding="utf-8", errors="replace")
    return _FROM_SCRATCH.search(text) is not None


def cache_options(task: Task) -> Argv:
    """Return `--no-cache` where it is asked for, or where the cache would be wrong."""
    wrong = bool(task.platform) and _starts_from_nothing(task)
    return ["--no-cache"] if task.no_cache or wrong else []
