"""Reads one context's table, each value checked, with file and line of every mistake."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from argojobs.config import secret_references
from argojobs.config.contexts import (
    LOCAL_NAME,
    MOUNT_KINDS,
    S3,
    S3_KINDS,
    STORAGE_CLAIM,
    STORAGE_SIZE,
    STYLES,
    Context,
    Mount,
    Registry,
)
from argojobs.config.reading import Reader, dotted
from argojobs.config.resources import checked_resources, parse_resources, quantity_of
from argojobs.config.toml_lines import At
from argojobs.errors import UsageError

Read = Callable[[Reader, Any, At], Any]

_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_URL = re.compile(
    r"https?://[^/\s:@?#]+(:\d+)?(/[^\s?#]*)?|https?://\[[0-9A-Fa-f:.]+\](:\d+)?(/\S*)?"
)
_ENDPOINT = re.compile(r"(https?://)?([^/\s@]+?(:\d+)?)/?")
_KUBERNETES_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")

#: What a project's file may say of a context: nothing that runs a program here, names a secret,
#: or says where our credentials are sent.
PROJECT_KEYS = frozenset(
    {
        "environment",
        "image",
        "max_parallel",
        "mounts",
        "namespace",
        "resources",
        "s3",
        "service_account",
        "storage",
        "storage_claim",
        "storage_size",
    }
)
PROJECT_S3_KEYS = frozenset({"key_format", "prefix"})

#: The tables of which a project adds to the user's; any other value takes its place.
MERGED = ("environment", "mounts", "s3")


def read_values(reader: Reader, table: Mapping[str, Any], at: At) -> dict[str, Any]:
    """Return the values of a context's table, by its keys.

    Args:
        reader: of the file.
        table: as `check_table` returns it.
        at: the place of the table.

    Raises:
        UsageError: a value that its key does not take, with file and line.
    """
    return {key: READERS[key](reader, value, (*at, key)) for key, value in table.items()}


def values_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return a context's values with others over them; some tables merge by their keys."""
    merged = {key: {**below[key], **above[key]} for key in MERGED if key in below and key in above}
    return {**below, **above, **merged}


def make_context(name: str, values: Mapping[str, Any], origins: Mapping[At, str]) -> Context:
    """Return the context that has these values.

    Args:
        name: of the context.
        values: as `read_values` returns them, of all files together.
        origins: `file:line` by place.

    Raises:
        UsageError: values that do not go together.
    """
    given = dict(values)
    if "storage" in given:
        given = {"storage_claim": STORAGE_CLAIM, "storage_size": STORAGE_SIZE, **given}
    for key in ("storage_claim", "storage_size"):
        if key in given and "storage" not in given:
            raise UsageError(
                f"{key} without storage mounts nothing",
                where=origins.get(("contexts", name, key), ""),
                hint='add: storage = "/storage"',
            )
    for key, other in (("client_key", "client_certificate"), ("client_certificate", "client_key")):
        if key in given and other not in given:
            raise UsageError(
                f"{key} needs {other} beside it", where=origins.get(("contexts", name, key), "")
            )
    if "s3" in given:
        given["s3"] = S3(**given["s3"])
    if "registry" in given:
        given["registry"] = Registry(**given["registry"])
    if "mounts" in given:
        if given.get("storage") in given["mounts"]:
            raise UsageError(
                f"{given['storage']} is both the storage's path and a mount's",
                where=origins.get(("contexts", name, "mounts", given["storage"]), ""),
                hint="choose another path for one of them",
            )
        given["mounts"] = tuple(given["mounts"].values())
    return Context(name=name, **given)


