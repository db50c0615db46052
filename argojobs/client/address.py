"""Where an Argo server is and how to show who we are: plain data, made before any connection.

Source of the environment variables: Argo docs, argo CLI reference, and `cmd/argo/commands/client`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from argojobs.errors import UsageError

#: Argo's own port.
DEFAULT_PORT = 2746
DEFAULT_NAMESPACE = "default"

#: What Go's `strconv.ParseBool` takes, as Argo reads its variables with it.
_TRUTHS = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}

_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?\.?|[0-9A-Fa-f:.]+(%[A-Za-z0-9]+)?")
_AN_EXAMPLE = "an address is like https://argo.example.org:2746"


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """An Argo server.

    url: scheme, host and port, and the base href as its path; no "/" at the end.
    namespace: whose workflows. token: called for a token whenever one is needed, and again after
    a 401. ca_file: who signed the server's certificate; insecure: it is not looked at.
    certificate, key: files of a client certificate. label: what messages call the server (the
    name of a context); the URL without one. options: what a command of ours must say to get
    there, with a blank in front, for hints; "" where it need not say it. instead: how to do without
    this server, for hints where it cannot be reached.
    """

    url: str
    namespace: str = DEFAULT_NAMESPACE
    token: Callable[[], str] | None = None
    ca_file: str = ""
    insecure: bool = False
    certificate: str = ""
    key: str = ""
    label: str = ""
    options: str = ""
    instead: str = ""

    @property
    def called(self) -> str:
        """What a message calls the server where its URL is of no matter."""
        return self.label or self.url

    @property
    def whole(self) -> str:
        """What a message calls the server where its URL matters."""
        return f"{self.label} ({self.url})" if self.label and self.label != self.url else self.url


def parse(text: str, *, where: str = "") -> str:
    """Return a server's URL as `ServerAddress` has it, from what a person wrote.

    A bare `host:port` is https, as Argo's server speaks it; a bare host has Argo's port. where:
    what the text is called in messages. Raises UsageError.
    """
    given = text.strip()
    bare = "://" not in given
    try:
        parts = urlsplit(f"https://{given}" if bare else given)
        port = parts.port
    except ValueError:
        raise _wrong(given, "is not a URL", where) from None
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "an address holds no user and no password",
            where=where,
            hint="give a token by reference: ARGO_TOKEN, or a context's token",
        )
    if parts.scheme not in ("http", "https"):
        raise _wrong(given, f"is not http or https but {parts.scheme}", where)
    if parts.query or parts.fragment:
        raise _wrong(given, "has a query or a fragment", where)
    host = parts.hostname or ""
    if not _HOST.fullmatch(host):
        raise _wrong(given, "has no host" if not host else "has no valid host", where)
    if bare and port is None:
        port = DEFAULT_PORT
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}{f':{port}' if port else ''}{_base(parts.path)}"


def _base(path: str) -> str:
    trimmed = path.strip("/")
    return f"/{trimmed}" if trimmed else ""


def _wrong(given: str, what: str, where: str) -> UsageError:
    return UsageError(f"the address {given!r} {what}", where=where, hint=_AN_EXAMPLE)


def from_environment(environment: Mapping[str, str] | None = None) -> ServerAddress | None:
    """Return the server that Argo's own variables name; None without ARGO_SERVER.

    ARGO_SERVER (host and port), ARGO_SECURE, ARGO_INSECURE_SKIP_VERIFY, ARGO_BASE_HREF,
    ARGO_NAMESPACE, ARGO_TOKEN (sent as it is). ARGO_HTTP1 is what is always spoken here. Raises
    UsageError, naming the variable.
    """
    values = os.environ if environment is None else environment
    server = values.get("ARGO_SERVER", "").strip()
    if not server:
        return None
    if "://" not in server:
        secure = _truth(values, "ARGO_SECURE", default=True)
        server = f"{'https' if secure else 'http'}://{server}"
    url = parse(server, where="ARGO_SERVER")
    return ServerAddress(
        url=with_base_href(url, values.get("ARGO_BASE_HREF", "")),
        namespace=values.get("ARGO_NAMESPACE", "") or DEFAULT_NAMESPACE,
        token=(lambda: values.get("ARGO_TOKEN", "")) if values.get("ARGO_TOKEN") else None,
        insecure=_truth(values, "ARGO_INSECURE_SKIP_VERIFY", default=False),
        label="ARGO_SERVER",
    )


def with_base_href(url: str, base_href: str) -> str:
    """Return a URL with the path below which the server lies; "" and "/" change nothing."""
    return url + _base(base_href)


def _truth(values: Mapping[str, str], name: str, *, default: bool) -> bool:
    """Read a variable as Argo does; raises UsageError for what is neither true nor false."""
    text = values.get(name, "")
    if not text:
        return default
    if text not in _TRUTHS:
        raise UsageError(f"{text!r} is neither true nor false", where=name, hint="true or false")
    return _TRUTHS[text]


def authorization(token: str) -> str:
    """Return the header that shows a token; "" for none.

    A bare token gets Argo's `Bearer`; one that says how it is to be shown is sent as it is.
    Source: Argo docs, access token. Raises UsageError, without the token.
    """
    text = token.strip()
    if not text:
        return ""
    if not (text.isascii() and text.isprintable()):
        raise UsageError(
            "the token holds characters that no token has",
            hint="a line break or a copied quote? give the token alone",
        )
    return text if text.startswith(("Bearer ", "Basic ")) else f"Bearer {text}"
