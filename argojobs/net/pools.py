"""The bounds of `bounds.py` for urllib3, and so for minio and requests, which are made of it."""

from __future__ import annotations

import urllib3
import urllib3.connection

from argojobs.net.bounds import BoundedResponse


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
