"""The digests of what runs reported, kept beside them: a second comparison reads no rows.

A digest is taken only while every file of its job is the one that was read (see `job_copies`). All of
a home are in one file, for a thousand small ones would be read for longer. It can be removed at any
time, and has nothing that is not in the files of the jobs; what of deleted runs is in it goes with the
next one that is kept.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from argojobs.results.digest import Digest, digest_of
from argojobs.runs.job_copies import File, settled
from argojobs.runs.job_folders import MOST_NAMES, JobFolder, files_of

#: Beside the folder of results.
FILE = "digests.db"
#: Another number for each change of the form, and for each change in how lines are read.
_FORM = 1
_TABLES = """
    CREATE TABLE names (id INTEGER PRIMARY KEY, names TEXT NOT NULL UNIQUE);
    CREATE TABLE digests (
        run TEXT NOT NULL, job TEXT NOT NULL, files TEXT NOT NULL, is_whole INTEGER NOT NULL,
        names INTEGER NOT NULL, numbers BLOB NOT NULL, summary TEXT NOT NULL, UNIQUE (run, job)
    );
"""
_ALL = "SELECT run, job, files, is_whole, names, numbers, summary FROM digests"
_ONE = f"{_ALL} WHERE run = ?"
#: For so many runs what is kept is asked for one by one.
_FEW = 100

#: A job: of which run, and its folder's name.
Key = tuple[str, str]


class _Kept(NamedTuple):
    """A digest as it is kept, and of which files."""

    files: str
    digest: Digest


def digests_of(results: Path, runs: Sequence[str]) -> dict[str, dict[str, Digest]]:
    """Return what is compared of runs: by their names and the names of their jobs' folders.

    results: the folder of what runs report.
    """
    kept = dict(_kept(results.parent / FILE, runs))
    found: dict[str, dict[str, Digest]] = {}
    new: dict[Key, _Kept] = {}
    for run in runs:
        own: dict[str, Digest] = {}
        for job in _jobs(f"{results}/{run}"):
            folder, now = f"{results}/{run}/{job}", time.time_ns()
            files = files_of(folder)
            if not files:
                continue
            stamp = _stamp(files)
            known = kept.get((run, job))
            if known is not None and known.files == stamp:
                own[job] = known.digest
                continue
            copy = results / run / f".{job}.columns"
            digest = digest_of(JobFolder(Path(folder), copy).read())
            own[job] = digest
            if settled(files, now) and files_of(folder) == files:
                new[run, job] = _Kept(stamp, digest)
        if own:
            found[run] = own
    if new:
        _keep(results, new)
    return found


def _jobs(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            some = islice(entries, MOST_NAMES)
            return sorted([one.name for one in some if one.is_dir(follow_symlinks=False)])
    except OSError:  # it has none
        return []


def _stamp(files: Iterable[File]) -> str:
    """Return what says which files these are, and that they are as they were."""
    return "\n".join(" ".join(map(str, one)) for one in sorted(files))


def _kept(path: Path, runs: Sequence[str]) -> Iterator[tuple[Key, _Kept]]:
    """Yield what is kept of some runs; what is damaged is as if it were not there."""
    wanted = set(runs)
    few: list[Sequence[str]] = [(run,) for run in runs] if len(runs) <= _FEW else [()]
    try:
        with closing(_opened(path)) as database:
            read = database.execute("SELECT id, names FROM names")
            names = {number: tuple(json.loads(text)) for number, text in read}
            for some in few:
                for row in database.execute(_ONE if some else _ALL, some):
                    run, job, files, is_whole, number, data, summary = row
                    if run not in wanted:
                        continue
                    told = json.loads(summary) if summary else {}
                    digest = Digest(names[number], array("d", data), told, bool(is_whole))
                    yield (run, job), _Kept(files, digest)
    except (sqlite3.Error, ValueError, LookupError, TypeError):
        return


def _keep(results: Path, new: dict[Key, _Kept]) -> None:
    """Keep digests, and forget those of runs that are no longer there."""
    path = results.parent / FILE
    # A second look that is slower is all that a disk without room or a damaged file costs.
    with suppress(sqlite3.Error, OSError), closing(_opened(path, new=True)) as database, database:
        database.execute("BEGIN IMMEDIATE")
        numbers: dict[tuple[str, ...], int] = {}
        for (run, job), (files, digest) in new.items():
            if digest.names not in numbers:
                text = json.dumps(digest.names)
                database.execute("INSERT OR IGNORE INTO names (names) VALUES (?)", (text,))
                row = database.execute("SELECT id FROM names WHERE names = ?", (text,)).fetchone()
                numbers[digest.names] = row[0]
            summary = json.dumps(digest.summary) if digest.summary else ""
            values = (run, job, files, digest.is_whole, numbers[digest.names])
            database.execute(
                "INSERT OR REPLACE INTO digests VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*values, digest.numbers.tobytes(), summary),
            )
        _forget_gone(database, results)


def _forget_gone(database: sqlite3.Connection, results: Path) -> None:
    known = [row[0] for row in database.execute("SELECT DISTINCT run FROM digests")]
    gone = [(run,) for run in known if not (results / run).exists()]
    database.executemany("DELETE FROM digests WHERE run = ?", gone)
    database.execute("DELETE FROM names WHERE id NOT IN (SELECT names FROM digests)")


def _opened(path: Path, *, new: bool = False) -> sqlite3.Connection:
    """Open the file, for its owner alone. Raises sqlite3.Error where it is not there or of another form.

    new: it is made, and made anew where it is of another form or damaged.
    """
    if new:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    uri = f"{path.absolute().as_uri()}?mode=rw"
    database = sqlite3.connect(uri, uri=True, timeout=5, isolation_level=None)
    try:
        form = database.execute("PRAGMA user_version").fetchone()[0]
        if form == _FORM:
            database.execute("PRAGMA secure_delete = ON")
            return database
        raise sqlite3.DatabaseError(f"it is of the form {form}")
    except sqlite3.DatabaseError as error:
        database.close()
        if not new or isinstance(error, sqlite3.OperationalError):
            raise
    path.unlink()
    return _made(path)


def _made(path: Path) -> sqlite3.Connection:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    database = sqlite3.connect(path, timeout=5, isolation_level=None)
    database.executescript(f"PRAGMA secure_delete = ON;{_TABLES}PRAGMA user_version = {_FORM};")
    return database
