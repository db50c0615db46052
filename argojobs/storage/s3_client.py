"""The requests to S3 that a repository is made of, each one call that either is done or raises."""

from __future__ import annotations

import base64
import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from xml.etree import ElementTree as ET

import urllib3
from minio.datatypes import ListMultipartUploadsResult, ListPartsResult, parse_list_objects
from minio.deleteobjects import DeleteObject, DeleteRequest, DeleteResult
from minio.error import S3Error
from minio.xml import Element, SubElement, findtext, getbytes, marshal, unmarshal

from argojobs.errors import ServerError
from argojobs.net import bounds
from argojobs.net.bounds import LONGEST_LIST, BoundsError
from argojobs.storage.s3_checksums import is_checksum, md5
from argojobs.storage.s3_errors import RAISED, translated
from argojobs.storage.s3_place import RetryPolicy, S3Credentials, S3Place
from argojobs.storage.s3_small import SmallReads
from argojobs.storage.s3_transport import S3Transport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_Answer = TypeVar("_Answer")

CHUNK = 1 << 18  # bytes of an answer handled at a time
_MOST_PARTS = 10_000  # of one upload, as S3 has it
_PART_SIZE = "argojobs-part-size"  # metadata of an object that was sent in parts
_AT_ONCE = 1000  # keys in one request to list or to delete
_MOST_ANSWERS = 1000  # for one piece of an object, of which each brings some of it
_UNKNOWN = frozenset({"NoSuchKey", "NoSuchObject", "NotFound", "ResourceNotFound"})


class Object(NamedTuple):
    """An object: its key below the place's prefix, its size and its ETag without quotes."""

    key: str
    size: int
    etag: str
    modified: float = 0
    part: int = 0  # the size of the parts that we sent it in, if a HEAD tells


class SentPart(NamedTuple):
    """A part of an unfinished upload that the service has."""

    number: int
    size: int
    etag: str


