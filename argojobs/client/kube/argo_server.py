"""Where the Argo server of a cluster is: found by its service, or by the labels of its pods.

Source of the names: Argo's own manifests (service and label `app` are `argo-server`), and its Helm
chart (`RELEASE-argo-workflows-server`, component `server`).
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from argojobs.client.address import DEFAULT_PORT
from argojobs.client.kube.connection import Kube
from argojobs.client.kube.forward import forwarded
from argojobs.client.kube.objects import list_all
from argojobs.errors import NotFoundError, UsageError

Object = Mapping[str, Any]

SERVICE = "argo-server"
CHART_ENDING = "argo-workflows-server"
#: Where Argo's own manifests put it.
USUAL_NAMESPACE = "argo"

_LABELS = (
    {"app": SERVICE},
    {"app.kubernetes.io/name": CHART_ENDING},
    {"app.kubernetes.io/component": "server", "app.kubernetes.io/part-of": "argo-workflows"},
)


@dataclass(frozen=True, slots=True)
class Found:
    """The server: in which namespace, pods by which labels, and the port in them, number or name."""

    namespace: str
    labels: Mapping[str, str]
    port: int | str


@contextmanager
def argo_server(kube: Kube, namespace: str) -> Iterator[str]:
    """Give the URL of the cluster's Argo server through a port-forward, while the context is open.

    namespace: of the runs; the server is there or in `argo`. Raises UsageError where there is
    none or it may not be reached, ServerError where none of its pods runs.
    """
    found = find(kube, namespace)
    pods = _pods(kube, found)
    port = port_number(found.port, _newest_ready(pods, found.namespace, kube.label))

    def choose() -> str:
        chosen = _newest_ready(_pods(kube, found), found.namespace, kube.label)
        return str(chosen["metadata"]["name"])

    with forwarded(kube, found.namespace, choose, port) as local:
        yield f"{'https' if speaks_tls(local) else 'http'}://127.0.0.1:{local}"


def find(kube: Kube, namespace: str) -> Found:
    """Return where the server is. Raises UsageError where it is in none of the namespaces."""
    places = list(dict.fromkeys(one for one in (namespace, USUAL_NAMESPACE) if one))
    refused: UsageError | None = None
    for place in places:
        try:
            chosen = choose_service(list_all(kube, "Service", place), place)
            if chosen is None:
                chosen = chosen_by_labels(list_all(kube, "Pod", place), place)
        except NotFoundError:
            continue
        except UsageError as error:  # not allowed there: perhaps in the other namespace
            refused = refused or error
            continue
        if chosen is not None:
            return chosen
    if refused is not None:
        raise refused
    raise UsageError(
        f"there is no Argo server in the namespace {' or '.join(places)}",
        where=kube.label,
        hint="give its address: argojobs config set contexts.NAME.server URL",
    )


def choose_service(services: Sequence[Object], namespace: str) -> Found | None:
    """Return where the Argo server's service leads, None where none of them is one."""
    for is_it in (_named, _labelled):
        for service in services:
            spec = service.get("spec") or {}
            ports = spec.get("ports") or []
            if is_it(service) and spec.get("selector") and ports:
                web = [one for one in ports if one.get("name") == "web"]
                usual = [one for one in ports if one.get("port") == DEFAULT_PORT]
                port = (web or usual or ports)[0]
                target = port.get("targetPort") or port.get("port") or DEFAULT_PORT
                return Found(namespace, spec["selector"], target)
    return None


def chosen_by_labels(pods: Sequence[Object], namespace: str) -> Found | None:
    """Return the server by its pods' labels, where it has no service."""
    for labels in _LABELS:
        if any(_has(pod, labels) for pod in pods):
            return Found(namespace, labels, DEFAULT_PORT)
    return None


def _newest_ready(pods: Sequence[Object], namespace: str, label: str) -> Object:
    """Return the newest pod that is ready. Raises ServerError where none is."""
    from argojobs.errors import ServerError

    ready = [pod for pod in pods if _is_ready(pod)]
    if not ready:
        raise ServerError(
            f"no pod of the Argo server is ready in the namespace {namespace} ({len(pods)} there)",
            where=label,
            hint=f"kubectl get pods --namespace {namespace} says why",
        )
    return max(ready, key=lambda pod: str(pod["metadata"].get("creationTimestamp", "")))


def port_number(port: int | str, pod: Object) -> int:
    """Return a service's target port as a number: names are of the pod's containers."""
    if str(port).isdecimal():
        return int(port)
    for container in (pod.get("spec") or {}).get("containers") or ():
        for one in container.get("ports") or ():
            if one.get("name") == port:
                return int(one.get("containerPort", DEFAULT_PORT))
    return DEFAULT_PORT


def speaks_tls(port: int) -> bool:
    """Whether what listens on a local port speaks TLS; its certificate does not matter.

    The way to it is the API server's, whose certificate has been checked.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as plain:
            context.wrap_socket(plain, server_hostname="argo-server").close()
    except (ssl.SSLError, OSError):
        return False
    return True


def _pods(kube: Kube, found: Found) -> list[dict[str, Any]]:
    labels = ",".join(f"{name}={value}" for name, value in found.labels.items())
    return list_all(kube, "Pod", found.namespace, labels=labels)


def _named(service: Object) -> bool:
    name = str(service["metadata"]["name"])
    return name == SERVICE or name.endswith(CHART_ENDING)


def _labelled(service: Object) -> bool:
    return any(_has(service, labels) for labels in _LABELS)


def _has(value: Object, labels: Mapping[str, str]) -> bool:
    present = value["metadata"].get("labels") or {}
    return all(present.get(name) == wanted for name, wanted in labels.items())


def _is_ready(pod: Object) -> bool:
    status = pod.get("status") or {}
    conditions = status.get("conditions") or ()
    ready = any(one.get("type") == "Ready" and one.get("status") == "True" for one in conditions)
    return ready and not pod["metadata"].get("deletionTimestamp")
