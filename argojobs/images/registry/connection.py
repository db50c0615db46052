"""Requests to a registry: over which line, whom we trust, as whom, and what a refusal means.

Sources: the OCI distribution specification; "Token Authentication Specification" and "OAuth2 Token
Authentication" of distribution; RFC 7235 for challenges; docker's rule of insecure registries
(127.0.0.0/8 needs no TLS); containers-certs.d(5), "/etc/docker/certs.d".
"""

from __future__ import annotations

import base64
import ipaddress
import os
import re
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from argojobs.errors import ArgojobsError, ServerError, UsageError
from argojobs.images.logins.credentials import HUB, HUB_API, Credentials, bare_host
from argojobs.net.bounds import BoundsError
from argojobs.net.known_secrets import masked, remember

if TYPE_CHECKING:
    import requests

#: Seconds until a connection stands, and until it says something.
TIMEOUT = (10, 60)
#: `Scheme name="value", name="value", Other name=value`
_CHALLENGE = re.compile(r'(?:\b(\w+)\s+)?\b(\w+)\s*=\s*(?:"([^"]*)"|([^\s,]+))')


@dataclass(slots=True)
class Connection:
    """The connections to one registry.

    base: its address. credentials: whom it is told; withheld: that somebody was not told, since the
    line has no TLS. context: whose registry it is, "" for nobody's.
    """

    host: str
    base: str
    session: requests.Session
    credentials: Credentials | None = None
    withheld: bool = False
    context: str = ""
    _headers: dict[str, str] = field(default_factory=dict)

    @property
    def plain_http(self) -> bool:
        """Whether it has no TLS."""
        return self.base.startswith("http:")

    def send(
        self,
        method: str,
        path: str,
        scope: str,
        *,
        headers: Mapping[str, str] | None = None,
        data: bytes | None = None,
        ask: bool = False,
    ) -> requests.Response:
        """Send a request and return its answer, also one that says no.

        Args:
            method: of HTTP.
            path: below the base, or a whole address that the registry gave.
            scope: what we want to do, as tokens have it.
            headers: more of them.
            data: the body.
            ask: a refusal of us is an answer, too.

        Raises:
            UsageError: for 401 and 403.
            ServerError: no answer comes, or one that says that the server is not in order.
        """
        url = urljoin(self.base, path)
        own = urlsplit(url)[:2] == urlsplit(self.base)[:2]  # nobody else is told who we are
        known = self._headers.get(scope) if own else None
        answer = self._once(method, url, headers, data, known)
        if answer.status_code == 401 and own:
            given = self._authorization(answer, scope)
            if given and given != known:
                self._headers[scope] = known = given
                answer = self._once(method, url, headers, data, given)
        if answer.status_code in (401, 403) and not ask:
            # who has a token is known, so it is what the token allows that does not suffice
            repository = scope.split(":")[1] if scope.count(":") == 2 else ""
            raise self.refusal(answer, repository, known=(known or "").startswith("Bearer"))
        if answer.status_code == 429 or answer.status_code >= 500:
            raise ServerError(
                f"the registry {self.host} answers {answer.status_code}{_told(answer)}",
                hint="try again later",
            )
        return answer

    def refusal(
        self, answer: requests.Response, repository: str, *, known: bool = False
    ) -> ArgojobsError:
        """Return what an answer that says no means.

        Args:
            answer: of the registry.
            repository: which was asked for, "" for the registry itself.
            known: the registry knows who we are.
        """
        told, who = _told(answer), self.credentials
        status = 403 if known and who is not None else answer.status_code
        user = f"the user {who.user or 'of the token'}" if who else "nobody without a login"
        registry = f"the registry {self.host}"
        name = f"{repository} at {self.host}" if repository else registry
        if status == 401 and who is not None:
            source = f" ({who.source})" if who.source else ""
            what, hint = f"{registry} does not take {user}{source}{told}", self._login()
        elif status == 401 and self.withheld:
            what = f"{registry} wants a password, and the line to it has no TLS"
            hint = f"if it may go over it all the same: {self.remedy_of('url', self.base)}"
        elif status == 401:
            what, hint = f"{registry} wants a login{told}", self._login()
        elif status == 403:
            what = f"{name} is not for {user}{told}"
            hint = f"who runs the registry can allow it; or log in as another: {self._login()}"
        elif status == 404:
            what = f"there is no {name}{told}"
            hint = "make the repository there, or check the address"
        else:
            what, hint = f"{name} answers {status}{told}", "is it a registry of images?"
        return UsageError(what, hint=hint)

    def remedy_of(self, key: str, value: str) -> str:
        """Return the command that sets a value of this registry."""
        if self.context:
            return f"argojobs config set contexts.{self.context}.registry.{key} {value}"
        return f"write {key}: {value} for it in creds.yaml"

    def request(self, method: str, url: str, **more: Any) -> requests.Response:
        """Make one request.

        Only what is read may lie elsewhere: a registry's layers do. What is sent, and a password,
        goes to no other address than this.

        Args:
            method: GET, for example.
            url: the whole address.
            more: as requests takes it.

        Raises:
            ServerError: nothing answers.
            UsageError: the registry is not trusted.
        """
        from argojobs.net.sending import LineError, whole

        follow = method in ("GET", "HEAD") and "auth" not in more
        try:
            return whole(self.session, method, url, timeout=TIMEOUT, allow_redirects=follow, **more)
        except LineError as error:
            raise self._broken(error.cause, url) from error

    def _broken(self, cause: Exception, url: str) -> ArgojobsError:
        """Return what it means that no answer came. cause: what came instead."""
        from requests.exceptions import InvalidURL

        if isinstance(cause, BoundsError):
            return ServerError(
                f"the registry {self.host} is not to be understood: {cause}",
                hint="is it a registry of images? who runs it can tell",
            )
        if isinstance(cause, ssl.SSLError):
            return _distrust(self.host, cause)
        if isinstance(cause, InvalidURL):
            return UsageError(f"{url} is not an address of a registry", hint="write HOST[:PORT]")
        return ServerError(
            f"the registry {self.host} is out of reach",
            hint="is its address right, and does it run? then try again",
        )

    def _login(self) -> str:
        if self.context:
            start = f"argojobs config set contexts.{self.context}.registry"
            return f"{start}.user NAME; {start}.password REFERENCE"
        return f"docker login {self.host}, or user and password in creds.yaml"

    def _once(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None,
        data: bytes | None,
        authorization: str | None,
    ) -> requests.Response:
        own = {"Authorization": authorization} if authorization else {}
        return self.request(method, url, headers={**(headers or {}), **own}, data=data)

    def _authorization(self, answer: requests.Response, scope: str) -> str | None:
        """Return the header that a challenge asks for, None where we cannot give one."""
        challenges = challenges_of(answer.headers.get("WWW-Authenticate", ""))
        who = self.credentials
        if "bearer" in challenges:
            token = self._token(challenges["bearer"], scope)
            return f"Bearer {remember(token)}" if token else None
        if "basic" in challenges and who is not None:
            pair = base64.b64encode(f"{who.user}:{who.password}".encode()).decode()
            return f"Basic {remember(pair)}"
        return None

    def _token(self, challenge: Mapping[str, str], scope: str) -> str:
        """Return a token for what a challenge names, "" where who we are is not taken.

        The scope is the challenge's, which is what the registry wants; ours without one. Raises
        UsageError where the password would go over an open line that nobody asked for.
        """
        realm, who = challenge.get("realm", ""), self.credentials
        place = urlsplit(realm)
        if place.scheme not in ("http", "https") or not place.netloc:
            raise UsageError(
                f"the registry {self.host} names no address for its tokens",
                hint="who runs it sets `auth.token.realm`",
            )
        if place.scheme == "http" and not self.plain_http and who is not None:
            raise UsageError(
                f"the registry {self.host} wants the password sent to {place.netloc} without TLS",
                hint="who runs it gives its tokens over https",
            )
        wanted = {"scope": challenge.get("scope") or scope, "service": challenge.get("service", "")}
        fields = {name: value for name, value in wanted.items() if value}
        if who is not None and who.identity_token:
            fields |= {"grant_type": "refresh_token", "refresh_token": who.identity_token}
            answer = self.request("POST", realm, data={**fields, "client_id": "argojobs"})
        else:
            more: dict[str, Any] = {"auth": (who.user, who.password)} if who is not None else {}
            answer = self.request("GET", realm, params=fields, **more)
        if answer.status_code in (400, 401, 403):
            return ""
        try:
            given = answer.json() if answer.status_code == 200 else {}
            token = given.get("token") or given.get("access_token") or ""
        except (ValueError, AttributeError, RecursionError):
            token = ""
        if not token:
            raise ServerError(
                f"{place.netloc} gave no token for the registry {self.host}",
                hint="try again later",
            )
        return str(token)


