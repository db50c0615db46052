"""Requests to a registry: over which line, as whom, and what a refusal means in words.

Sources: the OCI distribution specification; "Token Authentication Specification" of distribution
(docs.docker.com/registry); RFC 7235 for challenges.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from argojobs.errors import ArgojobsError, ServerError, UsageError
from argojobs.images.logins.credentials import HUB, HUB_API, Credentials, bare_host
from argojobs.images.registry.line import is_near, open_session, request
from argojobs.images.registry.token import token_for
from argojobs.net.known_secrets import masked, remember

if TYPE_CHECKING:
    import requests

#: `Scheme name="value", name="value", Other name=value`
_CHALLENGE = re.compile(r'(?:\b(\w+)\s+)?\b(\w+)\s*=\s*(?:"([^"]*)"|([^\s,]+))')


@dataclass(slots=True)
class Channel:
    """The line to one registry.

    base: its address. credentials: whom it is told; withheld: that somebody was not told, since the
    line has no TLS. context: whose registry it is, "" for nobody's.
    """

    host: str
    base: str
    session: requests.Session
    credentials: Credentials | None
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

        path: below the base, or a whole address that the registry gave. scope: what we want to do, as
        tokens have it. ask: a refusal of us is an answer, too. Raises UsageError for 401 and 403,
        ServerError where no answer comes.
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
            raise self.refusal(answer, _repository(scope), known=(known or "").startswith("Bearer"))
        if answer.status_code == 429 or answer.status_code >= 500:
            raise ServerError(
                f"the registry {self.host} answers {answer.status_code}{_told(answer)}",
                hint="try again later",
            )
        return answer

    def refusal(
        self, answer: requests.Response, repository: str, *, known: bool = False
    ) -> ArgojobsError:
        """Return what an answer that says no means. known: whether it knows who we are."""
        status, told = answer.status_code, _told(answer)
        who = self.credentials
        if status == 401 and who is not None and known:
            status = 403
        if status == 401 and who is None and self.withheld:
            return UsageError(
                f"the registry {self.host} wants a password, and the line to it has no TLS",
                hint=f"if it may go over it all the same: {self.remedy_of('url', self.base)}",
            )
        if status == 401 and who is None:
            return UsageError(f"the registry {self.host} wants a login{told}", hint=self._login())
        if status == 401:
            assert who is not None
            return UsageError(
                f"the registry {self.host} does not take the user {who.user or 'of the token'}"
                f"{_from(who)}{told}",
                hint=self._login(),
            )
        name = f"{repository} at {self.host}" if repository else f"the registry {self.host}"
        if status == 403:
            as_whom = f"the user {who.user or 'of the token'}" if who else "nobody without a login"
            return UsageError(
                f"{name} is not for {as_whom}{told}",
                hint=f"who runs the registry can allow it; or log in as another: {self._login()}",
            )
        if status == 404:
            return UsageError(
                f"there is no {name}{told}", hint="make the repository there, or check the address"
            )
        return UsageError(f"{name} answers {status}{told}", hint="is it a registry of images?")

    def remedy_of(self, key: str, value: str) -> str:
        """Return the command that sets a value of this registry."""
        if self.context:
            return f"argojobs config set contexts.{self.context}.registry.{key} {value}"
        return f"write {key}: {value} for it in creds.yaml"

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
        whole = dict(headers or {})
        if authorization:
            whole["Authorization"] = authorization
        return request(self.session, method, url, self.host, headers=whole, data=data)

    def _authorization(self, answer: requests.Response, scope: str) -> str | None:
        """Return the header that a challenge asks for, None where we cannot give one."""
        challenges = challenges_of(answer.headers.get("WWW-Authenticate", ""))
        who = self.credentials
        if "bearer" in challenges:
            token = token_for(
                challenges["bearer"], scope, who, self.session, self.host, plain=self.plain_http
            )
            return f"Bearer {remember(token)}" if token else None
        if "basic" in challenges and who is not None:
            import base64

            pair = base64.b64encode(f"{who.user}:{who.password}".encode()).decode()
            return f"Basic {remember(pair)}"
        return None


def open_channel(url: str, credentials: Credentials | None, context: str) -> Channel:
    """Find how a registry is reached; `open_registry` says the rules."""
    scheme, host = _scheme(url), bare_host(url).partition("/")[0]
    name = HUB_API if host == HUB else host
    session = open_session(host)
    for secret in (credentials.password, credentials.identity_token) if credentials else ():
        remember(secret)
    bases = [f"{scheme}://{name}"] if scheme else [f"https://{name}"]
    if not scheme and is_near(host):
        bases.append(f"http://{name}")
    problem: ServerError | None = None
    for base in bases:
        try:
            request(session, "GET", f"{base}/v2/", host)
        except ServerError as error:  # a certificate that is not trusted is no reason to do without
            problem = problem or error
            continue
        open_line = base.startswith("http:") and not scheme
        told = None if open_line else credentials
        withheld = open_line and credentials is not None
        return Channel(host, base, session, told, withheld, context)
    assert problem is not None
    raise problem


def challenges_of(header: str) -> dict[str, dict[str, str]]:
    """Return what a `WWW-Authenticate` header asks for, by the scheme in small letters."""
    found: dict[str, dict[str, str]] = {}
    scheme = ""
    for begins, name, quoted, plain in _CHALLENGE.findall(header):
        scheme = begins.lower() or scheme
        found.setdefault(scheme, {}).setdefault(name.lower(), quoted or plain)
    return found


def _scheme(url: str) -> str:
    scheme, there, _ = url.partition("://")
    if not there:
        return ""
    if scheme.lower() not in ("http", "https"):
        raise UsageError(f"a registry is not reached by {scheme}://", hint="write HOST[:PORT]")
    return scheme.lower()


def _repository(scope: str) -> str:
    return scope.split(":")[1] if scope.count(":") == 2 else ""


def _from(who: Credentials) -> str:
    return f" ({who.source})" if who.source else ""


def _told(answer: requests.Response) -> str:
    """Return what a registry says of an error, after `: `; it has words and codes for it."""
    try:
        first = answer.json()["errors"][0]
        text = str(first.get("message") or first.get("code") or "")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return ""
    return f": {masked(text.splitlines()[0][:200])}" if text.strip() else ""
