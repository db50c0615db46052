"""Checks of what a context says: its secrets and files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from argojobs.config.contexts import FILES, Context, warnings_of
from argojobs.config.files import config_file
from argojobs.config.secret_references import resolve
from argojobs.runs.doctor.checking import Check, attempt, failed, ok, warning


def settings_checks(context: Context) -> Iterator[Check]:
    """Yield what is found in the settings of a context."""
    yield from attempt("settings", lambda: settings(context))
    yield from attempt("secrets", lambda: secrets(context))
    yield from attempt("files", lambda: files(context))


def settings(context: Context) -> Check:
    """Where the context was read from; it has been, or we would not be here."""
    return ok("settings", f"the context {context.name}, of {config_file()}")


def secrets(context: Context) -> Iterator[Check]:
    """Each secret reference leads to a secret, which others cannot read."""
    found = context.references()
    for key, reference in found.items():
        yield from attempt(f"secret {key}", partial(_secret, key, reference))
    for loose in warnings_of(context):
        yield warning("secrets", loose, "")
    if not found:
        yield ok("secrets", "the context names none")


def _secret(key: str, reference: str) -> Check:
    resolve(reference)
    return ok(f"secret {key}", reference)


def files(context: Context) -> Iterator[Check]:
    """The files that the context names are there."""
    for key in FILES:
        path = str(getattr(context, key))
        if path and not Path(path).expanduser().is_file():
            yield failed(
                key,
                f"there is no file {path}",
                f"argojobs config set contexts.{context.name}.{key} FILE",
            )
