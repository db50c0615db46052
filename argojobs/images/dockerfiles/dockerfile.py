"""Reads a Dockerfile: enough of its grammar to know on what a build depends.

Source: the Dockerfile reference ("Format", "Parser directives", "Understand how ARG and FROM
interact", "Here-documents"); line ends, comments inside of continued lines and escapes are as in
BuildKit's parser. What the words of an instruction mean is `dockerfile_sources.py`'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from argojobs.errors import HostError, UsageError
from argojobs.images.dockerfiles.words import (
    Heredoc,
    assignments,
    expand,
    heredocs_in,
    raw_words,
    words_of,
)

KNOWN = (
    *("ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL"),
    *("MAINTAINER", "ONBUILD", "RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"),
)
#: Those that may be followed by text of their own.
_WITH_HEREDOC = frozenset({"ADD", "COPY", "RUN"})
_DIRECTIVE = re.compile(r"#\s*([A-Za-z][A-Za-z0-9]*)\s*=\s*(.+?)\s*")
_BLANKS = re.compile(r"[\t\v\f\r ]+")
#: The frontend whose grammar this is; another one may have words of its own.
_OUR_SYNTAX = re.compile(r"(?:docker\.io/)?docker(?:file-upstream|/dockerfile)(?:[:@].*)?")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: name in upper case, flags (`--from=x` is ("from", "x")), and the rest.

    text: what follows the flags, continued lines joined. words: the exec form's words, or the
    text split at blanks. line: its first line. stage: the number of its stage, -1 before the
    first FROM. onbuild: it is run by builds from this image, not by this build.
    """

    name: str
    flags: tuple[tuple[str, str], ...]
    text: str
    words: tuple[str, ...]
    line: int
    stage: int
    onbuild: bool = False


@dataclass(frozen=True, slots=True)
class Stage:
    """One FROM: base and platform as they are written, name in lower case or ""."""

    number: int
    name: str
    base: str
    platform: str
    line: int


@dataclass(frozen=True, slots=True)
class Dockerfile:
    """A whole file. escape: its escape sign. syntax: the frontend that it asks for, or "".

    foreign: whether the frontend may know instructions that the Dockerfile reference has not.
    """

    path: Path
    text: str
    stages: tuple[Stage, ...]
    instructions: tuple[Instruction, ...]
    escape: str = "\\"
    syntax: str = ""

    @property
    def foreign(self) -> bool:
        """Whether the grammar may be another one than ours."""
        return bool(self.syntax) and _OUR_SYNTAX.fullmatch(self.syntax) is None

    def where(self, line: int) -> str:
        """Return `file:line`."""
        return f"{self.path}:{line}"


def read_dockerfile(path: Path) -> Dockerfile:
    """Read a file. Raises HostError where it cannot be read, UsageError with file:line."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise HostError(
            f"this Dockerfile cannot be read: {error.strerror}",
            where=str(path),
            hint="see that it exists and that you may read it",
        ) from error
    return parse_dockerfile(data.decode("utf-8", "surrogateescape"), path)


def parse_dockerfile(text: str, path: Path) -> Dockerfile:
    """Return a Dockerfile's text as a value; path is its name in errors.

    Raises UsageError with file:line: no FROM, an instruction that is none (with the nearest that
    is), a FROM of a wrong form, a heredoc that does not end.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    directives = dict(_directives(lines, path))
    escape, syntax = directives.get("escape", "\\"), directives.get("syntax", "")
    foreign = Dockerfile(path, "", (), (), escape, syntax).foreign
    stages: list[Stage] = []
    instructions: list[Instruction] = []
    for line, whole in _logical_lines(lines, escape, path):
        number = len(stages) - 1
        instruction = _instruction(whole, line, number, path, foreign=foreign)
        if instruction.name == "FROM" and not instruction.onbuild:
            stages.append(_stage(instruction, len(stages), path))
        elif number < 0 and instruction.name != "ARG" and not foreign:
            raise UsageError(
                f"{instruction.name} stands before the first FROM",
                where=f"{path}:{line}",
                hint="begin with FROM; only ARG and comments may stand before it",
            )
        instructions.append(instruction)
    if not stages:
        raise UsageError(
            "this Dockerfile has no FROM",
            where=f"{path}:1",
            hint="begin with the image to build on: FROM python:3.11-slim",
        )
    return Dockerfile(path, text, tuple(stages), tuple(instructions), escape, syntax)


def global_arguments(dockerfile: Dockerfile) -> dict[str, str | None]:
    """Return the ARGs before the first FROM: each its default as it is written, or None."""
    found: dict[str, str | None] = {}
    for one in dockerfile.instructions:
        if one.name == "ARG" and one.stage < 0 and not one.onbuild:
            found.update(assignments(one.text, dockerfile.escape))
    return found


def argument_names(dockerfile: Dockerfile) -> frozenset[str]:
    """Return the names of all ARGs: those of a stage, too."""
    return frozenset(
        name
        for one in dockerfile.instructions
        if one.name == "ARG" and not one.onbuild
        for name in dict(assignments(one.text, dockerfile.escape))
    )


def global_values(dockerfile: Dockerfile, arguments: Mapping[str, str]) -> dict[str, str]:
    """Return what the ARGs before the first FROM are in a build with these arguments."""
    values: dict[str, str] = {}
    for name, default in global_arguments(dockerfile).items():
        value = expand(default or "", lambda one: values.get(one, ""), dockerfile.escape)
        values[name] = arguments.get(name, value or "")
    return values


