"""The store: the runs of a home in one SQLite file, in WAL mode.

One row a run, one row a node, one row a pod, so that a change writes what changed and nothing
more. The Argo Workflow object is put together when someone reads it. Pods are an outbox: the
action "start this pod" is stored in the transaction that stores the node it belongs to, so that a
controller killed at any point finds what it had decided and has not yet done.

Each run has a change number, raised by every transaction that touches it; a node row carries the
number at which it last changed. A reader asks for what is newer than what it has.

WAL with synchronous NORMAL: a transaction survives the end of the process, not always a power
cut. That is enough here, for the pod directories tell which pods were started.

What is deleted is overwritten, in the WAL too, for values of secrets may be in it. A run whose
rows cannot be read is shown as one in Error that says so; it can be deleted like any other.
"""

# ruff: noqa: S608 - SQL is put together from constants of this file; values are always bound

from __future__ import annotations

import errno
import json
import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from argojobs.config.home import host_error, is_full, no_space
from argojobs.engine.clock import seconds
from argojobs.engine.objects import damaged_workflow, shown_workflow, with_nodes
from argojobs.engine.schema import migrate
from argojobs.errors import ConflictError, HostError, NotFoundError, ServerError
from argojobs.service import FINAL_PHASES, Workflow

STORE_FILE = "store.db"


class DamagedRunError(ServerError):
    """The rows of one run are not what was written there."""


@dataclass(frozen=True, slots=True)
class PodRow:
    """A pod of the outbox. start: the StartPod action as JSON text; kill: why it is to end."""

    run: str
    node_id: str
    name: str
    state: str
    start: str
    kill: str | None


