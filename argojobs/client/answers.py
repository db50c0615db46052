"""What a server's answers mean: JSON as it should be, or which error of ours.

Source of the codes: gRPC's status codes, which Argo's gateway turns into HTTP's; of the texts:
Argo's and Kubernetes' servers, as recorded in `tests/client/recorded`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from argojobs.client.failures import AmbiguousResponseError, ForeignAnswerError, speaks_https
from argojobs.errors import (
    ArgojobsError,
    ConflictError,
    NotFoundError,
    UnsupportedError,
    UsageError,
)
from argojobs.net.known_secrets import masked

if TYPE_CHECKING:
    from argojobs.client.address import ServerAddress

#: gRPC's status codes that have an error of their own here.
CANCELLED, UNKNOWN, INVALID, DEADLINE, NOT_FOUND, EXISTS, FORBIDDEN, EXHAUSTED = range(1, 9)
PRECONDITION, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL, UNAVAILABLE = range(9, 15)
UNAUTHENTICATED = 16

#: Of an answer that only a status tells of.
_CODES = {
    400: INVALID,
    401: UNAUTHENTICATED,
    403: FORBIDDEN,
    404: NOT_FOUND,
    408: DEADLINE,
    409: EXISTS,
    429: EXHAUSTED,
    501: UNIMPLEMENTED,
    502: UNAVAILABLE,
    503: UNAVAILABLE,
    504: DEADLINE,
}

_CANNOT = re.compile(
    r'(?:User "(?P<user>[^"]+)" )?cannot (?P<verb>\w+) resource "(?P<resource>[^"]+)"'
    r'(?: in API group "(?P<group>[^"]*)")?(?: in the namespace "(?P<namespace>[^"]+)")?'
)
_NOT_ALLOWED = re.compile(
    r'not allowed to (?P<verb>\w+) (?P<resource>[\w.]+) in namespace "(?P<namespace>[^"]*)"'
)
#: The run is in a state that forbids the verb; Argo's codes for it are 3 and 13.
_WRONG_STATE = re.compile(
    r"cannot (retry|suspend|shutdown|resume|set)\b|to retry a succeeded workflow"
    r"|must be failed/error to retry|workflow is not suspended",
    re.IGNORECASE,
)
#: What Argo has tried for a while, to no avail, it answers as a failure of its own (resume).
_KUBERNETES_REFUSES = re.compile(r"is forbidden: User .* cannot ")
#: A watch began too far back (Kubernetes' 410): read the object again.
_EXPIRED_VERSION = re.compile(r"too old resource version|resourceVersion .*expired", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>\s*(.*?)\s*</title>", re.IGNORECASE | re.DOTALL)
_RENEW = (
    "tokens end after a while: get a new one, and give it by ARGO_TOKEN or by a context's `token`"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked, for messages: where, how, with what, and whose version it is."""

    address: ServerAddress
    method: str
    path: str
    with_token: bool
    version: Callable[[], str]


def read_json(body: bytes, content_type: str, asked: Asked) -> dict[str, Any]:
    """Return the JSON object of a good answer.

    Args:
        body: of the answer, whole.
        content_type: as its header says, to tell a web page.
        asked: what it answers, for messages.

    Raises:
        AmbiguousResponseError: it broke off.
        ForeignAnswerError: it is a web page, or JSON but not an object.
    """
    try:
        read = parsed(body)
    except ValueError:
        if _is_html(body, content_type):
            raise _web_page(body, asked) from None
        what = "the answer broke off" if body else "the answer is empty"
        raise AmbiguousResponseError(what, where=asked.address.called, hint="try again") from None
    if not isinstance(read, dict):
        raise misshapen("a JSON object", asked.address.called)
    return read


def parsed(text: bytes) -> Any:
    """Return what a JSON text says. Raises ValueError, for one that is nested too deeply as well."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def misshapen(wanted: str, called: str) -> ForeignAnswerError:
    """An answer that is JSON, but not what Argo's server gives. wanted: what it should be."""
    return ForeignAnswerError(
        f"the answer is not {wanted}, as an Argo server gives it",
        where=called,
        hint="does something else listen there? give the address of the Argo server itself",
    )


def failure(
    status: int, body: bytes, content_type: str, asked: Asked, *, retry_after: float = 0.0
) -> ArgojobsError:
    """Return the error that an answer with a status other than 200 is.

    Args:
        status: of HTTP.
        body: of the answer, whole.
        content_type: as its header says, to tell a web page.
        asked: what it answers, for messages.
        retry_after: seconds that the server asks to wait.
    """
    if b"HTTP request to an HTTPS server" in body:
        return speaks_https(asked.address)
    if _is_html(body, content_type):
        return _proxy(status, asked, retry_after) if status >= 500 else _web_page(body, asked)
    code, message = _code_and_message(body)
    if code is None:
        if status == HTTPStatus.NOT_FOUND and asked.path.startswith("/api/"):
            return _lacks_path(asked)
        code = _CODES.get(status, INTERNAL if status >= 500 else INVALID)
        message = body.decode("utf-8", "replace").strip()[:500] or _phrase(status)
    return refusal(code, message, asked, retry_after=retry_after)


