"""The runs of a home as clients and the controller read and write them.

One row a run, one row a node, one row a pod, so that a change writes what changed and nothing
more. The Argo Workflow object is put together when someone reads it. Pods are an outbox: the
action "start this pod" is stored in the transaction that stores the node it belongs to, so that a
controller killed at any point finds what it had decided and has not yet done.

Each change has a number (see `changes`): a run bears that of its last one, and so does a node.
"""

# ruff: noqa: S608 - SQL is put together from constants of this file; values are always bound

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from argojobs.engine.objects import with_nodes
from argojobs.engine.store.changes import WORKFLOW, Change, next_change, remember_deleted
from argojobs.engine.store.database import Database, Row
from argojobs.engine.store.rows import (
    OBJECT,
    ODD,
    RUNS,
    Command,
    PodRow,
    RunChange,
    StoredRun,
    check_name,
    damaged,
    damaged_run,
    not_found,
    read_map,
    read_node,
    to_text,
    workflow_of,
)
from argojobs.errors import ConflictError
from argojobs.service import FINAL_PHASES, Workflow

#: As the index of them has it.
_UNFINISHED = "phase NOT IN ('Succeeded', 'Failed', 'Error')"

#: The tables that hold rows of runs, beside `runs`.
_OF_RUNS = ("submissions", "labels", "nodes", "pods", "timers", "commands")


