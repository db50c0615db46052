"""A step that needs a database's password, which stands in no manifest and no log."""

from __future__ import annotations

import os

from argojobs import File, Secret, pipeline, step


@step(env={"DATABASE_PASSWORD": Secret("suite-database", "password")})
def store(values: list[int]) -> File:
    """Open the database with the password and store the values."""
    import hashlib
    import sqlite3

    out = File()
    with sqlite3.connect(out.path) as database:
        database.execute("create table opened (by text, value int)")
        by = hashlib.sha256(os.environ["DATABASE_PASSWORD"].encode()).hexdigest()
        database.executemany("insert into opened values (?, ?)", [(by, one) for one in values])
    return out


@step
def read(file: File) -> list[str]:
    import sqlite3

    with sqlite3.connect(file.path) as database:
        rows = database.execute("select by, value from opened order by value").fetchall()
    return [f"{by} {value}" for by, value in rows]


@pipeline
def database(values: list[int] = [1, 2]) -> list[str]:  # noqa: B006 - never changed
    return read(store(values))
