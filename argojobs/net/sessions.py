"""Connections by requests: how they are secured, over which proxy, and that answers are bounded."""

from __future__ import annotations

import re
import ssl
import warnings
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import urlsplit

import urllib3
from requests import Session
from requests.adapters import HTTPAdapter
from requests.utils import get_environ_proxies, select_proxy
from urllib3.exceptions import InsecureRequestWarning

from argojobs.errors import UsageError
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

    def __init__(self, context: ssl.SSLContext | None, server_name: str = "") -> None:
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


def open_session(
    url: str, trust: ssl.SSLContext | None, *, proxy: str = "", server_name: str = ""
) -> Session:
    """Return the connections to one server. Neither ~/.netrc nor cookies have a say.

    Args:
        url: the server's.
        trust: who is trusted; None where the server is spoken to without TLS.
        proxy: by which it is reached, "" for none.
        server_name: whose certificate it has to show, "" for its host's.
    """
    session = Session()
    session.trust_env = False
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    session.proxies = {"all": proxy} if proxy else {}
    session.verify = trust is None or trust.verify_mode != ssl.CERT_NONE
    session.headers.update(PLAIN)
    adapter = TrustingAdapter(trust, server_name)
    for scheme in ("http://", "https://"):
        session.mount(scheme, adapter)
    if not session.verify:  # asked for by name
        host = re.escape(f"'{urlsplit(url).hostname}'")
        warnings.filterwarnings("ignore", f".*to host {host}", InsecureRequestWarning)
    return session


#: Headers of every request: who asks, and that nothing is to be packed (see BoundedResponse).
PLAIN = {"User-Agent": "argojobs", "Accept-Encoding": "identity"}


def usual_proxy(url: str) -> str:
    """Return the proxy that the environment names for a server, "" for none.

    Raises UsageError for one that is not spoken to by http.
    """
    proxy = select_proxy(url, get_environ_proxies(url, no_proxy=None)) or ""
    proxy = proxy if "://" in proxy or not proxy else f"http://{proxy}"
    parts = urlsplit(proxy)
    if proxy and (parts.scheme != "http" or not parts.hostname):
        raise UsageError(
            f"a proxy of the kind {parts.scheme}:// is not used here",
            where="HTTPS_PROXY",
            hint="name one that is spoken to by http://, or leave this server out by NO_PROXY",
        )
    return proxy
