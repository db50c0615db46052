"""The set-up of a context's namespace: written for whoever may apply it, or applied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from argojobs.client.address import DEFAULT_NAMESPACE
from argojobs.client.kube.connection import Kube
from argojobs.client.kube.objects import apply, create, merge, read
from argojobs.config.context_defaults import defaults_of
from argojobs.config.contexts import Context
from argojobs.edits.context_defaults import LIMITS, limit_of
from argojobs.errors import UsageError
from argojobs.manifest.cluster_setup import READER, SUBMITTER, Setup, setup_objects
from argojobs.manifest.yaml_write import write_yaml
from argojobs.runs.cluster import has_kubeconfig, kube_of, namespace_in


def namespace_of(context: Context) -> str:
    """Return the namespace that is set up: the context's, else the kubeconfig's."""
    if context.namespace or not has_kubeconfig(context):
        return context.namespace or DEFAULT_NAMESPACE
    return namespace_in(context, kube_of(context))


def objects_of(context: Context, namespace: str) -> list[dict[str, Any]]:
    """Return what the context's namespace needs, in order."""
    limit = limit_of(defaults_of(context))
    claims = {context.storage_claim: context.storage_size} if context.storage else {}
    return setup_objects(
        Setup(
            namespace=namespace,
            service_account=context.service_account or "default",
            secret=context.s3.secret_name if context.s3 is not None else "",
            claims=claims,
            limits=dict([limit]) if limit is not None else {},
            limits_name=LIMITS,
        )
    )


def as_text(objects: list[dict[str, Any]], context: str, namespace: str) -> str:
    """Return objects as the text of a YAML file, which says first what it is for.

    Args:
        objects: of Kubernetes, in the order in which they are applied.
        context: its name, for the first line.
        namespace: where tokens are made.
    """
    head = (
        f"# What runs of the context {context} need in the namespace {namespace}.\n"
        "# kubectl apply -f FILE; then a token of who is to submit, or of who only looks:\n"
        f"#   kubectl create token {SUBMITTER} --namespace {namespace} --duration=24h\n"
        f"#   kubectl create token {READER} --namespace {namespace} --duration=24h\n"
    )
    return head + "---\n".join(write_yaml(one) for one in objects)


def applied(kube: Kube, objects: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str]]:
    """Apply objects one by one and yield each with why it was not; "" where it was.

    A namespace or claim that is there stays as it is: its size or class may not be changed. The
    limits of other contexts stay, too.
    """
    for one in objects:
        kind, metadata = one["kind"], one["metadata"]
        try:
            if kind in ("Namespace", "PersistentVolumeClaim"):
                if read(kube, kind, metadata.get("namespace", ""), metadata["name"]) is None:
                    create(kube, one)
            elif kind == "ConfigMap":
                merge(kube, one)
            else:
                apply(kube, one)
        except UsageError as error:
            yield one, error.what
        else:
            yield one, ""
