"""Reads a `creds.yaml`, the file in which the first users keep servers, stores and registries.

    argo:
    - name: abacus
      address: abacus:30992
      namespace: argo
      tls: true
    s3:
    - name: mldata
      type: minio
      address: abacus:30991
      access key: ...
      secret key: ...
      tls: false
      sets:                    # buckets and prefixes, by what lies there
        model: {bucket: models, prefix: cnn}
    registry:
    - name: local
      url: localhost:32000
      user: me
      password: ...

Keys are compared without case, blanks, `_` and `-`. Secrets never leave the file: a context gets a
reference that points into it, `creds:FILE#s3/mldata/secretkey`.
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

#: The lists, and the keys of their entries.
_KEYS: Mapping[str, tuple[str, ...]] = {
    "argo": ("name", "address", "namespace", "tls", "insecure", "token"),
    "s3": (
        *("name", "type", "address", "access key", "secret key", "session token"),
        *("tls", "region", "bucket", "prefix", "sets"),
    ),
    "registry": ("name", "url", "user", "password"),
}
_SHORT = {"secret": "secretkey"}
_SECRETS = ("accesskey", "secretkey", "sessiontoken", "password", "token")
_FLAGS = ("tls", "insecure")
_YES = frozenset({"true", "yes", "on", "y", "1"})
_NO = frozenset({"false", "no", "off", "n", "0"})
#: A list's dash, what belongs to it, and a key in the column of the dash.
_UNDER_DASH = re.compile(
    r"^(?P<indent> *)- .*\n(?:(?P=indent) .*\n|\s*(?:#.*)?\n)*(?P=indent)(?P<key>[^\s#:-][^:\n]*):[ \t]+\S",
    re.MULTILINE,
)


def _plain(key: object) -> str:
    """Return a key without case, blanks, `_` and `-`, in full."""
    return _SHORT.get(plain_key(key), plain_key(key))


_ALL_KEYS = frozenset(_plain(key) for keys in _KEYS.values() for key in keys)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a list: its values by their keys (`_plain`), and what is not known in it.

    A secret's value is not in it: `values` has the reference to it. unknown: keys, each with the
    nearest that is known.
    """

    name: str
    line: int
    values: Mapping[str, str]
    sets: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    unknown: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Creds:
    """A whole file; unknown: its lists that we do not know."""

    path: Path
    argo: tuple[Entry, ...] = ()
    s3: tuple[Entry, ...] = ()
    registry: tuple[Entry, ...] = ()
    unknown: tuple[str, ...] = ()


def read_creds(path: Path) -> Creds:
    """Return what a file holds. Raises UsageError with file and line for a shape we do not know."""
    text = text_of_file(path)
    document = _document(text, path)
    found: dict[str, tuple[Entry, ...]] = {}
    unknown = []
    for key, value in document.items():
        if _plain(key) not in _KEYS:
            unknown.append(key)
        elif not _is_nothing(value):
            found[_plain(key)] = _entries(key, value, text, path)
    if len(unknown) == len(document):
        raise _no_lists(path)
    return Creds(path, **found, unknown=tuple(unknown))


def secret_in(path: Path, pointer: str) -> str:
    """Return the text of one value: `s3/mldata/secretkey`. Raises UsageError, HostError."""
    name, entry, key = pointer.split("/")
    for title, value in _document(text_of_file(path), path).items():
        for item in value if _plain(title) == name and isinstance(value, list) else ():
            table = _by_plain_key(item)
            if table.get("name") == entry and isinstance(table.get(key), str):
                return str(table[key])
    raise UsageError(
        f"there is no {pointer} in this file",
        where=str(path),
        hint="correct the file, or import it again: argojobs context import FILE --replace",
    )


def _document(text: str, path: Path) -> dict[str, Any]:
    """Return the file's mapping with every scalar as its text. Raises UsageError."""
    _check_indentation(text, path)
    document = texts_in(text, str(path))
    if document is None:
        raise _no_lists(path)
    return document


def _check_indentation(text: str, path: Path) -> None:
    """Refuse a key that stands under the dash of an entry, not under the name: it is in no entry."""
    for found in _UNDER_DASH.finditer(text.replace("\r\n", "\n") + "\n"):
        if _plain(found["key"]) in _ALL_KEYS:
            line = found.string.count("\n", 0, found.start("key")) + 1
            block = "\n".join(_indented(found.string[found.start() :], found["indent"]))
            raise UsageError(
                "this key belongs to no entry: it must stand under the name, not under the dash",
                where=f"{path}:{line}",
                hint=f"indent it by two blanks, like this:\n{block}",
            )