def check_table(reader: Reader, table: Any, name: str, at: At, *, project: bool) -> dict[str, Any]:
    """Return a context's table, whose keys are known and, in a project's file, allowed there.

    Args:
        reader: of the file.
        table: whatever stands there.
        name: of the context.
        at: the place of the table.
        project: whether it is a project's file, which may set few of them.

    Raises:
        UsageError: what is wrong, with file and line.
    """
    _check_name(reader, name, at)
    for key, value in reader.table(table, at, None).items():
        if key not in READERS and isinstance(value, dict):
            raise reader.error(
                f"unknown table [{dotted((*at, key))}]",
                (*at, key),
                f"a name with a dot stands in quotes: [{dotted((*at[:-1], f'{name}.{key}'))}]; "
                "the tables of a context are: environment, mounts, registry, resources, s3",
            )
    checked = reader.table(table, at, READERS)
    for key in ("s3", "registry"):
        if key in checked:
            reader.table(checked[key], (*at, key), _S3 if key == "s3" else _REGISTRY)
    if project:
        inner = [("s3", key) for key in checked.get("s3", {}) if key not in PROJECT_S3_KEYS]
        for path in [*((key,) for key in checked if key not in PROJECT_KEYS), *inner]:
            raise reader.error(
                f"a project's file may not set {'.'.join(path)}: whoever wrote the project could "
                "take your credentials, or run a program as you",
                (*at, *path),
                f"set it in your own configuration: argojobs config set contexts.{name}."
                f"{'.'.join(path)} VALUE",
            )
    return checked


def _check_name(reader: Reader, name: str, at: At) -> None:
    """Refuse a name that no context may have."""
    if name == LOCAL_NAME:
        raise reader.error(
            "the context local is this machine and has no table",
            at,
            "its settings stand in [local]; or choose another name",
        )
    if not _NAME.fullmatch(name):
        raise reader.error(
            f"{name!r} cannot be a context's name", at, "use letters, digits, dots, - and _"
        )


def _reference(reader: Reader, value: Any, at: At) -> str:
    """Read a secret reference; its file is relative to the file that says so."""
    text = value if isinstance(value, str) else ""
    try:
        secret_references.check(text)
    except UsageError as error:
        raise reader.error(f"{at[-1]}: {error.what}", at, error.hint) from error
    kind, _, place = text.partition(":")
    if kind == secret_references.FILE:
        return f"{kind}:{reader.folder(place, at, 'a file')}"
    if kind == secret_references.CREDS:
        file, _, pointer = place.partition("#")
        return f"{kind}:{reader.folder(file, at, 'a file')}#{pointer}"
    return text


def _mount_of(path: str, text: str) -> Mount:
    """Read a mount: `claim:NAME`, `hostPath:/FOLDER` or `nfs:HOST:/EXPORT`, `:ro` behind it.

    Raises UsageError.
    """
    kind, _, source = text.partition(":")
    source, read_only = source.removesuffix(":rw"), False
    if source.endswith(":ro"):
        source, read_only = source[: -len(":ro")], True
    fits = {
        "claim": _KUBERNETES_NAME.fullmatch(source),
        "hostPath": source.startswith("/"),
        "nfs": re.fullmatch(r"[^/\s]+:/\S*", source),
    }
    if not path.startswith("/"):
        raise UsageError(
            f"the mount {path!r} is not an absolute path", hint='write "/data" = "claim:NAME"'
        )
    if kind not in MOUNT_KINDS or not fits[kind]:
        raise UsageError(
            f"{text!r} is not a mount",
            hint="write claim:NAME, hostPath:/FOLDER or nfs:HOST:/EXPORT, and :ro to only read",
        )
    return Mount(path, kind, source, read_only)


def server_url(text: str) -> str:
    """Return a server's URL without a slash at its end. Raises UsageError for what is none."""
    if not _URL.fullmatch(text):
        example = text if re.fullmatch(r"[\w.-]+(:\d+)?", text) else "HOST:2746"
        raise UsageError(
            f"{_without_user(text)!r} is not an address of a server",
            hint=f"write https://{example} (http:// for one without TLS)",
        )
    return text.rstrip("/")


def _without_user(text: str) -> str:
    """Hide what stands before an @ in a URL: it may be a password."""
    return re.sub(r"//[^/@]*@", "//...@", text)


def _server(reader: Reader, value: Any, at: At) -> str:
    return str(_raised(reader, at, server_url, reader.text(value, at)))


def _raised(reader: Reader, at: At, read: Callable[..., Any], *given: Any) -> Any:
    """Call a function; its error gets the place."""
    try:
        return read(*given)
    except UsageError as error:
        raise reader.error(f"{at[-1]}: {error.what}", at, error.hint) from error


def _file(reader: Reader, value: Any, at: At) -> str:
    return reader.folder(value, at, "a file")


def _name(reader: Reader, value: Any, at: At) -> str:
    text = reader.text(value, at)
    if not _KUBERNETES_NAME.fullmatch(text):
        raise reader.error(
            f"{at[-1]}: {text!r} is not a name that Kubernetes takes",
            at,
            "use small letters, digits and -",
        )
    return text


