"""What goes wrong with a kubeconfig or a Kubernetes API server, as errors of ours."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Any

from argojobs.client.address import ServerAddress
from argojobs.client.answers import Asked, failure, parsed
from argojobs.client.failures import AmbiguousResponseError, ForeignAnswerError
from argojobs.errors import ArgojobsError, ConflictError, NotFoundError, UsageError
from argojobs.net.bounds import BoundsError
from argojobs.net.known_secrets import masked

if TYPE_CHECKING:
    from argojobs.client.kube.connection import Kube
    from argojobs.net.sending import LineError

_TRUST = "the kubeconfig has to hold the certificate of who signed it (certificate-authority)"


def answered(status: int, body: bytes, kube: Kube, method: str, path: str) -> ArgojobsError:
    """Return the error that an answer of a Kubernetes API server is.

    Args:
        status: of HTTP, and not a good one.
        body: of the answer: a Status object, or whatever stands before the server says.
        kube: the cluster that answered.
        method: of the request.
        path: of the request.
    """
    message = _message(body)
    if status == 401:
        return UsageError(
            "Kubernetes does not accept the kubeconfig's credentials",
            where=kube.label,
            hint="log in again; they end after a while",
        )
    if status == 404:
        return NotFoundError(message, where=kube.label)
    if status == 409:
        return ConflictError(message, where=kube.label)
    if status in (400, 422):
        return UsageError(message, where=kube.label)
    address = ServerAddress(url=kube.address, label=kube.label, options=options_of(kube))
    asked = Asked(address, method, path, with_token=True, version=lambda: "")
    return failure(status, message.encode(), "text/plain", asked)


def misshapen(fault: str, kube: Kube) -> ForeignAnswerError:
    """An answer that Kubernetes does not give. fault: what is wrong with it."""
    return ForeignAnswerError(
        f"the answer is not one of Kubernetes: {fault}",
        where=kube.label,
        hint=f"does something else listen at {kube.address}? the kubeconfig has to name the API server",
    )


def options_of(kube: Kube) -> str:
    """Return what a command must say to get there, with a blank in front; "" if that is not known."""
    return f" --context {kube.label}" if " " not in kube.label else ""


def out_of_reach(error: LineError, kube: Kube) -> ArgojobsError:
    """Return what it means that no answer came."""
    root = error.cause
    if isinstance(root, BoundsError):
        return misshapen(str(root), kube)
    if isinstance(root, ssl.SSLError) and not isinstance(root, ssl.SSLEOFError):
        return UsageError(
            f"no secure connection to the Kubernetes API server {kube.address}: {str(root)[:300]}",
            where=kube.label,
            hint=_TRUST,
        )
    over = " by its proxy" if error.by_proxy else ""
    return AmbiguousResponseError(
        f"the Kubernetes API server {kube.address} is out of reach{over}: "
        + masked(str(root).rpartition(": ")[2]),
        where=kube.label,
        hint="is the kubeconfig's address right, and is a VPN needed? then try again",
    )


def _message(body: bytes) -> str:
    """The message of a Status object, else the text itself; without what we showed."""
    try:
        read: Any = parsed(body)
    except ValueError:
        read = None
    text = read.get("message", "") if isinstance(read, dict) else body.decode("utf-8", "replace")
    return masked(str(text)).strip()[:2000]
