"""Reads the first users' build file: which images there are, and their version.

    version: {major: 0, minor: 3, patch: 7, label: ''}   # or a text: version: 0.3.7
    dockerbuild:
    - name: train
      dockerfile: dockerfile-train
      context: .
    - name: dev
      dockerfile: dockerfile
      context: .
      build arguments: {IMAGE: train}   # or lists: [IMAGE=train], [{key: IMAGE, value: train}]

YAML or JSON. Keys are compared without case, blanks, `_` and `-`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from argojobs.config.reading import text_of_file
from argojobs.config.yaml_texts import is_nothing, line_of, plain_key, texts_in
from argojobs.errors import UsageError

_LIST, _VERSION = "dockerbuild", "version"
_PARTS = ("major", "minor", "patch")
_TEXTS = ("name", "dockerfile", "context")
_ARGUMENTS = ("buildarguments", "buildargs", "buildarg", "args")
#: What the name is called where each argument is a mapping of its own: {key: NAME, value: VALUE}.
_PAIR_NAMES = ("key", "name")
_HOW = "write a list:\ndockerbuild:\n- name: train\n  dockerfile: FILE"
_PAIR = "write {NAME: VALUE}, or a list of NAME=VALUE or of {key: NAME, value: VALUE}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One image: its name, Dockerfile and context as they are written, its line in the file."""

    name: str
    dockerfile: str
    context: str
    arguments: Mapping[str, str]
    line: int


@dataclass(frozen=True, slots=True)
class BuildFile:
    """A whole file. version: as text, None where it has none. notes: what is not known in it."""

    path: Path
    entries: tuple[Entry, ...]
    version: str | None = None
    notes: tuple[str, ...] = field(default=())


def is_build_file(path: Path) -> bool:
    """Whether a file has a list of images to build, as far as its first keys say."""
    if path.suffix not in (".yaml", ".yml", ".json") or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            head = file.read(1 << 16)
    except OSError:
        return False
    return re.search(rb"(?im)^[\s{\"']*docker[ _-]?builds?[\"']?\s*:", head) is not None


def read_build_file(path: Path) -> BuildFile:
    """Return what a file holds. Raises UsageError with file:line for a shape that we do not know."""
    return parse_build_file(text_of_file(path), path)


def parse_build_file(text: str, path: Path) -> BuildFile:
    """Return what a text holds; path is its name in errors. Raises UsageError."""
    document = texts_in(text, str(path))
    if document is None:
        raise UsageError("this is not a build file", where=str(path), hint=_HOW)
    entries: list[Entry] = []
    notes: list[str] = []
    version = None
    for key, value in document.items():
        where = f"{path}:{line_of(text, (key,))}"
        if plain_key(key) == _LIST:
            entries += _entries(key, value, text, path, notes)
        elif plain_key(key) == _VERSION:
            version = _version(value, where, notes)
        else:
            notes.append(f"{where}: {key} is not known, and counts for nothing")
    if not entries:
        raise UsageError("this file has no list of images to build", where=str(path), hint=_HOW)
    _check_names(entries, path)
    return BuildFile(path, tuple(entries), version, tuple(notes))


def with_version(text: str, version: str) -> str:
    """Return a build file's text with another version, and nothing else changed.

    Where the file has major, minor and patch, each gets its part. Raises UsageError where the text
    has no version, or has parts and the version has not three.
    """
    found = list(_version_nodes(text))
    parts = version.partition("-")[0].split(".")
    if not found or (len(found) > 1 and len(parts) != len(found)):
        raise UsageError(
            f"the version {version} has no place in the build file",
            hint="write version: 0.1.0, or version: {major: 0, minor: 1, patch: 0}",
        )
    new = dict(zip(_PARTS, parts, strict=True)) if len(found) > 1 else {_VERSION: version}
    out = text
    for name, start, end in sorted(found, key=lambda one: -one[1]):
        old = text[start:end]
        quote = old[0] if old[:1] in ("'", '"') else ""
        out = f"{out[:start]}{quote}{new[name]}{quote}{out[end:]}"
    return out


