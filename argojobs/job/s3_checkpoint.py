# travels with: job
"""A file or folder as objects, and back: nothing of it is ever whole in memory."""

from __future__ import annotations

import json
import os
import re
from hashlib import sha256
from typing import NamedTuple

from argojobs.job.folder_store import SourceError
from argojobs.job.s3_client import Body, StoreError, body_of, parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    import http.client
    from collections.abc import Callable, Iterator
    from typing import Any, BinaryIO

    from argojobs.job.s3_client import Client

_CHUNK = 1 << 20
#: Bytes of an object that is stored by one request, and of the parts of a larger one.
_PART = 64 << 20
#: S3 takes no more parts of an object.
_MOST_PARTS = 10_000
#: Paths that are part of a key as they are; others have a number instead.
_PLAIN = re.compile(
    r"(?!\.{1,2}(/|$))(?!.*/\.{1,2}(/|$))[A-Za-z0-9._+=@, -][A-Za-z0-9._+=@, /-]{,399}"
)


class Found(NamedTuple):
    """What is stored of a file or folder. path: below what was given, beginning with its name."""

    path: str
    source: str
    mode: int
    is_folder: bool


def kept(client: Client, prefix: str, path: str) -> bytes:
    """Store what is in a file or folder, and return the text that says what belongs to it.

    Args:
        client: of the bucket.
        prefix: of the keys.
        path: of the file or folder.

    Raises:
        SourceError: it cannot be read.
        StoreError: the store fails.
    """
    entries: list[dict[str, Any]] = []
    name = os.path.basename(os.path.abspath(path))
    for number, found in enumerate(_found(name, os.path.realpath(path), ())):
        entry: dict[str, Any] = {"path": found.path, "mode": found.mode}
        if not found.is_folder:
            plain = _PLAIN.fullmatch(found.path)
            entry["key"] = f"files/{found.path}" if plain else f"others/{number}"
            entry.update(_stored(client, prefix + entry["key"], found.source))
        entries.append(entry)
    return json.dumps({"argojobs": 1, "name": name, "entries": entries}).encode("ascii")


def _found(path: str, source: str, around: tuple[tuple[int, int], ...]) -> Iterator[Found]:
    """Yield a file or folder, and what its links lead to, each folder before what it holds.

    Args:
        path: its name in the checkpoint.
        source: a path that is no link, or leads to what is meant.
        around: the folders around it, by device and inode: going into one has no end.
    """
    try:
        stat = os.stat(source)
        inside = sorted(os.listdir(source)) if os.path.isdir(source) else None
    except OSError as error:
        raise SourceError(error) from error
    yield Found(path, source, stat.st_mode & 0o777, inside is not None)
    if inside is None:
        return
    here = stat.st_dev, stat.st_ino
    if here in around:
        raise SourceError(OSError(f"{source} is a folder around what is copied"))
    for name in inside:
        yield from _found(f"{path}/{name}", os.path.join(source, name), (*around, here))


# files


def _stored(client: Client, key: str, source: str) -> dict[str, Any]:
    """Store one file, in parts if it is large; return its size and what it is recognized by."""
    try:
        file = open(source, "rb", buffering=0)  # noqa: SIM115 - below
    except OSError as error:
        raise SourceError(error) from error
    with file:
        size = os.fstat(file.fileno()).st_size
        if size > _PART:
            digest = _stored_in_parts(client, key, file, size)
        else:
            body = _body(file, 0, size)
            client.put(key, body)
            digest = body.digest
    return {"size": size, "sha256": digest}


