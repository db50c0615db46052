"""What goes wrong before a server has answered: no way there, no trust, no answer.

A retry may help with what is out of reach or unclear (ServerError, exit 3); it does not help with
an address or certificate that is wrong (UsageError, exit 2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from argojobs.errors import ArgojobsError, ServerError, UsageError
from argojobs.net.bounds import BoundsError

if TYPE_CHECKING:
    from argojobs.client.address import ServerAddress

_UP = "is it running, and are its host and port right? then try again"
_TRUST = (
    "give the file of who signed it (a context's `ca`), or ask for no check by name: a context's "
    "`insecure = true`, ARGO_INSECURE_SKIP_VERIFY=true"
)


class AmbiguousResponseError(ServerError):
    """No answer that says whether the request was carried out.

    sent: False when it cannot have been. retry_after: seconds that the server asks to wait.
    transient: whether the same request, if it changes nothing, is worth a second try.
    """

    def __init__(
        self,
        what: str,
        *,
        where: str = "",
        hint: str = "",
        sent: bool = True,
        transient: bool = True,
        retry_after: float = 0.0,
    ) -> None:
        super().__init__(what, where=where, hint=hint)
        self.sent = sent
        self.transient = transient
        self.retry_after = retry_after


class ForeignAnswerError(UsageError):
    """Something answers that is not the server: a login page, a proxy, another program.

    What was sent may have reached the server all the same.
    """


def connection_failure(
    error: Exception, address: ServerAddress, *, connecting: bool, proxy: bool = False
) -> ArgojobsError:
    """Return what an exception of a connection means.

    Args:
        error: what was raised.
        address: of the server.
        connecting: whether it came before the connection stood, so that nothing was sent.
        proxy: whether it is the proxy on the way that does not answer.
    """
    found = _failure(error, address, connecting=connecting, proxy=proxy)
    found.hint = "\n".join(filter(None, (found.hint, address.instead)))
    return found


def _failure(
    error: Exception, address: ServerAddress, *, connecting: bool, proxy: bool
) -> ArgojobsError:
    if address.url.startswith("https:") and _is_tls(error):
        return _tls_failure(repr(error), address, sent=not connecting)
    if connecting and proxy:
        return _unreachable(address, "the proxy on the way does not answer (HTTPS_PROXY, NO_PROXY)")
    if connecting:
        return _unreachable(address, _reason(error))
    if isinstance(error, BoundsError):
        return AmbiguousResponseError(
            f"the server {address.whole} is not to be understood: {error}",
            hint="is it an Argo server? who runs it can tell",
            transient=False,
        )
    if isinstance(error, TimeoutError):
        return AmbiguousResponseError(
            f"the server {address.whole} does not answer", hint="try again later"
        )
    return AmbiguousResponseError(
        f"the server {address.whole} closed the connection before it had answered",
        hint="it may be restarting, or no HTTP server listens there; try again",
    )


def broke_off(error: Exception, address: ServerAddress) -> ArgojobsError:
    """Return what it means that a stream or a file ends in the middle."""
    missing = getattr(error, "expected", None)  # of IncompleteRead, of either library
    if not missing:
        return connection_failure(error, address, connecting=False)
    return AmbiguousResponseError(
        f"the answer broke off {missing} bytes before its end",
        where=address.called,
        hint="try again",
    )


def _is_tls(error: Exception) -> bool:
    """Tell whether TLS failed, be it that the other side hung up in the middle of it."""
    import ssl

    return isinstance(error, ssl.SSLError) and not isinstance(error, TimeoutError)


def _reason(error: Exception) -> str:
    """Say why no connection stands."""
    import socket

    if isinstance(error, TimeoutError):
        return "no answer from its host"
    if isinstance(error, socket.gaierror):
        return "there is no host of this name here"
    reason = str(getattr(error, "strerror", None) or "no connection")
    return reason[:1].lower() + reason[1:]


def _unreachable(address: ServerAddress, reason: str) -> AmbiguousResponseError:
    return AmbiguousResponseError(
        f"the server {address.whole} is out of reach: {reason}", hint=_UP, sent=False
    )


def _tls_failure(text: str, address: ServerAddress, *, sent: bool) -> ArgojobsError:
    """Tell the wrong certificate from the wrong protocol, and both from a broken line."""
    if "WRONG_VERSION_NUMBER" in text or "UNKNOWN_PROTOCOL" in text or "RECORD_LAYER" in text:
        plain = "http" + address.url.removeprefix("https")
        return UsageError(
            f"the server {address.whole} speaks http, not https",
            hint=f"its address is {plain} then (ARGO_SECURE=false)",
        )
    if "Hostname mismatch" in text or "IP address mismatch" in text or "doesn't match" in text:
        return UsageError(
            f"the certificate of the server {address.whole} is for another host",
            hint=f"use the host that the certificate names; or {_TRUST.partition('or ')[2]}",
        )
    if "certificate has expired" in text:
        return UsageError(
            f"the certificate of the server {address.whole} has expired",
            hint="whoever runs the server has to renew it",
        )
    if "CERTIFICATE_VERIFY_FAILED" in text:
        if address.ca_file:
            what = f"is not signed by the CA in {address.ca_file}"
        elif "self-signed" in text or "self signed" in text:
            what = "is signed by itself or by a CA that is not known here"
        else:
            what = "is signed by a CA that is not known here"
        return UsageError(f"the certificate of the server {address.whole} {what}", hint=_TRUST)
    if "alert" in text.lower() and "certificate" in text.lower():
        return UsageError(
            f"the server {address.whole} takes no client without a certificate that it trusts",
            hint="give one: a context's `client_certificate` and `client_key`",
        )
    return AmbiguousResponseError(
        f"no secure connection to the server {address.whole}: it broke off",
        hint=_UP if address.certificate else f"{_UP}; or it wants a client certificate",
        sent=sent,
    )


def missing_file(path: str, what: str, address: ServerAddress) -> UsageError:
    """Return the error for a file of an address that is not there.

    Args:
        path: of the file.
        what: what it is, `the CA file` for example, or the variable that names it.
        address: of the server.
    """
    return UsageError(
        f"{what} of {address.called} cannot be read: {path}", hint="give the path of a PEM file"
    )


def speaks_https(address: ServerAddress) -> UsageError:
    """The address says http, and the server answered that it speaks https."""
    secure = "https" + address.url.removeprefix("http")
    return UsageError(
        f"the server {address.whole} speaks https, not http",
        hint=f"its address is {secure} then (ARGO_SECURE=true)",
    )