@dataclass(frozen=True, slots=True)
class Command:
    """What a user asks for: to Stop, Terminate, Suspend or Resume a run, or to Set outputs.

    message: why it is stopped; of Resume a node selector; of Set that and the values, as JSON.
    """

    number: int
    run: str
    strategy: str
    message: str


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as a controller loads it: object without nodes, bookkeeping, nodes, open pods."""

    workflow: Workflow
    private: dict[str, Any]
    submitter: dict[str, Any]
    begun: bool
    nodes: list[dict[str, Any]]
    pods: list[PodRow]
    timers: list[float]


@dataclass(slots=True)
class RunChange:
    """All that one transaction changes in one run; what is None or empty stays as it is."""

    run: str
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    status: dict[str, Any] | None = None
    private: dict[str, Any] | None = None
    pods_added: list[PodRow] = field(default_factory=list)
    pods_started: list[str] = field(default_factory=list)
    pods_ended: list[str] = field(default_factory=list)
    pods_killed: dict[str, str] = field(default_factory=dict)
    timers_set: set[float] = field(default_factory=set)
    timers_rung: float | None = None
    commands_done: list[int] = field(default_factory=list)


class Store:
    """The open database of a home; threads may share it, one at a time is in it."""

    def __init__(self, home: Path, connection: sqlite3.Connection) -> None:
        self.home = home
        self._connection = connection
        self._lock = threading.RLock()

    @classmethod
    def open(cls, home: Path) -> Store:
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

    # What clients write

    def add_run(
        self,
        workflow: Workflow,
        submitter: Mapping[str, Any],
        nodes: Mapping[str, dict[str, Any]] | None = None,
    ) -> None:
        """Store a new run. Raises `ConflictError` when the name is taken.

        nodes: what it brings along of an earlier run.
        """
        metadata, status = workflow["metadata"], workflow.get("status", {})
        row = (
            metadata["name"],
            _text(metadata),
            _text(workflow["spec"]),
            _text(status),
            _text(dict(submitter)),
        )
        with self._transaction():
            try:
                self._connection.execute(
                    "INSERT INTO runs (name, metadata, spec, status, submitter)"
                    " VALUES (?, ?, ?, ?, ?)",
                    row,
                )
            except sqlite3.IntegrityError as error:
                raise ConflictError(
                    f'workflows.argoproj.io "{metadata["name"]}" already exists',
                    hint="choose another name, or none to get a fresh one",
                ) from error
            self._put_nodes(metadata["name"], 1, nodes or {})

    def run_again(
        self,
        stored: StoredRun,
        nodes: Mapping[str, dict[str, Any]],
        deleted: Iterable[str],
        prepare: Callable[[], None],
    ) -> None:
        """Let a finished run go on: with the spec, status and bookkeeping of `stored`.

        nodes: all that it keeps. deleted: ids of nodes that it does not. prepare: makes room for
        the new pods' files; called when nobody else can have the run begin.
        Raises `NotFoundError`, or `ConflictError` when it runs (again) already.
        """
        name = stored.workflow["metadata"]["name"]
        status = {k: v for k, v in stored.workflow["status"].items() if k != "nodes"}
        values = (_text(stored.workflow["spec"]), _text(status), _text(stored.private), name)
        with self._transaction():
            row = self._one("SELECT final, change FROM runs WHERE name = ?", (name,))
            if row is None:
                raise not_found(name)
            if not row[0]:
                raise ConflictError("Cannot retry a workflow in phase Running")
            prepare()
            execute, many = self._connection.execute, self._connection.executemany
            execute(
                "UPDATE runs SET spec = ?, status = ?, private = ?, final = 0, begun = 0,"
                " change = change + 1 WHERE name = ?",
                values,
            )
            gone = [(name, key) for key in deleted]
            many("DELETE FROM nodes WHERE run = ? AND id = ?", gone)
            many("DELETE FROM pods WHERE run = ? AND node_id = ?", gone)
            for table in ("timers", "commands"):
                execute(f"DELETE FROM {table} WHERE run = ?", (name,))
            self._put_nodes(name, row[1] + 1, nodes)

    def is_begun(self, name: str) -> bool:
        """Whether a controller has taken the run in. Raises `NotFoundError`."""
        row = self._one("SELECT begun FROM runs WHERE name = ?", (name,))
        if row is None:
            raise not_found(name)
        return bool(row[0])

    def add_command(self, run: str, strategy: str, message: str) -> int:
        """Ask something of a run that is not finished; return the command's number."""
        with self._transaction():
            cursor = self._connection.execute(
                "INSERT INTO commands (run, strategy, message) VALUES (?, ?, ?)",
                (run, strategy, message),
            )
            return int(cursor.lastrowid or 0)

    def command_pending(self, number: int) -> bool:
        """Whether the controller has not yet carried out a command."""
        row = self._one("SELECT 1 FROM commands WHERE number = ?", (number,))
        return row is not None

    def remove_run(self, name: str, *, unfinished: bool = False) -> None:
        """Forget a finished run. Raises `NotFoundError`, or `ConflictError` while it runs.

        unfinished: forget it even so; only for who has the controller's lock.
        """
        with self._transaction():
            row = self._one("SELECT final FROM runs WHERE name = ?", (name,))
            if row is None:
                raise not_found(name)
            if not row[0] and not unfinished:
                raise ConflictError(f"the run {name} is not finished", hint="terminate it first")
            for table in ("nodes", "pods", "timers", "commands"):
                self._connection.execute(f"DELETE FROM {table} WHERE run = ?", (name,))
            self._connection.execute("DELETE FROM runs WHERE name = ?", (name,))
        with self._lock, _explained(self.home):  # what was in the WAL is gone then, too
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    # What clients read

    def data_version(self) -> int:
        """Return a number that differs whenever another connection has committed since."""
        row = self._one("PRAGMA data_version")
        assert row is not None
        return int(row[0])

    def change_of(self, name: str) -> int:
        """Return the change number of a run. Raises `NotFoundError`."""
        row = self._one("SELECT change FROM runs WHERE name = ?", (name,))
        if row is None:
            raise not_found(name)
        return int(row[0])

    def is_final(self, name: str) -> bool:
        """Whether a run has ended. Raises `NotFoundError`."""
        row = self._one("SELECT final FROM runs WHERE name = ?", (name,))
        if row is None:
            raise not_found(name)
        return bool(row[0])

    def workflow_object(self, name: str, *, nodes: bool = True) -> Workflow:
        """Return the Argo Workflow object of a run. Raises `NotFoundError`."""
        with self._snapshot():
            row = self._one(f"SELECT {_OBJECT} FROM runs WHERE name = ?", (name,))
            if row is None:
                raise not_found(name)
            try:
                workflow = _workflow(row)
                return with_nodes(workflow, self._nodes(name, 0)) if nodes else workflow
            except _ODD as error:
                return _damaged(row, error)

    def changed_nodes(self, name: str, since: int) -> tuple[Workflow, dict[str, dict[str, Any]]]:
        """Return the object without nodes and, apart, the node rows changed after `since`."""
        with self._snapshot():
            row = self._one(f"SELECT {_OBJECT} FROM runs WHERE name = ?", (name,))
            if row is None:
                raise not_found(name)
            try:
                return _workflow(row), self._nodes(name, since)
            except _ODD as error:
                return _damaged(row, error), {}

    def workflow_objects(self) -> Iterator[Workflow]:
        """Yield the objects of all runs without nodes, newest first."""
        for row in self._all(f"SELECT {_OBJECT} FROM runs ORDER BY number DESC"):
            try:
                yield _workflow(row)
            except _ODD as error:
                yield _damaged(row, error)

    def names(self) -> list[str]:
        """Return the names of all runs, newest first."""
        return [row[0] for row in self._all("SELECT name FROM runs ORDER BY number DESC")]

    def pods(self, run: str) -> list[PodRow]:
        """Return the pods of a run in the order in which they were asked for."""
        return self._pods("run = ?", (run,))

    def pod_states(self, run: str, node_id: str = "") -> list[tuple[str, str, str]]:
        """Return (node id, pod name, state) of a run's pods, in their order, or of one node's."""
        select, order = "SELECT node_id, name, state FROM pods WHERE run = ?", "ORDER BY number"
        if node_id:
            rows = self._all(f"{select} AND node_id = ? {order}", (run, node_id))
        else:
            rows = self._all(f"{select} {order}", (run,))
        return [(row[0], row[1], row[2]) for row in rows]

    def submitter(self, name: str) -> dict[str, Any]:
        """Return what was recorded of the process that submitted a run."""
        row = self._one("SELECT submitter FROM runs WHERE name = ?", (name,))
        if row is None:
            raise not_found(name)
        try:
            return _map(row[0])
        except _ODD as error:
            raise _damaged_run(name, error) from error

    # What the controller reads and writes

    def unfinished(self) -> list[str]:
        """Return the names of the runs that are not final, oldest first."""
        return [
            row[0] for row in self._all("SELECT name FROM runs WHERE final = 0 ORDER BY number")
        ]

    def commands(self) -> list[Command]:
        """Return the commands not yet carried out, in their order."""
        rows = self._all("SELECT number, run, strategy, message FROM commands ORDER BY number")
        return [Command(*row) for row in rows]

    def load_run(self, name: str) -> StoredRun:
        """Return all that a controller needs to go on with a run.

        Raises `NotFoundError`, `DamagedRunError`.
        """
        with self._snapshot():
            row = self._one(
                "SELECT metadata, spec, status, private, submitter, begun FROM runs WHERE name = ?",
                (name,),
            )
            if row is None:
                raise not_found(name)
            try:
                nodes = list(self._nodes(name, 0).values())
                maps: Any = [_map(text) for text in row[:5]]
                metadata, spec, status, private, submitter = maps
                _check_name(metadata, name)
            except _ODD as error:
                raise _damaged_run(name, error) from error
            pods = self._pods("run = ? AND state != 'ended'", (name,))
            timers = self._all("SELECT at FROM timers WHERE run = ? ORDER BY at", (name,))
        return StoredRun(
            workflow={
                "apiVersion": "argoproj.io/v1alpha1",
                "kind": "Workflow",
                "metadata": metadata,
                "spec": spec,
                "status": status,
            },
            private=private,
            submitter=submitter,
            begun=bool(row[5]),
            nodes=nodes,
            pods=pods,
            timers=[timer[0] for timer in timers],
        )

    def commit(self, changes: Iterable[RunChange]) -> None:
        """Write the changes of several runs in one transaction.

        Raises `HostError` when the disk is full; nothing is written then.
        """
        with self._transaction():
            for change in changes:
                self._write(change)

    def _write(self, change: RunChange) -> None:
        execute, many = self._connection.execute, self._connection.executemany
        name = change.run
        sets, values = ["change = change + 1", "begun = 1"], []
        if change.status is not None:
            sets += ["status = ?", "final = ?"]
            values += [_text(change.status), int(change.status.get("phase") in FINAL_PHASES)]
        if change.private is not None:
            sets.append("private = ?")
            values.append(_text(change.private))
        row = execute(
            f"UPDATE runs SET {', '.join(sets)} WHERE name = ? RETURNING change",
            (*values, name),
        ).fetchone()
        if row is None:
            return  # the run was removed; its last changes have no place any more
        self._put_nodes(name, row[0], change.nodes)
        many(
            "INSERT INTO pods (run, node_id, name, state, start, kill) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (run, node_id) DO NOTHING",
            [(p.run, p.node_id, p.name, p.state, p.start, p.kill) for p in change.pods_added],
        )
        for state, ids in (("started", change.pods_started), ("ended", change.pods_ended)):
            many(
                "UPDATE pods SET state = ? WHERE run = ? AND node_id = ?",
                [(state, name, node_id) for node_id in ids],
            )
        many(
            "UPDATE pods SET kill = ? WHERE run = ? AND node_id = ?",
            [(message, name, node_id) for node_id, message in change.pods_killed.items()],
        )
        if change.timers_rung is not None:
            execute("DELETE FROM timers WHERE run = ? AND at <= ?", (name, change.timers_rung))
        many("INSERT OR IGNORE INTO timers VALUES (?, ?)", [(name, at) for at in change.timers_set])
        many("DELETE FROM commands WHERE number = ?", [(n,) for n in change.commands_done])

    def _put_nodes(self, run: str, change: int, nodes: Mapping[str, dict[str, Any]]) -> None:
        self._connection.executemany(
            "INSERT INTO nodes (run, id, change, node) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (run, id) DO UPDATE SET change = excluded.change, node = excluded.node",
            [(run, key, change, _text(node)) for key, node in nodes.items()],
        )

    def end_in_error(self, name: str, message: str, time: str) -> None:
        """End a run that cannot be loaded, in phase Error; its nodes stay as they are."""
        row = self._one("SELECT status FROM runs WHERE name = ?", (name,))
        if row is not None:
            ended = {"phase": "Error", "message": message, "finishedAt": time}
            try:
                status = _map(row[0])
            except _ODD:
                status = {"startedAt": None}
            self.commit([RunChange(name, status={**status, **ended})])

    def drop_commands(self, numbers: Iterable[int]) -> None:
        """Forget commands whose run is gone or finished."""
        with self._transaction():
            self._connection.executemany(
                "DELETE FROM commands WHERE number = ?", [(number,) for number in numbers]
            )

    # Below: SQL at large

    def _nodes(self, name: str, since: int) -> dict[str, dict[str, Any]]:
        """Return the nodes of a run changed after `since`, in the order of their making."""
        order = "ORDER BY number"
        if since:
            sql = f"SELECT id, node FROM nodes WHERE run = ? AND change > ? {order}"
            rows = self._all(sql, (name, since))
        else:
            rows = self._all(f"SELECT id, node FROM nodes WHERE run = ? {order}", (name,))
        return {row[0]: _node(row[1]) for row in rows}

    def _pods(self, where: str, values: tuple[Any, ...]) -> list[PodRow]:
        rows = self._all(
            f"SELECT run, node_id, name, state, start, kill FROM pods WHERE {where} ORDER BY number",
            values,
        )
        return [PodRow(*row) for row in rows]

    def _one(self, sql: str, values: tuple[Any, ...] = ()) -> tuple[Any, ...] | None:
        with self._lock, _explained(self.home):
            row: tuple[Any, ...] | None = self._connection.execute(sql, values).fetchone()
            return row

    def _all(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        with self._lock, _explained(self.home):
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Everything inside is written together or not at all."""
        with self._lock, _explained(self.home):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """All reads inside see the same state."""
        with self._lock, _explained(self.home):
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("COMMIT")


#: The columns an object is made of, in the order in which `_workflow` takes them.
_OBJECT = "metadata, spec, status, private, change, name"

#: What reading rows that somebody else wrote can end in.
_ODD = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


def _map(text: str) -> dict[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise TypeError(f"{type(found).__name__} instead of an object")
    return found


#: Fields of a node that all who show or go on with a run rely on, and what each is.
_NODE_FIELDS = {
    **dict.fromkeys(("id", "name", "displayName", "type", "phase", "message"), str),
    **dict.fromkeys(("templateName", "boundaryID", "startedAt", "finishedAt", "progress"), str),
    **dict.fromkeys(("children", "outboundNodes"), list),
    **dict.fromkeys(("inputs", "outputs", "templateRef", "resourcesDuration"), dict),
}


def _node(text: str) -> dict[str, Any]:
    found = _map(text)
    for name, value in found.items():
        kind = _NODE_FIELDS.get(name)
        if kind is not None and value is not None and not isinstance(value, kind):
            raise TypeError(f"a node's {name} is of the kind {type(value).__name__}")
    _check_times(found.get("startedAt"), found.get("finishedAt"))
    for own in (found.get("inputs"), found.get("outputs")):
        for items in ((own or {}).get(group) or () for group in ("parameters", "artifacts")):
            if not all(isinstance(item["name"], str) for item in items):
                raise TypeError("a node's parameters and artifacts have no names")
    return found


def _workflow(row: tuple[Any, ...]) -> Workflow:
    metadata, spec, status, private = (_map(text) for text in row[:4])
    _check_name(metadata, row[5])
    _check_times(
        metadata.get("creationTimestamp"), status.get("startedAt"), status.get("finishedAt")
    )
    return shown_workflow(metadata, spec, status, private, change=row[4])


def _check_times(*stamps: Any) -> None:
    for stamp in stamps:
        if stamp is not None:
            seconds(stamp)


def _check_name(metadata: dict[str, Any], name: str) -> None:
    if metadata["name"] != name:
        raise ValueError("it bears another name inside")


def _damaged(row: tuple[Any, ...], error: Exception) -> Workflow:
    return damaged_workflow(row[5], _damaged_run(row[5], error).what, change=row[4])


def _damaged_run(name: str, error: Exception) -> DamagedRunError:
    return DamagedRunError(
        f"the run {name} is damaged in the store and cannot be read ({error}): "
        f"argojobs delete {name} removes it",
        hint=f"argojobs delete {name}; the artifacts it has made lie in the home until then",
    )


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


def not_found(name: str) -> NotFoundError:
    """Return the error of a run that is not there, in Argo's words."""
    return NotFoundError(
        f'workflows.argoproj.io "{name}" not found', hint="argojobs list shows the runs there are"
    )


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


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
