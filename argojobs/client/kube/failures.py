"""What goes wrong with a kubeconfig or a Kubernetes API server, as errors of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from argojobs.client.address import ServerAddress
from argojobs.client.answers import Asked, failure, parsed
from argojobs.client.failures import ForeignAnswerError, UnclearError
from argojobs.errors import ArgojobsError, ConflictError, HostError, NotFoundError, UsageError

if TYPE_CHECKING:
    from argojobs.client.kube.connection import Kube

_TRUST = "the kubeconfig has to hold the certificate of who signed it (certificate-authority)"


def no_kubeconfig(what: str, kube: Kube) -> UsageError:
    """The kubeconfig is missing, wrong, or lacks the context."""
    return UsageError(
        f"the kubeconfig {kube.kubeconfig} cannot be used: {what}",
        where=kube.label,
        hint="give one that works with kubectl: a context's `kubeconfig` and `kube_context`, "
        "or KUBECONFIG",
    )


def no_credentials(user: str, what: str, kube: Kube) -> HostError:
    """A program of the kubeconfig, which prints credentials, gave none."""
    return HostError(
        f"the program of the kubeconfig's user {user!r} gave no credentials: {what.strip()}",
        where=kube.label,
        hint="log in as that program wants it, or run kubectl once: it shows what is asked",
    )


def answered(status: int, text: str, kube: Kube, method: str, path: str) -> ArgojobsError:
    """Return the error that an answer of a Kubernetes API server is."""
    if status == 0:
        return _no_trust(text, kube)
    message = _message(text)
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


def out_of_reach(error: Exception, kube: Kube) -> ArgojobsError:
    """Return what an exception of the HTTP library means."""
    text = f"{error!r} {getattr(error, 'reason', '')!r}"
    if "CERTIFICATE_VERIFY_FAILED" in text or "SSLError" in text:
        return _no_trust(text, kube)
    reason = str(getattr(error, "reason", None) or error).rpartition(": ")[2]
    return UnclearError(
        f"the Kubernetes API server {kube.address} is out of reach: {reason}",
        where=kube.label,
        hint="is the kubeconfig's address right, and is a VPN needed? then try again",
        sent=False,
    )


def _no_trust(text: str, kube: Kube) -> UsageError:
    return UsageError(
        f"no secure connection to the Kubernetes API server {kube.address}: {text[:300]}",
        where=kube.label,
        hint=_TRUST,
    )


def _message(text: str) -> str:
    """The message of a Status object, else the text itself."""
    try:
        read: Any = parsed(text.encode())
    except ValueError:
        return text.strip()[:500]
    return str(read.get("message", "")) if isinstance(read, dict) else text.strip()[:500]
