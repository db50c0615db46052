"""An artifact repository in S3: trees in parallel, resumed where they broke off, checksums compared.

Keys are those of `repository.py`, below the place's prefix. S3 makes an object visible when it is
whole, so no reader meets half a file under its final key.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any, Literal

from argojobs.errors import NotFoundError, OutputError, UsageError
from argojobs.storage.copying import irregular, tree_files
from argojobs.storage.repository import Entry, check_key
from argojobs.storage.s3_client import Object, S3Client
from argojobs.storage.s3_download import Incoming, fetch
from argojobs.storage.s3_place import RetryPolicy, S3Credentials, S3Place, described
from argojobs.storage.s3_upload import Outgoing, send

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Progress = Callable[[int, int], None]

WORKERS = 8  # requests at once


class S3Repository:
    """Files and trees by key in a bucket; see Repository.

    credentials: None asks without keys, as for a public bucket.
    """

    def __init__(
        self,
        place: S3Place,
        credentials: S3Credentials | None = None,
        *,
        workers: int = WORKERS,
        retry_policy: RetryPolicy | None = None,
    ) -> None:
        self.place = place
        self._credentials = credentials
        self._workers = workers
        self._client = S3Client(place, credentials, connections=workers, retry_policy=retry_policy)

    def describe(self) -> dict[str, Any]:
        """See Repository.describe; keys are there as references only, never as values.

        Raises UsageError for keys that came from no reference.
        """
        known = self._credentials or S3Credentials()
        named = {name for name, _ in known.references}
        for name in ("access_key", "secret_key", "session_token"):
            if getattr(known, name) and name not in named:
                raise UsageError(
                    f"the {name} of {self.place.url()} came from no reference, so no other "
                    "process can be told where it is",
                    hint='give it by reference, such as "env:NAME" or "file:PATH"',
                )
        return described(self.place, known)

    def put(
        self,
        source: str,
        key: str,
        *,
        move: bool = False,  # noqa: ARG002 - there is nothing to be saved by it
        resolve: Callable[[str], str] = os.path.realpath,
        progress: Progress | None = None,
    ) -> None:
        """See Repository.put. What is there with the same content is not sent again.

        Args:
            source: a file or a folder.
            key: where it goes, below the place's prefix.
            move: changes nothing here: there is nothing to be saved by it.
            resolve: the host path that a link in a tree stands for.
            progress: called with the bytes done and those in all.

        Raises:
            OSError: there is no source.
            UsageError, ServerError: as the service answers.
        """
        trimmed = check_key(key)
        mode = os.stat(source).st_mode  # raises when there is nothing to store
        if stat.S_ISDIR(mode):
            files = [
                Outgoing(file.path, f"{trimmed}/{file.relative}", os.stat(file.path).st_size)
                for file in tree_files(source, resolve)
            ]
            there = {found.key: found for found in self._below(trimmed)} if files else {}
        elif stat.S_ISREG(mode):
            files = [Outgoing(source, trimmed, os.stat(source).st_size)]
            found = self._client.head(trimmed)
            there = {trimmed: found} if found else {}
        else:
            raise irregular(source)
        send(self._client, files, there, workers=self._workers, progress=progress)

    def get(self, key: str, target: str, *, progress: Progress | None = None) -> None:
        """See Repository.get. What broke off goes on when it is called again.

        Args:
            key: of a file or a tree, below the place's prefix.
            target: a path; files that are there already, with the same content, are left as they
                are.
            progress: called with the bytes done and those in all.

        Raises:
            NotFoundError: there is nothing of that key.
        """
        trimmed = check_key(key)
        found = self._client.head(trimmed)
        if found is not None:
            wanted = [Incoming(found, target)]
        else:
            objects = list(self._below(trimmed))
            if not objects:
                raise NotFoundError(
                    f"no artifact {key!r} in {self.place.url()}",
                    hint="the step that makes it may have saved nothing there (an empty folder).",
                )
            wanted = _laid_out(objects, trimmed, target)
        fetch(self._client, wanted, workers=self._workers, progress=progress)

    def local(self, key: str) -> str | None:  # noqa: ARG002 - see Repository
        """See Repository.local: nothing here is on this machine."""
        return None

    def kind(self, key: str) -> Literal["file", "tree"] | None:
        """See Repository.kind."""
        trimmed = check_key(key)
        if self._client.head(trimmed) is not None:
            return "file"
        return "tree" if any(self._client.objects(f"{trimmed}/", limit=1)) else None

    def list(self, prefix: str = "") -> Iterator[Entry]:
        """See Repository.list."""
        if prefix:
            found = self._client.head(check_key(prefix))
            if found is not None:
                yield Entry(found.key, found.size)
        below = self._below(check_key(prefix)) if prefix else self._client.objects("")
        # S3 sorts by UTF-8 bytes, SeaweedFS folder by folder.
        yield from sorted(Entry(each.key, each.size) for each in below)

    def level(self, key: str = "") -> Iterator[tuple[str, int | None]]:
        """What lies directly in a folder ("" for the top), by name: size, None for a folder.

        Of a key with an object it is this. Raises UsageError and ServerError as the service answers.
        """
        trimmed = check_key(key) if key else ""
        found = self._client.head(trimmed) if trimmed else None
        if found is not None:
            yield trimmed.rpartition("/")[2], found.size
            return
        yield from sorted(self._client.level(f"{trimmed}/" if trimmed else ""))

    def delete(self, key: str) -> None:
        """See Repository.delete. Uploads of it that broke off are given up."""
        trimmed = check_key(key)
        found = self._client.head(trimmed)
        self._client.delete([trimmed] if found else [])
        self._client.delete(each.key for each in self._below(trimmed))
        self.give_up(trimmed)

    def give_up(self, key: str) -> None:
        """Remove what uploads of a key that broke off have sent; nothing there is fine."""
        for upload in self._client.unfinished(check_key(key)):
            self._client.abandon(check_key(key), upload)

    def flush(self, key: str) -> None:
        """See Repository.flush: S3 answers when an object is safe."""

    def modified(self, key: str) -> float:
        """When the object of a key was stored, in seconds since 1970; 0 when there is none."""
        found = self._client.head(check_key(key))
        return found.modified if found else 0

    def _below(self, key: str) -> Iterator[Object]:
        return self._client.objects(f"{key}/")


def _laid_out(objects: Sequence[Object], key: str, target: str) -> list[Incoming]:
    """Where the objects of a tree are to be; the folders are made.

    Below the target nothing is followed: a link in the place of a folder is replaced. Raises
    UsageError for a key that would lead out of the target.
    """
    os.makedirs(target, exist_ok=True)
    made = {target}
    wanted = []
    for found in objects:
        relative = check_key(found.key[len(key) + 1 :])
        path = f"{target}/{relative}"
        _make_folder(os.path.dirname(path), made)
        wanted.append(Incoming(found, path))
    return wanted


def _make_folder(path: str, made: set[str]) -> None:
    if path in made:
        return
    _make_folder(os.path.dirname(path), made)
    if os.path.islink(path):
        os.unlink(path)
    try:
        os.mkdir(path)
    except FileExistsError as error:
        if not os.path.isdir(path):
            raise OutputError(
                "a file is where a folder is to be fetched to",
                where=path,
                hint="give the two artifacts keys of which none begins with the other.",
            ) from error
    made.add(path)
