"""Requirements for a build: files read as pip reads them, into one text that needs no other file.

Comments and blank lines are left out, `-r` is put in place and `-c` into a text of its own, so
that the texts are equal where what pip installs is. Source: pip documentation, Requirements File
Format. What the build could not have is refused: paths of this machine, variables, passwords.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from argojobs.dsl.tokens import token_in
from argojobs.errors import UsageError

_COMMENT = re.compile(r"(^|\s+)#.*$")
_INCLUDED = re.compile(r"(?:(-r|-c)\s*|(--requirement|--constraint)(?:\s+|\s*=\s*))(\S.*)")
_EDITABLE = re.compile(r"(?:-e\b|--editable\b)[\s=]*(.*)")
_LINKS = re.compile(r"(?:-f\b|--find-links\b)[\s=]*(.*)")
_USER_IN_URL = re.compile(r"\bhttps?://[^/\s@]+@")
_VARIABLE = re.compile(r"\$\{[A-Z0-9_]+\}")
_ARCHIVE = re.compile(r"\.(whl|zip|tar\.gz|tgz|tar\.bz2)(\s|\[|$)")


@dataclass(frozen=True, slots=True)
class Requirements:
    """What is to be installed: lines of a requirements file, and those of its constraints."""

    lines: tuple[str, ...]
    constraints: tuple[str, ...] = ()


def requirements_of(pip: str | Sequence[str], folders: Sequence[Path]) -> Requirements:
    """Return what an image's `pip` asks for: the name of a file, or lines of one.

    folders: where a file is searched, the first that has it counts. Raises UsageError with
    file:line for what cannot be read or cannot be installed in a build.
    """
    lines: list[str] = []
    constraints: list[str] = []
    if isinstance(pip, str):
        _read(_found(pip, folders), lines, constraints, ())
    else:
        for text in pip:
            _take(text, "", folders, (lines, constraints), ())
    return Requirements(tuple(lines), tuple(constraints))


def _found(name: str, folders: Sequence[Path]) -> Path:
    places = [folder / name for folder in folders]
    for place in places:
        if place.is_file():
            return place
    where = " or ".join(dict.fromkeys(str(folder) for folder in folders))
    raise UsageError(
        f"there is no requirements file {name} in {where}",
        hint="write its path from the file of the pipeline or from the project's root",
    )


def _read(file: Path, lines: list[str], constraints: list[str], above: tuple[Path, ...]) -> None:
    """Add the lines of a file, and of those that it names. above: the files that led here."""
    if file in above:
        raise UsageError(
            f"{file} includes itself", where=str(above[-1]), hint="take its -r line out"
        )
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{file} cannot be read: {error}", hint="a requirements file is text in UTF-8"
        ) from error
    for number, line in _logical_lines(text):
        _take(line, f"{file}:{number}", (file.parent,), (lines, constraints), (*above, file))


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines without comments, those that end in a backslash joined, with their numbers.

    As pip does: a comment ends a joined line (pip, `req_file.join_lines`).
    """
    parts: list[str] = []
    first = 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        first = first if parts else number
        is_comment = _COMMENT.match(line) is not None
        if line.endswith("\\") and not is_comment:
            parts.append(line.rstrip("\\"))
            continue
        whole = _COMMENT.sub("", "".join([*parts, f" {line}" if is_comment else line])).strip()
        parts = []
        if whole:
            yield first, whole


def _take(
    line: str,
    where: str,
    folders: Sequence[Path],
    into: tuple[list[str], list[str]],
    above: tuple[Path, ...],
) -> None:
    """Add one line, or the file that it includes."""
    included = _INCLUDED.fullmatch(line)
    if included is None:
        _check(line, where)
        into[0].append(line)
        return
    name = included[3].strip().strip("'\"")
    if "://" in name:
        raise UsageError(
            f"{line!r} is a file of the network: nobody would know what is in the image",
            where=where,
            hint="download it beside the pipeline, and name the file",
        )
    file = _found_from(name, where, folders)
    lines, constraints = into
    is_constraint = (included[1] or included[2]) in ("-c", "--constraint")
    _read(file, constraints if is_constraint else lines, constraints, above)


def _found_from(name: str, where: str, folders: Sequence[Path]) -> Path:
    try:
        return _found(name, folders)
    except UsageError as error:
        raise UsageError(error.what, where=where, hint="check the path") from error


def _check(line: str, where: str) -> None:
    """Raise UsageError for what a build has not, and for what nobody may read in an image."""
    path = _local_path(line)
    if path:
        raise UsageError(
            f"{path!r} is a path of this machine, which the build does not have",
            where=where,
            hint="the project's own code travels with the run; name packages by name or URL, or "
            "write a Dockerfile into dockerfiles/",
        )
    if _USER_IN_URL.search(line) or token_in(line):
        raise UsageError(
            "a requirement holds a user or password, which all who pull the image would read",
            where=where,
            hint="put the index into pip's own configuration (pip config set global.index-url "
            "...): a build gets it as a secret",
        )
    variable = _VARIABLE.search(line)
    if variable:
        raise UsageError(
            f"the variable {variable[0]} is not there when the image is built",
            where=where,
            hint="write its value, or put the index into pip's own configuration (pip config "
            "set): a build gets it as a secret",
        )


def _local_path(line: str) -> str:
    """Return the path of this machine that a line names, "" if it names none."""
    editable = _EDITABLE.fullmatch(line)
    if editable is not None:
        return "" if "://" in editable[1] else editable[1].strip()
    links = _LINKS.fullmatch(line)
    if links is not None:
        return "" if "://" in links[1] else links[1].strip()
    if line.startswith("-"):
        return ""
    target = line.partition(" @ ")[2].strip() or line
    target = target.partition(";")[0].strip()
    if target.startswith("file:"):
        return target
    if "://" in target:
        return ""
    if target.startswith((".", "/", "~")) or "\\" in target or _ARCHIVE.search(target):
        return target
    return target if "/" in target.partition("[")[0] else ""
