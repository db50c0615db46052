"""The change numbers of a home, by which a reader asks for what is newer than what it has.

There is one number for the whole home. Each transaction that changes an object raises it, and
all it changes bears the new one, so that what a list was given up to is where a watch goes on.
What was deleted is remembered by name for a while, and nothing else of it. Who asks for older
changes than that has to list again (Kubernetes' 410 Gone).
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from argojobs.engine.store.database import Database
from argojobs.errors import ServerError

#: So many deletions are remembered.
REMEMBERED = 1000

#: What bears the last number is never taken away without another that bears a later one.
_LAST = """SELECT max(
    (SELECT coalesce(max(change), 0) FROM runs),
    (SELECT coalesce(max(change), 0) FROM objects),
    (SELECT coalesce(max(change), 0) FROM deleted)
)"""

#: The kind of runs, which have a table of their own.
WORKFLOW = "Workflow"


class GoneError(ServerError):
    """The changes after a number are not known any more: list again, and go on from there."""

    code = "gone"


class Change(NamedTuple):
    """An object that was made, changed or deleted.

    deleted: 1 where it was, else 0. uid: only of what was deleted.
    """

    number: int
    kind: str
    namespace: str
    name: str
    deleted: int
    uid: str


def last_change(database: Database) -> int:
    """Return the number of the last change in a home."""
    row = database.one(_LAST)
    assert row is not None
    return int(row[0])


def next_change(connection: sqlite3.Connection) -> int:
    """Return the number of all changes of the transaction under way, before it makes any."""
    return int(connection.execute(_LAST).fetchone()[0]) + 1


def changes_after(database: Database, number: int) -> list[Change]:
    """Return the last change of each object that has one after `number`, in their order.

    Raises `GoneError` where deletions since are forgotten, or the number is of another home.
    """
    with database.snapshot():
        newest = last_change(database)
        oldest = database.one(
            "SELECT change FROM deleted ORDER BY change DESC LIMIT 1 OFFSET ?", (REMEMBERED - 1,)
        )
        if number > newest:
            raise GoneError(f"too large resource version: {number}, current: {newest}")
        if oldest is not None and number < oldest[0]:
            raise GoneError(f"too old resource version: {number} ({oldest[0]})")
        rows = database.all(
            "SELECT change, ?, namespace, name, 0, '' FROM runs WHERE change > ?"
            " UNION ALL SELECT change, kind, namespace, name, 0, '' FROM objects WHERE change > ?"
            " UNION ALL SELECT change, kind, namespace, name, 1, uid FROM deleted WHERE change > ?"
            " ORDER BY 1",
            (WORKFLOW, number, number, number),
        )
    return [Change(*row) for row in rows]


def remember_deleted(connection: sqlite3.Connection, deleted: Change) -> None:
    """Have a deletion be one of the changes of the home."""
    connection.execute(
        "INSERT INTO deleted (change, kind, namespace, name, uid) VALUES (?, ?, ?, ?, ?)",
        (deleted.number, deleted.kind, deleted.namespace, deleted.name, deleted.uid),
    )
    connection.execute(
        "DELETE FROM deleted WHERE change <"
        " (SELECT change FROM deleted ORDER BY change DESC LIMIT 1 OFFSET ?)",
        (REMEMBERED - 1,),
    )
