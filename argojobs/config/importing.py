"""Contexts out of a file: a `creds.yaml`, an exported context, or a context of mrunner's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from argojobs.config.context_files import contexts_of
from argojobs.config.contexts import FILES, Context, table_of
from argojobs.config.from_creds import Imported
from argojobs.config.reading import Reader, text_of_file
from argojobs.config.secret_references import COMMAND, CREDS, FILE
from argojobs.errors import UsageError

#: Kinds of references that an exported file may not have: they would run a program of its
#: author's choice, or read a file of ours.
FOREIGN = (COMMAND, FILE, CREDS)

#: mrunner's keys, and where their values stand here; the first three say nothing.
_MRUNNER: Mapping[str, tuple[str, ...]] = {
    "name": (),
    "type": (),
    "neptune": (),
    "registry_url": ("registry", "url"),
    "resources": ("resources",),
    "storage": ("storage",),
    "default_pvc_size": ("storage_size",),
}


def read_import(path: Path, *, store: str = "", registry: str = "") -> Imported:
    """Return the contexts of a file, whichever of the three it is.

    Args:
        path: of the file.
        store: the name of the store in a creds.yaml that goes with its servers; see
            `contexts_of_creds`.
        registry: the same of the registry.

    Raises:
        UsageError: what is wrong, with its place.
        HostError: the file cannot be read.
    """
    text = text_of_file(path)
    if path.suffix == ".toml":
        return Imported(_exported(text, path))
    mapping = _mrunner(text, path)
    if mapping is not None:
        return _of_mrunner(mapping, path)
    from argojobs.config.creds import read_creds
    from argojobs.config.from_creds import contexts_of_creds

    return contexts_of_creds(read_creds(path), store=store, registry=registry)


def check_type(kind: str, where: str = "") -> None:
    """Refuse mrunner's types of places other than Kubernetes."""
    if kind == "local":
        raise UsageError(
            "the context local is always there", where=where, hint="argojobs context use local"
        )
    if kind != "kubernetes":
        raise UsageError(
            f"a context of the type {kind} cannot be: runs live on a Kubernetes with Argo, or on "
            "this machine",
            where=where,
            hint="leave the type out, or use the context local",
        )


def written(context: Context, config: Path) -> dict[str, Any]:
    """Return a context's table after reading it back: what a config file must take.

    Raises UsageError, without a place, for a value that no config file may have.
    """
    table: dict[str, Any] = table_of(context)
    read_table(context.name, table, config)
    return table


def read_table(name: str, table: Mapping[str, Any], config: Path) -> Context:
    """Return the context of a table that stands in no file yet.

    Args:
        name: of the context.
        table: its values, as TOML has them.
        config: the file that it is for; paths in it are relative to its folder.

    Raises:
        UsageError: what is wrong, without a place.
    """
    import tomlkit

    try:
        text = tomlkit.dumps({"contexts": {name: table}})
        return contexts_of(Reader(text, config)).by_name[name]
    except UsageError as error:
        raise UsageError(error.what, hint=error.hint) from error


def _exported(text: str, path: Path) -> tuple[Context, ...]:
    contexts = contexts_of(Reader(text, path))
    for context in contexts.by_name.values():
        for key, reference in context.references().items():
            kind = reference.partition(":")[0]
            if kind in FOREIGN:
                _refuse(context.name, key, f"a reference {kind}:", contexts.origins)
        for key in FILES:
            if getattr(context, key):
                _refuse(context.name, key, "a file of this machine", contexts.origins)
    if not contexts.by_name:
        raise UsageError(
            "there is no context in this file", where=str(path), hint="it needs [contexts.NAME]"
        )
    return tuple(contexts.by_name.values())


def _refuse(name: str, key: str, what: str, origins: Mapping[tuple[str, ...], str]) -> None:
    raise UsageError(
        f"{key} of {name} is {what}: whoever wrote this file would choose what runs or is read here",
        where=origins.get(("contexts", name, *key.split(".")), ""),
        hint=f"take it out, import, and set yours: argojobs config set contexts.{name}.{key} VALUE",
    )


def _mrunner(text: str, path: Path) -> dict[str, Any] | None:
    """Return the mapping of a context of mrunner's, None for any other file."""
    from argojobs.errors import ManifestError
    from argojobs.manifest.reading import read

    try:
        documents = read(text, str(path))
    except ManifestError:  # a creds.yaml that is a little wrong is told there what it must be
        return None
    one = documents[0] if len(documents) == 1 else None
    return one if isinstance(one, dict) and isinstance(one.get("name"), str) else None


def _of_mrunner(mapping: dict[str, Any], path: Path) -> Imported:
    from argojobs.manifest.nearest import suggestion

    check_type(str(mapping.get("type", "kubernetes")), str(path))
    table: dict[str, Any] = {}
    for key, value in mapping.items():
        if key not in _MRUNNER:
            raise UsageError(
                f"{key} is not a key of a context of mrunner's",
                where=str(path),
                hint=suggestion(str(key), _MRUNNER, what="known"),
            )
        at = _MRUNNER[key] if value not in (None, "") else ()
        if len(at) == 1:
            table[at[0]] = str(value)
        elif at:
            table[at[0]] = {at[1]: str(value)}
    notes: tuple[str, ...] = ()
    if mapping.get("neptune") not in (None, False):
        notes = ("neptune is left out: runs keep their metrics themselves",)
    return Imported((read_table(str(mapping["name"]), table, path),), notes)
