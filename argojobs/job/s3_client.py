# travels with: job
"""Single requests to a bucket: signed, bounded in time, repeated where that can help.

Now and then a pod's first connection to the store hangs for half a minute. So a connection is
given up after two seconds, and tried once more. What is said of a failure is its status and the
name that S3 has for it, never its text, in which keys may stand.
"""

from __future__ import annotations

import http.client
import re
import threading
import time
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import quote

from argojobs.job.sigv4 import EMPTY, Keys, Request, query_text, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from email.message import Message
    from xml.etree.ElementTree import Element

#: Seconds for a connection, for each wait on one, and for which an idle one is kept: less than
#: any server keeps it.
_CONNECT, _WAIT, _IDLE = 2.0, 10.0, 1.0
#: Pauses before a request is sent again, in seconds: together less than any training would mind.
_PAUSES = (0.1, 0.3, 0.9)
#: "Try again": too many requests, and what a store answers that is just starting or overloaded;
#: 409 is that of conditional writes that meet.
_AGAIN = frozenset({409, 429, 500, 502, 503, 504})
_SKEWED = "RequestTimeTooSkewed"
#: The most that is read of an answer that is kept in memory, in bytes.
_LARGEST = 1 << 30
_CODE = re.compile(rb"<Code>([A-Za-z0-9.]{1,64})</Code>")


class StoreError(OSError):
    """What the store answers, or that it does not."""


class Bucket(NamedTuple):
    """Where a bucket is.

    host: with its port. folder: a path before all others, quoted, "" or with a "/" in front; with
    style "path" the bucket stands there, too. authority: a file with whom to trust; "": the usual.
    """

    tls: bool
    host: str
    folder: str
    region: str
    authority: str


class Answer(NamedTuple):
    """What the store answered. again: the request was sent more than once."""

    status: int
    headers: Message
    body: bytes
    again: bool


class Body(NamedTuple):
    """What is sent: its size, its SHA-256, and what begins to yield it anew, for each try."""

    size: int
    digest: str
    chunks: Callable[[], Iterable[bytes]]


def body_of(data: bytes) -> Body:
    """Return what is in memory as a body."""
    return Body(len(data), sha256(data).hexdigest(), lambda: (data,))


_NOTHING = Body(0, EMPTY, lambda: ())


