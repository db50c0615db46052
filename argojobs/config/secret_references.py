"""Secrets by reference: a text that says where a secret is, never what it is.

    env:NAME              an environment variable
    file:PATH             a file's text, without the newline at its end
    command:TEXT          what a program prints; split as a shell splits it, run without one
    keyring:SERVICE/USER  an entry of the system's keyring (needs the package keyring)
    creds:PATH#LIST/NAME/KEY   a value of a creds.yaml (`creds.py`)

No message here holds a value, or what may be one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from argojobs.errors import HostError, UsageError

ENV, FILE, COMMAND, KEYRING, CREDS = KINDS = ("env", "file", "command", "keyring", "creds")

#: How long a command may take: a login in a browser is part of some.
COMMAND_SECONDS = 120

_HINT = 'write "env:NAME", "file:PATH", "command:PROGRAM ARGUMENTS" or "keyring:SERVICE/USER"'


def check(reference: str) -> None:
    """Refuse what is not a reference: a literal secret, or a kind without its place.

    Raises UsageError, whose text does not hold what was given.
    """
    kind, colon, place = reference.partition(":")
    if not colon or kind not in KINDS:
        raise UsageError("it must say where the secret is, not what it is", hint=_HINT)
    if not place.strip():
        raise UsageError(f"nothing stands behind {kind}:", hint=_HINT)
    if kind == KEYRING and not all(place.rpartition("/")[::2]):
        raise UsageError(f"{reference} names no entry", hint="write keyring:SERVICE/USER")
    if kind == CREDS and place.partition("#")[2].count("/") != 2:
        raise UsageError(f"{reference} names no value", hint="write creds:PATH#LIST/NAME/KEY")
    if kind == COMMAND:
        _arguments(reference)


def resolve(reference: str, environ: Mapping[str, str] | None = None) -> str:
    """Return the secret that a reference leads to; never empty.

    environ: the environment, the process's own unless given. Raises UsageError where there is no
    such secret, HostError where it cannot be read; both name the reference, never the value.
    """
    check(reference)
    kind, _, place = reference.partition(":")
    if kind == ENV:
        value = _variable(place, os.environ if environ is None else environ)
    elif kind == FILE:
        value = _file(place)
    elif kind == COMMAND:
        value = _printed(reference)
    elif kind == KEYRING:
        value = _keyring(reference)
    else:
        from argojobs.config.creds import secret_in

        file, _, pointer = place.partition("#")
        value = secret_in(Path(file).expanduser(), pointer)
    if not value:
        raise UsageError(f"the secret at {reference} is empty", hint="put the value there")
    return value


def file_of(reference: str) -> Path | None:
    """Return the file that holds a reference's secret, None for those that are not in files."""
    kind, _, place = reference.partition(":")
    if kind == FILE:
        return Path(place).expanduser()
    return Path(place.partition("#")[0]).expanduser() if kind == CREDS else None


def warning_of(reference: str) -> str:
    """Return what to tell of a reference whose file others may read, "" where all is well."""
    path = file_of(reference)
    return loose(path) if path is not None else ""


def loose(path: Path) -> str:
    """Return a warning where a file's permissions let others read it, else ""."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError:  # that it is missing is said when it is read
        return ""
    if not mode & (stat.S_IRGRP | stat.S_IROTH):
        return ""
    return f"{path} holds secrets and others may read it (mode {mode:04o}): chmod 600 {path}"


def _variable(name: str, environ: Mapping[str, str]) -> str:
    if name not in environ:
        raise UsageError(f"the variable {name} is not set", hint=f"export {name}=...")
    return environ[name]


def _file(place: str) -> str:
    path = Path(place).expanduser()
    try:
        return path.read_text(encoding="utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise UsageError(f"the file of a secret is not text: {path}") from error
    except OSError as error:
        raise HostError(
            f"the file of a secret cannot be read: {error.strerror}",
            where=str(path),
            hint="write the secret to it and give it mode 600",
        ) from error


def _arguments(reference: str) -> list[str]:
    import shlex

    try:
        return shlex.split(reference.partition(":")[2])
    except ValueError as error:
        raise UsageError(
            f"{reference} cannot be split into arguments: {error}", hint="close the quotes"
        ) from error


def _printed(reference: str) -> str:
    """Run a command; its errors go to the user's terminal, where a login may ask something."""
    import subprocess

    arguments = _arguments(reference)
    try:
        done = subprocess.run(
            arguments, stdout=subprocess.PIPE, timeout=COMMAND_SECONDS, check=False, text=True
        )
    except OSError as error:
        raise HostError(
            f"{reference} cannot be run: {error.strerror}",
            hint=f"install {arguments[0]}, or name it with its path",
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{reference} printed no text") from error
    except subprocess.TimeoutExpired as error:
        raise HostError(
            f"{reference} printed nothing for {COMMAND_SECONDS} seconds",
            hint="run it yourself: it may wait for an answer",
        ) from error
    if done.returncode:
        raise HostError(
            f"{reference} ended with exit code {done.returncode}",
            hint="run it yourself: it must print the secret and nothing else",
        )
    return str(done.stdout).strip()


def _keyring(reference: str) -> str:
    import importlib

    service, _, user = reference.partition(":")[2].rpartition("/")
    try:
        keyring = importlib.import_module("keyring")
    except ImportError as error:
        raise HostError(
            f"{reference} needs the package keyring",
            hint="pip install keyring, or use env:, file: or command:",
        ) from error
    try:
        value = keyring.get_password(service, user)
    except Exception as error:  # each keyring has errors of its own, whose text may hold anything
        raise HostError(
            f"the keyring did not give {reference}: {type(error).__name__}",
            hint="unlock it, or use env:, file: or command:",
        ) from error
    if value is None:
        raise UsageError(
            f"the keyring has no entry {service} of {user}", hint=f"keyring set {service} {user}"
        )
    return str(value)
