"""The check of a context's image registry. Source: the OCI distribution specification, `/v2/`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from argojobs.cli.doctor.checking import Check, attempt, failed, ok
from argojobs.errors import ServerError

if TYPE_CHECKING:
    import requests

    from argojobs.config.contexts import Context, Registry

Secret = tuple[str, str]

_SECONDS = 10
_CHALLENGE = re.compile(r'(\w+)="([^"]*)"')


def registry_checks(context: Context) -> Iterator[Check]:
    """Yield whether the registry answers and takes the context's user; nothing without one."""
    if context.registry is not None and context.registry.url:
        known = context.registry
        yield from attempt("registry", lambda: registry(known, context.name))


def registry(known: Registry, context: str) -> Check:
    """Ask a registry for its version of the protocol. Raises ServerError where it is out of reach."""
    from argojobs.config.secret_references import resolve

    given = (known.user, resolve(known.password)) if known.user and known.password else None
    url, answer, secret = _first(known.url, given)
    challenge = answer.headers.get("WWW-Authenticate", "")
    refused = answer.status_code in (401, 403)
    if refused and secret is not None and challenge.lower().startswith("bearer"):
        fields = dict(_CHALLENGE.findall(challenge))
        query = urlencode({key: fields[key] for key in ("service",) if key in fields})
        token = _get(f"{fields.get('realm', '')}?{query}", secret)
        refused = token.status_code != 200
    if refused and secret is not None:
        return failed(
            "registry",
            f"{url} does not take the user {known.user}",
            f"argojobs config set contexts.{context}.registry.password REFERENCE",
        )
    if answer.status_code not in (200, 401, 403):
        return failed(
            "registry",
            f"{url}/v2/ answers {answer.status_code}: it is no registry of images",
            f"argojobs config set contexts.{context}.registry.url HOST[:PORT]",
        )
    as_whom = f", as {known.user}" if secret is not None else ""
    return ok("registry", f"{url} answers{as_whom}")


def _first(url: str, secret: Secret | None) -> tuple[str, requests.Response, Secret | None]:
    """Return the address that answers, what it answers, and whom it was told.

    https is tried first, and http where a name has no scheme; then it is told nobody.
    """
    import requests

    host = url.rstrip("/")
    tries = [host] if "://" in host else [f"https://{host}", f"http://{host}"]
    problem: Exception | None = None
    for address in tries:
        # a password goes only where the line is safe, or where http was asked for by name
        shown = secret if address.startswith("https://") or "://" in host else None
        try:
            return address, _get(f"{address}/v2/", shown), shown
        except requests.RequestException as error:
            problem = problem or error
    raise ServerError(
        f"the registry {host} is out of reach",
        hint="is its address right, and does it run? then try again",
    ) from problem


def _get(url: str, secret: Secret | None) -> requests.Response:
    import requests

    return requests.get(url, auth=secret, timeout=_SECONDS)
