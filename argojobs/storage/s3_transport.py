"""The transport to an S3 service: requests that are signed, sent with bounds, and repeated where they may be.

minio makes the URLs, signs, and reads the XML, by names of its own that are public. Its client is
not used: it cannot go on with an upload, ask below a path, nor be told what an answer may take
(docs/adr/0026).
"""

from __future__ import annotations

import os
import ssl
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit
from xml.etree import ElementTree as ET

import certifi
import urllib3
from minio import time as amz
from minio.credentials import Credentials
from minio.error import S3Error
from minio.helpers import BaseURL
from minio.signer import sign_v4_s3

from argojobs.errors import UsageError
from argojobs.net.known_secrets import remember
from argojobs.net.pools import bound
from argojobs.net.trust import context_of, load
from argojobs.storage.s3_errors import AnswerError
from argojobs.storage.s3_place import USUAL_REGION, RetryPolicy, S3Credentials, S3Place

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_STEPS = 3  # from an AIStore proxy to its target
#: What an answer without a body means, by its status; the answer to HEAD has none.
_CODES = {
    301: "PermanentRedirect",
    307: "Redirect",
    400: "BadRequest",
    403: "AccessDenied",
    404: "NoSuchKey",
    405: "MethodNotAllowed",
    501: "MethodNotAllowed",
}


class S3Transport:
    """Requests to the bucket of a place, with keys that are whole. Threads may share it.

    They raise what `s3_errors.RAISED` holds.
    """

    def __init__(
        self,
        place: S3Place,
        credentials: S3Credentials | None,
        retry_policy: RetryPolicy,
        connections: int,
    ) -> None:
        known = credentials or S3Credentials()
        for secret in (known.secret_key, known.session_token):
            remember(secret)
        host, slash, path = place.endpoint.partition("/")
        region = place.region or ("" if place.kind == "aws" else USUAL_REGION)
        try:
            self._urls = BaseURL(f"http{'s' if place.tls else ''}://{host}", region or None)
            self._keys = (
                Credentials(known.access_key, known.secret_key, known.session_token or None)
                if known.access_key
                else None
            )
        except ValueError as error:
            raise UsageError(
                f"this S3 cannot be used: {error}",
                where=place.where,
                hint="correct the context's S3",
            ) from error
        if place.style != "auto":
            self._urls.virtual_style_flag = place.style == "host"
        self._below = slash + path
        self._bucket = place.bucket
        self._region = self._urls.region or ""
        self._follows = place.kind == "aistore"
        self.trust = _trust(place)
        self._pool = _pool(place, retry_policy, connections, self.trust)

    def ask(
        self,
        method: str,
        key: str = "",
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        data: bytes = b"",
        read: bool = True,
    ) -> Any:
        """Make a request and return urllib3's answer, if it is a good one.

        Args:
            method: GET, for example.
            key: of an object, "" for the bucket.
            query: the fields of the query.
            headers: beside those of every request.
            data: what is sent.
            read: whether the answer is read to its end, within the tries that a request has.
        """
        url, sent = self.signed(method, key, query, headers, data)
        for _ in range(_MOST_STEPS):
            answer: Any = self._pool.urlopen(
                method,
                urlunsplit(url),
                body=data or None,
                headers=sent,
                preload_content=read,
                redirect=False,
            )
            if answer.status < 300:
                return answer
            there = urlsplit(urljoin(urlunsplit(url), answer.get_redirect_location() or ""))
            stays = (there.scheme, there.hostname) == (url.scheme, url.hostname)
            if not self._follows or not stays or there == url:
                break
            answer.drain_conn()
            url = there
        answer.read(cache_content=True)
        answer.release_conn()
        raise _failure(answer, method, key)

    def signed(
        self,
        method: str,
        key: str,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        data: bytes = b"",
    ) -> tuple[SplitResult, dict[str, str]]:
        """Return the URL of a request and all of its headers.

        Args:
            method: GET, for example.
            key: of an object, whole; "" for the bucket.
            query: the fields of the query.
            headers: beside those of every request.
            data: what is sent.
        """
        region = USUAL_REGION if query and "location" in query else self.region()
        url: SplitResult = self._urls.build(
            method=method,
            region=region,
            bucket_name=self._bucket,
            object_name=key or None,
            query_params=dict(query or {}),
        )
        url = url._replace(path=self._below + url.path)
        sent = {**(headers or {}), "Host": url.netloc, "User-Agent": "argojobs"}
        if self._keys is None:
            return url, sent
        digest = "UNSIGNED-PAYLOAD" if url.scheme == "https" else sha256(data).hexdigest()
        date = datetime.now(UTC)
        sent |= {"x-amz-content-sha256": digest, "x-amz-date": amz.to_amz_date(date)}
        if self._keys.session_token:
            sent["X-Amz-Security-Token"] = self._keys.session_token
        signed: dict[str, str] = sign_v4_s3(
            method=method,
            url=url,
            region=region,
            headers=sent,
            credentials=self._keys,
            content_sha256=digest,
            date=date,
        )
        return url, signed

    def region(self) -> str:
        """Return the region that requests are signed for; AWS is asked for it once."""
        if not self._region and self._keys is None:
            self._region = USUAL_REGION
        if not self._region:
            answer = self.ask("GET", query={"location": ""})
            found = ET.fromstring(answer.data.decode()).text  # noqa: S314 - as minio does
            self._region = {"": USUAL_REGION, "EU": "eu-west-1"}.get(found or "", found or "")
        return self._region


def _failure(answer: Any, method: str, key: str) -> Any:
    """Return the error that an answer is. Raises ParseError and ValueError for XML that is none."""
    kind = answer.headers.get("content-type", "")
    if method == "HEAD":
        code = _CODES.get(answer.status)
        return S3Error(answer, code, "", key, "", "") if code else AnswerError(answer.status, None)
    if answer.data and "application/xml" in kind.split(";"):
        return S3Error.fromxml(answer)
    return AnswerError(answer.status, answer.data.decode("utf-8", "replace"))


def _pool(
    place: S3Place, retry_policy: RetryPolicy, connections: int, trust: ssl.SSLContext | None
) -> urllib3.PoolManager:
    if place.insecure:  # asked for by name: no warning with each request
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    tls: dict[str, Any] = {}
    if trust is not None:
        tls = {"ssl_context": trust, "cert_reqs": trust.verify_mode}
    pool = urllib3.PoolManager(
        maxsize=connections,
        block=True,
        timeout=urllib3.Timeout(connect=retry_policy.connect, read=retry_policy.read),
        **tls,
        # Each request may be repeated: the same bytes under the same key, or an answer that says
        # that it was done before.
        retries=urllib3.Retry(
            total=retry_policy.retries,
            respect_retry_after_header=False,
            backoff_factor=retry_policy.pause,
            status_forcelist=(500, 502, 503, 504),
            allowed_methods=None,
            raise_on_status=False,
        ),
    )
    bound(pool)
    return pool


def _trust(place: S3Place) -> ssl.SSLContext | None:
    """Which certificates are trusted: the usual ones and the place's own, or any.

    Raises UsageError for a file that is not there.
    """
    if place.ca_file and not os.path.isfile(place.ca_file):
        raise UsageError(
            f"there is no file {place.ca_file}", hint="correct the ca of the context's S3"
        )
    if not place.tls:
        return None
    usual = os.environ.get("SSL_CERT_FILE") or certifi.where()
    context = context_of(usual, insecure=place.insecure)
    if place.ca_file and not place.insecure:
        load(context, place.ca_file)
    return context
