"""The checks of a context's image registry: it answers, takes an image, and gives it back.

Source: the OCI distribution specification; `images/registry/trial.py` says what is pushed.
"""

from __future__ import annotations

from collections.abc import Iterator

from argojobs.config.contexts import Context, Registry
from argojobs.errors import UsageError
from argojobs.images.logins.login import credentials_for
from argojobs.images.registry.client import Registry as OpenRegistry
from argojobs.images.registry.client import open_registry
from argojobs.images.registry.trial import try_pull, try_push
from argojobs.runs.doctor.checking import Check, attempt, failed, ok, warning

#: The repository of the image that is pushed.
TRIAL = "argojobs-doctor"


def registry_checks(context: Context) -> Iterator[Check]:
    """Yield whether the registry answers, and whether we may push and pull; nothing without one."""
    if context.registry is not None and context.registry.url:
        known = context.registry
        yield from attempt("registry", lambda: registry(known, context.name))


def registry(known: Registry, context: str) -> Iterator[Check]:
    """Ask a registry whether it takes us, then push and pull. Raises what the registry does."""
    said: list[str] = []
    who = credentials_for(known.url, known.user, known.password, say=said.append)
    opened = open_registry(known.url, who, context=context)
    if opened.credentials is not None:
        opened.ping()  # without a user it may say no, and still let everybody pull
    told = opened.credentials
    as_whom = f", as {told.user or 'the user of a token'}" if told is not None else ""
    yield ok("registry", f"{opened.connection.base} answers{as_whom}")
    for line in said:
        yield warning("registry", line, f"docker login {opened.host}")
    yield from attempt("push", lambda: _push_and_pull(opened))


def _push_and_pull(opened: OpenRegistry) -> Check:
    """Push a small image, pull and delete it. Who has no login there may want only to pull."""
    name = opened.full_name(TRIAL)
    try:
        digest = try_push(opened, TRIAL)
    except UsageError as error:
        if opened.credentials is not None or opened.connection.withheld:
            return failed("push", error.what, error.hint)
        return warning("push", f"deploy could not push: {error.what}", error.hint)
    try_pull(opened, TRIAL, digest)
    if opened.delete(TRIAL, digest):
        return ok("push", f"pushed, pulled and deleted a small image as {name}")
    return ok("push", f"pushed and pulled a small image; {name} stays, the registry deletes none")
