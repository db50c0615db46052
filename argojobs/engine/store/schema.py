"""The form of the store, version by version; `user_version` of the file counts the ones done.

Never change a step that was released: add one. A home is brought forward when it is opened, by a
process that holds the write lock; it is never brought back.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from argojobs.errors import HostError

_FIRST = """
    CREATE TABLE runs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        metadata TEXT NOT NULL,
        spec TEXT NOT NULL,
        status TEXT NOT NULL,
        private TEXT NOT NULL DEFAULT '{}',
        submitter TEXT NOT NULL,
        final INTEGER NOT NULL DEFAULT 0,
        begun INTEGER NOT NULL DEFAULT 0,
        change INTEGER NOT NULL DEFAULT 1
    );
    CREATE INDEX unfinished_runs ON runs (number) WHERE final = 0;
    CREATE TABLE nodes (
        number INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        id TEXT NOT NULL,
        change INTEGER NOT NULL,
        node TEXT NOT NULL,
        UNIQUE (run, id)
    );
    CREATE INDEX changed_nodes ON nodes (run, change);
    CREATE TABLE pods (
        number INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        node_id TEXT NOT NULL,
        name TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('pending', 'started', 'ended')),
        start TEXT NOT NULL,
        kill TEXT,
        UNIQUE (run, node_id)
    );
    CREATE INDEX open_pods ON pods (run) WHERE state != 'ended';
    CREATE TABLE timers (
        run TEXT NOT NULL,
        at REAL NOT NULL,
        PRIMARY KEY (run, at)
    ) WITHOUT ROWID;
    CREATE TABLE commands (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        run TEXT NOT NULL,
        strategy TEXT NOT NULL,
        message TEXT NOT NULL
    );
"""

#: Small columns first and what is never listed apart: a row is read and rewritten at every turn.
_FOR_A_SERVER = """
    ALTER TABLE runs RENAME TO runs_1;
    DROP INDEX unfinished_runs;
    CREATE TABLE runs (
        number INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        namespace TEXT NOT NULL,
        uid TEXT NOT NULL,
        created TEXT NOT NULL,
        phase TEXT NOT NULL DEFAULT '',
        begun INTEGER NOT NULL DEFAULT 0,
        change INTEGER NOT NULL,
        metadata TEXT NOT NULL,
        status TEXT NOT NULL,
        private TEXT NOT NULL DEFAULT '{}'
    );
    CREATE TABLE submissions (
        run TEXT NOT NULL PRIMARY KEY,
        spec TEXT NOT NULL,
        submitter TEXT NOT NULL
    );
    INSERT INTO runs
        SELECT number, name, 'default', '', '', iif(final, 'Error', ''), begun, change,
        metadata, status, private FROM runs_1;
    INSERT INTO submissions SELECT name, spec, submitter FROM runs_1;
    CREATE TABLE labels (
        run TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (run, key)
    ) WITHOUT ROWID;
    CREATE TABLE objects (
        number INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        namespace TEXT NOT NULL,
        name TEXT NOT NULL,
        change INTEGER NOT NULL,
        object TEXT NOT NULL,
        UNIQUE (kind, namespace, name)
    );
    CREATE TABLE deleted (
        change INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        namespace TEXT NOT NULL,
        name TEXT NOT NULL,
        uid TEXT NOT NULL
    );
"""

_FOR_A_SERVER_INDEXES = """
    DROP TABLE runs_1;
    CREATE INDEX unfinished_runs ON runs (number)
        WHERE phase NOT IN ('Succeeded', 'Failed', 'Error');
    CREATE INDEX phases ON runs (phase);
    CREATE INDEX changed_runs ON runs (change);
    CREATE INDEX labelled ON labels (key, value, run);
    CREATE INDEX changed_objects ON objects (change);
"""


def _make(connection: sqlite3.Connection, statements: str) -> None:
    for statement in statements.split(";"):
        if statement.strip():
            connection.execute(statement)


def _ready_for_a_server(connection: sqlite3.Connection) -> None:
    """Have columns and labels that lists select by; a damaged row has none but its phase."""
    _make(connection, _FOR_A_SERVER)
    rows = connection.execute("SELECT name, phase, metadata, status, private FROM runs").fetchall()
    for name, ended, *texts in rows:
        metadata, status, private = map(_object, texts)
        facts = [metadata.get(field) for field in ("namespace", "uid", "creationTimestamp")]
        namespace, uid, created = (fact if isinstance(fact, str) else "" for fact in facts)
        phase = status.get("phase") or ended
        connection.execute(
            "UPDATE runs SET namespace = ?, uid = ?, created = ?, phase = ? WHERE name = ?",
            (
                namespace or "default",
                uid,
                created,
                phase if isinstance(phase, str) else ended,
                name,
            ),
        )
        own = _object(private.get("metadata"))
        labels = {**_object(metadata.get("labels")), **_object(own.get("labels"))}
        connection.executemany(
            "INSERT INTO labels VALUES (?, ?, ?)",
            [(name, key, value) for key, value in labels.items() if isinstance(value, str)],
        )
    _make(connection, _FOR_A_SERVER_INDEXES)


def _object(found: Any) -> dict[str, Any]:
    """Return an object, or the one that a text holds; an empty one where it is something else."""
    try:
        found = json.loads(found) if isinstance(found, str) else found
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


#: What brings each version to the next; `user_version` counts the ones done.
MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    partial(_make, statements=_FIRST),
    _ready_for_a_server,
)


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the database to this version's form; several processes may try at once."""
    done = connection.execute("PRAGMA user_version").fetchone()[0]
    if done == len(MIGRATIONS):
        return
    if done > len(MIGRATIONS):
        raise HostError(
            "a newer argojobs has written this home",
            where=str(path),
            hint="upgrade argojobs here, or choose another home: export ARGOJOBS_HOME=FOLDER",
        )
    connection.execute("BEGIN IMMEDIATE")
    try:
        done = connection.execute("PRAGMA user_version").fetchone()[0]
        if not done and connection.execute("SELECT 1 FROM sqlite_master").fetchone() is not None:
            raise sqlite3.DatabaseError("it holds the tables of another program")
        for number in range(done, len(MIGRATIONS)):
            MIGRATIONS[number](connection)
            connection.execute(f"PRAGMA user_version = {number + 1}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite has given it up itself when the disk is full
            connection.execute("ROLLBACK")
        raise
