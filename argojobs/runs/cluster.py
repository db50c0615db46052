"""The Kubernetes below a context: its connection, and the way to an Argo server inside it.

The way is opened when it is first needed and stays open until the program ends.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from argojobs.client.address import DEFAULT_NAMESPACE
from argojobs.errors import UsageError

if TYPE_CHECKING:
    from argojobs.client.kube.connection import Kube
    from argojobs.config.contexts import Context
    from argojobs.service import Pods


#: Of each context whose way is open, by what it depends on: the connection and the URL.
_open: dict[tuple[str, str, str], tuple[Kube, str]] = {}
_ways = ExitStack()
atexit.register(_ways.close)


def has_kubeconfig(context: Context) -> bool:
    """Whether there is a kubeconfig: the context's, KUBECONFIG's, or the usual file."""
    from argojobs.client.kube.connection import KUBECONFIG_VARIABLE, USUAL_KUBECONFIG

    if context.kubeconfig or context.kube_context or os.environ.get(KUBECONFIG_VARIABLE):
        return True
    return Path(USUAL_KUBECONFIG).expanduser().is_file()


def kube_of(context: Context) -> Kube:
    """Return the connection of a context; nothing is sent yet."""
    from argojobs.client.kube.connection import Kube

    return Kube(context.kubeconfig, context.kube_context, label=context.name)


def namespace_in(context: Context, kube: Kube) -> str:
    """Return the namespace of a context's runs: its own, else the kubeconfig's."""
    return context.namespace or kube.namespace or DEFAULT_NAMESPACE


def forwarded_server(context: Context) -> tuple[Kube, str]:
    """Return the connection of a context, and the URL by which its Argo server is reached.

    Raises UsageError where there is no server or it may not be reached, ServerError where it is
    out of reach.
    """
    from argojobs.client.kube.argo_server import argo_server

    kube = kube_of(context)
    key = (kube.kubeconfig, context.kube_context, context.namespace)
    if key not in _open:
        _ways.enter_context(kube)
        _open[key] = kube, _ways.enter_context(argo_server(kube, namespace_in(context, kube)))
    return _open[key]


def close_ways() -> None:
    """Close all ways that are open, before the program ends by itself."""
    _open.clear()
    _ways.close()


def needed_kube(context: Context) -> Kube:
    """Return the connection of a context. Raises UsageError where it has no kubeconfig."""
    if not has_kubeconfig(context):
        raise UsageError(
            f"the context {context.name} has no kubeconfig, and Argo's server does not tell this",
            hint=f"argojobs config set contexts.{context.name}.kubeconfig FILE, or set KUBECONFIG",
        )
    return kube_of(context)


@contextmanager
def pods_of_cluster(context: Context, namespace: str = "") -> Iterator[Pods]:
    """Give the pods of a namespace, the context's own for "". Raises UsageError without a kubeconfig."""
    from argojobs.client.kube.pods import KubePods

    with needed_kube(context) as kube:
        yield KubePods(kube, namespace or namespace_in(context, kube))