def _absolute(reader: Reader, value: Any, at: At) -> str:
    text = reader.text(value, at)
    if not text.startswith("/"):
        raise reader.error(
            f"{at[-1]} must be an absolute path in the steps", at, 'as in "/storage"'
        )
    return text.rstrip("/") or "/"


def _size(reader: Reader, value: Any, at: At) -> str:
    return str(_raised(reader, at, quantity_of, at[-1], value))


def _resources(reader: Reader, value: Any, at: At) -> dict[str, str]:
    if isinstance(value, str):
        return dict(_raised(reader, at, parse_resources, value))
    table = reader.table(value, at, None)
    found: dict[str, str] = {}
    for key, quantity in table.items():
        found.update(_raised(reader, (*at, key), checked_resources, {key: quantity}))
    return found


def _environment(reader: Reader, value: Any, at: At) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, given in reader.table(value, at, None).items():
        if not _VARIABLE.fullmatch(name):
            raise reader.error(f"{name!r} cannot be a variable's name", (*at, name))
        if isinstance(given, bool) or not isinstance(given, (str, int, float)):
            raise reader.error(f'{name} must be a text: {name} = "..."', (*at, name))
        found[name] = str(given)
    return found


def _mounts(reader: Reader, value: Any, at: At) -> dict[str, Mount]:
    table = reader.table(value, at, None)
    return {
        path: _raised(reader, (*at, path), _mount_of, path, reader.text(text, (*at, path)))
        for path, text in table.items()
    }


def _style(reader: Reader, value: Any, at: At) -> str:
    return reader.choice(value, at, STYLES)


def _kind(reader: Reader, value: Any, at: At) -> str:
    return reader.choice(value, at, S3_KINDS)


def _endpoint(reader: Reader, value: Any, at: At) -> str:
    text = reader.text(value, at)
    if not _ENDPOINT.fullmatch(text):
        raise reader.error(
            f"{at[-1]}: {_without_user(text)!r} is not an address of a store", at, "write HOST:PORT"
        )
    return text


def _s3(reader: Reader, value: Any, at: At) -> dict[str, Any]:
    table = reader.table(value, at, _S3)
    values = {key: _S3[key](reader, given, (*at, key)) for key, given in table.items()}
    found = _ENDPOINT.fullmatch(values.get("endpoint", ""))
    if found is not None:
        values["endpoint"] = found[2]
        said = found[1] == "https://" if found[1] else None
        if said is not None and values.setdefault("tls", said) != said:
            raise reader.error(
                "endpoint and tls say different things", (*at, "tls"), "leave one of them out"
            )
    return values


def _registry(reader: Reader, value: Any, at: At) -> dict[str, Any]:
    table = reader.table(value, at, _REGISTRY)
    return {key: _REGISTRY[key](reader, given, (*at, key)) for key, given in table.items()}


_S3: Mapping[str, Read] = {
    "endpoint": _endpoint,
    "bucket": Reader.text,
    "prefix": Reader.text,
    "region": Reader.text,
    "style": _style,
    "tls": Reader.flag,
    "access_key": _reference,
    "secret_key": _reference,
    "session_token": _reference,
    "key_format": Reader.text,
    "secret_name": _name,
    "access_key_field": Reader.text,
    "secret_key_field": Reader.text,
    "kind": _kind,
}

_REGISTRY: Mapping[str, Read] = {
    "url": Reader.text,
    "user": Reader.text,
    "password": _reference,
    "pull_secret": _name,
}

#: The keys of a context, and how each is read.
READERS: Mapping[str, Read] = {
    "server": _server,
    "namespace": _name,
    "token": _reference,
    "ca": _file,
    "insecure": Reader.flag,
    "client_certificate": _file,
    "client_key": _file,
    "base_href": Reader.text,
    "kubeconfig": _file,
    "kube_context": Reader.text,
    "image": Reader.text,
    "resources": _resources,
    "storage": _absolute,
    "storage_size": _size,
    "storage_claim": _name,
    "s3": _s3,
    "registry": _registry,
    "environment": _environment,
    "mounts": _mounts,
    "max_parallel": Reader.count,
    "ui": _server,
    "storage_ui": _server,
    "service_account": _name,
}
