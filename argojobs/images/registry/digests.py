"""Digests, as registries write them. Source: the OCI image specification, "Digests"."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

_DIGEST = re.compile(r"[a-z0-9]+([+._-][a-z0-9]+)*:[0-9a-fA-F]{32,}")


def sha256(content: bytes) -> str:
    """Return the digest of bytes: `sha256:` and 64 hexadecimal digits."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def told_digest(headers: Mapping[str, str]) -> str:
    """Return the digest that an answer's headers tell, "" where they tell none that can be."""
    told = headers.get("Docker-Content-Digest", "")
    return told if _DIGEST.fullmatch(told) else ""
