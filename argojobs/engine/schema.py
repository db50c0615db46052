"""The form of the store, version by version; `user_version` of the file counts the ones done.

Never change a step that was released: add one. A home is brought forward when it is opened, by a
process that holds the write lock; it is never brought back.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from argojobs.errors import HostError

#: What each version adds to the one before; `user_version` counts the ones done.
MIGRATIONS = (
    """
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
    """,
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
            for statement in MIGRATIONS[number].split(";"):
                if statement.strip():
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number + 1}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite has given it up itself when the disk is full
            connection.execute("ROLLBACK")
        raise
