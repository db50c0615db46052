"""The requests to S3 that a repository is made of, each one call that either is done or raises.

minio signs and sends them. Multipart uploads that go on where they were, requests for a range and
checksums of parts have no public name in it: the underscored ones are used here and nowhere else,
and the tests on a real S3 service notice when they change.
"""

from __future__ import annotations

import base64
import os
import ssl
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar
from urllib.parse import urljoin, urlsplit

import certifi
import urllib3
from minio import Minio
from minio.datatypes import Part, parse_list_objects
from minio.deleteobjects import DeleteObject
from minio.error import S3Error

from argojobs.errors import ServerError, UsageError
from argojobs.net import bounds
from argojobs.net.bounds import LONGEST_LIST, BoundsError
from argojobs.net.known_secrets import remember
from argojobs.net.pools import bound
from argojobs.storage.s3_checksums import is_checksum, md5
from argojobs.storage.s3_errors import RAISED, translated
from argojobs.storage.s3_place import USUAL_REGION, Patience, S3Credentials, S3Place
from argojobs.storage.s3_small import SmallReads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType
    from urllib.parse import SplitResult

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
        patience: Patience | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.place = place
        self._patience = patience or Patience()
        self._sleep = sleep
        self._minio = _minio(place, credentials, self._patience, connections)
        self._credentials = credentials
        self._small: SmallReads | None = None
        self._making = threading.Lock()
        self._start = f"{place.prefix}/" if place.prefix else ""
        self._hidden = False  # the service encrypts with its own keys: ETags tell nothing

    def head(self, key: str) -> Object | None:
        """The object of a key; None when there is none."""
        whole = self._start + key
        try:
            found = self._minio.stat_object(self.place.bucket, whole)
        except S3Error as error:
            if error.code in _UNKNOWN:
                return None
            # The answer to HEAD has no body to say why; the one to GET has.
            self._ask(
                "read", whole, lambda: self._get(whole, {"Range": "bytes=0-0"}).release_conn()
            )
            raise translated(error, self.place, "read", whole) from error
        except RAISED as error:
            raise translated(error, self.place, "read", whole) from error
        modified = found.last_modified.timestamp() if found.last_modified else 0
        part = str((found.metadata or {}).get(f"x-amz-meta-{_PART_SIZE}", "0"))
        size = int(found.size or 0)
        return Object(
            key, size, str(found.etag or ""), modified, int(part) if part.isdigit() else 0
        )

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
        answer = self._minio._execute("GET", self.place.bucket, query_params=dict(query))  # noqa: SLF001
        page: tuple[list[Any], bool, str | None, str | None] = parse_list_objects(answer)
        return page

    def read(self, found: Object, start: int, stop: int) -> Iterator[bytes]:
        """The bytes of a range, of exactly this version of the object.

        A connection that breaks off is taken up where it was. Raises ServerError when the object
        was replaced meanwhile, or other bytes come than were asked for.
        """
        whole, cuts = self._start + found.key, 0
        for _ in range(_MOST_ANSWERS):
            if start >= stop:
                return
            headers = {"Range": f"bytes={start}-{stop - 1}", "If-Match": f'"{found.etag}"'}
            response = self._ask("read", whole, lambda: self._get(whole, headers))  # noqa: B023
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
                if cuts > self._patience.retries:
                    raise translated(error, self.place, "read", whole) from error
                self._sleep(self._patience.pause * 2**cuts)
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
        data = self._small_reads().read(whole, found.etag, found.size) if found.size else b""
        return b"".join(self.read(found, 0, found.size)) if data is None else data

    def rest(self) -> None:
        """Close the connections of small reads; the next one opens new ones."""
        if self._small is not None:
            self._small.close()

    def _small_reads(self) -> SmallReads:
        with self._making:
            if self._small is None:
                region = self._region()
                url = self._minio._base_url.build(  # noqa: SLF001
                    method="GET", region=region, bucket_name=self.place.bucket, object_name="x"
                )
                self._small = SmallReads(
                    (str(url.hostname), url.port or (443 if self.place.tls else 80)),
                    url.netloc,
                    url.path.removesuffix("x"),
                    region,
                    self._credentials,
                    self._patience,
                    _trust(self.place).get("ssl_context"),
                )
            return self._small

    def _region(self) -> str:
        region = self._minio._get_region  # noqa: SLF001
        return str(self._ask("read", "", lambda: region(self.place.bucket)))

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
        begin = self._minio._create_multipart_upload  # noqa: SLF001
        return str(self._ask("write", whole, lambda: begin(self.place.bucket, whole, headers)))

    def put_part(self, key: str, upload: str, number: int, data: bytes) -> str:
        """Store one part (numbers begin with 1) and return its ETag."""
        query = {"partNumber": str(number), "uploadId": upload}
        return self._put(self._start + key, data, {}, query)

    def complete(self, key: str, upload: str, etags: Sequence[str]) -> str:
        """Make the object of all its parts; it is there at once. Returns its ETag.

        Raises UploadLostError when somebody else completed or abandoned it.
        """
        whole = self._start + key
        parts = [Part(number, etag) for number, etag in enumerate(etags, start=1)]
        complete = self._minio._complete_multipart_upload  # noqa: SLF001
        made = self._ask("write", whole, lambda: complete(self.place.bucket, whole, upload, parts))
        return str(made.etag or "").replace('"', "")

    def unfinished(self, key: str) -> list[str]:
        """The ids of a key's uploads that were begun and not completed, newest first."""
        whole = self._start + key
        listing = self._minio._list_multipart_uploads  # noqa: SLF001
        answer = self._ask(
            "list unfinished uploads of", whole, lambda: listing(self.place.bucket, prefix=whole)
        )
        same = [one for one in answer.uploads if one.object_name == whole]
        same.sort(key=lambda one: one.initiated_time.timestamp() if one.initiated_time else 0)
        return [str(one.upload_id) for one in reversed(same)]

    def parts(self, key: str, upload: str) -> list[SentPart]:
        """The parts that an unfinished upload has."""
        whole, marker = self._start + key, None
        found: list[SentPart] = []
        listing = self._minio._list_parts  # noqa: SLF001
        for _ in range(_MOST_PARTS):
            answer = self._ask(
                "write",
                whole,
                lambda: listing(self.place.bucket, whole, upload, part_number_marker=marker),  # noqa: B023
            )
            for part in answer.parts:
                etag = str(part.etag).replace('"', "")
                found.append(SentPart(int(part.part_number), int(part.size or 0), etag))
            if not answer.is_truncated or answer.next_part_number_marker in (None, marker):
                break
            marker = answer.next_part_number_marker
        return found

    def abandon(self, key: str, upload: str) -> None:
        """Give up an unfinished upload: what it has is removed."""
        whole = self._start + key
        abort = self._minio._abort_multipart_upload  # noqa: SLF001
        self._ask("write", whole, lambda: abort(self.place.bucket, whole, upload))

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
        remove = self._minio.remove_objects
        for failed in self._ask("delete", "", lambda: list(remove(self.place.bucket, batch))):
            if failed.code not in _UNKNOWN:
                error = S3Error(None, failed.code, failed.message, failed.name, "", "")
                raise translated(error, self.place, "delete", str(failed.name or ""))

    def _get(self, whole: str, headers: dict[str, str]) -> Any:
        """A response whose body is not read yet."""
        return self._minio._execute(  # noqa: SLF001
            "GET", self.place.bucket, whole, headers=dict(headers), preload_content=False
        )

    def _ask(self, operation: str, whole: str, request: Callable[[], _Answer]) -> _Answer:
        try:
            return request()
        except RAISED as error:
            raise translated(error, self.place, operation, whole) from error

    def _put(self, whole: str, data: bytes, headers: dict[str, str], query: dict[str, str]) -> str:
        """Send bytes whose checksum the service compares, and compare the one it answers."""
        digest = md5(data)
        headers["Content-MD5"] = base64.b64encode(bytes.fromhex(digest)).decode("ascii")
        put = self._minio._put_object  # noqa: SLF001
        sent = self._ask(
            "write",
            whole,
            lambda: put(self.place.bucket, whole, data, dict(headers), dict(query)),
        )
        self._look(sent.http_headers)
        found = Object(whole, len(data), str(sent.etag))
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


