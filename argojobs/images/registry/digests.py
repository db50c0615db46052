"""Digests, as registries write them. Source: the OCI image specification, "Digests"."""

from __future__ import annotations

import hashlib


def sha256(content: bytes) -> str:
    """Return the digest of bytes: `sha256:` and 64 hexadecimal digits."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"