class Client:
    """Sends requests, from any thread."""

    def __init__(self, bucket: Bucket, keys: Keys) -> None:
        self._bucket = bucket
        self._keys = keys
        self._ahead = 0.0  # the store's clock, of ours
        self._fails = False  # then nothing is tried twice: those who ask wait less
        self._idle: list[tuple[float, http.client.HTTPConnection]] = []
        self._lock = threading.Lock()

    def __del__(self) -> None:
        for _, link in self._idle:
            link.close()

    def get(self, key: str) -> bytes | None:
        """Return an object; None if there is none. Raises StoreError."""
        answer = self.ask("GET", key, fine=(404,))
        return None if answer.status == 404 else answer.body

    def put(self, key: str, body: Body, headers: Mapping[str, str] | None = None) -> Answer:
        """Store an object. Raises StoreError, but for 412: a condition of the headers fails."""
        return self.ask("PUT", key, body=body, headers=headers, fine=(412,))

    def delete(self, key: str, query: Mapping[str, str] | None = None) -> None:
        """Remove an object, or what a query says of it, if it is there. Raises StoreError."""
        self.ask("DELETE", key, query=query, fine=(404,))

    def listed(self, prefix: str, *, flat: bool = False) -> Iterator[str]:
        """Yield the keys that begin so, sorted; flat: folders below it as one name with a "/".

        Raises StoreError.
        """
        query = {"list-type": "2", "prefix": prefix, **({"delimiter": "/"} if flat else {})}
        while True:
            page = parsed(self.ask("GET", "", query=query).body)
            for tag in ("{*}CommonPrefixes/{*}Prefix", "{*}Contents/{*}Key"):
                yield from (found.text or "" for found in page.iterfind(tag))
            following = page.findtext("{*}NextContinuationToken") or ""
            if not following or following == query.get("continuation-token"):
                return
            query["continuation-token"] = following

    def ask(
        self,
        method: str,
        key: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Body = _NOTHING,
        headers: Mapping[str, str] | None = None,
        fine: tuple[int, ...] = (),
        take: Callable[[http.client.HTTPResponse], object] | None = None,
    ) -> Answer:
        """Return the answer to a request.

        Args:
            method: of HTTP.
            key: of the object; "" for the bucket itself.
            query: what stands behind the "?".
            body: what is sent.
            headers: further ones.
            fine: the statuses that are answers, beside those of success.
            take: reads the body of a success, which is then not in the answer; it is called anew
                where the connection broke.

        Raises:
            StoreError: another status, or no answer.
        """
        said = ""
        pauses = () if self._fails else _PAUSES
        for number, pause in enumerate((*pauses, None)):
            try:
                answer = self._once(method, key, query or {}, body, headers or {}, take)
            except _UnreachableError as error:  # another try would only take longer
                said = str(error)
                break
            except (OSError, http.client.HTTPException) as error:
                said = f"it does not answer: {_named(error)}"
                if isinstance(error, TimeoutError) and number:
                    break
            else:
                code = _CODE.search(answer.body)
                name = code[1].decode() if code else ""
                if answer.status < 300 or answer.status in fine:
                    self._fails = False
                    return answer._replace(again=number > 0)
                said = f"it answers {answer.status} {name}".rstrip()
                if name == _SKEWED:
                    self._set_clock(answer.headers)
                elif answer.status not in _AGAIN:
                    break
            if pause is not None:
                time.sleep(pause)
        self._fails = True
        raise StoreError(f"{self._bucket.host}: {said}")

    def _once(
        self,
        method: str,
        key: str,
        query: Mapping[str, str],
        body: Body,
        headers: Mapping[str, str],
        take: Callable[[http.client.HTTPResponse], object] | None,
    ) -> Answer:
        bucket = self._bucket
        path = f"{bucket.folder}/{quote(key)}" if key else bucket.folder or "/"
        request = Request(method, bucket.host, path, query, headers, body.digest)
        now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() + self._ahead))
        sent = signed(request, self._keys, bucket.region, now)
        chunks = None
        if method in ("PUT", "POST"):
            sent["content-length"] = str(body.size)
            chunks = body.chunks()
        link = self._link()
        try:
            link.request(method, f"{path}?{query_text(query)}" if query else path, chunks, sent)
            answer = link.getresponse()
            if take is not None and answer.status < 300:
                take(answer)
                content = b""
            else:
                content = answer.read(_LARGEST)
                if not answer.isclosed():
                    raise StoreError(f"more than {_LARGEST >> 30} GiB in one answer")
        except BaseException:
            link.close()
            raise
        if answer.isclosed() and not answer.will_close:
            with self._lock:
                self._idle.append((time.monotonic(), link))
        else:
            link.close()
        return Answer(answer.status, answer.headers, content, again=False)

    def _link(self) -> http.client.HTTPConnection:
        """Return a connection that nobody else has. Raises StoreError."""
        while True:
            with self._lock:
                since, link = self._idle.pop() if self._idle else (0.0, None)
            if link is None:
                return self._connected()
            if time.monotonic() - since < _IDLE:
                return link
            link.close()

    def _connected(self) -> http.client.HTTPConnection:
        said = ""
        for _ in range(1 if self._fails else 2):
            link = self._new()
            try:
                link.connect()
            except OSError as error:
                link.close()
                said = _named(error)
                continue
            link.sock.settimeout(_WAIT)
            return link
        raise _UnreachableError(f"it cannot be reached: {said}")

    def _new(self) -> http.client.HTTPConnection:
        if not self._bucket.tls:
            return http.client.HTTPConnection(self._bucket.host, timeout=_CONNECT)
        import ssl

        trusted = ssl.create_default_context(cafile=self._bucket.authority or None)
        return http.client.HTTPSConnection(self._bucket.host, timeout=_CONNECT, context=trusted)

    def _set_clock(self, headers: Message) -> None:
        """Take the store's time for ours: a signature counts for a quarter of an hour."""
        from email.utils import parsedate_to_datetime

        try:
            self._ahead = parsedate_to_datetime(headers["Date"]).timestamp() - time.time()
        except (TypeError, ValueError):  # it does not say
            return


class _UnreachableError(OSError):
    """No connection could be made."""


def parsed(text: bytes) -> Element:
    """Return an answer's XML. Raises StoreError."""
    from xml.etree import ElementTree as ET

    try:
        return ET.fromstring(text)  # noqa: S314 - expat bounds what entities make
    except ET.ParseError:
        raise StoreError("the store answers what is no S3") from None


def _named(error: Exception) -> str:
    """Return what is said of an error of a connection."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