def refusal(code: int, message: str, asked: Asked, *, retry_after: float = 0.0) -> ArgojobsError:
    """Return the error that a gRPC code and its message are.

    Args:
        code: of gRPC, not of HTTP.
        message: as the server wrote it; secrets in it are masked here.
        asked: what it answers, for messages.
        retry_after: seconds that the server asks to wait.
    """
    where, message = asked.address.called, masked(message)
    if _WRONG_STATE.search(message):
        return ConflictError(message, where=where)
    if _EXPIRED_VERSION.search(message):
        return AmbiguousResponseError(message, where=where, hint="try again")
    if code in (INVALID, PRECONDITION, OUT_OF_RANGE) or _is_finding(code, asked):
        return UsageError(message, where=where)
    if code == NOT_FOUND:
        return NotFoundError(message, where=where, hint=_missing_hint(message, asked))
    if code in (EXISTS, ABORTED):
        return ConflictError(message, where=where)
    if code == UNAUTHENTICATED:
        return _unauthenticated(message, asked)
    if code == FORBIDDEN or (code in (UNKNOWN, INTERNAL) and _KUBERNETES_REFUSES.search(message)):
        return _forbidden(message, asked)
    if code == UNIMPLEMENTED:
        return _lacks_path(asked)
    if code == EXHAUSTED and message != "EOF":
        return AmbiguousResponseError(
            f"too many requests: {message}",
            where=where,
            hint="wait a moment, then try again",
            retry_after=retry_after,
        )
    return AmbiguousResponseError(
        f"the server failed: {message}",
        where=where,
        hint="try again; the server's log says more",
        transient=code not in (INTERNAL, UNKNOWN),
        retry_after=retry_after,
    )


def _is_finding(code: int, asked: Asked) -> bool:
    """Tell whether it is what a server's lint found: no version gives that a code of its own."""
    return code == UNKNOWN and asked.path.endswith("/lint")


def redirected(location: str, asked: Asked) -> ForeignAnswerError:
    """The server sends elsewhere, where the token must not go."""
    location = masked(location)
    host = re.match(r"https?://[^/?#]+", location)
    return ForeignAnswerError(
        f"it sends to another address: {host[0] if host else location.partition('?')[0]}",
        where=asked.address.called,
        hint="a login page or a proxy stands before it: give the address of the Argo server itself",
    )


def _code_and_message(body: bytes) -> tuple[int | None, str]:
    """Read an error: of one answer, or of a stream that failed before its first message."""
    try:
        read = parsed(body.strip().removeprefix(b"data:"))
    except ValueError:
        return None, ""
    if isinstance(read, dict) and isinstance(read.get("error"), dict):
        read = {**read["error"], "code": read["error"].get("grpc_code")}
    if not isinstance(read, dict) or not isinstance(read.get("code"), int):
        return None, ""
    return read["code"], str(read.get("message", ""))


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return f"status {status}"


def _is_html(body: bytes, content_type: str) -> bool:
    start = body[:200].lstrip().lower()
    return "text/html" in content_type or start.startswith((b"<!doctype html", b"<html"))


def _web_page(body: bytes, asked: Asked) -> ForeignAnswerError:
    title = _TITLE.search(body[:20000].decode("utf-8", "replace"))
    called = f' "{masked(title[1])}"' if title and title[1] else ""
    return ForeignAnswerError(
        f"a web page{called} answers, not an Argo server",
        where=asked.address.called,
        hint=f"a login page or a proxy stands before it, or the address {asked.address.url} is "
        "not that of the server: its base href may be missing",
    )


def _proxy(status: int, asked: Asked, retry_after: float) -> AmbiguousResponseError:
    return AmbiguousResponseError(
        f"a proxy before the server answers {status} {_phrase(status)}",
        where=asked.address.called,
        hint="the server may be restarting; try again",
        retry_after=retry_after,
    )


def _lacks_path(asked: Asked) -> UnsupportedError:
    version = asked.version()
    called = f"this server ({version})" if version else "this server"
    return UnsupportedError(
        f"{called} has no {asked.method} {asked.path.partition('?')[0]}",
        where=asked.address.called,
        hint="it is older than Argo 3.5, which argojobs needs, or its base href is missing in the "
        f"address {asked.address.url}",
    )


def _missing_hint(message: str, asked: Asked) -> str:
    if message.startswith("namespaces "):
        return (
            "name another: a context's `namespace`, ARGO_NAMESPACE; or make it: "
            f"kubectl create namespace {asked.address.namespace}"
        )
    if not message.startswith("workflows."):
        return ""
    return f"argojobs list{asked.address.options} shows the runs there are"


def _unauthenticated(message: str, asked: Asked) -> UsageError:
    if not asked.with_token:
        return UsageError(
            "a token is wanted, and none is given",
            where=asked.address.called,
            hint="give one by ARGO_TOKEN or by a context's `token`",
        )
    detail = f": {message}" if message not in ("", "Unauthorized") else ""
    return UsageError(f"the token is not accepted{detail}", where=asked.address.called, hint=_RENEW)


def _forbidden(message: str, asked: Asked) -> UsageError:
    found = _CANNOT.search(message) or _NOT_ALLOWED.search(message)
    if found is None:
        return UsageError(
            f"not allowed: {message}",
            where=asked.address.called,
            hint=f"ask whoever runs the cluster; argojobs doctor{asked.address.options} says which "
            "roles are needed",
        )
    fields = found.groupdict()
    resource = fields["resource"] + (f".{fields['group']}" if fields.get("group") else "")
    namespace = fields["namespace"]
    within = f" in the namespace {namespace}" if namespace else " in all namespaces"
    user = f" as {fields['user']}" if fields.get("user") else ""
    role = f"a {'Role' if namespace else 'ClusterRole'} with the verb {fields['verb']!r}"
    bound = f"{role} on {resource!r} has to be bound to who the token is of"
    writes = f"argojobs doctor --write -{asked.address.options} writes it"
    return UsageError(
        f"not allowed to {fields['verb']} {resource}{within}{user}",
        where=asked.address.called,
        hint=f"{bound}; {writes if namespace else 'ask whoever runs the cluster'}",
    )
