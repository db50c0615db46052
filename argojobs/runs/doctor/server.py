"""Checks of an Argo server: reached, of a known version, who it takes us for, what we may do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from argojobs.client.http import Request
from argojobs.client.paths import path_of
from argojobs.client.rest import ArgoService
from argojobs.config.contexts import Context
from argojobs.runs.doctor.checking import Check, attempt, failed, ok, warning

OLDEST, NEWEST = (3, 5), (4, 1)


def server_checks(service: ArgoService, context: Context) -> Iterator[Check]:
    """Yield what is found of a context's server, as long as it answers."""
    first = list(attempt("server", lambda: server(service)))
    yield from first
    if first[0].state == "failed" and "token" not in first[0].what:  # it wants to know who we are
        return
    found = list(attempt("auth", lambda: auth(service)))
    yield from found
    if any(check.state == "failed" for check in found):
        return
    yield from attempt("read", lambda: read(service))
    yield from attempt("submit", lambda: submit(service, context))


def server(service: ArgoService) -> Check:
    """The server answers, and its version is one that is known."""
    version = service.version()
    said = f"Argo {version} at {service.address.url}"
    found = re.match(r"v?(\d+)\.(\d+)", version)
    if found is None:
        return warning("server", f"{said}: no version that is known", "Argo 3.5 to 4.1 is tested")
    number = (int(found[1]), int(found[2]))
    if number < OLDEST:
        return failed("server", f"{said} is too old", "argojobs needs Argo 3.5 or newer")
    if number > NEWEST:
        return warning("server", f"{said} is newer than what is known", "Argo 3.5 to 4.1 is tested")
    return ok("server", said)


def auth(service: ArgoService) -> Check:
    """Who the server takes us for."""
    user = service.user()
    who = str(user.get("subject") or user.get("serviceAccountName") or "")
    if not who:
        token = service.address.token is not None
        return ok(
            "auth",
            "the server does not say whose the token is"
            if token
            else "the server asks nobody who they are",
        )
    return ok("auth", f"as {who}")


def read(service: ArgoService) -> Check:
    """Runs may be listed in the namespace; in one that is not there, too."""
    count = len(service.list(limit=1))
    shows = "has runs" if count else "shows no runs"
    return ok("read", f"the namespace {service.namespace} {shows}")


def submit(service: ArgoService, context: Context) -> Check:
    """A run may be created: the server asks Kubernetes, and nothing is made.

    Source: Argo's API, WorkflowCreateRequest.serverDryRun.
    """
    body = {
        "namespace": service.namespace,
        "workflow": trial(context, "exit 0"),
        "serverDryRun": True,
    }
    path = path_of("api", "v1", "workflows", service.namespace)
    service.transport.call(Request("POST", path, body=body), repeat=True)
    return ok("submit", f"runs may be created in the namespace {service.namespace}")


def trial(context: Context, script: str) -> dict[str, Any]:
    """Return a workflow of one small step in the context's image."""
    container = {"image": context.image or "busybox:1.36", "command": ["sh", "-c", script]}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"generateName": "argojobs-doctor-"},
        "spec": {"entrypoint": "main", "templates": [{"name": "main", "container": container}]},
    }
