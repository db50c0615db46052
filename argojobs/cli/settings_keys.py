"""Keys and values of settings as they stand on a command line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomllib

from argojobs.cli.config_change import from_here
from argojobs.cli.context_table import leaves
from argojobs.config.checking import check_change
from argojobs.config.context_files import load_contexts
from argojobs.config.editing import with_value, without
from argojobs.config.files import PROJECT_FILE, config_file
from argojobs.config.reading import Reader, text_of
from argojobs.config.settings import load_settings
from argojobs.errors import UsageError

#: A place in a config file: its keys from the top.
At = tuple[str, ...]


def split_key(key: str, document: Mapping[str, Any]) -> At:
    """Return the keys of a dotted key, whose parts may be quoted as in TOML.

    document: the file; a context of it may have dots in its name without quotes. Raises UsageError
    for what is not a key.
    """
    for name in sorted(document.get("contexts") or {}, key=len, reverse=True):
        start = f"contexts.{name}"
        if key == start or key.startswith(f"{start}."):
            rest = key[len(start) + 1 :]
            return ("contexts", name, *(split_key(rest, {}) if rest else ()))
    try:
        inner: Any = tomllib.loads(f"{key} = 0") if "\n" not in key else {}
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"{key!r} is not a key",
            hint='write it as in TOML: contexts.lab.image, local.images."train:1".root',
        ) from error
    parts: list[str] = []
    while isinstance(inner, dict) and len(inner) == 1:
        part, inner = next(iter(inner.items()))
        parts.append(part)
    if not parts or inner != 0:
        raise UsageError(f"{key!r} is not a key", hint="write it as in TOML: contexts.lab.image")
    return tuple(parts)


def with_setting(text: str, key: str, value: str) -> str:
    """Return a config file's text with one value set.

    Args:
        text: of the file.
        key: dotted, its parts quoted as in TOML where they need it.
        value: what the key takes: a number, true, a list or a table as TOML writes them, else the
            text itself.

    Raises:
        UsageError: the key takes neither; no place is named.
    """
    at = split_key(key, tomllib.loads(text))
    if at[0] == "contexts":
        value = from_here(at[-1], value)
    refused: UsageError | None = None
    for candidate in _candidates(value):
        try:
            after = with_value(text, at, candidate)
            _check(text, after, at)
        except UsageError as error:
            refused = refused or error
        else:
            return after
    assert refused is not None, "a text is always a candidate"
    raise refused


def without_setting(text: str, key: str) -> str:
    """Return a config file's text without one value or table. Raises NotFoundError."""
    return without(text, split_key(key, tomllib.loads(text)))


def effective(project: Path | None) -> dict[At, tuple[Any, str]]:
    """Return each setting that holds: by its keys, the value and `file:line`.

    Raises UsageError for a file in which something is wrong.
    """
    load_settings(project)
    known = load_contexts(project).by_name
    files = [config_file(), *([project / PROJECT_FILE] if project is not None else [])]
    found: dict[At, tuple[Any, str]] = {}
    for path in files:
        reader = Reader(text_of(path) or "", path)
        for at, value in leaves(reader.document):
            if at[0] != "contexts" or at[1] in known:
                found[at] = (value, reader.where(at))
    return found


def _candidates(value: str) -> list[Any]:
    """Return what a value may be: TOML's number, boolean, list or table, and the text."""
    try:
        literal = tomllib.loads(f"value = {value}")
    except tomllib.TOMLDecodeError:
        return [value]
    only = literal.get("value") if set(literal) == {"value"} else value
    fits = isinstance(only, (bool, int, float, list, dict))
    return [only, value] if fits else [value]


def _check(before: str, after: str, at: At) -> None:
    """Check a new text; a mistake at the place that was set has no line yet."""
    path = config_file()
    try:
        check_change(before, after, path)
    except UsageError as error:
        own = error.where == Reader(after, path).where(at)
        raise UsageError(error.what, where="" if own else error.where, hint=error.hint) from error