def _minio(
    place: S3Place, credentials: S3Credentials | None, patience: Patience, connections: int
) -> Minio:
    """A client of minio's for a place. Raises UsageError for a file or name that cannot be."""
    if place.ca_file and not os.path.isfile(place.ca_file):
        raise UsageError(
            f"there is no file {place.ca_file}", hint="correct the ca of the context's S3"
        )
    if place.insecure:  # asked for by name: no warning with each request
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    pool = urllib3.PoolManager(
        maxsize=connections,
        block=True,
        timeout=urllib3.Timeout(connect=patience.connect, read=patience.read),
        **_trust(place),
        # Each request may be repeated: the same bytes under the same key, or an answer that says
        # that it was done before. The keys go to nobody else: only AIStore's proxy sends on to its
        # targets, and these are followed on the same host.
        retries=(_SameHost if place.kind == "aistore" else urllib3.Retry)(
            total=patience.retries,
            redirect=None if place.kind == "aistore" else False,
            raise_on_redirect=False,
            respect_retry_after_header=False,
            backoff_factor=patience.pause,
            status_forcelist=(500, 502, 503, 504),
            allowed_methods=None,
            raise_on_status=False,
        ),
    )
    bound(pool)
    host, slash, path = place.endpoint.partition("/")
    known = credentials or S3Credentials()
    for secret in (known.secret_key, known.session_token):
        remember(secret)
    try:
        client = Minio(
            host,
            access_key=known.access_key or None,
            secret_key=known.secret_key or None,
            session_token=known.session_token or None,
            secure=place.tls,
            region=place.region or (None if place.kind == "aws" else USUAL_REGION),
            http_client=pool,
        )
    except ValueError as error:
        raise UsageError(
            f"this S3 cannot be used: {error}",
            where=place.where,
            hint="correct the context's S3",
        ) from error
    if place.style == "path":
        client.disable_virtual_style_endpoint()
    elif place.style == "host":
        client.enable_virtual_style_endpoint()
    if slash:
        client._base_url = _BelowPath(client._base_url, f"/{path}")  # noqa: SLF001
    return client


