"""What a Dockerfile takes from its context, and which secrets it asks for.

Sources of COPY and ADD, and `RUN --mount=type=bind`. A source with a variable that nobody knows
before the build (one of the base image, say) means the whole context: too much is right, too
little would break. Source: the Dockerfile reference (COPY, ADD, RUN --mount, "Environment
replacement", "Automatic platform ARGs in the global scope").
"""

from __future__ import annotations

import csv
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from argojobs.images.dockerfiles.dockerfile import (
    Dockerfile,
    Instruction,
    base_images,
    global_values,
    parent_stage,
)
from argojobs.images.dockerfiles.words import assignments, expand, is_heredoc

EVERYTHING = "."
_REMOTE = re.compile(r"(?:https?|ftp|git|ssh)://|git@", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """One source: a path or pattern relative to the context, "." for all of it.

    line, what: the instruction that takes it. known: False where a variable made it everything.
    """

    pattern: str
    line: int
    what: str
    known: bool = True


@dataclass(slots=True)
class _Variables:
    """What is known at one line of a stage; None is a variable whose value is not known."""

    environment: dict[str, str | None] = field(default_factory=dict)
    arguments: dict[str, str | None] = field(default_factory=dict)

    def get(self, name: str) -> str | None:
        return self.environment.get(name, self.arguments.get(name))

    def copy(self) -> _Variables:
        return _Variables(self.environment.copy(), self.arguments.copy())


def sources(
    dockerfile: Dockerfile,
    arguments: Mapping[str, str],
    platform: str = "",
    *,
    onbuild: bool = False,
) -> tuple[Source, ...]:
    """Return what a build with these arguments takes from its context, in order.

    platform: `linux/amd64`, where it is known. onbuild: what builds *from* this image take
    instead, by its ONBUILD lines.
    """
    if dockerfile.foreign:
        first = dockerfile.instructions[0].line
        return (Source(EVERYTHING, first, f"# syntax={dockerfile.syntax}", known=False),)
    found = []
    for one, variables in _with_variables(dockerfile, arguments, platform):
        if one.onbuild == onbuild and one.stage >= 0:
            found += list(_sources(one, variables, dockerfile.escape))
    return tuple(found)


def secret_ids(dockerfile: Dockerfile) -> tuple[str, ...]:
    """Return the ids of the secrets that RUN lines mount, sorted."""
    found = set()
    for one in dockerfile.instructions:
        for mount in _mounts(one):
            if mount.get("type") == "secret":
                target = next((mount[key] for key in ("target", "dst") if key in mount), "")
                found.add(mount.get("id") or posixpath.basename(target))
    return tuple(sorted(found - {""}))


def _with_variables(
    dockerfile: Dockerfile, arguments: Mapping[str, str], platform: str
) -> Iterator[tuple[Instruction, _Variables]]:
    """Yield each instruction with what is known when it runs."""
    global_ones: dict[str, str | None] = {**_of_platform(platform)}
    global_ones |= global_values(dockerfile, arguments)
    bases = base_images(dockerfile, arguments)
    stages: list[_Variables] = []
    here = _Variables()
    for one in dockerfile.instructions:
        if one.name == "FROM" and not one.onbuild:
            number = len(stages)
            parent = parent_stage(dockerfile, bases[number], number)
            here = _Variables() if parent is None else stages[parent].copy()
            stages.append(here)
        elif one.name == "ARG" and one.stage >= 0 and not one.onbuild:
            _declare(one, here, arguments, global_ones, dockerfile.escape)
        elif one.name == "ENV" and not one.onbuild:
            for name, value in _environment(one, dockerfile.escape):
                here.environment[name] = expand(value, here.get, dockerfile.escape)
        yield one, here


def _declare(
    one: Instruction,
    here: _Variables,
    arguments: Mapping[str, str],
    global_ones: Mapping[str, str | None],
    escape: str,
) -> None:
    """Take over an ARG: what is given, else its default, else the ARG before the first FROM."""
    for name, default in assignments(one.text, escape):
        if name in arguments:
            here.arguments[name] = arguments[name]
        elif default is not None:
            here.arguments[name] = expand(default, here.get, escape)
        else:
            here.arguments[name] = global_ones.get(name)


def _environment(one: Instruction, escape: str) -> Iterator[tuple[str, str]]:
    """Yield what ENV sets: `NAME=value ...`, or in the old form `NAME some words`."""
    name, *rest = one.text.split(None, 1)
    if "=" not in name:
        yield name, rest[0] if rest else ""
        return
    for name, value in assignments(one.text, escape):
        yield name, value or ""


def _of_platform(platform: str) -> dict[str, str]:
    """Return the automatic arguments that say for what is built."""
    system, _, rest = platform.partition("/")
    architecture, _, variant = rest.partition("/")
    if not architecture:
        return {}
    return {
        "TARGETPLATFORM": platform,
        "TARGETOS": system,
        "TARGETARCH": architecture,
        "TARGETVARIANT": variant,
    }


def _sources(one: Instruction, variables: _Variables, escape: str) -> Iterator[Source]:
    if one.name in ("COPY", "ADD") and not dict(one.flags).get("from"):
        for word in one.words[:-1]:
            if is_heredoc(word) or (one.name == "ADD" and _REMOTE.match(word)):
                continue
            path = expand(word, variables.get, escape)
            if path is None:
                yield Source(EVERYTHING, one.line, one.name, known=False)
            elif not (one.name == "ADD" and _REMOTE.match(path)):
                yield Source(cleaned(path), one.line, one.name)
    for mount in _mounts(one):
        if mount.get("type", "bind") == "bind" and not mount.get("from"):
            written = next((mount[key] for key in ("source", "src") if key in mount), "/")
            path = expand(written, variables.get, escape)
            known = path is not None
            yield Source(cleaned(path or ""), one.line, "RUN --mount", known=known)


def _mounts(one: Instruction) -> Iterator[dict[str, str]]:
    """Yield the `--mount` flags of a RUN as their keys and values."""
    for name, value in one.flags if one.name == "RUN" else ():
        if name == "mount":
            fields = next(csv.reader([value]), [])
            pairs = (field.partition("=") for field in fields)
            yield {key.strip().lower(): text for key, _, text in pairs}


def cleaned(path: str) -> str:
    """Return a source relative to the context: what leads above it is cut, as docker does."""
    return posixpath.normpath("//" + path).lstrip("/") or EVERYTHING
