"""The file of a store: opened for its owner alone, read and written whole, errors explained.

WAL with synchronous NORMAL: a transaction survives the end of the process, not always a power
cut. That is enough here, for the pod directories tell which pods were started.

What is deleted is overwritten, in the WAL too, for values of secrets may be in it.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self

from argojobs.config.home import host_error, is_full, no_space
from argojobs.engine.store.schema import migrate
from argojobs.errors import HostError, ServerError

STORE_FILE = "store.db"

Row = tuple[Any, ...]


class Database:
    """The open database of a home; threads may share it, one at a time is in it."""

    def __init__(self, home: Path, connection: sqlite3.Connection) -> None:
        self.home = home
        self._connection = connection
        self._lock = threading.RLock()

    @classmethod
    def open(cls, home: Path) -> Self:
        """Open the store of a home, made or brought to this version's form first.

        Raises `HostError` when a newer argojobs wrote it or it is not a store at all, when the disk
        is full or the home is not writable, `ServerError` when another process holds it for too
        long.
        """
        path = home / STORE_FILE
        _make_private(path)
        with _explained(home):
            connection = sqlite3.connect(
                path, timeout=30.0, isolation_level=None, check_same_thread=False
            )
            # One text that is damaged must not keep the others from being read.
            connection.text_factory = partial(str, encoding="utf-8", errors="replace")
            try:
                connection.execute("PRAGMA secure_delete = ON")
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                migrate(connection, path)
            except BaseException:
                connection.close()
                raise
        return cls(home, connection)

    def close(self) -> None:
        """Close the database; the last one to do so folds the WAL into it."""
        self._connection.close()

    def one(self, sql: str, values: Row = ()) -> Row | None:
        """Return the first row of a query, None where there is none."""
        with self._lock, _explained(self.home):
            row: Row | None = self._connection.execute(sql, values).fetchone()
            return row

    def all(self, sql: str, values: Row = ()) -> list[Row]:
        """Return all rows of a query."""
        with self._lock, _explained(self.home):
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Everything inside is written together or not at all."""
        with self._lock, _explained(self.home):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All reads inside see the same state."""
        with self._lock, _explained(self.home):
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("COMMIT")

    def empty_wal(self) -> None:
        """Fold the WAL into the file, so that what was deleted is in neither."""
        self.one("PRAGMA wal_checkpoint(TRUNCATE)")


def _make_private(path: Path) -> None:
    """Have the file there, for its owner alone; SQLite gives its other files the same mode."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    except OSError as error:
        if path.is_dir() or path.is_symlink():
            raise _no_store(path, "it is not a file") from error
        raise host_error(error, path.parent) from error
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise _no_store(path, "it is not a file")
        if found.st_mode & 0o077 and found.st_uid == os.geteuid():
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


def _no_store(path: Path, why: str) -> HostError:
    return HostError(
        f"{path} is damaged, or not a store of argojobs: {why}",
        where=str(path),
        hint=f"move it out of the way (mv {path} {path}.damaged) to begin anew; the runs in it are not "
        "shown then, their artifacts and logs stay. Or put back a copy that is whole",
    )


@contextmanager
def _explained(home: Path) -> Iterator[None]:
    """Turn SQLite's errors about the host into ours."""
    try:
        yield
    except sqlite3.OperationalError as error:
        name = getattr(error, "sqlite_errorname", "")
        if name == "SQLITE_FULL" or is_full(home):
            raise no_space(home) from error
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise ServerError(
                f"the store of {home} is held by another process", hint="try again"
            ) from error
        if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_IOERR")):
            raise host_error(OSError(errno.EACCES, str(error)), home) from error
        raise _no_store(home / STORE_FILE, str(error)) from error
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise
    except sqlite3.DatabaseError as error:
        raise _no_store(home / STORE_FILE, str(error)) from error
