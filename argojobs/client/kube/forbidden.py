"""Who may not enter a pod, and which right that takes.

A websocket is asked for by GET, which takes the right to `get` pods/exec or pods/portforward; from
Kubernetes 1.35 on it takes `create` as well. Whoever lacks that is told neither the right nor his
name (seen with 1.35.4: `pods "NAME" is forbidden: `), so both are found out here.
"""

from __future__ import annotations

import re

from argojobs.client.kube.connection import Kube
from argojobs.client.kube.failures import options_of
from argojobs.errors import ArgojobsError, UsageError

_WAY_IN = re.compile(r"/namespaces/(?P<namespace>[^/]+)/pods/[^/]+/(?P<way>exec|portforward)$")
_REVIEWS = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
#: How the message begins that names a right.
_NAMED = "not allowed to "


def forbidden(error: ArgojobsError, kube: Kube, path: str) -> ArgojobsError:
    """Return the error for a refused websocket with the right that is missing and the remedy.

    Args:
        error: what the answer says by itself; it is returned where the path is not a way into a
            pod.
        kube: the cluster.
        path: what was asked for.
    """
    found = _WAY_IN.search(path)
    if found is None:
        return error
    resource = f"pods/{found['way']}"
    options = options_of(kube)
    what = f"{_NAMED}create {resource} in the namespace {found['namespace']}"
    return UsageError(
        error.what if error.what.startswith(_NAMED) else what + _as_whom(kube),
        where=error.where,
        hint=f"a Role with the verbs 'create' and 'get' on {resource!r} has to be bound to who the "
        f"kubeconfig is of; argojobs doctor --write -{options} writes it",
    )


def _as_whom(kube: Kube) -> str:
    """Say who we are, as Kubernetes names us; "" where it does not tell."""
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    try:
        answer = kube.ask("POST", _REVIEWS, body=body)
    except ArgojobsError:  # before 1.28 it is not there
        return ""
    name = ((answer.get("status") or {}).get("userInfo") or {}).get("username")
    return f" as {name}" if name else ""
