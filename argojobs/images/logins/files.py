"""Logins that docker and podman keep: their files, and the helper programs that these name.

Sources: docs.docker.com, "docker login" (`auths`, `credHelpers`, `credsStore`),
containers-auth.json(5), and the README of docker-credential-helpers (the command `get`).
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from argojobs.errors import HostError, UsageError
from argojobs.images.logins.credentials import HUB, HUB_KEY, Credentials, bare_host

#: Seconds that a helper has: some ask the user something.
HELPER_SECONDS = 120

#: What a helper gives as the user of an identity token.
_TOKEN_USER = "<token>"  # noqa: S105 - a marker
#: What helpers say where they know nothing of a host; not an error.
_UNKNOWN = ("credentials not found", "no credentials")

Say = Callable[[str], None]


def docker_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of docker's client."""
    return Path(environ.get("DOCKER_CONFIG") or _home(environ) / ".docker")


def login_files(environ: Mapping[str, str]) -> list[Path]:
    """Return the files that may hold logins, those asked for by name first."""
    named = environ.get("REGISTRY_AUTH_FILE")
    runtime = environ.get("XDG_RUNTIME_DIR")
    config = environ.get("XDG_CONFIG_HOME")
    return [
        *([Path(named)] if named else []),
        docker_folder(environ) / "config.json",
        Path(runtime) / "containers/auth.json"
        if runtime
        else Path(f"/run/containers/{os.getuid()}/auth.json"),
        Path(config or _home(environ) / ".config") / "containers/auth.json",
    ]


def stored(host: str, environ: Mapping[str, str], say: Say) -> Credentials | None:
    """Return the login that is kept for a registry, None where there is none.

    Args:
        host: `HOST[:PORT][/PATH]`.
        environ: variables, which say where the files are.
        say: told of a helper that does not work; then the login counts as not there, as docker has
            it.

    Raises:
        UsageError: a file is not in order.
        HostError: a file cannot be read.
    """
    for path in login_files(environ):
        document = read_login_file(path)
        for name in _names(host):
            found = _from_helper(document, name, path, say) or _written(document, name, path)
            if found is not None:
                return found
    return None


def read_login_file(path: Path) -> dict[str, Any]:
    """Return what a file says, nothing where it is not there. Raises UsageError and HostError."""
    try:
        document = json.loads(path.read_text(encoding="utf-8") or "{}")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise HostError(
            f"the file of logins cannot be read: {error.strerror}", where=str(path)
        ) from error
    except ValueError as error:
        place = f"{path}:{error.lineno}" if isinstance(error, json.JSONDecodeError) else str(path)
        raise UsageError(
            "the file of logins is not JSON", where=place, hint="log in again: docker login HOST"
        ) from None  # the error's text would hold the document
    tables = ("auths", "credHelpers")
    if not isinstance(document, dict) or any(
        not isinstance(document.get(key) or {}, dict) for key in tables
    ):
        raise UsageError("it is not a file of logins", where=str(path), hint="docker login HOST")
    return document


def is_written(entry: object) -> bool:
    """Tell whether an entry of `auths` holds a login itself; a store's entries are empty."""
    keys = ("auth", "identitytoken", "username")
    return isinstance(entry, dict) and any(entry.get(key) for key in keys)


def _names(host: str) -> Iterator[str]:
    """Give a registry's name with its path, then with less and less of it."""
    name = bare_host(host)
    while name:
        yield name
        name = name.rpartition("/")[0]


def _written(document: Mapping[str, Any], name: str, path: Path) -> Credentials | None:
    for key, entry in (document.get("auths") or {}).items():
        if bare_host(key) != name or not is_written(entry):
            continue
        token = str(entry.get("identitytoken") or "")
        user, password = _pair(entry, f"{path} ({key})")
        return Credentials(user, password.rstrip("\0"), token, str(path))
    return None


def _pair(entry: Mapping[str, Any], where: str) -> tuple[str, str]:
    if not entry.get("auth"):
        return str(entry.get("username") or ""), str(entry.get("password") or "")
    try:
        text = base64.b64decode(entry["auth"], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, TypeError, ValueError):
        text = ""
    if ":" not in text:
        raise UsageError("this login cannot be read", where=where, hint="docker login HOST")
    user, _, password = text.partition(":")
    return user, password


def _from_helper(
    document: Mapping[str, Any], name: str, path: Path, say: Say
) -> Credentials | None:
    own = {bare_host(key): helper for key, helper in (document.get("credHelpers") or {}).items()}
    helper = own[name] if name in own else document.get("credsStore")
    if not helper or ("/" in name and name not in own):  # a store knows hosts
        return None
    program = f"docker-credential-{helper}"
    answer, problem = _asked(program, HUB_KEY if name == HUB else name)
    if problem:
        say(f"{program} of {path} {problem}: {name} is asked without its login")
    if not answer.get("Secret"):
        return None
    user, secret = str(answer.get("Username") or ""), str(answer["Secret"])
    if user == _TOKEN_USER:
        return Credentials(identity_token=secret, source=program)
    return Credentials(user, secret, source=program)


def _asked(program: str, server: str) -> tuple[dict[str, Any], str]:
    """Return a helper's answer, and what is wrong with the helper."""
    if shutil.which(program) is None:
        return {}, "is not there"
    try:
        done = subprocess.run(
            [program, "get"],
            input=server,
            capture_output=True,
            text=True,
            timeout=HELPER_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {}, f"did not answer for {HELPER_SECONDS} seconds"
    except (OSError, UnicodeDecodeError):
        return {}, "does not work"
    if done.returncode:
        known = any(word in done.stdout.lower() for word in _UNKNOWN)
        return {}, "" if known else f"ended with exit code {done.returncode}"
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return {}, "gave no JSON"
    return (answer, "") if isinstance(answer, dict) else ({}, "gave no login")


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or Path.home())
