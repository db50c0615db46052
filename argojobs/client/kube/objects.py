"""Objects of Kubernetes by kind, namespace and name, as plain dicts.

Source of the paths: Kubernetes API reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from argojobs.client.kube.connection import APPLY, MANAGER, MERGE, Kube
from argojobs.client.kube.failures import misshapen
from argojobs.client.shapes import unnamed
from argojobs.errors import NotFoundError, UsageError
from argojobs.net.bounds import LONGEST_LIST

Object = dict[str, Any]

#: Objects of a page of a list.
_PAGE = 500
_CORE = "/api/v1"
_RBAC = "/apis/rbac.authorization.k8s.io/v1"


class _Kind(NamedTuple):
    base: str
    plural: str
    namespaced: bool = True


_KINDS = {
    "Namespace": _Kind(_CORE, "namespaces", namespaced=False),
    "Node": _Kind(_CORE, "nodes", namespaced=False),
    "Pod": _Kind(_CORE, "pods"),
    "Event": _Kind(_CORE, "events"),
    "Service": _Kind(_CORE, "services"),
    "Secret": _Kind(_CORE, "secrets"),
    "ConfigMap": _Kind(_CORE, "configmaps"),
    "ServiceAccount": _Kind(_CORE, "serviceaccounts"),
    "PersistentVolumeClaim": _Kind(_CORE, "persistentvolumeclaims"),
    "Role": _Kind(_RBAC, "roles"),
    "RoleBinding": _Kind(_RBAC, "rolebindings"),
}


def path_to(kind: str, namespace: str = "", name: str = "") -> str:
    """Return the path of an object, or of all of a kind.

    Args:
        kind: as a manifest writes it, `Pod` for example.
        namespace: "" for all of them; it is left out for kinds that have none.
        name: of the object, "" for all of them.

    Raises:
        UsageError: the kind is not known here.
    """
    known = _KINDS.get(kind)
    if known is None:
        raise UsageError(
            f"{kind} is not a kind that is known here", hint=f"known: {', '.join(_KINDS)}"
        )
    inside = f"/namespaces/{quote(namespace)}" if known.namespaced and namespace else ""
    return f"{known.base}{inside}/{known.plural}{f'/{quote(name)}' if name else ''}"


def read(kube: Kube, kind: str, namespace: str, name: str) -> Object | None:
    """Return an object, None where there is none.

    Args:
        kube: the cluster.
        kind: as a manifest writes it, `Pod` for example.
        namespace: it is left out for kinds that have none.
        name: of the object.

    Raises:
        UsageError: it may not be read, or the kind is not known here.
        ServerError: the cluster is out of reach.
    """
    try:
        found = kube.ask("GET", path_to(kind, namespace, name))
    except NotFoundError:
        return None
    if fault := unnamed(found):
        raise misshapen(fault, kube)
    return found


def list_all(
    kube: Kube, kind: str, namespace: str = "", *, labels: str = "", fields: str = ""
) -> list[Object]:
    """Return all objects of a kind in a namespace, or in all of them, a page after the other.

    Args:
        kube: the cluster.
        kind: such as "Pod".
        namespace: "" for all.
        labels: a selector, as kubectl takes it.
        fields: likewise.
    """
    query = {"limit": str(_PAGE)}
    if labels:
        query["labelSelector"] = labels
    if fields:
        query["fieldSelector"] = fields
    found: list[Object] = []
    for _ in range(LONGEST_LIST // _PAGE):
        page = kube.ask("GET", path_to(kind, namespace), query=query)
        found += page.get("items", [])
        more = page.get("metadata", {}).get("continue", "")
        if not more:
            return found
        if more == query.get("continue"):
            raise misshapen("the same page of a list comes again and again", kube)
        query["continue"] = more
    raise misshapen("a list has no end", kube)


def create(kube: Kube, value: Mapping[str, Any], *, dry_run: bool = False) -> Object:
    """Make an object, and return it as it is stored.

    Args:
        kube: the cluster.
        value: the whole object; its kind, namespace and name say where it goes.
        dry_run: whether the cluster only checks it.

    Raises:
        ConflictError: it is there already.
    """
    query = {"dryRun": "All"} if dry_run else None
    return kube.ask("POST", _path(value, named=False), query=query, body=dict(value))


def apply(kube: Kube, value: Mapping[str, Any]) -> Object:
    """Make an object, or change it to what is said; what is not said stays. Applied twice: the same."""
    query = {"fieldManager": MANAGER, "force": "true"}
    return kube.ask("PATCH", _path(value, named=True), query=query, body=dict(value), kind=APPLY)


def merge(kube: Kube, value: Mapping[str, Any]) -> Object:
    """Make an object, or put what is said over what it has; what is not said stays.

    Unlike `apply` it leaves alone what an earlier call of ours has said.
    """
    metadata = value["metadata"]
    name, namespace = metadata["name"], metadata.get("namespace", "")
    if read(kube, str(value["kind"]), namespace, name) is None:
        return create(kube, value)
    return kube.ask("PATCH", _path(value, named=True), body=dict(value), kind=MERGE)


def _path(value: Mapping[str, Any], *, named: bool) -> str:
    metadata = value["metadata"]
    return path_to(
        str(value["kind"]), metadata.get("namespace", ""), metadata["name"] if named else ""
    )
