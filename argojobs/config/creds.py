"""Reads a `creds.yaml`, the file in which the first users keep servers, stores and registries.

    argo:                      # name, address with port, namespace, tls
    - name: abacus
      address: abacus:30992
      namespace: argo
      tls: true
    s3:                        # name, type, address, access key, secret key, tls, sets
    - name: mldata
      type: minio
      address: abacus:30991
      access key: ...
      secret key: ...
      tls: false
      sets:                    # buckets and prefixes, by what lies there
        model: {bucket: models, prefix: cnn}
    registry:                  # name, url, user, password
    - name: local
      url: localhost:32000

Keys are compared without case, blanks, `_` and `-`, under several spellings each. Secrets never
leave the file: a context gets a reference that points into it, `creds:FILE#s3/mldata/secretkey`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from argojobs.config.reading import text_of_file
from argojobs.errors import ManifestError, UsageError

ARGO, S3, REGISTRY = LISTS = ("argo", "s3", "registry")

#: What the lists are called, in a spelling without case, blanks, `_` and `-`.
_LIST_NAMES = {
    ARGO: ("argo", "argos", "argoserver", "argoservers", "server", "servers", "workflows"),
    S3: ("s3", "store", "stores", "objectstore", "objectstores", "storage", "minio", "aistore"),
    REGISTRY: ("registry", "registries", "dockerregistry", "containerregistry", "docker"),
}

_ADDRESS = ("address", "url", "endpoint", "host", "server", "uri")
_TLS = ("tls", "secure", "ssl", "https")
#: The keys of each list's entries, by our names.
_KEYS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    ARGO: {
        "name": ("name",),
        "address": _ADDRESS,
        "port": ("port",),
        "namespace": ("namespace", "ns"),
        "tls": _TLS,
        "verify": ("certverify", "verify", "verifycert", "verifycertificate", "checkcertificate"),
        "insecure": ("insecure", "insecureskipverify", "skipverify"),
        "token": ("token", "bearertoken", "authtoken", "accesstoken"),
    },
    S3: {
        "name": ("name",),
        "kind": ("type", "kind"),
        "address": _ADDRESS,
        "port": ("port",),
        "accesskey": ("accesskey", "access", "accesskeyid", "awsaccesskeyid", "user", "username"),
        "secretkey": ("secretkey", "secret", "secretaccesskey", "awssecretaccesskey", "password"),
        "sessiontoken": ("sessiontoken", "token"),
        "tls": _TLS,
        "region": ("region",),
        "bucket": ("bucket",),
        "prefix": ("prefix",),
        "sets": ("sets", "set", "buckets", "datasets"),
    },
    REGISTRY: {
        "name": ("name",),
        "url": _ADDRESS,
        "user": ("user", "username", "login"),
        "password": ("password", "pass", "token", "secret"),
    },
}
#: Those of our names whose values are secrets, and how they are spelled.
_SECRETS = ("accesskey", "secretkey", "sessiontoken", "password", "token")
_SECRET_SPELLINGS = frozenset(
    one for table in _KEYS.values() for key in _SECRETS for one in table.get(key, ())
)
_ENTRY_KEYS = frozenset(
    one for table in _KEYS.values() for names in table.values() for one in names
)
_NOTHING = frozenset({"", "~", "null", "none"})
_YES = frozenset({"true", "yes", "on", "y", "1"})
_NO = frozenset({"false", "no", "off", "n", "0"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a list: its values by our names, and the keys that we do not know.

    A secret's value is not in it: `values` has the reference to it.
    """

    name: str
    line: int
    values: Mapping[str, str]
    sets: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Creds:
    """A whole file; unknown: its lists that we do not know."""

    path: Path
    argo: tuple[Entry, ...] = ()
    s3: tuple[Entry, ...] = ()
    registry: tuple[Entry, ...] = ()
    unknown: tuple[str, ...] = ()


