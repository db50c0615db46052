"""The line to a registry: with TLS or without, whose certificates are trusted, one request.

Sources: docker's rule of insecure registries (127.0.0.0/8 needs no TLS), and
containers-certs.d(5), "/etc/docker/certs.d".
"""

from __future__ import annotations

import ipaddress
import os
import socket
import ssl
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argojobs.errors import ArgojobsError, ServerError, UsageError
from argojobs.net.bounds import BoundsError

if TYPE_CHECKING:
    import requests

#: Seconds until a connection stands, and until it says something.
TIMEOUT = (10, 60)


def is_near(host: str) -> bool:
    """Tell whether `HOST[:PORT]` is on this machine or in a private network.

    A name counts by all the addresses that it has; one that has none is not near.
    """
    name = name_of(host)
    try:
        addresses = {name} if _is_address(name) else _addresses(name)
    except OSError:
        return False
    return bool(addresses) and all(_is_private(address) for address in addresses)


def name_of(host: str) -> str:
    """Return a host without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def certificates_of(host: str) -> Path | None:
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


def request(
    session: requests.Session,
    method: str,
    url: str,
    host: str,
    **more: Any,
) -> requests.Response:
    """Make one request. Raises ServerError where nothing answers, UsageError without trust.

    Only what is read may lie elsewhere: a registry's layers do. What is sent, and a password, goes
    to no other address than this.
    """
    from argojobs.net.sending import LineError, whole

    follow = method in ("GET", "HEAD") and "auth" not in more
    try:
        return whole(session, method, url, timeout=TIMEOUT, allow_redirects=follow, **more)
    except LineError as error:
        raise _broken(error.cause, url, host) from error


def _broken(cause: Exception, url: str, host: str) -> ArgojobsError:
    """Return what it means that no answer came. cause: what came instead."""
    from requests.exceptions import InvalidURL

    if isinstance(cause, BoundsError):
        return ServerError(
            f"the registry {host} is not to be understood: {cause}",
            hint="is it a registry of images? who runs it can tell",
        )
    if isinstance(cause, ssl.SSLError):
        return _distrust(host, cause)
    if isinstance(cause, InvalidURL):
        return UsageError(f"{url} is not an address of a registry", hint="write HOST[:PORT]")
    return ServerError(
        f"the registry {host} is out of reach",
        hint="is its address right, and does it run? then try again",
    )


def open_session(host: str) -> requests.Session:
    """Return the connections to a registry: its certificates checked, no password of ~/.netrc."""
    import requests

    from argojobs.net.sessions import PLAIN, BoundedAdapter

    session = requests.Session()
    session.headers.update(PLAIN)
    session.max_redirects = 5
    for scheme in ("http://", "https://"):
        session.mount(scheme, BoundedAdapter())
    # otherwise requests would take a password from ~/.netrc over the header that we give
    session.auth = lambda prepared: prepared
    certificates = certificates_of(host)
    if certificates is not None:
        session.trust_env = False  # REQUESTS_CA_BUNDLE would win over it
        session.verify = str(certificates)
    return session


def _distrust(host: str, error: Exception) -> ArgojobsError:
    why = str(error)
    if "CERTIFICATE_VERIFY_FAILED" in why:
        return UsageError(
            f"the certificate of the registry {host} is not trusted here",
            hint=f"put the one that signed it into /etc/docker/certs.d/{host}/ca.crt",
        )
    return ServerError(
        f"the registry {host} does not speak TLS",
        hint=f"if it speaks http and the line is safe, name it so: http://{host}",
    )


def _addresses(name: str) -> set[str]:
    return {str(found[4][0]) for found in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)}


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_private(address: str) -> bool:
    found = ipaddress.ip_address(address.partition("%")[0])
    return found.is_loopback or found.is_private or found.is_link_local
