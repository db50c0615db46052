"""A kubeconfig: read, merged and checked as kubectl does it. Nothing is sent or run here.

Source: Kubernetes docs, "Organizing Cluster Access Using kubeconfig Files" (which file wins, what
a path is relative to), the reference of kubeconfig (v1), and client-go's checks (`clientcmd`).
"""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from argojobs.client.shapes import fault_of
from argojobs.errors import ManifestError, UsageError
from argojobs.manifest.reading import read as read_yaml

#: Where a cluster says what the programs that print credentials want to know.
_FOR_PLUGINS = "client.authentication.k8s.io/exec"
_PLUGIN_VERSIONS = tuple(f"client.authentication.k8s.io/{one}" for one in ("v1", "v1beta1"))
_MODES = ("Never", "IfAvailable", "Always")
_HINT = (
    "give one that works with kubectl: a context's `kubeconfig` and `kube_context`, or KUBECONFIG"
)

_EXTENSIONS = ({"name": str},)
_CONTEXT = {"cluster": str, "user": str, "namespace": str}
_CLUSTER = {
    "server": str,
    "tls-server-name": str,
    "insecure-skip-tls-verify": bool,
    "certificate-authority": str,
    "certificate-authority-data": str,
    "proxy-url": str,
    "extensions": _EXTENSIONS,
}
_EXEC = {
    "apiVersion": str,
    "command": str,
    "args": (str,),
    "env": ({"name": str, "value": str},),
    "installHint": str,
    "interactiveMode": str,
    "provideClusterInfo": bool,
}
_USER = {
    "client-certificate": str,
    "client-certificate-data": str,
    "client-key": str,
    "client-key-data": str,
    "token": str,
    "tokenFile": str,
    "username": str,
    "password": str,
    "as": str,
    "as-uid": str,
    "as-groups": (str,),
    "as-user-extra": {"*": (str,)},
    "auth-provider": {},
    "exec": _EXEC,
}
_PARTS = {"context": _CONTEXT, "cluster": _CLUSTER, "user": _USER}