def open_connection(url: str, credentials: Credentials | None, context: str) -> Connection:
    """Find how a registry is reached; `open_registry` says the rules.

    Args:
        url: `[SCHEME://]HOST[:PORT][/PREFIX]`.
        credentials: who we are there, None for nobody.
        context: whose registry it is, "" for nobody's.

    Raises:
        ServerError: it is out of reach.
        UsageError: it is not trusted.
    """
    scheme, host = _scheme(url), bare_host(url).partition("/")[0]
    name = HUB_API if host == HUB else host
    session = open_session(host)
    for secret in (credentials.password, credentials.identity_token) if credentials else ():
        remember(secret)
    problem: ServerError | None = None
    for one in [scheme] if scheme else ["https", "http"] if is_near(host) else ["https"]:
        withheld = one == "http" and not scheme
        told = None if withheld else credentials
        found = Connection(
            host, f"{one}://{name}", session, told, withheld and credentials is not None, context
        )
        try:
            found.request("GET", f"{found.base}/v2/")
        except ServerError as error:  # an untrusted certificate is not a reason for plain HTTP
            problem = problem or error
        else:
            return found
    assert problem is not None
    raise problem


def open_session(host: str) -> requests.Session:
    """Return a session for a registry: its certificates checked, no password of ~/.netrc."""
    import requests

    from argojobs.net.sessions import PLAIN, BoundedAdapter

    session = requests.Session()
    session.headers.update(PLAIN)
    session.max_redirects = 5
    for scheme in ("http://", "https://"):
        session.mount(scheme, BoundedAdapter())
    # otherwise requests would take a password from ~/.netrc over the header that we give
    session.auth = lambda prepared: prepared
    certificates = _certificates_of(host)
    if certificates is not None:
        session.trust_env = False  # REQUESTS_CA_BUNDLE would win over it
        session.verify = str(certificates)
    return session


