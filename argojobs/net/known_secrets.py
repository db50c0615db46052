"""The secrets that this process has shown to servers, so that what they answer does not show them.

A server, or a page before it, may give back the header that it got.
"""

from __future__ import annotations

MASK = "***"
#: Characters; what is shorter stands in too many words to be masked.
_SHORTEST = 6

_known: set[str] = set()


def remember(secret: str) -> str:
    """Note a secret that goes to a server, and return it."""
    if len(secret) >= _SHORTEST:
        _known.add(secret)
    return secret


def masked(text: str) -> str:
    """Return a text without the secrets that are known."""
    for secret in _known:
        if secret in text:
            text = text.replace(secret, MASK)
    return text