class S3Client:
    """Requests about one place. Keys are those below its prefix; all errors are ours."""

    def __init__(
        self,
        place: S3Place,
        credentials: S3Credentials | None,
        *,
        connections: int = 8,
        retry_policy: RetryPolicy | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.place = place
        self._retry_policy = retry_policy or RetryPolicy()
        self._sleep = sleep
        self._transport = S3Transport(place, credentials, self._retry_policy, connections)
        self._small = SmallReads(self._retry_policy, self._transport.trust)
        self._start = f"{place.prefix}/" if place.prefix else ""
        self._hidden = False  # the service encrypts with its own keys: ETags tell nothing

    def head(self, key: str) -> Object | None:
        """The object of a key; None when there is none."""
        whole = self._start + key
        try:
            found = self._transport.ask("HEAD", whole)
        except S3Error as error:
            if error.code in _UNKNOWN:
                return None
            # The answer to HEAD has no body to say why; the one to GET has.
            first = {"Range": "bytes=0-0"}
            self._ask("read", whole, lambda: self._opened(whole, first).close())
            raise translated(error, self.place, "read", whole) from error
        except RAISED as error:
            raise translated(error, self.place, "read", whole) from error
        return self._ask("read", whole, lambda: _told(key, found.headers))

    def objects(self, prefix: str, limit: int = 0) -> Iterator[Object]:
        """The objects whose keys begin with a text, by key; `limit` of them, if not 0."""
        whole = self._start + prefix
        count = 0
        for item in self._listed(whole, limit=limit):
            name = str(item.object_name)
            if name.endswith("/"):
                continue  # a folder that some browser of buckets made
            modified = item.last_modified.timestamp() if item.last_modified else 0
            etag = str(item.etag or "").replace('"', "")
            yield Object(name[len(self._start) :], int(item.size or 0), etag, modified)
            count += 1
            if count == limit:
                return

    def level(self, prefix: str) -> Iterator[tuple[str, int | None]]:
        """What lies directly below a folder: names, each with its size or None for a folder."""
        whole = self._start + prefix
        for item in self._listed(whole, delimiter="/"):
            name = str(item.object_name).removeprefix(whole).rstrip("/")
            if name:
                yield name, None if item.is_dir else int(item.size or 0)

    def _listed(self, whole: str, *, delimiter: str = "", limit: int = 0) -> Iterator[Any]:
        """What a list holds, over all its pages. minio's own goes on for as long as it is told to.

        Raises ServerError for a list that does not get on, or has no end.
        """
        query = {
            "list-type": "2",
            "delimiter": delimiter,
            "encoding-type": "url",
            "max-keys": str(limit or _AT_ONCE),
            "prefix": whole,
        }
        for _ in range(LONGEST_LIST // _AT_ONCE):
            objects, more, token, _ = self._ask("list", whole, lambda: self._page(query))
            yield from objects
            if not more:
                return
            if not token or token == query.get("continuation-token"):
                break
            query["continuation-token"] = token
        raise ServerError(
            f"cannot list s3://{self.place.bucket}/{whole}: the list has no end",
            where=self.place.where,
            hint="is it an S3 service? who runs it can tell",
        )

    def _page(self, query: dict[str, str]) -> tuple[list[Any], bool, str | None, str | None]:
        answer = self._transport.ask("GET", query=query)
        page: tuple[list[Any], bool, str | None, str | None] = parse_list_objects(answer)
        return page

    def read(self, found: Object, start: int, stop: int) -> Iterator[bytes]:
        """The bytes of a range, of exactly this version of the object.

        A connection that breaks off is taken up where it was.

        Args:
            found: the object.
            start: of the range, in bytes.
            stop: its end; that byte is not read.

        Raises:
            ServerError: the object was replaced meanwhile, or other bytes come than were asked for.
        """
        whole, cuts = self._start + found.key, 0
        for _ in range(_MOST_ANSWERS):
            if start >= stop:
                return
            headers = {"Range": f"bytes={start}-{stop - 1}", "If-Match": f'"{found.etag}"'}
            response = self._ask("read", whole, lambda: self._opened(whole, headers))  # noqa: B023
            self._look(response.headers)
            try:
                response.allow(bounds.FILE)
                for chunk in response.stream(CHUNK, decode_content=False):
                    if len(chunk) > stop - start:
                        raise damaged(self.place, self.place.url(found.key))
                    yield chunk
                    start += len(chunk)
                    cuts = 0
            except BoundsError as error:
                raise translated(error, self.place, "read", whole) from error
            except urllib3.exceptions.HTTPError as error:
                cuts += 1
                if cuts > self._retry_policy.retries:
                    raise translated(error, self.place, "read", whole) from error
                self._sleep(self._retry_policy.pause * 2**cuts)
            finally:
                response.close()
                response.release_conn()
        raise damaged(self.place, self.place.url(found.key))

    def tells(self, found: Object) -> bool:
        """Whether an object's ETag can be held against what was fetched of it."""
        return is_checksum(found.etag) and self.place.kind != "aistore" and not self._hidden

    def read_small(self, found: Object) -> bytes:
        """The bytes of a whole small object; otherwise as `read`."""
        whole = self._start + found.key
        data = None if found.size else b""
        if found.size:
            shown = {"If-Match": f'"{found.etag}"', "Accept-Encoding": "identity"}
            signed = self._ask(
                "read", whole, lambda: self._transport.signed("GET", whole, None, shown)
            )
            data = self._small.read(*signed, found.size)
        return b"".join(self.read(found, 0, found.size)) if data is None else data

    def rest(self) -> None:
        """Close the connections of small reads; the next one opens new ones."""
        self._small.close()

    def put(self, key: str, data: bytes) -> str:
        """Store an object in one piece and return its ETag."""
        whole = self._start + key
        headers = {"Content-Type": "application/octet-stream"}
        return self._put(whole, data, headers, {})

    def begin(self, key: str, each: int) -> str:
        """Begin an upload in parts of a size, which is noted, and return its id."""
        whole = self._start + key
        headers = {
            "Content-Type": "application/octet-stream",
            f"x-amz-meta-{_PART_SIZE}": str(each),
        }
        return self._ask(
            "write", whole, lambda: self._text(whole, "UploadId", {"uploads": ""}, headers)
        )

    def put_part(self, key: str, upload: str, number: int, data: bytes) -> str:
        """Store one part and return its ETag.

        Args:
            key: of the object, below the place's prefix.
            upload: the service's name for the upload.
            number: of the part; the first is 1.
            data: the whole part.
        """
        query = {"partNumber": str(number), "uploadId": upload}
        return self._put(self._start + key, data, {}, query)

    def complete(self, key: str, upload: str, etags: Sequence[str]) -> str:
        """Make the object of all its parts; it is there at once. Returns its ETag.

        Args:
            key: of the object, below the place's prefix.
            upload: the service's name for the upload.
            etags: of the parts, in order of their numbers.

        Raises:
            UploadLostError: somebody else completed or abandoned it.
        """
        whole = self._start + key
        listed = Element("CompleteMultipartUpload")
        for number, etag in enumerate(etags, start=1):
            part = SubElement(listed, "Part")
            SubElement(part, "PartNumber", str(number))
            SubElement(part, "ETag", f'"{etag}"')
        query, data = {"uploadId": upload}, getbytes(listed)
        headers = {"Content-Type": "application/xml", "Content-MD5": _base64(md5(data))}
        made = self._ask("write", whole, lambda: self._text(whole, "ETag", query, headers, data))
        return made.replace('"', "")

    def unfinished(self, key: str) -> list[str]:
        """The ids of a key's uploads that were begun and not completed, newest first."""
        whole = self._start + key
        query = {"uploads": "", "prefix": whole, "encoding-type": "url", "max-uploads": "1000"}
        answer = self._ask(
            "list unfinished uploads of",
            whole,
            lambda: ListMultipartUploadsResult(self._transport.ask("GET", query=query)),
        )
        same = [one for one in answer.uploads if one.object_name == whole]
        same.sort(key=lambda one: one.initiated_time.timestamp() if one.initiated_time else 0)
        return [str(one.upload_id) for one in reversed(same)]

    def parts(self, key: str, upload: str) -> list[SentPart]:
        """The parts that an unfinished upload has."""
        whole, query = self._start + key, {"uploadId": upload, "max-parts": "1000"}
        found: list[SentPart] = []
        for _ in range(_MOST_PARTS):
            answer = self._ask(
                "write",
                whole,
                lambda: ListPartsResult(self._transport.ask("GET", whole, query=query)),
            )
            for part in answer.parts:
                etag = str(part.etag).replace('"', "")
                found.append(SentPart(int(part.part_number), int(part.size or 0), etag))
            marker = answer.next_part_number_marker
            if not answer.is_truncated or marker in (None, query.get("part-number-marker")):
                break
            query["part-number-marker"] = str(marker)
        return found

    def abandon(self, key: str, upload: str) -> None:
        """Give up an unfinished upload: what it has is removed."""
        whole = self._start + key
        query = {"uploadId": upload}
        self._ask("write", whole, lambda: self._transport.ask("DELETE", whole, query=query))

    def delete(self, keys: Iterable[str]) -> None:
        """Remove objects; those that are not there are fine."""
        batch: list[Any] = []
        for key in keys:
            batch.append(DeleteObject(self._start + key))
            if len(batch) == _AT_ONCE:
                self._delete(batch)
                batch = []
        if batch:
            self._delete(batch)

    def _delete(self, batch: Sequence[Any]) -> None:
        data = marshal(DeleteRequest(list(batch), quiet=True))
        headers = {"Content-MD5": _base64(md5(data))}

        def removed() -> Any:
            answer = self._transport.ask("POST", query={"delete": ""}, headers=headers, data=data)
            return unmarshal(DeleteResult, answer.data.decode())

        for failed in self._ask("delete", "", removed).error_list:
            if failed.code not in _UNKNOWN:
                error = S3Error(None, failed.code, failed.message, failed.name, "", "")
                raise translated(error, self.place, "delete", str(failed.name or ""))

    def _text(
        self,
        whole: str,
        name: str,
        query: Mapping[str, str],
        headers: Mapping[str, str],
        data: bytes = b"",
    ) -> str:
        """Post to an object and return an element of the answer."""
        answer = self._transport.ask("POST", whole, query=query, headers=headers, data=data)
        root = ET.fromstring(answer.data.decode())  # noqa: S314 - expat bounds entities
        return str(findtext(root, name, True))

    def _opened(self, whole: str, headers: Mapping[str, str]) -> Any:
        """A response whose body is not read yet."""
        return self._transport.ask("GET", whole, headers=headers, read=False)

    def _ask(self, operation: str, whole: str, request: Callable[[], _Answer]) -> _Answer:
        try:
            return request()
        except RAISED as error:
            raise translated(error, self.place, operation, whole) from error

    def _put(self, whole: str, data: bytes, headers: dict[str, str], query: dict[str, str]) -> str:
        """Send bytes whose checksum the service compares, and compare the one it answers."""
        digest = md5(data)
        headers["Content-MD5"] = _base64(digest)
        ask = self._transport.ask
        sent = self._ask(
            "write", whole, lambda: ask("PUT", whole, query=query, headers=headers, data=data)
        ).headers
        self._look(sent)
        found = Object(whole, len(data), sent.get("etag", "").replace('"', ""))
        if self.tells(found) and found.etag != digest:
            raise damaged(self.place, f"s3://{self.place.bucket}/{whole}")
        return found.etag

    def _look(self, headers: Mapping[str, str]) -> None:
        """Note when the service says that it encrypts with keys of its own (AWS: SSE-KMS)."""
        if str(headers.get("x-amz-server-side-encryption", "")).startswith("aws:kms"):
            self._hidden = True


def damaged(place: S3Place, url: str) -> ServerError:
    """The error for content that is not what its checksum says."""
    return ServerError(
        f"{url} arrived damaged: its checksum is another",
        where=place.where,
        hint="run the same command again; should it happen again, something on the way changes "
        "what is sent",
    )


def _told(key: str, headers: Mapping[str, str]) -> Object:
    """Read what the answer to HEAD says. Raises ValueError."""
    date, part = headers.get("last-modified"), headers.get(f"x-amz-meta-{_PART_SIZE}", "0")
    return Object(
        key,
        int(headers.get("content-length", "0")),
        headers.get("etag", "").replace('"', ""),
        parsedate_to_datetime(date).timestamp() if date else 0,
        int(part) if part.isdigit() else 0,
    )


def _base64(digest: str) -> str:
    return base64.b64encode(bytes.fromhex(digest)).decode("ascii")
