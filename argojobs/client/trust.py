"""Whose certificates an Argo server may show, and the one that we show: the TLS side of an address."""

from __future__ import annotations

import os
import ssl
from pathlib import Path

from argojobs.client.address import ServerAddress
from argojobs.client.failures import missing_file
from argojobs.errors import UsageError
from argojobs.net import trust

#: Variables that name a bundle of CAs, as requests and curl read them.
_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


def context_of(address: ServerAddress) -> ssl.SSLContext:
    """Return how a connection to a server is secured. Raises UsageError for files that are wrong."""
    what, ca = "the CA file", address.ca_file
    if not ca:
        what = next(filter(os.environ.get, _BUNDLES), "")
        ca = os.environ.get(what, "")
    try:
        context = trust.context_of(ca or None, insecure=address.insecure)
    except FileNotFoundError:
        raise missing_file(ca, what, address) from None
    except (OSError, ValueError) as error:
        raise _wrong_file(ca, what, address, error) from error
    _show_ours(context, address)
    return context


def _show_ours(context: ssl.SSLContext, address: ServerAddress) -> None:
    what = "the client certificate"
    for path in (address.certificate, address.key):
        if path and not Path(path).is_file():
            raise missing_file(path, what, address)
    if not address.certificate:
        return
    try:
        context.load_cert_chain(address.certificate, address.key or None)
    except (OSError, ssl.SSLError) as error:
        raise _wrong_file(address.certificate, what, address, error) from error


def _wrong_file(path: str, what: str, address: ServerAddress, error: Exception) -> UsageError:
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or str(error)
    return UsageError(
        f"{what} of {address.called} cannot be used: {path} ({reason})",
        hint="give the path of a PEM file, and of its key",
    )
