"""Whose certificates a server may show: one TLS context, for whichever library speaks."""

from __future__ import annotations

import ssl
from pathlib import Path

import certifi


def context_of(ca: str | bytes | None = None, *, insecure: bool = False) -> ssl.SSLContext:
    """Return how connections to a server are secured.

    Args:
        ca: who signs its certificate: a file, a folder, or the text of a file; what this machine
            and certifi know for None.
        insecure: any certificate will do; the user asks for it by name.

    Raises:
        OSError, ValueError: what is given is not certificates.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif ca is not None:
        load(context, ca)
    else:
        context.load_default_certs()
        context.load_verify_locations(certifi.where())
    return context


def load(context: ssl.SSLContext, ca: str | bytes) -> None:
    """Trust further certificates. Raises OSError, ValueError."""
    if isinstance(ca, bytes):
        context.load_verify_locations(cadata=ca.decode("ascii", "ignore"))
    elif Path(ca).is_dir():
        context.load_verify_locations(capath=ca)
    else:
        context.load_verify_locations(cafile=ca)
