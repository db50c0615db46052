"""Moving artifacts between this machine and a repository."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from argojobs.errors import ConflictError, HostError, NotFoundError
from argojobs.runs.stores import own_bucket
from argojobs.storage.copying import tree_files
from argojobs.storage.retrieve import place

if TYPE_CHECKING:
    from argojobs.manifest.objects import Artifact
    from argojobs.runs.stores import Stored
    from argojobs.runs.target import Target
    from argojobs.storage.s3 import S3Repository


#: Takes bytes that are done, and all there are.
Progress = Callable[[int, int], None]

#: Shows how far what it is told of has come, while it is open; None where nobody looks.
Bar = Callable[[str], AbstractContextManager[Progress | None]]


def no_bar(_what: str) -> AbstractContextManager[Progress | None]:
    """Show nothing."""
    return nullcontext()


def fetch_output(stored: Stored, run: str, target: Target, path: Path, bar: Bar = no_bar) -> Path:
    """Copy an output of a run to a path, from the bucket itself where there are keys for it.

    Args:
        stored: the output.
        run: its name.
        target: where the run is.
        path: where the copy goes.
        bar: shows how far it is.

    Raises:
        NotFoundError, ConflictError, HostError: as `fetch_key` and `Service.artifact`.
    """
    repository = own_bucket(stored, target)
    if repository is not None:
        return fetch_key(repository, stored.key, path, artifact=stored.artifact, bar=bar)
    return target.service.artifact(run, stored.node_id, stored.name, path)


@contextmanager
def place_for(text: str) -> Iterator[Path]:
    """Give the path that a user wrote; `out/` is a folder, made now and gone again if all fails."""
    path = Path(text).expanduser()
    made = text.endswith("/") and not path.exists()
    if made:
        path.mkdir(parents=True)
    try:
        yield path
    finally:
        if made and not any(path.iterdir()):
            path.rmdir()


def fetch_key(
    repository: S3Repository,
    key: str,
    target: Path,
    *,
    artifact: Artifact | None = None,
    bar: Bar = no_bar,
) -> Path:
    """Copy an object or tree of a bucket to a path and return where it is.

    What broke off is kept beside the target and goes on the next time. Raises NotFoundError,
    ConflictError and HostError as `retrieve.place`, and errors of S3.

    Args:
        repository: the bucket.
        key: of the object, or the beginning of those of a tree.
        target: where it goes.
        artifact: as Argo records it, whose archive is unpacked; without it bytes stay as they are.
        bar: shows how far it is.
    """
    if repository.kind(key) is None:
        raise NotFoundError(
            f"there is nothing at {repository.place.url(key)}",
            hint="correct the address; for an output: the step saved nothing there, or it was "
            "deleted",
        )
    described = artifact or {"name": key.rpartition("/")[2], "archive": {"none": {}}}
    with bar(f"getting {described['name']}") as progress:

        def fetch(path: str) -> None:
            repository.get(key, path, progress=progress)
            if os.path.isdir(path):  # noqa: PTH112 - text paths, as the repository takes them
                _drop_others(path, {entry.key[len(key) + 1 :] for entry in repository.list(key)})

        return place(described, target, fetch, origin=repository.place.url(key))


def _drop_others(folder: str, names: set[str]) -> None:
    """Remove what an earlier, broken off fetch left of a tree that has changed since."""
    for here, _, files in os.walk(folder):
        for file in files:
            path = os.path.join(here, file)  # noqa: PTH118
            if os.path.relpath(path, folder) not in names:
                os.unlink(path)  # noqa: PTH108


def copy_path(source: Path, target: Path) -> Path:
    """Copy a file or folder of this machine, links as links; as `fetch_key` puts things."""
    if target.is_dir():
        target = target / source.name
    if target.exists():
        raise ConflictError(f"{target} exists", where=str(target), hint="choose another path")
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, beside, symlinks=True)
        else:
            shutil.copy2(source, beside)
        beside.rename(target)
    except (OSError, shutil.Error) as error:
        raise HostError(
            f"{source} cannot be copied: {getattr(error, 'strerror', None) or error}",
            where=str(target),
        ) from error
    finally:
        if beside.is_dir():
            shutil.rmtree(beside)
        else:
            beside.unlink(missing_ok=True)
    return target


def sizes_below(path: Path) -> tuple[int, int]:
    """Return how many files a path has, and their bytes. Raises OutputError for what is none."""
    if not path.is_dir():
        return 1, path.stat().st_size
    files = [Path(file.path).stat().st_size for file in tree_files(str(path))]
    return len(files), sum(files)