def read_creds(path: Path) -> Creds:
    """Return what a file holds. Raises UsageError with file and line for a shape we do not know.

    A list whose keys are not indented under their dash is shown as it must be.
    """
    text = text_of_file(path)
    document = _document(text, path)
    known = {spelling: name for name, names in _LIST_NAMES.items() for spelling in names}
    found: dict[str, list[Entry]] = {name: [] for name in LISTS}
    unknown = []
    for key, value in document.items():
        name = known.get(_plain(key))
        if name is None:
            unknown.append(key)
        elif not _is_nothing(value):
            found[name] += _entries(name, key, value, text, path)
    if len(unknown) == len(document):
        raise _no_lists(path)
    for name, entries in found.items():
        _check_names(name, entries, path)
    return Creds(path, tuple(found[ARGO]), tuple(found[S3]), tuple(found[REGISTRY]), tuple(unknown))


def secret_in(path: Path, pointer: str) -> str:
    """Return the text of one value: `s3/mldata/secretkey`. Raises UsageError, HostError."""
    name, entry, key = pointer.split("/")
    text = text_of_file(path)
    for title, value in _document(text, path).items():
        if _plain(title) not in _LIST_NAMES.get(name, ()):
            continue
        for item in value if isinstance(value, list) else []:
            table = {_plain(k): v for k, v in item.items()} if isinstance(item, dict) else {}
            if table.get("name") != entry:
                continue
            for spelling in _KEYS[name].get(key, ()):
                if isinstance(table.get(spelling), str):
                    return str(table[spelling])
    raise UsageError(
        f"there is no {pointer} in this file",
        where=str(path),
        hint="correct the file, or import it again: argojobs context import FILE --replace",
    )


def _document(text: str, path: Path) -> dict[str, Any]:
    """Return the file's mapping with every scalar as its text. Raises UsageError."""
    from argojobs.manifest import yaml_read

    try:
        documents = [one for one in yaml_read.read(text, str(path)) if one is not None]
    except ManifestError as error:
        wrong = misindented(text)
        if wrong is None:
            raise
        raise _indentation_error(path, *wrong) from error
    wrong = misindented(text)
    if wrong is not None:
        raise _indentation_error(path, *wrong)
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise _no_lists(path)
    import yaml

    # A password may be 007 or yes: here every scalar is the text that stands in the file.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    return dict(yaml.load(text, Loader=loader))  # noqa: S506 - makes nothing but text


def _no_lists(path: Path) -> UsageError:
    return UsageError(
        "this file holds no lists of servers, stores or registries",
        where=str(path),
        hint="write a list under `argo:`, `s3:` and `registry:`",
    )


def _entries(name: str, title: str, value: Any, text: str, path: Path) -> list[Entry]:
    from argojobs.manifest.locate import locate

    if not isinstance(value, list):
        line = locate(text, (title,))[0]
        raise UsageError(
            f"{title} must be a list of entries",
            where=f"{path}:{line}",
            hint=f"write a dash before each:\n{title}:\n- name: NAME\n  ...",
        )
    found = []
    for number, item in enumerate(value):
        line = locate(text, (title, number))[0]
        if not isinstance(item, dict) or not isinstance(_named(item), str):
            raise UsageError(
                f"an entry of {title} has no name",
                where=f"{path}:{line}",
                hint="write - name: NAME, and the other keys below it",
            )
        found.append(_entry(name, item, line, path))
    return found


def _named(item: Mapping[str, Any]) -> Any:
    return next((value for key, value in item.items() if _plain(key) == "name"), None)


def _entry(name: str, item: Mapping[str, Any], line: int, path: Path) -> Entry:
    spellings = {spelling: key for key, names in _KEYS[name].items() for spelling in names}
    entry = str(_named(item))
    values: dict[str, str] = {}
    sets: dict[str, tuple[str, str]] = {}
    unknown = []
    where = f"{path}:{line}"
    for key, value in item.items():
        ours = spellings.get(_plain(key))
        if ours is None:
            unknown.append(key)
        elif _is_nothing(value):
            continue
        elif ours == "sets":
            sets = _sets(value, f"{entry}: {key}", where)
        elif not isinstance(value, str):
            raise UsageError(f"{entry}: {key} must be one value", where=where)
        elif ours in values:
            raise UsageError(f"{entry}: {key} is said twice, in two spellings", where=where)
        elif ours in _SECRETS:
            values[ours] = f"creds:{path.absolute()}#{name}/{entry}/{ours}"
        else:
            values[ours] = _flag(value, f"{entry}: {key}", where) if ours in _FLAGS else value
    return Entry(entry, line, values, sets, tuple(unknown))