def _trust(place: S3Place) -> dict[str, Any]:
    """Which certificates are trusted: the usual ones and the place's own, or any."""
    if not place.tls:
        return {}
    usual = os.environ.get("SSL_CERT_FILE") or certifi.where()
    context = ssl.create_default_context(cafile=usual)
    if place.insecure:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    elif place.ca_file:
        context.load_verify_locations(place.ca_file)
    return {"ssl_context": context, "cert_reqs": context.verify_mode}


class _SameHost(urllib3.Retry):
    """Retries that follow a redirect to the same host only; any other one is the answer."""

    def increment(
        self,
        method: str | None = None,
        url: str | None = None,
        response: urllib3.BaseHTTPResponse | None = None,
        error: Exception | None = None,
        _pool: Any = None,
        _stacktrace: TracebackType | None = None,
    ) -> Self:
        """See urllib3. Raises MaxRetryError for a redirect that leads elsewhere."""
        location = response.get_redirect_location() if response is not None else None
        here = urlsplit(url or "")
        there = urlsplit(urljoin(url or "", location or ""))
        if (here.scheme, here.hostname) != (there.scheme, there.hostname):
            raise urllib3.exceptions.MaxRetryError(_pool, url or "", error)
        return super().increment(method, url, response, error, _pool, _stacktrace)


class _BelowPath:
    """minio's URLs with a path between host and bucket, which its own endpoints cannot have."""

    def __init__(self, urls: Any, path: str) -> None:
        self._urls = urls
        self._path = path

    def __getattr__(self, name: str) -> Any:
        return getattr(self._urls, name)

    def build(self, **request: Any) -> SplitResult:
        """The URL of a request; what is signed is what is sent."""
        url: SplitResult = self._urls.build(**request)
        return url._replace(path=self._path + url.path)
