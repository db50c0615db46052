"""Changes a config file and keeps what people wrote around the values: comments, order, layout.

A change is text to text, so it can be shown before it is done. The new text replaces the old one
at once, with mode 0600, and only if nobody changed the file in the meantime.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from argojobs.config.reading import dotted, text_of
from argojobs.config.toml_lines import At
from argojobs.config.whole_files import replace_file
from argojobs.errors import ConflictError, HostError, NotFoundError


def with_value(text: str, at: At, value: Any) -> str:
    """Return the text of a file with one value set; missing tables are made.

    Args:
        text: of the file.
        at: the place of the value.
        value: plain data; what stood there goes.

    Raises:
        ConflictError: a table is needed and a value stands, or the file is laid out in a way that
            cannot be changed safely.
    """

    def change(document: Any) -> None:
        table = document
        for depth, key in enumerate(at[:-1]):
            if key not in table:
                only_tables = depth < len(at) - 2 or isinstance(value, Mapping)
                table.append(key, _new_table(table, only_tables=only_tables))
            table = table[key]
            if not isinstance(table, Mapping):
                raise ConflictError(f"{dotted(at[: depth + 1])} is a value, not a table")
        table[at[-1]] = _item(value, table)

    return _changed(text, change, at, value)


def without(text: str, at: At) -> str:
    """Return the text of a file without one value or table. Raises NotFoundError.

    A table that becomes empty goes too, if it has no comments. Raises ConflictError as above.
    """

    def change(document: Any) -> None:
        tables: list[Any] = [document]
        for key in at:
            if not isinstance(tables[-1], Mapping) or key not in tables[-1]:
                raise NotFoundError(
                    f"{dotted(at)} is not set", hint="argojobs config lists what is"
                )
            tables.append(tables[-1][key])
        del tables[len(at) - 1][at[-1]]
        for depth in range(len(at) - 1, 0, -1):
            if tables[depth] or "#" in _as_text(tables[depth]):
                break
            del tables[depth - 1][at[depth - 1]]

    return _changed(text, change, at, None)


def _changed(before: str, change: Callable[[Any], None], at: At, value: Any) -> str:
    """Change a text, and see that all else in it says what it said. Raises ConflictError."""
    import tomlkit
    import tomllib
    from tomlkit.exceptions import TOMLKitError

    cannot = ConflictError(
        f"{dotted(at)} cannot be changed in the way this file is laid out",
        hint="change it by hand: argojobs context edit",
    )
    try:
        document = tomlkit.parse(before)
        change(document)
        after = _dumped(before, document)
        found = tomllib.loads(after)
    except (TOMLKitError, tomllib.TOMLDecodeError) as error:
        raise cannot from error
    place: Any = found
    for key in at:
        place = place.get(key) if isinstance(place, dict) else None
    if place != value or _rest(before, at) != _rest(after, at):
        raise cannot
    return after


def _rest(text: str, at: At) -> dict[str, Any]:
    """Return what a text says but for one place, and the tables that are empty without it."""
    import tomllib

    document = tomllib.loads(text)
    _take(document, at)
    return document


def _take(document: dict[str, Any], at: At) -> None:
    """Take one place out of a document, and the tables that are empty then."""
    inner = document.get(at[0])
    if len(at) > 1 and isinstance(inner, dict):
        _take(inner, at[1:])
    if len(at) == 1 or inner == {}:
        document.pop(at[0], None)


def read(path: Path) -> str:
    """Return the text of a config file, "" where there is none. Raises as `text_of`."""
    return text_of(path) or ""


def replace(path: Path, before: str, after: str) -> None:
    """Put a new text in a file's place; readers see the old text or the new one, never a part.

    Args:
        path: of the file, which need not be there; a link is followed.
        before: the text that the new one was made of.
        after: the new text.

    Raises:
        ConflictError: the file's text is not `before` any more.
        HostError: the file cannot be written.
    """
    import fcntl

    target = path.resolve()
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = os.open(target.parent, os.O_RDONLY)
    except OSError as error:
        raise _cannot(path, error) from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # two of us at once; editors are seen by the text
        if target.exists() and not target.is_file():  # a device: a file would take its place
            raise HostError(f"{path} is not a file", hint="export ARGOJOBS_CONFIG=FILE")
        if read(target) != before:
            raise ConflictError(
                f"{path} was changed by someone else in the meantime",
                hint="nothing was written; do it again",
            )
        replace_file(target, after.encode(), 0o600)
        os.fsync(folder)
    except OSError as error:
        raise _cannot(path, error) from error
    finally:
        os.close(folder)


def difference(path: Path, before: str, after: str) -> str:
    """Return what a change changes, as `diff -u` shows it; "" for nothing.

    Args:
        path: of the file, for the head.
        before: its old text.
        after: its new text.
    """
    import difflib

    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), str(path), str(path)
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _new_table(parent: Any, *, only_tables: bool) -> Any:
    import tomlkit
    from tomlkit.items import InlineTable

    if isinstance(parent, InlineTable):
        return tomlkit.inline_table()
    return tomlkit.table(is_super_table=only_tables)


def _item(value: Any, parent: Any) -> Any:
    """Return a value as tomlkit writes it: a mapping as a table, its tables after its values."""
    import tomlkit

    if not isinstance(value, Mapping):
        return tomlkit.item(value)
    table = _new_table(parent, only_tables=False)
    plain = {key: one for key, one in value.items() if not isinstance(one, Mapping)}
    for key, one in {**plain, **value}.items():
        table.append(key, _item(one, table))
    return table


def _dumped(before: str, document: Any) -> str:
    """Return the text of a document; a table that we added or moved has an empty line before it."""
    import tomlkit

    lines = tomlkit.dumps(document).strip("\n").split("\n")
    above = {line: old for old, line in itertools.pairwise(["", *before.split("\n")])}
    spaced: list[str] = []
    for line in lines:
        last = spaced[-1].strip() if spaced else ""
        apart = line.startswith("[") and not above.get(line, "").strip()
        if apart and last and not last.startswith("#"):
            spaced.append("")
        spaced.append(line)
    return "\n".join([*spaced, ""]) if any(spaced) else ""


def _as_text(table: Any) -> str:
    return str(table.as_string()) if hasattr(table, "as_string") else ""


def _cannot(path: Path, error: OSError) -> HostError:
    return HostError(
        f"{path} cannot be written: {error.strerror or error}",
        where=str(path),
        hint="give yourself write access, or name another file: export ARGOJOBS_CONFIG=FILE",
    )