_FLAGS = frozenset({"tls", "verify", "insecure"})


def _flag(value: str, what: str, where: str) -> str:
    """Return `true` or `false` for any of YAML's words for them."""
    folded = value.casefold()
    if folded not in _YES | _NO:
        raise UsageError(f"{what} must be true or false", where=where)
    return "true" if folded in _YES else "false"


def _sets(value: Any, what: str, where: str) -> dict[str, tuple[str, str]]:
    """Return bucket and prefix by what lies there; written as a mapping, a list, or names."""
    found: dict[str, tuple[str, str]] = {}
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    if isinstance(value, str):
        return {value: (value, "")}
    for key, one in pairs:
        if isinstance(one, str):
            found[one if isinstance(key, int) else key] = (one, "")
            continue
        table = {_plain(k): v for k, v in one.items()} if isinstance(one, dict) else {}
        bucket, prefix = table.get("bucket", table.get("name", "")), table.get("prefix", "")
        if not isinstance(bucket, str) or not bucket or not isinstance(prefix, str):
            raise UsageError(
                f"{what} names no bucket", where=where, hint="write {bucket: NAME, prefix: TEXT}"
            )
        name = table.get("name", bucket) if isinstance(key, int) else key
        found[str(name)] = (bucket, "" if _is_nothing(prefix) else prefix)
    return found


def _check_names(name: str, entries: list[Entry], path: Path) -> None:
    seen: set[str] = set()
    for entry in entries:
        if entry.name in seen:
            raise UsageError(
                f"{name} has two entries called {entry.name}",
                where=f"{path}:{entry.line}",
                hint="give one of them another name",
            )
        if "/" in entry.name or "#" in entry.name:
            raise UsageError(f"the name {entry.name} has a / or #", where=f"{path}:{entry.line}")
        seen.add(entry.name)


def misindented(text: str) -> tuple[int, str] | None:
    """Find a list whose keys stand under the dash instead of beside the first key.

    Returns the line of the first such key and the list as it must be, its secrets hidden; None
    where there is none. In `- name: a` followed by `url: b` at the dash's own column, the `url`
    belongs to no entry.
    """
    lines = text.splitlines()
    outer, column, first = -1, -1, 0
    fixed: list[str] = []
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip(" "))
        bare = line.strip()
        if not bare or bare.startswith("#"):
            fixed.append(line)
            continue
        pair = re.fullmatch(r"([^-#\s][^:]*):(\s+\S.*)?", bare)
        if bare.startswith("- "):
            column = indent if column < 0 or indent < column else column
        elif (
            pair is not None
            and column >= 0
            and indent == column
            and pair[2] is not None
            and (column > outer or _plain(pair[1]) in _ENTRY_KEYS)
        ):
            first = first or number + 1
            fixed.append("  " + line)
            continue
        elif column >= 0 and indent > column:
            pass
        else:
            if first:
                break
            outer, column, fixed = indent, -1, []
        fixed.append(line)
    if not first:
        return None
    return first, "\n".join(_hidden(line) for line in fixed if line.strip())


def _hidden(line: str) -> str:
    """Return a line of YAML without the value of a secret."""
    found = re.match(r"(\s*(?:- )?)([^:]+)(:\s+)\S", line)
    if found is None or _plain(found[2]) not in _SECRET_SPELLINGS:
        return line
    return f"{found[1]}{found[2]}{found[3]}..."


def _indentation_error(path: Path, line: int, block: str) -> UsageError:
    return UsageError(
        "this key belongs to no entry: it must stand under the name, not under the dash",
        where=f"{path}:{line}",
        hint=f"indent it by two blanks, like this:\n{block}",
    )


def _plain(key: object) -> str:
    """Return a key without case, blanks, `_` and `-`."""
    return re.sub(r"[\s_-]+", "", str(key)).casefold()


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.casefold() in _NOTHING)
