"""The bounds of `bounds.py` for requests."""

from __future__ import annotations

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
