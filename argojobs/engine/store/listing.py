"""Lists of runs: selected in the database, newest first, page by page.

Newest first is the order of their creation here, which the clock of the host cannot turn round
and in which runs of one second have their place. A page says where the next one begins by the
number of its last run, so that runs that come and go meanwhile move no other to another page.
"""

# ruff: noqa: S608 - SQL is put together from constants of this file; values are always bound

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from argojobs.engine.store.changes import last_change
from argojobs.engine.store.database import Database, Row
from argojobs.engine.store.rows import OBJECT, ODD, RUNS, damaged, workflow_of
from argojobs.errors import UsageError
from argojobs.service import Workflow

#: Argo's labels that say what `phase` does: they are read from it. Source: `engine.objects`.
_FROM_PHASE = {
    "workflows.argoproj.io/phase": "nullif(phase, '')",
    "workflows.argoproj.io/completed": (
        "CASE WHEN phase IN ('Succeeded', 'Failed', 'Error') THEN 'true'"
        " WHEN phase != '' THEN 'false' END"
    ),
}


class Requirement(NamedTuple):
    """What a label must be: one of the values, or any at all without them.

    but_not: it must be none of them, or not there at all; one that is not there is none of them.
    Source: Kubernetes' LabelSelectorRequirement (In, NotIn, Exists, DoesNotExist).
    """

    key: str
    values: tuple[str, ...] = ()
    but_not: bool = False


class Selection(NamedTuple):
    """Which runs are wanted: those to which all of it applies; what is empty applies to all.

    prefix: of their names. created_after: as `creationTimestamp` writes it.
    """

    namespace: str = ""
    phases: tuple[str, ...] = ()
    labels: tuple[Requirement, ...] = ()
    prefix: str = ""
    created_after: str = ""


#: After all characters that a name may have; and more digits than a number may have.
_LAST = "\U0010ffff"
_DIGITS = 19

#: What is read of a spec. One that is no JSON is read whole, and then found to be damaged.
_SPECS = {
    "whole": "spec",
    "none": "'{}'",
    "given": "CASE WHEN instr(spec, '/gpu\"') OR NOT json_valid(spec) THEN spec"
    " ELSE json_object('arguments', json_extract(spec, '$.arguments')) END",
}

#: All runs.
ALL = Selection()


def having(labels: Mapping[str, str] | None) -> Selection:
    """Return what selects the runs with all of these labels."""
    return Selection(labels=tuple(Requirement(k, (v,)) for k, v in (labels or {}).items()))


class Page(NamedTuple):
    """A part of a list.

    more: what the next page is asked for with (`continue`); "" at the end. change: what a watch
    goes on from (`resourceVersion`).
    """

    workflows: list[Workflow]
    more: str
    change: int


def page(
    database: Database,
    selection: Selection = ALL,
    *,
    limit: int = 0,
    more: str = "",
    specs: Literal["whole", "given", "none"] = "whole",
) -> Page:
    """Return runs without nodes, newest first.

    Args:
        database: of the home.
        selection: which runs.
        limit: at most so many, 0 for all.
        more: what an earlier page ended with.
        specs: how much of the specs is wanted, which are the most of a run; given: the arguments, and
            all where it asks for GPUs.

    Raises:
        UsageError: for a `more` that no page ended with.
    """
    if more and not (more.isdecimal() and len(more) < _DIGITS):
        raise UsageError(f"{more!r} continues no list", hint="list from the beginning")
    where, values = _where(selection, more)
    source = "runs" if specs == "none" else RUNS
    columns = OBJECT.replace("spec", _SPECS[specs])
    sql = f"SELECT {columns}, number FROM {source}{where} ORDER BY number DESC LIMIT ?"
    with database.snapshot():
        rows = database.all(sql, (*values, limit + 1 if limit else -1))
        change = last_change(database)
    shown = rows[:limit] if limit else rows
    return Page(
        [_shown(row) for row in shown], str(shown[-1][-1]) if len(rows) > len(shown) else "", change
    )


def names(database: Database, selection: Selection = ALL) -> list[str]:
    """Return the names of runs, newest first."""
    where, values = _where(selection)
    return [
        row[0] for row in database.all(f"SELECT name FROM runs{where} ORDER BY number DESC", values)
    ]


def _shown(row: Row) -> Workflow:
    try:
        return workflow_of(row)
    except ODD as error:
        return damaged(row, error)


def _where(wanted: Selection, before: str = "") -> tuple[str, Row]:
    """Return the condition of a selection, and what is bound in it. before: this number."""
    terms: list[tuple[str, Row]] = []
    if wanted.namespace:
        terms.append(("namespace = ?", (wanted.namespace,)))
    if wanted.phases:
        terms.append((f"phase IN {_marks(wanted.phases)}", wanted.phases))
    if wanted.prefix:
        terms.append(("name >= ? AND name < ?", (wanted.prefix, wanted.prefix + _LAST)))
    if wanted.created_after:
        terms.append(("created > ?", (wanted.created_after,)))
    terms += map(_labelled, wanted.labels)
    if before:
        terms.append(("number < ?", (int(before),)))
    if not terms:
        return "", ()
    condition = " AND ".join(term for term, _ in terms)
    return f" WHERE {condition}", tuple(value for _, values in terms for value in values)


def _labelled(wanted: Requirement) -> tuple[str, Row]:
    among = f"IN {_marks(wanted.values)}" if wanted.values else "IS NOT NULL"
    kept = "NOT " if wanted.but_not else ""
    if wanted.key in _FROM_PHASE:
        return f"{kept}coalesce({_FROM_PHASE[wanted.key]} {among}, 0)", wanted.values
    having = f"SELECT run FROM labels WHERE key = ? AND value {among}"
    return f"name {kept}IN ({having})", (wanted.key, *wanted.values)


def _marks(values: Sequence[str]) -> str:
    return f"({', '.join('?' * len(values))})"