@dataclass(frozen=True, slots=True)
class Pem:
    """A certificate or key: a file, or what it would hold. called: where it stands, for messages."""

    called: str
    path: str = ""
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where an API server is and whom it is trusted by. config: what plugins want to know."""

    server: str
    ca: Pem | None
    insecure: bool
    server_name: str
    proxy: str
    config: Any


@dataclass(frozen=True, slots=True)
class Plugin:
    """A program that prints credentials, as `exec` of a user says it."""

    version: str
    command: tuple[str, ...]
    env: tuple[tuple[str, str], ...]
    hint: str
    interactive: str
    with_cluster: bool


@dataclass(frozen=True, slots=True)
class User:
    """How to show who we are. impersonation: the headers that say as whom to act."""

    name: str
    token: str
    token_file: str
    username: str
    password: str
    certificate: tuple[Pem, Pem] | None
    plugin: Plugin | None
    impersonation: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Access:
    """What a context of a kubeconfig says. file: the one that the user stands in."""

    cluster: Cluster
    user: User
    namespace: str
    file: str


@dataclass(frozen=True, slots=True)
class _Entry:
    """A context, cluster or user with its name, and the file that it stands in."""

    kind: str
    name: str
    file: Path
    fields: dict[str, Any]
    label: str

    def fault(self, what: str) -> UsageError:
        return unusable(str(self.file), f"{self.kind} {self.name!r}: {what}", self.label)

    def text(self, field: str) -> str:
        return str(self.fields.get(field) or "")

    def path(self, field: str) -> str:
        """Return a path, which is relative to the file."""
        return str(self.file.parent.absolute() / self.text(field)) if self.text(field) else ""

    def header(self, field: str) -> str:
        """Return a text that goes into a header of a request."""
        self.check_header(field, self.text(field))
        return self.text(field)

    def check_header(self, field: str, text: str) -> None:
        if not (text.isascii() and text.isprintable()):
            raise self.fault(f"{field} holds characters that no header can have")

    def pem(self, field: str) -> Pem | None:
        """Return a certificate or key, None where none is given; `FIELD-data` wins."""
        called = f"{field} of the {self.kind} {self.name!r} in {self.file}"
        data = "".join(self.text(f"{field}-data").split())
        try:
            decoded = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            raise self.fault(f"{field}-data is not base64") from None
        if decoded:
            return Pem(called, data=decoded)
        return Pem(called, path=self.path(field)) if self.path(field) else None


def unusable(file: str, what: str, label: str) -> UsageError:
    """Return the error for a kubeconfig that is missing, damaged, or lacks something.

    Args:
        file: its path, or several as KUBECONFIG names them.
        what: what is wrong with it; it ends the message.
        label: what messages call the place.
    """
    return UsageError(f"the kubeconfig {file} cannot be used: {what}", where=label, hint=_HINT)


def read(files: str, context: str, label: str) -> Access:
    """Return what a context of a kubeconfig says.

    Args:
        files: the file, or several as KUBECONFIG names them: the first that says something wins.
        context: the context, "" for the current one.
        label: what messages call the place.

    Raises:
        UsageError: the kubeconfig is missing or damaged; it names the file and the part.
    """
    current, entries = _merged([Path(part) for part in files.split(os.pathsep) if part], label)
    wanted = context or current
    if not wanted:
        what = "it has no current-context" if entries else "there is no such file, or nothing in it"
        raise unusable(files, what, label)
    chosen = entries.get(("context", wanted))
    if chosen is None:
        names = ", ".join(name for kind, name in entries if kind == "context") or "none"
        raise unusable(files, f"it has no context {wanted!r}, only: {names}", label)
    cluster = _named(chosen, "cluster", entries)
    if cluster is None:
        raise chosen.fault("it names no cluster")
    user = _named(chosen, "user", entries) or _Entry("user", "", chosen.file, {}, label)
    return Access(_cluster(cluster), _user(user), chosen.text("namespace"), str(user.file))


def _merged(files: Iterable[Path], label: str) -> tuple[str, dict[tuple[str, str], _Entry]]:
    """Return the current context and all entries by kind and name: the first file wins."""
    current = ""
    entries: dict[tuple[str, str], _Entry] = {}
    for file in files:
        content = _content(file, label)
        current = current or str(content.get("current-context") or "")
        own = [one for kind in _PARTS for one in _entries(content, kind, file, label)]
        names = [(one.kind, one.name) for one in own]
        for one in own:
            if names.count((one.kind, one.name)) > 1:
                raise one.fault("there are two of this name")
            entries.setdefault((one.kind, one.name), one)
    return current, entries


def _content(file: Path, label: str) -> dict[str, Any]:
    """Return what a file holds, nothing where there is none. Raises UsageError for anything else."""
    try:
        documents = [
            one for one in read_yaml(file.read_text("utf-8"), str(file)) if one is not None
        ]
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise unusable(str(file), f"it cannot be read ({error.strerror})", label) from error
    except UnicodeDecodeError as error:
        raise unusable(str(file), "it is not UTF-8", label) from error
    except ManifestError as error:
        raise unusable(error.where or str(file), error.what, label) from error
    content = documents[0] if documents else {}
    if len(documents) > 1:
        raise unusable(str(file), "it holds several documents", label)
    lists = {f"{kind}s": ({"name": str, kind: {}},) for kind in _PARTS}
    fault = fault_of(content, {"kind": str, "apiVersion": str, "current-context": str, **lists})
    if fault:
        raise unusable(str(file), f"it {fault}" if fault.startswith("is ") else fault, label)
    if content.get("kind", "Config") != "Config" or content.get("apiVersion", "v1") != "v1":
        raise unusable(str(file), "it is not a Config of the apiVersion v1", label)
    return dict(content)


def _entries(content: dict[str, Any], kind: str, file: Path, label: str) -> Iterable[_Entry]:
    for number, one in enumerate(content.get(f"{kind}s", []), 1):
        if not one.get("name"):
            raise unusable(str(file), f"the {kind} number {number} has no name", label)
        entry = _Entry(kind, one["name"], file, one.get(kind, {}), label)
        fault = fault_of(entry.fields, _PARTS[kind])
        if fault:
            raise entry.fault(fault)
        if not all(map(_is_plain, _texts(one))):
            raise entry.fault("it holds a character that no path, program or header can have")
        yield entry


def _texts(value: Any) -> Iterable[str]:
    """Yield all texts in a value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts([*value, *value.values()])
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def _is_plain(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:  # half of a pair, which JSON can write
        return False


def _named(context: _Entry, kind: str, entries: dict[tuple[str, str], _Entry]) -> _Entry | None:
    """Return the cluster or user that a context names, None where it names none."""
    name = context.text(kind)
    if name and (kind, name) not in entries:
        raise context.fault(f"there is no {kind} {name!r}, which it names")
    return entries.get((kind, name))


def _cluster(entry: _Entry) -> Cluster:
    _check_url(entry, "server", ("https", "http"))
    if urlsplit(entry.text("server")).username is not None:
        raise entry.fault("server holds a user: give it as username and password of the user")
    if entry.text("proxy-url"):
        _check_url(entry, "proxy-url", ("http",))
    ca, insecure = entry.pem("certificate-authority"), entry.fields.get("insecure-skip-tls-verify")
    if insecure and ca:
        raise entry.fault("certificate-authority and insecure-skip-tls-verify exclude each other")
    extensions = entry.fields.get("extensions", [])
    return Cluster(
        server=entry.text("server").rstrip("/"),
        ca=ca,
        insecure=bool(insecure),
        server_name=entry.text("tls-server-name"),
        proxy=entry.text("proxy-url"),
        config=next(
            (x.get("extension") for x in extensions if x.get("name") == _FOR_PLUGINS), None
        ),
    )


def _check_url(entry: _Entry, field: str, schemes: tuple[str, ...]) -> None:
    """Raise UsageError for what is not a URL; it is not shown, since it may hold a password."""
    text = entry.text(field)
    try:
        parts = urlsplit(text)
        well = parts.port != 0 and bool(parts.hostname) and parts.scheme in schemes
    except ValueError:
        well = False
    if not well or not re.fullmatch(r"[!-~]+", text) or parts.query or parts.fragment:
        wanted = " or ".join(f"{scheme}://HOST:PORT" for scheme in schemes)
        raise entry.fault(f"{field} is not a URL as it is taken here: {wanted}")


def _user(entry: _Entry) -> User:
    if "auth-provider" in entry.fields:
        raise entry.fault(
            "auth-provider is not supported, as kubectl does not support it since 1.26: "
            "use a program that prints credentials (exec)"
        )
    certificate, key = entry.pem("client-certificate"), entry.pem("client-key")
    if bool(certificate) != bool(key):
        lacking, has = ("client-key", "client-certificate")[:: 1 if certificate else -1]
        raise entry.fault(f"it has a {has}, but no {lacking}")
    if entry.text("username") and (entry.text("token") or entry.text("tokenFile")):
        raise entry.fault("token and username exclude each other")
    if ":" in entry.text("username"):
        raise entry.fault("username holds a colon")
    return User(
        name=entry.name,
        token=entry.header("token"),
        token_file=entry.path("tokenFile"),
        username=entry.text("username"),
        password=entry.text("password"),
        certificate=(certificate, key) if certificate and key else None,
        plugin=_plugin(entry) if "exec" in entry.fields else None,
        impersonation=tuple(_impersonation(entry)),
    )


def _impersonation(entry: _Entry) -> Iterable[tuple[str, str]]:
    """Yield the headers for `as` and what belongs to it. Source: docs, user impersonation."""
    groups = entry.fields.get("as-groups", [])
    extra = entry.fields.get("as-user-extra", {})
    if not entry.text("as") and (entry.text("as-uid") or groups or extra):
        raise entry.fault("as-uid, as-groups and as-user-extra need an `as`")
    told = [("as", "User", entry.text("as")), ("as-uid", "Uid", entry.text("as-uid"))]
    told += [("as-groups", "Group", group) for group in groups]
    for name, values in extra.items():
        told += [("as-user-extra", f"Extra-{quote(name, safe='')}", value) for value in values]
    for field, header, value in told:
        entry.check_header(field, value)
        if value:
            yield f"Impersonate-{header}", value


def _plugin(entry: _Entry) -> Plugin:
    said = entry.fields["exec"]
    version, mode = said.get("apiVersion"), said.get("interactiveMode") or "IfAvailable"
    command = str(said.get("command") or "")
    if not command:
        raise entry.fault("exec has no command")
    if version not in _PLUGIN_VERSIONS:
        raise entry.fault(f"exec.apiVersion is not {' or '.join(_PLUGIN_VERSIONS)}")
    if mode not in _MODES:
        raise entry.fault(f"exec.interactiveMode is not {', '.join(_MODES)}")
    env = [(one.get("name") or "", one.get("value") or "") for one in said.get("env", [])]
    if not all(name and "=" not in name for name, _ in env):
        raise entry.fault("exec.env holds a variable without a name")
    words = (
        str(entry.file.parent.absolute() / command) if "/" in command else command,
        *said.get("args", []),
    )
    return Plugin(
        version=version,
        command=words,
        env=tuple(env),
        hint=str(said.get("installHint") or ""),
        interactive=mode,
        with_cluster=bool(said.get("provideClusterInfo")),
    )
