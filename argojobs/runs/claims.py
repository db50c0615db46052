"""The storage claim of a context: made when a run first needs it, never taken away.

Source: mrunner, whose contexts make their storage; Kubernetes docs, persistent volumes.
"""

from __future__ import annotations

from argojobs.config.contexts import Context
from argojobs.errors import ConflictError, UsageError
from argojobs.manifest.cluster_setup import claim_object
from argojobs.manifest.view import spec_of
from argojobs.runs.cluster import has_kubeconfig, kube_of, namespace_in
from argojobs.service import Workflow


def ensure_storage(context: Context, workflow: Workflow) -> str:
    """Make the storage claim of a context where a workflow mounts it and it is missing.

    Returns what to tell of it, "" where there is nothing to tell. Where it may not be looked for
    or made, that is told and the run goes on: it waits until somebody has made it. Raises
    ServerError where Kubernetes is out of reach.
    """
    from argojobs.client.kube.objects import create, read

    if not context.storage or not has_kubeconfig(context) or not _mounts(context, workflow):
        return ""

    name, size = context.storage_claim, context.storage_size
    with kube_of(context) as kube:
        try:
            namespace = workflow["metadata"].get("namespace") or namespace_in(context, kube)
            if read(kube, "PersistentVolumeClaim", namespace, name) is not None:
                return ""
            create(kube, claim_object(name, namespace, size))
        except ConflictError:  # somebody made it just now
            return ""
        except UsageError as error:
            return (
                f"the storage claim {name} was not made: {error.what}; "
                f"argojobs doctor --write - --context {context.name} writes it for who may"
            )
    return f"made the storage claim {name} ({size}) in {namespace}; it stays until you delete it"


def _mounts(context: Context, workflow: Workflow) -> bool:
    """Whether a workflow has the claim among its volumes."""
    spec = spec_of(workflow)
    return any(
        (volume.get("persistentVolumeClaim") or {}).get("claimName") == context.storage_claim
        for volume in spec.get("volumes") or ()
    )
