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
from dataclasses import dataclass

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


#: What is known at one line of a stage; None is a variable whose value is not known.
_Variables = dict[str, str | None]


def sources(
    dockerfile: Dockerfile,
    arguments: Mapping[str, str],
    platform: str = "",
    *,
    onbuild: bool = False,
) -> tuple[Source, ...]:
    """Return what a build takes from its context, in order.

    Args:
        dockerfile: what is built.
        arguments: build arguments by name.
        platform: `linux/amd64`, where it is known.
        onbuild: what builds *from* this image take instead, by its ONBUILD lines.
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
    """Yield each instruction with what is known when it runs: an ENV wins over every ARG."""
    escape = dockerfile.escape
    before_from = {**_of_platform(platform), **global_values(dockerfile, arguments)}
    bases = base_images(dockerfile, arguments)
    stages: list[tuple[_Variables, _Variables]] = []
    of_arg: _Variables = {}
    of_env: _Variables = {}
    for one in dockerfile.instructions:
        known = {**of_arg, **of_env}
        if one.onbuild or one.name not in ("FROM", "ARG", "ENV"):
            yield one, known
        elif one.name == "FROM":
            parent = parent_stage(dockerfile, bases[len(stages)], len(stages))
            above: tuple[_Variables, _Variables] = ({}, {}) if parent is None else stages[parent]
            of_arg, of_env = above[0].copy(), above[1].copy()
            stages.append((of_arg, of_env))
        elif one.name == "ENV":
            for name, value in _environment(one, escape):
                of_env[name] = expand(value, known.get, escape)
        elif one.stage >= 0:
            for name, default in assignments(one.text, escape):
                own = (
                    before_from.get(name) if default is None else expand(default, known.get, escape)
                )
                of_arg[name] = arguments.get(name, own)


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
    names = ("TARGETOS", "TARGETARCH", "TARGETVARIANT")
    parts = (*platform.split("/"), "")[: len(names)]
    return {"TARGETPLATFORM": platform, **dict(zip(names, parts, strict=False))} if platform else {}


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
