"""Where images can be pushed: the registries of a creds.yaml and of contexts, by their names.

    registry:
    - name: none            # builds and pushes nothing; known without being written
      url: null
    - name: local
      url: localhost:32000

A context's registry goes by the context's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from argojobs.config.context_files import Contexts
from argojobs.config.contexts import Context
from argojobs.config.creds import read_creds
from argojobs.errors import UsageError

if TYPE_CHECKING:
    from argojobs.images.registry.client import Registry

#: The destination that pushes nothing.
NONE = "none"

_SHAPE = "registry:\n- name: local\n  url: localhost:32000"


@dataclass(frozen=True, slots=True)
class Destination:
    """One registry. url: "" pushes nothing. password: a secret reference.

    context: the context whose registry it is, "" for one of a creds.yaml or an address. source:
    where it is written, for messages.
    """

    name: str
    url: str = ""
    user: str = ""
    password: str = ""
    context: str = ""
    source: str = ""


def destinations(contexts: Contexts, creds: Iterable[Path]) -> tuple[Destination, ...]:
    """Return every registry that is known, a context's before one of a creds.yaml of its name.

    Raises UsageError with file and line for a creds.yaml that is not in order.
    """
    found: dict[str, Destination] = {}
    for name, context in contexts.by_name.items():
        if context.registry is not None and context.registry.url:
            found[name] = of_context(context)
    for path in creds:
        for entry in read_creds(path).registry:
            values = entry.values
            one = Destination(
                entry.name,
                values.get("url", ""),
                values.get("user", ""),
                values.get("password", ""),
                source=f"{path}:{entry.line}",
            )
            found.setdefault(entry.name, one)
    found.setdefault(NONE, Destination(NONE))
    return tuple(found.values())


def choose_destination(
    wanted: str, known: Sequence[Destination], context: Context, creds: Sequence[Path]
) -> Destination:
    """Return the registry that `--registry` means.

    Args:
        wanted: a name, or an address such as `localhost:5000`; "" takes the context's registry,
            else the only one there is.
        known: those of the contexts and of creds.yaml.
        context: the one in use.
        creds: the creds.yaml files that were read.

    Raises:
        UsageError: it is not known, or there are several; lists the known.
    """
    by_name = {one.name: one for one in known}
    if not wanted:
        return _usual(known, context, creds)
    if wanted in by_name:
        return by_name[wanted]
    if "." in wanted or ":" in wanted or "/" in wanted:
        return _of_address(wanted, known)
    raise _unknown(wanted, known, creds)


def of_context(context: Context) -> Destination:
    """Return the registry of a context that has one."""
    registry = context.registry
    assert registry is not None, "only contexts with a registry are asked"
    return Destination(
        context.name,
        registry.url,
        registry.user,
        registry.password,
        context.name,
        f"context {context.name}",
    )


def opened(to: Destination) -> Registry:
    """Open a registry that has an address, as whom it says.

    Raises as `open_registry`, and UsageError, which names the registry, for a password that is not
    where it should be.
    """
    from argojobs.images.logins.login import credentials_for
    from argojobs.images.reference import registry_host
    from argojobs.images.registry.client import open_registry

    try:
        credentials = credentials_for(registry_host(to.url), to.user, to.password)
    except UsageError as error:
        error.where = error.where or f"the registry {to.name}, of {to.source}"
        raise
    return open_registry(to.url, credentials, context=to.context)


def _usual(known: Sequence[Destination], context: Context, creds: Sequence[Path]) -> Destination:
    if context.registry is not None and context.registry.url:
        return of_context(context)
    places = [one for one in known if one.url]
    if len(places) == 1:
        return places[0]
    if not places:
        raise UsageError("no registry is known", where="--registry", hint=_how_to_name(creds))
    raise UsageError(
        f"which registry? There are {', '.join(one.name for one in places)}",
        where="--registry",
        hint=f"./deploy -r {places[0].name}, or -r {NONE} to build and push nothing",
    )


def _of_address(address: str, known: Sequence[Destination]) -> Destination:
    """Return the registry of an address: the known one that has it, with its login."""
    from argojobs.images.reference import registry_host

    host = registry_host(address)
    same = [one for one in known if one.url and registry_host(one.url) == host]
    return same[0] if same else Destination(host, address)


def _unknown(wanted: str, known: Sequence[Destination], creds: Sequence[Path]) -> UsageError:
    from argojobs.manifest.nearest import suggestion

    hint = suggestion(wanted, [one.name for one in known], what="known")
    if not any(one.url for one in known):
        hint = f"{hint}; {_how_to_name(creds)}"
    return UsageError(f"there is no registry {wanted!r}", where="--registry", hint=hint)


def _how_to_name(creds: Sequence[Path]) -> str:
    """Say how a registry is named: in the creds.yaml that is there, or in a new one."""
    if creds:
        return f"name it in {creds[0]}:\n{_SHAPE}"
    return (
        "there is no creds.yaml here; write one that names it, or give a context a registry "
        f"(argojobs config set contexts.NAME.registry.url HOST[:PORT]):\n{_SHAPE}"
    )
