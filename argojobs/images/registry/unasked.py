"""A registry that is out of reach, as a plan takes it: it has what the lock file says, no more."""

from __future__ import annotations

from dataclasses import dataclass

from argojobs.images.logins.credentials import bare_host
from argojobs.images.registry.client import Registry
from argojobs.images.registry.http import Channel
from argojobs.images.registry.line import open_session


@dataclass(frozen=True, slots=True)
class UnaskedRegistry(Registry):
    """It answers without a request."""

    def digest(self, repository: str, reference: str) -> str | None:  # noqa: ARG002
        """Return a digest as it is: what was pushed is there. Tags are not known."""
        return reference if ":" in reference else None


def unasked_registry(url: str) -> Registry:
    """Return the registry of an address (`[SCHEME://]HOST[:PORT][/PREFIX]`), which is not asked."""
    host, _, prefix = bare_host(url).partition("/")
    base = url if "://" in url else f"https://{url}"
    return UnaskedRegistry(Channel(host, base, open_session(host), None), prefix)