def base_images(dockerfile: Dockerfile, arguments: Mapping[str, str]) -> tuple[str, ...]:
    """Return what each stage is built on, variables replaced: an image, or an earlier stage."""
    values = global_values(dockerfile, arguments)
    return tuple(
        expand(stage.base, lambda name: values.get(name, ""), dockerfile.escape) or ""
        for stage in dockerfile.stages
    )


def parent_stage(dockerfile: Dockerfile, base: str, number: int) -> int | None:
    """Return the earlier stage that a name means, the last of that name; None for an image."""
    found = None
    for stage in dockerfile.stages[:number]:
        if stage.name and stage.name == base.lower():
            found = stage.number
    return found


def _directives(lines: list[str], path: Path) -> Iterator[tuple[str, str]]:
    """Yield the parser directives: comments `# name=value` at the very top, each only once."""
    for number, line in enumerate(lines, 1):
        match = _DIRECTIVE.fullmatch(line.strip())
        if match is None:
            return
        name, value = match[1].lower(), match[2]
        if name not in ("escape", "syntax", "check"):
            return
        if name == "escape" and value not in ("\\", "`"):
            raise UsageError(
                f"the escape sign cannot be {value!r}",
                where=f"{path}:{number}",
                hint="write # escape=` or # escape=\\",
            )
        yield name, value


def _logical_lines(lines: list[str], escape: str, path: Path) -> Iterator[tuple[int, str]]:
    """Yield each instruction's first line and its whole text; heredocs are stepped over."""
    sign = re.escape(escape)
    continued = re.compile(rf"(?:(?<!{sign})|^){sign}[ \t]*$")
    position = 0
    while position < len(lines):
        first = position
        text = lines[position].rstrip("\r").lstrip()
        position += 1
        if not text or text.startswith("#"):
            continue
        while (end := continued.search(text)) is not None:
            text = text[: end.start()]
            while position < len(lines) and _is_void(lines[position]):
                position += 1
            if position == len(lines):
                break
            text += lines[position].rstrip("\r")
            position += 1
        if not text.strip():
            continue
        for heredoc in _announced(text):
            position = _after(heredoc, lines, position, f"{path}:{first + 1}")
        yield first + 1, text.strip()


def _is_void(line: str) -> bool:
    """Whether a line inside of a continued one counts for nothing: a comment, or empty."""
    bare = line.strip()
    return not bare or bare.startswith("#")


def _announced(text: str) -> tuple[Heredoc, ...]:
    words = text.split(None, 2)
    name = words[0].upper()
    if name == "ONBUILD" and len(words) > 1:
        name = words[1].upper()
    return heredocs_in(text) if name in _WITH_HEREDOC and "<<" in text else ()


def _after(heredoc: Heredoc, lines: list[str], position: int, where: str) -> int:
    """Return the position after the heredoc that begins here. Raises UsageError."""
    for number in range(position, len(lines)):
        line = lines[number].rstrip("\r")
        if (line.lstrip("\t") if heredoc.chomp else line) == heredoc.name:
            return number + 1
    raise UsageError(
        f"the text after <<{heredoc.name} does not end",
        where=where,
        hint=f"write a line that holds {heredoc.name} and nothing else",
    )


def _instruction(
    whole: str, line: int, stage: int, path: Path, *, foreign: bool, onbuild: bool = False
) -> Instruction:
    name, *more = _BLANKS.split(whole, maxsplit=1)
    name = name.upper()
    rest = more[0] if more else ""
    if name not in KNOWN and not foreign:
        from argojobs.manifest.nearest import suggestion

        raise UsageError(
            f"there is no instruction {name}",
            where=f"{path}:{line}",
            hint=suggestion(name, KNOWN, what="the instructions are"),
        )
    if name == "ONBUILD" and not onbuild:
        return _instruction(rest, line, stage, path, foreign=foreign, onbuild=True)
    flags, text = _flags(rest)
    exec_words = words_of(text)
    words = tuple(text.split()) if exec_words is None else exec_words
    return Instruction(name, flags, text, words, line, stage, onbuild)


def _flags(text: str) -> tuple[tuple[tuple[str, str], ...], str]:
    """Return the words with `--` at the beginning as names and values, and the rest."""
    flags: list[tuple[str, str]] = []
    rest = text.strip()
    while rest.startswith("--"):
        word = (raw_words(rest) or tuple(rest.split()))[0]
        rest = rest[len(word) :].lstrip()
        if word == "--":
            break
        name, _, value = (expand(word.replace("$", "\\$"), lambda _: "") or "")[2:].partition("=")
        flags.append((name.lower(), value))
    return tuple(flags), rest


def _stage(instruction: Instruction, number: int, path: Path) -> Stage:
    words = instruction.words
    if len(words) not in (1, 3) or (len(words) == 3 and words[1].upper() != "AS"):
        raise UsageError(
            "FROM needs one image, and may give the stage a name",
            where=f"{path}:{instruction.line}",
            hint="write FROM IMAGE, or FROM IMAGE AS NAME",
        )
    platform = dict(instruction.flags).get("platform", "")
    name = words[2].lower() if len(words) == 3 else ""
    return Stage(number, name, words[0], platform, instruction.line)
