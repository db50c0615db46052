"""A context of a real Argo server at work: its service over REST, its store in S3."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from argojobs.client.address import (
    DEFAULT_NAMESPACE,
    ServerAddress,
    from_environment,
    parse,
    with_base_href,
)
from argojobs.config.secret_references import resolve
from argojobs.errors import ServerError, UsageError
from argojobs.runs.cluster import forwarded_server, has_kubeconfig, namespace_in
from argojobs.runs.progress import Tell, silent
from argojobs.storage.s3_place import credentials_of, elsewhere, of_context

if TYPE_CHECKING:
    from argojobs.client.rest import ArgoService
    from argojobs.config.contexts import Context
    from argojobs.storage.s3 import S3Repository


T = TypeVar("T")


def remote_service(
    context: Context,
    repository: Callable[[], S3Repository] | None = None,
    options: str = "",
    tell: Tell = silent,
) -> ArgoService:
    """Return the service of a context's Argo server; nothing is sent yet.

    Args:
        context: whose server it is.
        repository: opens the context's bucket, where the caller has one open already.
        options: what a command must say to get there, for hints.
        tell: hears what is worth knowing and not an error.
    """
    from argojobs.client.rest import ArgoService

    opened = repository or (lambda: remote_repository(context))
    found = _in(context, lambda: address_of(context))
    address = replace(found, options=options, instead=context.way_back)
    return ArgoService(
        address,
        note=partial(tell, "note"),
        repository=opened if context.s3 is not None else None,
    )


def address_of(context: Context, environ: Mapping[str, str] | None = None) -> ServerAddress:
    """Return where a context's server is, and how to show who we are.

    What the context leaves out is taken from Argo's own variables (ARGO_TOKEN, ARGO_NAMESPACE,
    ...) where ARGO_SERVER names the same server, so that no token goes elsewhere. Where neither
    says a server, it is reached through the kubeconfig. Raises UsageError where there is none.
    """
    argo = from_environment(os.environ if environ is None else environ)
    if not context.server and (argo is None or context.kubeconfig or context.kube_context):
        return _inside(context)
    url = parse(context.server) if context.server else argo.url if argo else ""
    url = with_base_href(url, context.base_href)
    same = argo if argo is not None and argo.url == url else None
    return ServerAddress(
        url=url,
        namespace=context.namespace or (same.namespace if same else DEFAULT_NAMESPACE),
        token=_token(context) or (same.token if same else None),
        ca_file=context.ca,
        insecure=context.insecure or bool(same and same.insecure),
        certificate=context.client_certificate,
        key=context.client_key,
        label=context.name,
    )


def _inside(context: Context) -> ServerAddress:
    """Return the address of a server inside the cluster, by a port-forward that is opened now.

    Its certificate is not looked at: the way to it is the API server's, whose own was checked.
    """
    if not has_kubeconfig(context):
        raise UsageError(
            f"the context {context.name} has no server and no kubeconfig to find one with",
            hint=f"argojobs config set contexts.{context.name}.server URL, or set ARGO_SERVER",
        )
    kube, url = forwarded_server(context)
    return ServerAddress(
        url=with_base_href(url, context.base_href),
        namespace=namespace_in(context, kube),
        token=_token(context) or (lambda: kube.token),
        insecure=True,
        label=context.name,
    )


def remote_repository(context: Context, bucket: str = "") -> S3Repository:
    """Return a bucket of a context's S3, its own unless named. Raises UsageError without S3.

    Whole keys: the context's prefix is not put before them.
    """
    from argojobs.storage.s3 import S3Repository  # brings minio, a third of a second

    if context.s3 is None:
        raise UsageError(
            f"the context {context.name} has no S3 to store things in",
            hint=f"argojobs context edit {context.name}: give it [s3] endpoint, bucket and keys",
        )
    s3 = context.s3

    def opened() -> S3Repository:
        place = of_context(s3, ca_file=context.ca, insecure=context.insecure)
        named = replace(elsewhere(place, bucket or place.bucket), label=context.name)
        return S3Repository(named, credentials_of(s3))

    return _in(context, opened)


def _token(context: Context) -> Callable[[], str] | None:
    """Return what reads the token of a context whenever one is needed; None where it has none."""
    return (lambda: _in(context, lambda: resolve(context.token))) if context.token else None


def _in(context: Context, do: Callable[[], T]) -> T:
    """Return what `do` makes of a context; an error names it, and the way back to this machine."""
    try:
        return do()
    except (UsageError, ServerError) as error:
        error.where = error.where or f"the context {context.name}"
        error.hint = "\n".join(filter(None, (error.hint, context.way_back)))
        raise
