"""Whose certificates a server may show, and the one that we show: the TLS side of an address."""

from __future__ import annotations

import os
import ssl
from pathlib import Path
from typing import TYPE_CHECKING

from argojobs.client.failures import missing_file
from argojobs.errors import UsageError

if TYPE_CHECKING:
    from argojobs.client.address import ServerAddress

#: Variables that name a bundle of CAs, as requests and curl read them.
_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


def context_of(address: ServerAddress) -> ssl.SSLContext:
    """Return how a connection to a server is secured. Raises UsageError for files that are wrong."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if address.insecure:  # asked for by name
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif address.ca_file:
        _load(context, address.ca_file, "the CA file", address)
    else:
        _load_known(context, address)
    _show_ours(context, address)
    return context


def _load_known(context: ssl.SSLContext, address: ServerAddress) -> None:
    """Trust the bundle that the environment names, else what this machine and certifi know."""
    for name in _BUNDLES:
        if path := os.environ.get(name):
            _load(context, path, name, address)
            return
    import certifi

    context.load_default_certs()
    context.load_verify_locations(certifi.where())


def _load(context: ssl.SSLContext, path: str, what: str, address: ServerAddress) -> None:
    try:
        if Path(path).is_dir():
            context.load_verify_locations(capath=path)
        else:
            context.load_verify_locations(cafile=path)
    except FileNotFoundError:
        raise missing_file(path, what, address) from None
    except (OSError, ssl.SSLError) as error:
        raise _wrong_file(path, what, address, error) from error


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


def _wrong_file(path: str, what: str, address: ServerAddress, error: OSError) -> UsageError:
    reason = getattr(error, "reason", None) or error.strerror or str(error)
    return UsageError(
        f"{what} of {address.called} cannot be used: {path} ({reason})",
        hint="give the path of a PEM file, and of its key",
    )
