"""Objects of other kinds than runs, as Kubernetes keeps them: templates and cron workflows.

An object bears the number of its last change as its `resourceVersion`. Who changes or deletes one
may say which version that is meant of; if it has been changed since, nothing is done. The errors
have Kubernetes' words. One whose row cannot be read is shown as its name and nothing else.
"""

# ruff: noqa: S608 - SQL is put together from constants of this file; values are always bound

from __future__ import annotations

import sqlite3
from typing import Any

from argojobs.engine.store.changes import Change, next_change, remember_deleted
from argojobs.engine.store.database import Database, Row
from argojobs.engine.store.rows import ODD, read_map, to_text
from argojobs.errors import ConflictError, NotFoundError

Object = dict[str, Any]

#: The kinds and what Kubernetes calls many of them.
KINDS = {
    "WorkflowTemplate": "workflowtemplates",
    "ClusterWorkflowTemplate": "clusterworkflowtemplates",
    "CronWorkflow": "cronworkflows",
}

_COLUMNS = "kind, namespace, name, object, change"


def create_object(database: Database, given: Object) -> Object:
    """Store a new object, which has its uid and creation time; return it with its version.

    Raises `ConflictError` where its kind has one of this name.
    """
    key = _key(given)
    with database.transaction() as connection:
        change = next_change(connection)
        try:
            connection.execute(
                "INSERT INTO objects (kind, namespace, name, change, object)"
                " VALUES (?, ?, ?, ?, ?)",
                (*key, change, to_text(given)),
            )
        except sqlite3.IntegrityError as error:
            raise ConflictError(f"{_called(key)} already exists") from error
    return _with_version(given, change)


def get_object(database: Database, kind: str, namespace: str, name: str) -> Object:
    """Return an object.

    Args:
        database: of the home.
        kind: of the object.
        namespace: of the object, "" for one of the whole cluster.
        name: of the object.

    Raises:
        NotFoundError: where there is none.
    """
    key = (kind, namespace, name)
    row = database.one(
        f"SELECT {_COLUMNS} FROM objects WHERE kind = ? AND namespace = ? AND name = ?", key
    )
    if row is None:
        raise NotFoundError(f"{_called(key)} not found")
    return _read(row)


def list_objects(database: Database, kind: str, namespace: str = "") -> list[Object]:
    """Return the objects of a kind by their names.

    Args:
        database: of the home.
        kind: of the objects.
        namespace: of the objects, "" for all namespaces.
    """
    rows = database.all(
        f"SELECT {_COLUMNS} FROM objects WHERE kind = ? AND ? IN ('', namespace)"
        " ORDER BY namespace, name",
        (kind, namespace),
    )
    return [_read(row) for row in rows]


def replace_object(database: Database, given: Object) -> Object:
    """Put an object in the place of the one of its name, whose uid and creation time it keeps.

    Raises `NotFoundError`, and `ConflictError` where it was made from an older version.
    """
    key = _key(given)
    with database.transaction() as connection:
        found = get_object(database, *key)
        _check_version(key, found, given["metadata"].get("resourceVersion", ""))
        kept = {name: found["metadata"].get(name) for name in ("uid", "creationTimestamp")}
        made = {**given, "metadata": {**given["metadata"], **kept}}
        change = next_change(connection)
        connection.execute(
            "UPDATE objects SET change = ?, object = ?"
            " WHERE kind = ? AND namespace = ? AND name = ?",
            (change, to_text(made), *key),
        )
    return _with_version(made, change)


def delete_object(
    database: Database, kind: str, namespace: str, name: str, version: str = ""
) -> None:
    """Delete an object.

    Args:
        database: of the home.
        kind: of the object.
        namespace: of the object.
        name: of the object.
        version: the one that is to be deleted and no later one; "" for any.

    Raises:
        NotFoundError: where there is none.
        ConflictError: where it has another version.
    """
    key = (kind, namespace, name)
    with database.transaction() as connection:
        found = get_object(database, *key)
        _check_version(key, found, version)
        uid = str(found["metadata"].get("uid", ""))
        deleted = Change(next_change(connection), *key, 1, uid)
        connection.execute("DELETE FROM objects WHERE kind = ? AND namespace = ? AND name = ?", key)
        remember_deleted(connection, deleted)
    database.empty_wal()


def _key(given: Object) -> tuple[str, str, str]:
    metadata = given["metadata"]
    return given["kind"], metadata.get("namespace", ""), metadata["name"]


def _called(key: tuple[str, str, str]) -> str:
    kind, _, name = key
    return f'{KINDS[kind]}.argoproj.io "{name}"'


def _check_version(key: tuple[str, str, str], found: Object, version: str) -> None:
    if version not in ("", found["metadata"]["resourceVersion"]):
        raise ConflictError(
            f"Operation cannot be fulfilled on {_called(key)}: the object has been modified; "
            "please apply your changes to the latest version and try again"
        )


def _read(row: Row) -> Object:
    kind, namespace, name, text, change = row
    try:
        found = read_map(text)
        if _key(found) != row[:3]:
            raise ValueError("it bears another name inside")
    except ODD:
        found = {"kind": kind, "metadata": {"namespace": namespace, "name": name}}
    return _with_version(found, change)


def _with_version(given: Object, change: int) -> Object:
    return {**given, "metadata": {**given["metadata"], "resourceVersion": str(change)}}