def _stored_in_parts(client: Client, key: str, file: BinaryIO, size: int) -> str:
    """Store one file by several requests; return its SHA-256."""
    begun = parsed(client.ask("POST", key, query={"uploads": ""}).body)
    upload = begun.findtext("{*}UploadId") or ""
    part_size = max(_PART, -(-size // _MOST_PARTS))
    whole, lines = sha256(), []
    try:
        for number, start in enumerate(range(0, size, part_size), 1):
            body = _body(file, start, min(part_size, size - start), whole.update)
            query = {"partNumber": str(number), "uploadId": upload}
            part = client.ask("PUT", key, query=query, body=body)
            tag = part.headers.get("ETag", "").strip('"')
            lines.append(
                f"<Part><PartNumber>{number}</PartNumber><ETag>&quot;{tag}&quot;</ETag></Part>"
            )
        listed = f"<CompleteMultipartUpload>{''.join(lines)}</CompleteMultipartUpload>"
        done = client.ask("POST", key, query={"uploadId": upload}, body=body_of(listed.encode()))
        if parsed(done.body).tag.rpartition("}")[2] == "Error":  # it may say so after its 200
            raise StoreError("the store could not put a file's parts together")
    except (OSError, SourceError):
        _abort(client, key, upload)
        raise
    return whole.hexdigest()


def _abort(client: Client, key: str, upload: str) -> None:
    try:
        client.delete(key, {"uploadId": upload})
    except StoreError:  # what is left is removed with the other halves
        return


def uploads_of(client: Client, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield key and id of the uploads in parts below a prefix that were not ended.

    At most a thousand: those that are left are found the next time.
    """
    query = {"uploads": "", "prefix": prefix}
    for upload in parsed(client.ask("GET", "", query=query).body).iterfind("{*}Upload"):
        key = upload.findtext("{*}Key") or ""
        if key.startswith(prefix):
            yield key, upload.findtext("{*}UploadId") or ""


def _body(
    file: BinaryIO, start: int, size: int, also: Callable[[bytes], object] | None = None
) -> Body:
    """Return a part of a file as a body: it is read to be signed, and again to be sent.

    Args:
        file: what it is of.
        start: where it begins.
        size: how long it is.
        also: gets what is read for the signature.
    """
    part = sha256()
    for chunk in _chunks(file, start, size):
        part.update(chunk)
        if also is not None:
            also(chunk)
    return Body(size, part.hexdigest(), lambda: _chunks(file, start, size))


def _chunks(file: BinaryIO, start: int, size: int) -> Iterator[bytes]:
    """Yield a part of a file. Raises SourceError, also where the file became shorter."""
    end = start + size
    try:
        while start < end:
            chunk = os.pread(file.fileno(), min(_CHUNK, end - start), start)
            if not chunk:
                raise OSError(f"{file.name} became shorter while it was read")
            start += len(chunk)
            yield chunk
    except OSError as error:
        raise SourceError(error) from error


# back


class Download:
    """A checkpoint on its way back, in a temporary folder that goes when this process ends.

    Args:
        client: of the bucket.
        prefix: of its keys.
        content: what says what belongs to it.
    """

    def __init__(self, client: Client, prefix: str, content: bytes) -> None:
        import atexit
        import tempfile

        self.process = os.getpid()
        self._client = client
        self._prefix = prefix
        try:
            told = json.loads(content)
            self._entries = [
                _Entry(**{"key": None, "size": 0, "sha256": "", **one}) for one in told["entries"]
            ]
            for name in (told["name"], *(entry.path for entry in self._entries)):
                _check(name)
        except (ValueError, TypeError, KeyError) as error:
            raise StoreError(f"a checkpoint is not as it was stored: {error}") from None
        self._folder = tempfile.mkdtemp(prefix="argojobs-checkpoint-")
        self.path = os.path.join(self._folder, told["name"])
        atexit.register(self._remove)

    def fetched(self) -> bool:
        """Fetch all of it; return whether all of it was there. Raises OSError."""
        folders = [entry for entry in self._entries if entry.key is None]
        for entry in self._entries:
            place = os.path.join(self._folder, entry.path)
            if entry.key is None:
                os.mkdir(place)
            elif not self._fetched(entry, place):
                self._remove()
                return False
        for entry in reversed(folders):
            os.chmod(os.path.join(self._folder, entry.path), entry.mode | 0o700)
        return True

    def _fetched(self, entry: _Entry, place: str) -> bool:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        with os.fdopen(os.open(place, flags, entry.mode | 0o600), "wb", buffering=0) as file:

            def take(answer: http.client.HTTPResponse) -> None:
                _copy(answer, file, entry)

            try:
                answer = self._client.ask(
                    "GET", f"{self._prefix}{entry.key}", fine=(404,), take=take
                )
            except _HereError as error:
                raise error.why from None
            return answer.status != 404

    def _remove(self) -> None:
        import shutil

        if self.process == os.getpid():  # not in a forked child
            shutil.rmtree(self._folder, ignore_errors=True)


class _Entry(NamedTuple):
    path: str
    mode: int
    key: str | None
    size: int
    sha256: str


class _HereError(Exception):
    """What was fetched cannot be written here, and why."""

    def __init__(self, why: OSError) -> None:
        super().__init__(str(why))
        self.why = why


def _check(path: str) -> None:
    """Refuse a path that leads out of the folder. Raises ValueError."""
    if "\0" in path or {"", ".", ".."} & {*path.split("/")}:
        raise ValueError(f"it has the path {path!r}")


def _copy(answer: http.client.HTTPResponse, file: Any, entry: _Entry) -> None:
    """Write an answer to a file. Raises OSError where it is not what was stored."""
    digest = sha256()
    try:
        file.seek(0)
        file.truncate()
    except OSError as error:
        raise _HereError(error) from error
    while chunk := answer.read(_CHUNK):
        digest.update(chunk)
        try:
            written = 0
            while written < len(chunk):
                written += file.write(chunk[written:])
        except OSError as error:
            raise _HereError(error) from error
    if digest.hexdigest() != entry.sha256:
        raise StoreError(f"{entry.path} did not arrive as it was stored")
