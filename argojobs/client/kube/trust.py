"""Whose certificate an API server may show, and the one that we show to it."""

from __future__ import annotations

import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from argojobs.client.kube.kubeconfig import Cluster, Pem
from argojobs.errors import UsageError
from argojobs.net import trust


def context_of(cluster: Cluster, certificate: tuple[Pem, Pem] | None, label: str) -> ssl.SSLContext:
    """Return how connections to an API server are secured.

    Args:
        cluster: who signs its certificate; what this machine and certifi know where it says none.
        certificate: the one that we show, and its key.
        label: what messages call the place.

    Raises:
        UsageError: a certificate or key cannot be used.
    """
    try:
        context = trust.context_of(_content(cluster.ca), insecure=cluster.insecure)
    except (OSError, ValueError) as error:
        assert cluster.ca is not None
        raise _wrong(cluster.ca, error, label) from error
    if certificate is not None:
        _show(context, *certificate, label)
    return context


def _content(pem: Pem | None) -> str | bytes | None:
    return None if pem is None else pem.path or pem.data


def _show(context: ssl.SSLContext, certificate: Pem, key: Pem, label: str) -> None:
    def no_password() -> NoReturn:
        raise ValueError("it has a password")

    try:
        with _as_file(certificate) as first, _as_file(key) as second:
            context.load_cert_chain(first, second, password=no_password)
    except (OSError, ValueError) as error:
        raise _wrong(_at_fault(certificate, key), error, label) from error


@contextmanager
def _as_file(pem: Pem) -> Iterator[str]:
    """Give the path of a file, since OpenSSL reads no other certificates of ours."""
    if pem.path:
        yield pem.path
        return
    with tempfile.NamedTemporaryFile() as file:  # of mode 0600, gone as soon as it is read
        file.write(pem.data)
        file.flush()
        yield file.name


def _at_fault(certificate: Pem, key: Pem) -> Pem:
    """Return which of the two cannot be used: the certificate, unless it can be read by itself."""
    try:
        trust.context_of(_content(certificate))
    except (OSError, ValueError):
        return certificate
    return key


def _wrong(pem: Pem, error: Exception, label: str) -> UsageError:
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
    file = f": {pem.path}" if pem.path else ""
    return UsageError(
        f"{pem.called} cannot be used ({reason}){file}",
        where=label,
        hint="it has to be PEM; does kubectl work with this kubeconfig?",
    )
