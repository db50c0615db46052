# travels with: job
"""AWS Signature Version 4, which every S3 asks for: a pure function from a request to its headers.

Source: AWS General Reference, "Create a signed AWS API request".
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: The digest of no content.
EMPTY = sha256().hexdigest()


class Keys(NamedTuple):
    """Whose request it is; nothing of it is ever shown."""

    access: str
    secret: str
    token: str

    def __repr__(self) -> str:
        return "Keys(...)"


class Request(NamedTuple):
    """What is signed. path: quoted already. digest: the SHA-256 of the body, in hexadecimal."""

    method: str
    host: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    digest: str


def query_text(query: Mapping[str, str]) -> str:
    """Return a query as it is sent and signed."""
    return "&".join(f"{quote(k, safe='')}={quote(v, safe='')}" for k, v in sorted(query.items()))


def signed(request: Request, keys: Keys, region: str, now: str) -> dict[str, str]:
    """Return the headers of a request with its signature.

    Args:
        request: what is asked for.
        keys: whose it is.
        region: where the bucket lies.
        now: `20261129T101500Z`.
    """
    sent = {"host": request.host, "x-amz-content-sha256": request.digest, "x-amz-date": now}
    if keys.token:
        sent["x-amz-security-token"] = keys.token
    sent.update((name.lower(), text.strip()) for name, text in request.headers.items())
    names = ";".join(sorted(sent))
    lines = "".join(f"{name}:{sent[name]}\n" for name in sorted(sent))
    asked = (request.method, request.path, query_text(request.query), lines, names, request.digest)
    scope = f"{now[:8]}/{region}/s3/aws4_request"
    text = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{sha256(chr(10).join(asked).encode()).hexdigest()}"
    key = f"AWS4{keys.secret}".encode()
    for part in (*scope.split("/"), text):
        key = hmac.digest(key, part.encode(), "sha256")
    sent["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={keys.access}/{scope}, "
        f"SignedHeaders={names}, Signature={key.hex()}"
    )
    return sent