def is_near(host: str) -> bool:
    """Tell whether `HOST[:PORT]` is on this machine or in a private network.

    A name counts by all the addresses that it has; one that has none is not near.
    """
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except OSError:
        return False
    addresses = [ipaddress.ip_address(str(one[4][0]).partition("%")[0]) for one in found]
    return bool(addresses) and all(
        one.is_loopback or one.is_private or one.is_link_local for one in addresses
    )


def challenges_of(header: str) -> dict[str, dict[str, str]]:
    """Return what a `WWW-Authenticate` header asks for, by the scheme in small letters."""
    found: dict[str, dict[str, str]] = {}
    scheme = ""
    for begins, name, quoted, plain in _CHALLENGE.findall(header):
        scheme = begins.lower() or scheme
        found.setdefault(scheme, {}).setdefault(name.lower(), quoted or plain)
    return found


def _certificates_of(host: str) -> Path | None:
    """Return the file of who signs a registry's certificate, where docker or podman were told one."""
    home = Path(os.environ.get("HOME") or "/")
    for folder in (
        home / ".config/containers/certs.d",
        home / ".docker/certs.d",
        Path("/etc/containers/certs.d"),
        Path("/etc/docker/certs.d"),
    ):
        found = sorted((folder / host).glob("*.crt"))
        if found:
            return found[0]
    return None


def _distrust(host: str, error: Exception) -> ArgojobsError:
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return UsageError(
            f"the certificate of the registry {host} is not trusted here",
            hint=f"put the one that signed it into /etc/docker/certs.d/{host}/ca.crt",
        )
    return ServerError(
        f"the registry {host} does not speak TLS",
        hint=f"if it speaks http and the line is safe, name it so: http://{host}",
    )


def _scheme(url: str) -> str:
    scheme, there, _ = url.partition("://")
    if there and scheme.lower() not in ("http", "https"):
        raise UsageError(f"a registry is not reached by {scheme}://", hint="write HOST[:PORT]")
    return scheme.lower() if there else ""


def _told(answer: requests.Response) -> str:
    """Return what a registry says of an error, after `: `; it has words and codes for it."""
    try:
        first = answer.json()["errors"][0]
        text = str(first.get("message") or first.get("code") or "")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return ""
    return f": {masked(text.splitlines()[0][:200])}" if text.strip() else ""
