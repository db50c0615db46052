"""Who we are at a registry, as a value that does not show its secrets."""

from __future__ import annotations

from dataclasses import dataclass, field

#: Docker Hub has three names, and logins of it a fourth. Source: docker/cli, `docker login`.
HUB = "docker.io"
HUB_API = "registry-1.docker.io"
HUB_KEY = "https://index.docker.io/v1/"
_HUB_NAMES = frozenset({HUB, HUB_API, "index.docker.io", "registry.hub.docker.com"})


@dataclass(frozen=True, slots=True)
class Credentials:
    """A user and a password, or an identity token, which a registry changes for one of its own.

    source: where they are from, for messages.
    """

    user: str = ""
    password: str = field(default="", repr=False)
    identity_token: str = field(default="", repr=False)
    source: str = ""


def bare_host(text: str) -> str:
    """Return a registry's name without scheme, user, version or slash at its end: `HOST[:PORT][/PATH]`."""
    rest = text.partition("://")[2] or text
    host, slash, path = rest.rpartition("@")[2].partition("/")
    path = path.strip("/")
    if path in ("v1", "v2"):
        path = ""
    host = host.lower()
    name = HUB if host in _HUB_NAMES else host
    return f"{name}{slash}{path}" if path else name