class Store(Database):
    """The open store of a home."""

    # What clients write

    def add_run(
        self,
        workflow: Workflow,
        submitter: Mapping[str, Any],
        nodes: Mapping[str, dict[str, Any]] | None = None,
    ) -> None:
        """Store a new run.

        Args:
            workflow: as it was created.
            submitter: as `submitter.capture` recorded it.
            nodes: what it brings along of an earlier run, by id.

        Raises:
            ConflictError: the name is taken.
        """
        metadata, status = workflow["metadata"], workflow.get("status", {})
        name = metadata["name"]
        with self.transaction() as connection:
            change = next_change(connection)
            row = (
                name,
                metadata.get("namespace", "default"),
                metadata.get("uid", ""),
                metadata.get("creationTimestamp", ""),
                change,
                to_text(metadata),
                to_text(status),
            )
            try:
                connection.execute(
                    "INSERT INTO runs (name, namespace, uid, created, change, metadata, status)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    row,
                )
            except sqlite3.IntegrityError as error:
                raise ConflictError(
                    f'workflows.argoproj.io "{name}" already exists',
                    hint="choose another name, or none to get a fresh one",
                ) from error
            connection.execute(
                "INSERT INTO submissions VALUES (?, ?, ?)",
                (name, to_text(workflow["spec"]), to_text(dict(submitter))),
            )
            _put_labels(connection, name, metadata.get("labels"))
            _put_nodes(connection, name, change, nodes or {})

    def run_again(
        self,
        stored: StoredRun,
        nodes: Mapping[str, dict[str, Any]],
        deleted: Iterable[str],
        prepare: Callable[[], None],
    ) -> None:
        """Let a finished run go on.

        Args:
            stored: whose spec, status and bookkeeping it has from now on.
            nodes: all that it keeps, by id.
            deleted: ids of nodes that it does not.
            prepare: makes room for the new pods' files; called when nobody else can have the run
                begin.

        Raises:
            NotFoundError: there is no such run.
            ConflictError: it runs (again) already.
        """
        name = stored.workflow["metadata"]["name"]
        status = {k: v for k, v in stored.workflow["status"].items() if k != "nodes"}
        values = (to_text(status), status.get("phase", ""), to_text(stored.private))
        with self.transaction() as connection:
            if not self.is_final(name):
                raise ConflictError("Cannot retry a workflow in phase Running")
            prepare()
            change = next_change(connection)
            execute, many = connection.execute, connection.executemany
            execute(
                "UPDATE runs SET status = ?, phase = ?, private = ?, begun = 0, change = ?"
                " WHERE name = ?",
                (*values, change, name),
            )
            spec = to_text(stored.workflow["spec"])
            execute("UPDATE submissions SET spec = ? WHERE run = ?", (spec, name))
            gone = [(name, key) for key in deleted]
            many("DELETE FROM nodes WHERE run = ? AND id = ?", gone)
            many("DELETE FROM pods WHERE run = ? AND node_id = ?", gone)
            for table in ("timers", "commands"):
                execute(f"DELETE FROM {table} WHERE run = ?", (name,))
            _put_nodes(connection, name, change, nodes)

    def is_begun(self, name: str) -> bool:
        """Whether a controller has taken the run in. Raises `NotFoundError`."""
        return bool(self._run("begun", name)[0])

    def add_command(self, run: str, strategy: str, message: str) -> int:
        """Ask something of a run that is not finished; return the command's number.

        Args:
            run: its name.
            strategy: what to do: `Stop`, `Terminate`, `Suspend`, `Resume` or `Set`.
            message: what goes with it: why to stop, or which nodes to resume; "" for nothing.
        """
        with self.transaction() as connection:
            cursor = connection.execute(
                "INSERT INTO commands (run, strategy, message) VALUES (?, ?, ?)",
                (run, strategy, message),
            )
            return int(cursor.lastrowid or 0)

    def command_pending(self, number: int) -> bool:
        """Whether the controller has not yet carried out a command."""
        row = self.one("SELECT 1 FROM commands WHERE number = ?", (number,))
        return row is not None

    def remove_run(self, name: str, *, unfinished: bool = False) -> None:
        """Forget a finished run. Raises `NotFoundError`, or `ConflictError` while it runs.

        unfinished: forget it even so; only for who has the controller's lock.
        """
        with self.transaction() as connection:
            phase, namespace, uid = self._run("phase, namespace, uid", name)
            if phase not in FINAL_PHASES and not unfinished:
                raise ConflictError(f"the run {name} is not finished", hint="terminate it first")
            deleted = Change(next_change(connection), WORKFLOW, namespace, name, 1, uid)
            for table in _OF_RUNS:
                connection.execute(f"DELETE FROM {table} WHERE run = ?", (name,))
            connection.execute("DELETE FROM runs WHERE name = ?", (name,))
            remember_deleted(connection, deleted)
        self.empty_wal()

    # What clients read

    def change_of(self, name: str) -> int:
        """Return the number of a run's last change. Raises `NotFoundError`."""
        return int(self._run("change", name)[0])

    def is_final(self, name: str) -> bool:
        """Whether a run has ended. Raises `NotFoundError`."""
        return self._run("phase", name)[0] in FINAL_PHASES

    def workflow_object(self, name: str) -> Workflow:
        """Return the Argo Workflow object of a run. Raises `NotFoundError`."""
        with self.snapshot():
            row = self._run(OBJECT, name)
            try:
                return with_nodes(workflow_of(row), self._nodes(name, 0))
            except ODD as error:
                return damaged(row, error)

    def changed_nodes(self, name: str, since: int) -> tuple[Workflow, dict[str, dict[str, Any]]]:
        """Return the object without nodes and, apart, the node rows changed after `since`."""
        with self.snapshot():
            row = self._run(OBJECT, name)
            try:
                return workflow_of(row), self._nodes(name, since)
            except ODD as error:
                return damaged(row, error), {}

    def pod_states(self, run: str, node_id: str = "") -> list[tuple[str, str, str]]:
        """Return (node id, pod name, state) of a run's pods, in their order, or of one node's."""
        select, order = "SELECT node_id, name, state FROM pods WHERE run = ?", "ORDER BY number"
        if node_id:
            rows = self.all(f"{select} AND node_id = ? {order}", (run, node_id))
        else:
            rows = self.all(f"{select} {order}", (run,))
        return [(row[0], row[1], row[2]) for row in rows]

    def submitter(self, name: str) -> dict[str, Any]:
        """Return what was recorded of the process that submitted a run."""
        (text,) = self._run("submitter", name)
        try:
            return read_map(text)
        except ODD as error:
            raise damaged_run(name, error) from error

    # What the controller reads and writes

    def unfinished(self) -> list[str]:
        """Return the names of the runs that are not final, oldest first."""
        sql = f"SELECT name FROM runs WHERE {_UNFINISHED} ORDER BY number"
        return [row[0] for row in self.all(sql)]

    def commands(self) -> list[Command]:
        """Return the commands not yet carried out, in their order."""
        rows = self.all("SELECT number, run, strategy, message FROM commands ORDER BY number")
        return [Command(*row) for row in rows]

    def load_run(self, name: str) -> StoredRun:
        """Return all that a controller needs to go on with a run.

        Raises `NotFoundError`, `DamagedRunError`.
        """
        with self.snapshot():
            row = self._run("metadata, spec, status, private, submitter, begun", name)
            try:
                nodes = list(self._nodes(name, 0).values())
                maps: Any = [read_map(text) for text in row[:5]]
                metadata, spec, status, private, submitter = maps
                check_name(metadata, name)
            except ODD as error:
                raise damaged_run(name, error) from error
            pods = self.all(
                "SELECT run, node_id, name, state, start, kill FROM pods"
                " WHERE run = ? AND state != 'ended' ORDER BY number",
                (name,),
            )
            timers = self.all("SELECT at FROM timers WHERE run = ? ORDER BY at", (name,))
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
            pods=[PodRow(*pod) for pod in pods],
            timers=[timer[0] for timer in timers],
        )

    def commit(self, changes: Iterable[RunChange]) -> None:
        """Write the changes of several runs in one transaction.

        Raises `HostError` when the disk is full; nothing is written then.
        """
        with self.transaction() as connection:
            number = next_change(connection)
            for change in changes:
                _write(connection, change, number)

    def end_in_error(self, name: str, message: str, time: str) -> None:
        """End a run that cannot be loaded, in phase Error; its nodes stay as they are.

        Args:
            name: of the run.
            message: why it cannot be loaded.
            time: the time stamp of its end.
        """
        row = self.one("SELECT status FROM runs WHERE name = ?", (name,))
        if row is not None:
            ended = {"phase": "Error", "message": message, "finishedAt": time}
            try:
                status = read_map(row[0])
            except ODD:
                status = {"startedAt": None}
            self.commit([RunChange(name, status={**status, **ended})])

    def drop_commands(self, numbers: Iterable[int]) -> None:
        """Forget commands whose run is gone or finished."""
        with self.transaction() as connection:
            connection.executemany(
                "DELETE FROM commands WHERE number = ?", [(number,) for number in numbers]
            )

    # Below: SQL at large

    def _run(self, columns: str, name: str) -> Row:
        """Return columns of a run. Raises `NotFoundError`."""
        row = self.one(f"SELECT {columns} FROM {RUNS} WHERE name = ?", (name,))
        if row is None:
            raise not_found(name)
        return row

    def _nodes(self, name: str, since: int) -> dict[str, dict[str, Any]]:
        """Return the nodes of a run changed after `since`, in the order of their making."""
        order = "ORDER BY number"
        if since:
            sql = f"SELECT id, node FROM nodes WHERE run = ? AND change > ? {order}"
            rows = self.all(sql, (name, since))
        else:
            rows = self.all(f"SELECT id, node FROM nodes WHERE run = ? {order}", (name,))
        return {row[0]: read_node(row[1]) for row in rows}


