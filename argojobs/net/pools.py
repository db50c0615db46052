"""The bounds of `bounds.py` for urllib3, and so for minio and requests, which are made of it."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self
from urllib.parse import urljoin, urlsplit

import urllib3
import urllib3.connection

from argojobs.net.bounds import FILE, BoundedResponse


class _Connection(urllib3.connection.HTTPConnection):
    response_class = BoundedResponse


class _SecureConnection(urllib3.connection.HTTPSConnection):
    response_class = BoundedResponse


class _Pool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


def bound(manager: urllib3.PoolManager) -> None:
    """Have all answers that come by a manager of urllib3's keep the bounds."""
    manager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}


def as_file(answer: Any) -> None:
    """Have the rest of an answer of urllib3's be a file, as large as it is."""
    answer._original_response.allow(FILE)  # noqa: SLF001 - urllib3 shows it in no other way


class SameHost(urllib3.Retry):
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
