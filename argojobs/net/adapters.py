"""The bounds of `bounds.py` for requests."""

from __future__ import annotations

import ssl
from typing import Any

import urllib3
from requests.adapters import HTTPAdapter

from argojobs.net.pools import bound


class BoundedAdapter(HTTPAdapter):
    """Makes connections, direct and over a proxy, whose answers keep the bounds."""

    def init_poolmanager(self, *arguments: Any, **named: Any) -> None:
        """See HTTPAdapter."""
        super().init_poolmanager(*arguments, **named)
        bound(self.poolmanager)

    def proxy_manager_for(self, *arguments: Any, **named: Any) -> urllib3.ProxyManager:
        """See HTTPAdapter."""
        manager: urllib3.ProxyManager = super().proxy_manager_for(*arguments, **named)
        bound(manager)
        return manager


class TrustingAdapter(BoundedAdapter):
    """Secures connections by a TLS context, and by nothing else.

    server_name: whose certificate the server has to show, "" for its host's.
    """

    def __init__(self, context: ssl.SSLContext, server_name: str = "") -> None:
        self._tls = {"ssl_context": context, "server_hostname": server_name or None}
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **named: Any) -> None:
        """See HTTPAdapter."""
        super().init_poolmanager(*arguments, **named, **self._tls)

    def proxy_manager_for(self, *arguments: Any, **named: Any) -> urllib3.ProxyManager:
        """See HTTPAdapter."""
        return super().proxy_manager_for(*arguments, **named, **self._tls)

    def cert_verify(self, *_: Any, **__: Any) -> None:
        """See HTTPAdapter: no other CA is added to what the context trusts."""