def _write(connection: sqlite3.Connection, change: RunChange, number: int) -> None:
    execute, many = connection.execute, connection.executemany
    name = change.run
    row = execute("SELECT phase FROM runs WHERE name = ?", (name,)).fetchone()
    if row is None:
        return  # the run was removed; its last changes have no place any more
    sets = ["change = ?", "begun = 1"]
    values: list[Any] = [number]
    if change.status is not None:
        sets.append("status = ?")
        values.append(to_text(change.status))
        phase = change.status.get("phase") or ""
        if phase != row[0]:  # to set it would move it in its indexes, also to where it is
            sets.append("phase = ?")
            values.append(phase)
    if change.private is not None:
        sets.append("private = ?")
        values.append(to_text(change.private))
    execute(f"UPDATE runs SET {', '.join(sets)} WHERE name = ?", (*values, name))
    if change.private is not None:
        _put_labels(connection, name, change.private.get("metadata", {}).get("labels"))
    _put_nodes(connection, name, number, change.nodes)
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


def _put_nodes(
    connection: sqlite3.Connection, run: str, change: int, nodes: Mapping[str, dict[str, Any]]
) -> None:
    connection.executemany(
        "INSERT INTO nodes (run, id, change, node) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (run, id) DO UPDATE SET change = excluded.change, node = excluded.node",
        [(run, key, change, to_text(node)) for key, node in nodes.items()],
    )


def _put_labels(connection: sqlite3.Connection, run: str, labels: Mapping[str, str] | None) -> None:
    """Have the labels of a run be found: those it was given, then those it gives itself."""
    connection.executemany(
        "INSERT INTO labels VALUES (?, ?, ?)"
        " ON CONFLICT (run, key) DO UPDATE SET value = excluded.value",
        [(run, key, value) for key, value in (labels or {}).items()],
    )
