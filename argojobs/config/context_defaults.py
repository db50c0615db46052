"""A context's part of every manifest, as plain values for `edits/context_defaults.py`."""

from __future__ import annotations

from argojobs.config.contexts import Context
from argojobs.edits.context_defaults import Defaults, Volume


def defaults_of(context: Context) -> Defaults:
    """Return what a context says of every run in it; of `local` that is nothing."""
    volumes = [
        Volume(mount.path, mount.kind, mount.source, mount.read_only) for mount in context.mounts
    ]
    if context.storage:
        volumes.append(Volume(context.storage, "claim", context.storage_claim))
    return Defaults(
        namespace=context.namespace,
        service_account=context.service_account,
        image=context.image,
        resources=context.resources,
        environment=context.environment,
        volumes=tuple(volumes),
        storage=context.storage,
        max_parallel=context.max_parallel,
        limit_key=context.name,
        pull_secret=context.registry.pull_secret if context.registry is not None else "",
    )


def account_of(context: Context) -> Defaults:
    """Return what also a run needs that computes nothing: where it lives, and by whose rights."""
    return Defaults(
        namespace=context.namespace,
        service_account=context.service_account,
        pull_secret=context.registry.pull_secret if context.registry is not None else "",
    )
