"""Logs in at registries: whom a registry is told, and how builders are told without showing it.

A builder gets a private folder with a `config.json`, never a password among its arguments.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from argojobs.images.logins.credentials import HUB, HUB_KEY, Credentials, bare_host
from argojobs.images.logins.files import (
    docker_folder,
    is_written,
    login_files,
    read_login_file,
    stored,
)

_CONFIG = "config.json"


def credentials_for(
    host: str,
    user: str = "",
    password: str = "",
    *,
    environ: Mapping[str, str] | None = None,
    say: Callable[[str], None] = lambda _line: None,
) -> Credentials | None:
    """Return who we are at a registry, None for nobody.

    With a user and a password nothing else is asked; otherwise the logins that docker and podman
    keep.

    Args:
        host: `HOST[:PORT][/PATH]`, or its URL.
        user: of a context or creds.yaml.
        password: its secret reference.
        environ: variables; None for this process's.
        say: told of what keeps a login from being read.

    Raises:
        UsageError: a file is not in order, or as `resolve`.
        HostError: a file or the password cannot be read.
    """
    if user and password:
        from argojobs.config.secret_references import resolve

        return Credentials(user, resolve(password, environ), source=password)
    return stored(host, os.environ if environ is None else environ, say)


@contextmanager
def private_login(
    host: str, credentials: Credentials | None, environ: Mapping[str, str] | None = None
) -> Iterator[Path | None]:
    """Give a folder with a login that only this user can read, gone at the end; None for nobody.

    Args:
        host: the registry's.
        credentials: who we are there.
        environ: variables; None for this process's.
    """
    if credentials is None:
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="argojobs-login-"))  # mode 0700
    try:
        _auth_file(folder, host, credentials, environ)
        yield folder
    finally:
        shutil.rmtree(folder)


def _auth_file(
    folder: Path, host: str, credentials: Credentials, environ: Mapping[str, str] | None = None
) -> Path:
    """Write a login into `config.json` of a folder, mode 0600; docker, podman, buildah, buildctl read it.

    The user's other logins and docker's other settings are in it, too: a base image may be in another
    registry, and the daemon behind another of docker's contexts.
    """
    known = os.environ if environ is None else environ
    document = _everything(known)
    key = _key(host)
    entry = _entry(credentials)
    for name in (key, HUB) if key == HUB_KEY else (key,):
        document["auths"][name] = entry
        document["credHelpers"].pop(name, None)
    path = folder / _CONFIG
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(document, file)
    _link_settings(folder, docker_folder(known))
    return path


def _everything(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return docker's settings with the logins of all files, each said for its own host.

    A `credsStore` would be asked for every host, ours too; so each host that it knows gets it as
    its helper.
    """
    docker = docker_folder(environ) / _CONFIG
    whole: dict[str, Any] = dict(read_login_file(docker))
    auths: dict[str, Any] = {}
    helpers: dict[str, str] = {}
    for path in reversed(login_files(environ)):
        document = read_login_file(path)
        store = document.get("credsStore")
        for key, entry in (document.get("auths") or {}).items():
            if is_written(entry):
                auths[key] = entry
            elif store:
                helpers[key] = store
        helpers |= document.get("credHelpers") or {}
    whole.pop("credsStore", None)
    return {**whole, "auths": auths, "credHelpers": helpers}


def _entry(credentials: Credentials) -> dict[str, str]:
    pair = f"{credentials.user}:{credentials.password}"
    entry = {"auth": base64.b64encode(pair.encode()).decode()}
    if credentials.identity_token:
        entry["identitytoken"] = credentials.identity_token
    return entry


def _key(host: str) -> str:
    """Return what logins of a registry are kept under: its host, without the path."""
    name = bare_host(host).partition("/")[0]
    return HUB_KEY if name == HUB else name


def _link_settings(folder: Path, docker: Path) -> None:
    """Lead to docker's contexts and plugins, which it looks for beside its config.json."""
    for name in ("contexts", "cli-plugins", "buildx", "tls"):
        target = (docker / name).absolute()
        if target.exists() and not (folder / name).exists():
            (folder / name).symlink_to(target)
