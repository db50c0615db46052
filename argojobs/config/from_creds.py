"""Contexts out of a `creds.yaml`: one for each server, with its store and registry."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from argojobs.config.contexts import S3, S3_KINDS, Context, Registry
from argojobs.config.creds import Creds, Entry
from argojobs.errors import UsageError

#: Sets of a store under which runs are kept, the first that is there.
_FOR_RUNS = ("workflow", "workflows", "model", "models")


@dataclass(frozen=True, slots=True)
class Imported:
    """Contexts, and what is to be told of them, one line each."""

    contexts: tuple[Context, ...]
    notes: tuple[str, ...] = ()


def contexts_of_creds(creds: Creds, *, store: str = "", registry: str = "") -> Imported:
    """Return a context for each server of a file.

    Args:
        creds: what the file says.
        store: the name of the store that all get; unless given a server gets the one of its own
            name, else the only one there is.
        registry: the name of the registry that all get; unless given, as for stores.

    Raises:
        UsageError: a name that the file does not have.
    """
    notes = [f"{title} is none of our lists, and is left out" for title in creds.unknown]
    for entry in (*creds.argo, *creds.s3, *creds.registry):
        notes += [
            f"{entry.name}: {key} is not known, and is left out; {hint}"
            for key, hint in entry.unknown.items()
        ]
    if not creds.argo:
        notes.append("there is no server in it (a list `argo:`), so there is no context")
    contexts = []
    places = tuple(entry for entry in creds.registry if entry.values.get("url"))
    for server in creds.argo:
        its_store = _of(server.name, creds.s3, store, "store", creds.path, notes)
        its_registry = _of(server.name, places, registry, "registry", creds.path, notes)
        contexts.append(_context(server, its_store, its_registry, creds.path, notes))
    return Imported(tuple(contexts), tuple(dict.fromkeys(notes)))


def _of(
    server: str, entries: tuple[Entry, ...], wanted: str, what: str, path: Path, notes: list[str]
) -> Entry | None:
    """Return the entry that goes with a server."""
    by_name = {entry.name: entry for entry in entries}
    if wanted and wanted not in by_name:
        from argojobs.manifest.nearest import suggestion

        raise UsageError(
            f"there is no {what} {wanted!r} in this file",
            where=str(path),
            hint=suggestion(wanted, by_name, what="it has"),
        )
    if wanted or server in by_name:
        return by_name[wanted or server]
    if len(entries) > 1:
        notes.append(
            f"{server}: which {what} is it? None was taken of {', '.join(by_name)}; "
            f"choose with --{what} NAME"
        )
    return entries[0] if len(entries) == 1 else None


def _context(
    server: Entry, store: Entry | None, registry: Entry | None, path: Path, notes: list[str]
) -> Context:
    values = server.values
    return Context(
        name=server.name,
        server=("https://" if _tls(server) else "http://") + _address(server, path),
        namespace=values.get("namespace", ""),
        token=values.get("token", ""),
        insecure=values.get("insecure") == "true",
        s3=None if store is None else _s3(store, path, notes),
        registry=None if registry is None else _registry(registry),
    )


def _address(entry: Entry, path: Path) -> str:
    """Return host and port. Raises UsageError where there is none or it contradicts `tls`."""
    text = entry.values.get("address", "").rstrip("/")
    where = f"{path}:{entry.line}"
    if not text:
        raise UsageError(f"{entry.name} has no address", where=where, hint="add address: HOST:PORT")
    scheme, between, rest = text.rpartition("://")
    if between and (scheme == "https") != _tls(entry):
        raise UsageError(f"{entry.name}: address and tls say different things", where=where)
    return rest


def _tls(entry: Entry) -> bool:
    given = entry.values.get("tls")
    if given is not None:
        return given == "true"
    return not entry.values.get("address", "").startswith("http://")


def _s3(store: Entry, path: Path, notes: list[str]) -> S3:
    values = store.values
    bucket, prefix = values.get("bucket", ""), values.get("prefix", "")
    if not bucket and store.sets:
        name = next((one for one in _FOR_RUNS if one in store.sets), next(iter(store.sets)))
        bucket, prefix = store.sets[name]
        notes.append(f"{store.name}: runs use the bucket {bucket}, that of its set {name}")
    kind = values.get("type", "").casefold()
    return S3(
        endpoint=_address(store, path),
        bucket=bucket,
        prefix=prefix,
        region=values.get("region", ""),
        tls=_tls(store),
        access_key=values.get("accesskey", ""),
        secret_key=values.get("secretkey", ""),
        session_token=values.get("sessiontoken", ""),
        kind=kind if kind in S3_KINDS else "",
    )


def _registry(entry: Entry) -> Registry:
    return Registry(
        url=entry.values["url"],
        user=entry.values.get("user", ""),
        password=entry.values.get("password", ""),
    )
