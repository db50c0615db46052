"""What steps on a server stored in S3, brought to this machine and laid out as the engine's own results.

The job library stores an attempt as objects that are only added to, or replaced by longer ones (see
`job/s3_store.py`). So of what has been brought nothing is fetched again but the object that grows.
Names and sizes are a stranger's: they lead nowhere else, and have bounds.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import islice
from pathlib import Path

from argojobs.config.home import open_home
from argojobs.errors import ServerError
from argojobs.job.place import folder_of
from argojobs.manifest.view import nodes_of
from argojobs.service import Workflow
from argojobs.storage.repository import Entry, Repository
from argojobs.storage.s3_place import S3Place

#: Below a job's folder: an attempt, and the number of an object of it.
_OBJECT = re.compile(
    r"([0-9a-f]{20})/attempts/((?:0|[1-9]\d{0,8})-[1-9]\d{0,8}(?:\.[1-9]\d{0,8})?)/(\d{8})\.jsonl",
    re.ASCII,
)
#: What may be the name of a folder here.
_NAME = re.compile(r"[A-Za-z0-9][-A-Za-z0-9._]{0,252}", re.ASCII)
#: So many objects of a run are looked at, none that is larger than so many bytes.
_MOST, _LARGEST = 100_000, 64 << 20
#: An object may be replaced while it is read: it is asked for so often.
_TRIES = 3
#: Whose results a folder has: a new run may have the name of an old one.
_OWNER = ".uid"


def mirrored(
    place: S3Place, repository: Callable[[], Repository], runs: Sequence[Workflow]
) -> Path:
    """Bring what runs have stored so far, and return the folder of all results of that place.

    Args:
        place: of the context, with its prefix.
        repository: opens its bucket, for whole keys.
        runs: with their nodes, by whose ids the folders of steps are called.

    Raises:
        ServerError: the store does not answer.
        UsageError: it may not be read.
    """
    named = sha256(f"{place.endpoint} {place.url()}".encode()).hexdigest()[:20]
    folder = open_home() / "mirrors" / named / "results"
    for run in runs:
        name = str(run["metadata"]["name"])
        if _NAME.fullmatch(name):
            start = f"{place.prefix}/results/{name}/".lstrip("/")
            _bring(repository(), run, start, folder / name)
    return folder


def _bring(repository: Repository, run: Workflow, start: str, folder: Path) -> None:
    """Bring what one run has stored to its folder. start: of its keys."""
    uid = str(run["metadata"].get("uid") or "")
    jobs = {
        folder_of(f"{uid}-{node.get('name')}"): node_id for node_id, node in nodes_of(run).items()
    }
    attempts: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in islice(repository.list(start), _MOST):
        found = _OBJECT.fullmatch(entry.key.removeprefix(start))
        if found and found[1] in jobs and entry.size <= _LARGEST:
            attempts[jobs[found[1]], found[2]].append(entry)
    if not attempts:
        return
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(folder):
        _take_over(folder, uid)
        for (node_id, attempt), objects in attempts.items():
            if _NAME.fullmatch(node_id):
                target = folder / node_id / "attempts" / f"{attempt}.jsonl"
                target.parent.mkdir(parents=True, exist_ok=True)
                _extend(repository, sorted(objects), target)


def _extend(repository: Repository, objects: Sequence[Entry], target: Path) -> None:
    """Add to a file what the objects of its attempt have beyond it."""
    with target.open("ab") as file:
        has, at = file.tell(), 0
        for entry in objects:
            if at + entry.size <= has:
                at += entry.size
                continue
            data = _read(repository, entry.key)
            file.write(data[max(0, has - at) :])
            at += len(data)
            has = max(has, at)


def _read(repository: Repository, key: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="argojobs-") as folder:
        for _ in range(_TRIES - 1):
            with suppress(ServerError):
                repository.get(key, f"{folder}/object")
                break
        else:
            repository.get(key, f"{folder}/object")
        return Path(f"{folder}/object").read_bytes()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one process at a time add to the files of a run."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _take_over(folder: Path, uid: str) -> None:
    """Remove what another run of this name has left."""
    owner = folder / _OWNER
    if owner.is_file() and owner.read_text() == uid:
        return
    for each in folder.iterdir():
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        else:
            each.unlink()
    owner.write_text(uid)