def _indented(text: str, indent: str) -> Iterator[str]:
    """Yield the lines of the list that a text begins with as they must be, without its secrets."""
    for line in filter(str.strip, text.splitlines()):
        key = _plain(line.strip().removeprefix("- ").partition(":")[0])
        right = line.startswith((f"{indent}- ", f"{indent} ", f"{indent}#"))
        if not right and (key not in _ALL_KEYS or not line.startswith(indent)):
            return
        shown = re.sub(r":\s.*", ": ...", line) if key in _SECRETS else line
        yield shown if right else f"  {shown}"


def _no_lists(path: Path) -> UsageError:
    return UsageError(
        "this file holds no lists of servers, stores or registries",
        where=str(path),
        hint="write a list under `argo:`, `s3:` and `registry:`",
    )


def _entries(title: str, value: Any, text: str, path: Path) -> tuple[Entry, ...]:
    if not isinstance(value, list):
        raise UsageError(
            f"{title} must be a list of entries",
            where=f"{path}:{line_of(text, (title,))}",
            hint=f"write a dash before each:\n{title}:\n- name: NAME\n  ...",
        )
    found: dict[str, Entry] = {}
    for number, item in enumerate(value):
        line = line_of(text, (title, number))
        name = _by_plain_key(item).get("name")
        where = f"{path}:{line}"
        if not isinstance(name, str):
            raise UsageError(
                f"an entry of {title} has no name",
                where=where,
                hint="write - name: NAME, and the other keys below it",
            )
        if name in found:
            raise UsageError(
                f"{title} has two entries called {name}",
                where=where,
                hint="give one of them another name",
            )
        if "/" in name or "#" in name:
            raise UsageError(f"the name {name} has a / or #", where=where)
        found[name] = _entry(_plain(title), name, item, line, path)
    return tuple(found.values())


def _entry(title: str, name: str, item: Mapping[str, Any], line: int, path: Path) -> Entry:
    from argojobs.manifest.nearest import suggestion

    values: dict[str, str] = {}
    sets: dict[str, tuple[str, str]] = {}
    unknown: dict[str, str] = {}
    where = f"{path}:{line}"
    for spelled, value in item.items():
        key = _plain(spelled)
        if key not in map(_plain, _KEYS[title]):
            unknown[spelled] = suggestion(spelled, _KEYS[title], what="known")
        elif _is_nothing(value):
            continue
        elif key == "sets":
            sets = _sets(value, f"{name}: {spelled}", where)
        elif not isinstance(value, str):
            raise UsageError(f"{name}: {spelled} must be one value", where=where)
        elif key in values:
            raise UsageError(f"{name}: {spelled} is said twice, in two spellings", where=where)
        elif key in _SECRETS:
            values[key] = f"creds:{path.absolute()}#{title}/{name}/{key}"
        else:
            values[key] = _flag(value, f"{name}: {spelled}", where) if key in _FLAGS else value
    return Entry(name, line, values, sets, unknown)


def _flag(value: str, what: str, where: str) -> str:
    """Return `true` or `false` for any of YAML's words for them."""
    folded = value.casefold()
    if folded not in _YES | _NO:
        raise UsageError(f"{what} must be true or false", where=where)
    return "true" if folded in _YES else "false"


def _sets(value: Any, what: str, where: str) -> dict[str, tuple[str, str]]:
    """Return bucket and prefix by what lies there."""
    found: dict[str, tuple[str, str]] = {}
    for name, one in value.items() if isinstance(value, dict) else [("", value)]:
        table = _by_plain_key(one)
        bucket, prefix = table.get("bucket"), table.get("prefix", "")
        if not name or not isinstance(bucket, str) or not bucket or not isinstance(prefix, str):
            hint = "write sets: {NAME: {bucket: NAME, prefix: TEXT}}"
            raise UsageError(f"{what} names no bucket", where=where, hint=hint)
        found[str(name)] = (bucket, "" if _is_nothing(prefix) else prefix)
    return found


def _by_plain_key(item: Any) -> dict[str, Any]:
    return {_plain(key): value for key, value in item.items()} if isinstance(item, dict) else {}


def _is_nothing(value: Any) -> bool:
    return is_nothing(value) or str(value).casefold() == "none"
