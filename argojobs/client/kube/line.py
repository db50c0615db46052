"""The line to an API server: its sessions, its proxy and TLS, one request at a time.

Imports requests, so that whoever sends nothing does without.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import requests
from requests.utils import get_auth_from_url, get_environ_proxies, select_proxy
from urllib3 import HTTPHeaderDict
from urllib3.exceptions import HTTPError, InsecureRequestWarning
from urllib3.util import make_headers

from argojobs.client.kube.failures import misshapen, out_of_reach
from argojobs.client.kube.kubeconfig import Cluster, Pem, unusable
from argojobs.client.kube.trust import context_of
from argojobs.net.adapters import TrustingAdapter
from argojobs.net.bounds import BoundsError

if TYPE_CHECKING:
    from argojobs.client.kube.connection import Kube

#: Seconds: until a connection stands, until an answer is there.
TIMEOUT = (5.0, 30.0)


class Line:
    """The line to a cluster's API server, with a certificate of ours where there is one."""

    def __init__(
        self, kube: Kube, cluster: Cluster, certificate: tuple[Pem, Pem] | None = None
    ) -> None:
        self._kube = kube
        self.url = cluster.server
        self.certificate = certificate
        self.server_name = cluster.server_name or urlsplit(self.url).hostname or ""
        self.trust = context_of(cluster, certificate, kube.label)
        self.proxy = cluster.proxy or self._usual_proxy()
        self._session = session = requests.Session()
        session.trust_env = False  # else ~/.netrc and REQUESTS_CA_BUNDLE would have a say
        session.proxies = {"all": self.proxy} if self.proxy else {}
        session.verify = not cluster.insecure
        session.headers["User-Agent"] = "argojobs"
        session.headers["Accept-Encoding"] = "identity"  # see BoundedResponse
        adapter = TrustingAdapter(self.trust, self.server_name)
        for scheme in ("http://", "https://"):
            session.mount(scheme, adapter)
        if cluster.insecure:  # asked for by name
            host = re.escape(f"'{urlsplit(self.url).hostname}'")
            warnings.filterwarnings("ignore", f".*to host {host}", InsecureRequestWarning)

    def send(
        self,
        method: str,
        path: str,
        headers: Sequence[tuple[str, str]],
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        kind: str = "application/json",
    ) -> requests.Response:
        """Make one request and return the answer, whatever its status is.

        Args:
            method: GET, for example.
            path: below the server's URL.
            headers: who we are; a name may come again.
            query: the fields of the query.
            body: what is sent as JSON, None for nothing.
            kind: the media type of it.

        Raises:
            UsageError: the server's certificate is not trusted.
            ServerError: the server is out of reach.
            ForeignAnswerError: the answer is not Kubernetes', or leads elsewhere.
        """
        content = {} if body is None else {"Content-Type": kind}

        def shown(prepared: requests.PreparedRequest) -> requests.PreparedRequest:
            every = HTTPHeaderDict(prepared.headers)
            for name, value in headers:
                every.add(name, value)
            prepared.headers = every  # type: ignore[assignment] # a group each, which requests' own cannot
            return prepared

        try:
            answer = self._session.request(
                method,
                f"{self.url}{path}",
                params=query,
                data=None if body is None else json.dumps(body).encode(),
                headers={"Accept": "application/json, */*", **content},
                auth=shown,
                timeout=TIMEOUT,
                allow_redirects=False,
            )
        except (requests.RequestException, HTTPError) as error:  # some pass through requests
            raise out_of_reach(error, self._kube) from error
        except BoundsError as error:
            raise misshapen(str(error), self._kube) from error
        if answer.is_redirect:
            raise misshapen("it leads elsewhere", self._kube)
        return answer

    def close(self) -> None:
        """Let go of the connections."""
        self._session.close()

    @property
    def proxy_headers(self) -> dict[str, str]:
        """What the proxy wants to know of us."""
        user = ":".join(get_auth_from_url(self.proxy))
        return make_headers(proxy_basic_auth=user) if user != ":" else {}

    def _usual_proxy(self) -> str:
        """Return the proxy that the environment names for this server, "" for none."""
        proxy = select_proxy(self.url, get_environ_proxies(self.url, no_proxy=None)) or ""
        proxy = proxy if "://" in proxy or not proxy else f"http://{proxy}"
        parts = urlsplit(proxy)
        if proxy and (parts.scheme != "http" or not parts.hostname):
            what = f"a proxy of the kind {parts.scheme}:// is not used here (HTTPS_PROXY)"
            raise unusable(self._kube.kubeconfig, what, self._kube.label)
        return proxy
