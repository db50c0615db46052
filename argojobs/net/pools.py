"""The bounds of `bounds.py` for urllib3, and so for requests, which is made of it."""

from __future__ import annotations

from http.client import HTTPConnection
from typing import Any

import urllib3
import urllib3.connection

from argojobs.net.bounds import BoundedResponse

#: Noted on what a connection raises before anything was sent over it.
NOT_SENT = "nothing was sent"


class BoundedConnection(HTTPConnection):
    """A connection whose answers keep the bounds, and whose errors say whether it stood."""

    _answer: BoundedResponse

    def connect(self) -> None:
        """See HTTPConnection."""
        try:
            super().connect()
        except Exception as error:
            error.add_note(NOT_SENT)
            raise

    def response_class(self, *arguments: Any, **named: Any) -> BoundedResponse:  # type: ignore[override] # it is only called
        """Make the answer of http.client's that urllib3 wraps."""
        self._answer = BoundedResponse(*arguments, **named)
        return self._answer

    def getresponse(self) -> Any:
        """See HTTPConnection. `allow` sets what the answer's body may take."""
        response: Any = super().getresponse()
        response.allow = self._answer.allow
        return response


class _Connection(BoundedConnection, urllib3.connection.HTTPConnection):
    pass


class _SecureConnection(BoundedConnection, urllib3.connection.HTTPSConnection):
    pass


class _Pool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


def bound(manager: urllib3.PoolManager) -> None:
    """Have all answers that come by a manager of urllib3's keep the bounds."""
    manager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}
