"""Reads a Dockerfile: enough of its grammar to know on what a build depends.

What it does not understand, it leaves to the builder, which refuses a mistake in its own words.
Source: the Dockerfile reference ("Format", "Parser directives", "Understand how ARG and FROM
interact", "Here-documents"); line ends, comments inside of continued lines and escapes are as in
BuildKit's parser. What the words of an instruction mean is `sources.py`'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from argojobs.config.reading import text_of_file
from argojobs.errors import UsageError
from argojobs.images.dockerfiles.words import (
    Heredoc,
    assignments,
    exec_words,
    expand,
    heredocs_in,
    words_of,
)

_INSTRUCTION = re.compile(r"(onbuild\s+)?(\S+)\s*(.*)", re.IGNORECASE | re.DOTALL)
#: Those that may be followed by text of their own.
_WITH_HEREDOC = frozenset({"ADD", "COPY", "RUN"})
_DIRECTIVE = re.compile(r"#\s*(escape|syntax|check)\s*=\s*(.+?)\s*", re.IGNORECASE)
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
    """One FROM: its base as it is written, its name in lower case or ""."""

    number: int
    name: str
    base: str
    line: int


@dataclass(frozen=True, slots=True)
class Dockerfile:
    """A whole file. escape: its escape sign. syntax: the frontend that it asks for, or ""."""

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
    text = text_of_file(path, "this Dockerfile", as_it_is=True)
    return parse_dockerfile(text, path)


def parse_dockerfile(text: str, path: Path) -> Dockerfile:
    """Return a Dockerfile's text as a value; path is its name in errors.

    Raises UsageError with file:line: no FROM, one without an image, a heredoc that does not end.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    directives = dict(_directives(lines))
    escape = directives.get("escape", "\\")
    stages: list[Stage] = []
    instructions: list[Instruction] = []
    for line, whole in logical_lines(lines, escape, path):
        one = _instruction(whole, line, len(stages) - 1)
        if one.name == "FROM" and not one.onbuild:
            if not one.words:
                raise _bad_from("FROM needs an image", f"{path}:{line}")
            name = one.words[2].lower() if len(one.words) == 3 else ""
            stages.append(Stage(len(stages), name, one.words[0], line))
        instructions.append(one)
    if not stages:
        raise _bad_from("this Dockerfile has no FROM", f"{path}:1")
    syntax = directives.get("syntax", "")
    return Dockerfile(path, text, tuple(stages), tuple(instructions), escape, syntax)


def _bad_from(what: str, where: str) -> UsageError:
    return UsageError(what, where=where, hint="write the image to build on: FROM python:3.11-slim")


def global_arguments(dockerfile: Dockerfile) -> dict[str, str | None]:
    """Return the ARGs before the first FROM: each its default as it is written, or None."""
    return _arguments(dockerfile, only_global=True)


def argument_names(dockerfile: Dockerfile) -> frozenset[str]:
    """Return the names of all ARGs: those of a stage, too."""
    return frozenset(_arguments(dockerfile, only_global=False))


def _arguments(dockerfile: Dockerfile, *, only_global: bool) -> dict[str, str | None]:
    return {
        name: default
        for one in dockerfile.instructions
        if one.name == "ARG" and not one.onbuild and (one.stage < 0 or not only_global)
        for name, default in assignments(one.text, dockerfile.escape)
    }


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
    """Return the earlier stage that a name means, the last of that name; None for an image.

    Args:
        dockerfile: with the stages.
        base: the name that FROM has.
        number: of the stage that FROM begins.
    """
    before = reversed(dockerfile.stages[:number])
    return next((one.number for one in before if one.name and one.name == base.lower()), None)


def _directives(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the parser directives: comments `# name=value` at the very top."""
    for line in lines:
        match = _DIRECTIVE.fullmatch(line.strip())
        if match is None:
            return
        yield match[1].lower(), match[2]


def logical_lines(lines: list[str], escape: str, path: Path) -> Iterator[tuple[int, str]]:
    """Yield each instruction's first line and its whole text; heredocs are stepped over.

    Args:
        lines: of the file; the first has the number 1.
        escape: the sign that continues a line.
        path: of the file, for errors.

    Raises:
        UsageError: a heredoc does not end.
    """
    sign = re.escape(escape)
    continued = re.compile(rf"(?<!{sign}){sign}[ \t]*$")
    numbered = iter(enumerate((line.rstrip("\r") for line in lines), 1))
    for first, line in numbered:
        text = line.lstrip()
        if _is_void(text):
            continue
        while end := continued.search(text):
            more = next((one for _, one in numbered if not _is_void(one)), "")
            text = text[: end.start()] + more
        instruction = _INSTRUCTION.match(text.strip())
        if instruction is None:
            continue
        if instruction[2].upper() in _WITH_HEREDOC:
            for heredoc in heredocs_in(text):
                _step_over(heredoc, numbered, f"{path}:{first}")
        yield first, text.strip()


def _is_void(line: str) -> bool:
    """Whether a line counts for nothing, inside of a continued one as well."""
    return not line.strip() or line.lstrip().startswith("#")


def _step_over(heredoc: Heredoc, numbered: Iterator[tuple[int, str]], where: str) -> None:
    name, tabs = heredoc
    if not any((line.lstrip("\t") if tabs else line) == name for _, line in numbered):
        raise UsageError(
            f"the text after <<{name} does not end",
            where=where,
            hint=f"write a line that holds {name} and nothing else",
        )


def _instruction(whole: str, line: int, stage: int) -> Instruction:
    match = _INSTRUCTION.match(whole)
    onbuild, name, text = match.groups() if match else (None, whole, "")
    flags: list[tuple[str, str]] = []
    while text.startswith("--"):
        word = (words_of(text) or (text,))[0]
        text = text[len(word) :].lstrip()
        if word == "--":
            break
        flag, _, value = (expand(word.replace("$", "\\$"), lambda _: "") or "")[2:].partition("=")
        flags.append((flag.lower(), value))
    words = exec_words(text) or tuple(text.split())
    return Instruction(name.upper(), tuple(flags), text, words, line, stage, onbuild is not None)