def _version_nodes(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the scalars of the version: its name, and where it begins and ends in the text."""
    import yaml

    # A byte order mark is not part of what the marks count.
    shift = len(text) - len(text.removeprefix("\ufeff"))
    top = yaml.compose(text[shift:], Loader=yaml.SafeLoader)
    for key, value in top.value if isinstance(top, yaml.MappingNode) else ():
        if plain_key(key.value) != _VERSION:
            continue
        if isinstance(value, yaml.ScalarNode):
            yield _VERSION, value.start_mark.index + shift, value.end_mark.index + shift
        elif isinstance(value, yaml.MappingNode):
            for name, part in value.value:
                if plain_key(name.value) in _PARTS and isinstance(part, yaml.ScalarNode):
                    start, end = part.start_mark.index + shift, part.end_mark.index + shift
                    yield plain_key(name.value), start, end


def _entries(key: str, value: Any, text: str, path: Path, notes: list[str]) -> list[Entry]:
    if not isinstance(value, list):
        raise UsageError(
            f"{key} must be a list", where=f"{path}:{line_of(text, (key,))}", hint=_HOW
        )
    return [
        _entry(item, path, line_of(text, (key, number)), notes) for number, item in enumerate(value)
    ]


def _entry(item: Any, path: Path, line: int, notes: list[str]) -> Entry:
    where = f"{path}:{line}"
    if not isinstance(item, dict):
        raise UsageError("an entry must have keys", where=where, hint=_HOW)
    values: dict[str, Any] = {}
    for key, value in item.items():
        plain = plain_key(key)
        name = "arguments" if plain in _ARGUMENTS else plain
        if name != "arguments" and name not in _TEXTS:
            notes.append(f"{where}: {key} is not known, and counts for nothing")
        elif name in values:
            raise UsageError(f"{key} says {name} a second time", where=where, hint="keep one")
        elif name in _TEXTS and not isinstance(value, str):
            raise UsageError(f"{name} must be one value", where=where)
        elif not is_nothing(value):
            values[name] = value
    if "name" not in values:
        raise UsageError("an entry has no name", where=where, hint=_HOW)
    return Entry(
        values["name"],
        values.get("dockerfile", "Dockerfile"),
        values.get("context", "."),
        dict(_arguments(values.get("arguments"), where)),
        line,
    )


def _arguments(value: Any, where: str) -> Iterator[tuple[str, str]]:
    """Yield build arguments of a mapping, or of a list of NAME=VALUE or of mappings."""
    if value is None:
        return
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, dict) and all(isinstance(text, str) for text in one.values()):
            plain = {plain_key(key): text for key, text in one.items()}
            pairs = {plain[k]: plain["value"] for k in _PAIR_NAMES if set(plain) == {k, "value"}}
            if "" in pairs:
                raise UsageError("a build argument has no name", where=where, hint=_PAIR)
            yield from ((key, text) for key, text in (pairs or one).items() if not is_nothing(text))
        elif isinstance(one, str) and "=" in one:
            name, _, text = one.partition("=")
            yield name.strip(), text
        else:
            raise UsageError(
                f"{one!r} is not a build argument",
                where=where,
                hint=_PAIR,
            )


def _version(value: Any, where: str, notes: list[str]) -> str | None:
    if isinstance(value, str):
        return None if is_nothing(value) else value
    table = {plain_key(key): part for key, part in value.items()} if isinstance(value, dict) else {}
    numbers = [table.pop(name, "") for name in _PARTS]
    label = table.pop("label", "")
    label = "" if is_nothing(label) else label
    notes += (
        f"{where}: {name} of the version is not known, and counts for nothing" for name in table
    )
    version = ".".join(map(str, numbers)) + (f"-{label}" if label else "")
    if not re.fullmatch(r"\d+\.\d+\.\d+(-[\w.-]+)?", version, re.ASCII):
        raise UsageError(
            "this is not a version",
            where=where,
            hint="write version: 0.1.0, or version: {major: 0, minor: 1, patch: 0}",
        )
    return version


def _check_names(entries: list[Entry], path: Path) -> None:
    seen: set[str] = set()
    for entry in entries:
        if entry.name in seen:
            raise UsageError(
                f"two entries are called {entry.name}",
                where=f"{path}:{entry.line}",
                hint="give one of them another name",
            )
        seen.add(entry.name)
