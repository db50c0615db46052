"""Tokens of a registry that asks for `Bearer`.

Source: distribution's "Token Authentication Specification" and "OAuth2 Token Authentication".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from argojobs.errors import ServerError, UsageError
from argojobs.images.registry.line import request

if TYPE_CHECKING:
    from collections.abc import Mapping

    import requests

    from argojobs.images.logins.credentials import Credentials

_CLIENT = "argojobs"


def token_for(
    challenge: Mapping[str, str],
    scope: str,
    who: Credentials | None,
    session: requests.Session,
    host: str,
    *,
    plain: bool,
) -> str:
    """Return a token for what a challenge names, "" where who we are is not taken.

    The scope is the challenge's, which is what the registry wants for the request; ours without one.
    plain: the registry is spoken to without TLS, as was asked for.
    Raises UsageError where the password would go over an open line that nobody asked for.
    """
    realm = challenge.get("realm", "")
    _check(realm, host, open_line=plain or who is None)
    wanted = {"scope": challenge.get("scope") or scope, "service": challenge.get("service", "")}
    fields = {name: value for name, value in wanted.items() if value}
    if who is not None and who.identity_token:
        form = {
            **fields,
            "grant_type": "refresh_token",
            "refresh_token": who.identity_token,
            "client_id": _CLIENT,
        }
        answer = request(session, "POST", realm, host, data=form)
    else:
        pair = (who.user, who.password) if who is not None else None
        more: dict[str, Any] = {"auth": pair} if pair else {}
        answer = request(session, "GET", realm, host, params=fields, **more)
    if answer.status_code in (400, 401, 403):
        return ""
    try:
        given = answer.json() if answer.status_code == 200 else {}
        token = given.get("token") or given.get("access_token") or ""
    except (ValueError, AttributeError, RecursionError):
        token = ""
    if not token:
        raise ServerError(
            f"{urlsplit(realm).netloc} gave no token for the registry {host}",
            hint="try again later",
        )
    return str(token)


def _check(realm: str, host: str, *, open_line: bool) -> None:
    """Refuse an address of tokens that is none, or that would see the password without TLS."""
    parts = urlsplit(realm)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UsageError(
            f"the registry {host} names no address for its tokens",
            hint="who runs it sets `auth.token.realm`",
        )
    if parts.scheme == "http" and not open_line:
        raise UsageError(
            f"the registry {host} wants the password sent to {parts.netloc} without TLS",
            hint="who runs it gives its tokens over https",
        )
