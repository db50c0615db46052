"""The transport to an API server: its sessions, its proxy and TLS, one request at a time.

Imports requests, so that whoever sends nothing does without.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import requests
from requests.utils import get_auth_from_url
from urllib3 import HTTPHeaderDict
from urllib3.util import make_headers

from argojobs.client.kube.failures import misshapen, out_of_reach
from argojobs.client.kube.kubeconfig import Cluster, Pem
from argojobs.client.kube.trust import context_of
from argojobs.net.sending import LineError, body, send
from argojobs.net.sessions import open_session, usual_proxy

if TYPE_CHECKING:
    from argojobs.client.kube.connection import Kube

#: Seconds: until a connection stands, until an answer is there.
TIMEOUT = (5.0, 30.0)


class Transport:
    """The transport to a cluster's API server, with a certificate of ours where there is one."""

    def __init__(
        self, kube: Kube, cluster: Cluster, certificate: tuple[Pem, Pem] | None = None
    ) -> None:
        self._kube = kube
        self.url = cluster.server
        self.certificate = certificate
        self.server_name = cluster.server_name or urlsplit(self.url).hostname or ""
        self.trust = context_of(cluster, certificate, kube.label)
        self.proxy = cluster.proxy or usual_proxy(self.url)
        self._session = open_session(
            self.url, self.trust, proxy=self.proxy, server_name=self.server_name
        )

    def send(
        self,
        method: str,
        path: str,
        headers: Sequence[tuple[str, str]],
        *,
        query: Mapping[str, str] | None = None,
        sent: Any = None,
        kind: str = "application/json",
    ) -> tuple[int, bytes]:
        """Make one request and return the answer's status and body.

        Args:
            method: GET, for example.
            path: below the server's URL.
            headers: who we are; a name may come again.
            query: the fields of the query.
            sent: what is sent as JSON, None for nothing.
            kind: the media type of it.

        Raises:
            UsageError: the server's certificate is not trusted.
            ServerError: the server is out of reach.
            ForeignAnswerError: the answer is not Kubernetes', or leads elsewhere.
        """
        typed = {} if sent is None else {"Content-Type": kind}

        def shown(prepared: requests.PreparedRequest) -> requests.PreparedRequest:
            every = HTTPHeaderDict(prepared.headers)
            for name, value in headers:
                every.add(name, value)
            prepared.headers = every  # type: ignore[assignment] # a group each, which requests' own cannot
            return prepared

        try:
            answer = send(
                self._session,
                method,
                f"{self.url}{path}",
                timeout=TIMEOUT,
                params=query,
                data=None if sent is None else json.dumps(sent).encode(),
                headers={"Accept": "application/json, */*", **typed},
                auth=shown,
            )
            content = body(answer)
        except LineError as error:
            raise out_of_reach(error, self._kube) from error
        if answer.is_redirect:
            raise misshapen("it leads elsewhere", self._kube)
        return answer.status_code, content

    def close(self) -> None:
        """Let go of the connections."""
        self._session.close()

    @property
    def proxy_headers(self) -> dict[str, str]:
        """What the proxy wants to know of us."""
        user = ":".join(get_auth_from_url(self.proxy))
        return make_headers(proxy_basic_auth=user) if user != ":" else {}
