"""All checks of a context, in their order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from argojobs.client.kube.argo_server import USUAL_NAMESPACE
from argojobs.client.rest import ArgoService
from argojobs.config.contexts import Context
from argojobs.errors import ArgojobsError
from argojobs.runs.cluster import has_kubeconfig, kube_of, namespace_in
from argojobs.runs.doctor.checking import Check, attempt, of_error, skipped
from argojobs.runs.doctor.kubernetes import argo_repository, kube_checks, without_kube
from argojobs.runs.doctor.local import local_checks
from argojobs.runs.doctor.registry import registry_checks
from argojobs.runs.doctor.server import server_checks
from argojobs.runs.doctor.settings import settings_checks
from argojobs.runs.doctor.storage import compare, storage_checks
from argojobs.runs.doctor.trial import repository_of, trial_checks
from argojobs.runs.remote import remote_repository, remote_service
from argojobs.runs.target import Target
from argojobs.service import is_final


def examine(context: Context, *, run: bool = False) -> Iterator[Check]:
    """Yield what is found of a context. run: a trial run is made and deleted."""
    if context.built_in:
        yield from local_checks()
        return
    yield from settings_checks(context)
    service, place = None, None
    options = f" --context {context.name}"
    try:
        again = partial(remote_service, context, options=options)
        service = again()
        place = Target(
            context, lambda: service, partial(remote_repository, context), again, options
        )
    except ArgojobsError as error:  # the way to the server inside the cluster, or a secret
        yield of_error("server", error)
    well = False
    if service is not None:
        found = list(server_checks(service, context))
        yield from found
        well = all(check.state != "failed" for check in found)
    yield from storage_checks(context)
    yield from _cluster(context, service, place)
    yield from registry_checks(context)
    if run and place is not None and well:
        yield from trial_checks(place)
    elif run:
        yield skipped("run", "the server takes no run yet", "see to what failed above")


def _cluster(
    context: Context, service: ArgoService | None, place: Target | None
) -> Iterator[Check]:
    """Yield what Kubernetes says, or what cannot be looked at without it."""
    if not has_kubeconfig(context):
        yield from without_kube(context)
        if context.s3 is not None:
            yield from attempt("bucket", lambda: _bucket_of_a_run(context, place))
        return
    with kube_of(context) as kube:
        try:
            namespace = namespace_in(context, kube)
        except ArgojobsError as error:
            yield of_error("kubernetes", error)
            return
        yield from kube_checks(context, kube, namespace, subject=_subject(context, service))
        if context.s3 is not None:
            try:
                theirs, source = argo_repository(kube, (namespace, USUAL_NAMESPACE))
            except ArgojobsError as error:
                yield skipped(
                    "bucket", error.what, f"argojobs doctor {context.name} --run finds out"
                )
            else:
                yield compare(context.s3, theirs, source)


def _subject(context: Context, service: ArgoService | None) -> str:
    """Return whose the context's token is, as the server says; "" without a token or an answer."""
    if service is None or not context.token:
        return ""
    try:
        return str(service.user().get("subject") or "")
    except ArgojobsError:  # the check of the server has said it
        return ""


def _bucket_of_a_run(context: Context, place: Target | None) -> Check:
    """Compare the store with that of the newest run which says what Argo used."""
    assert context.s3 is not None
    if place is not None:
        for run in place.service.list(limit=5):
            if is_final(run):
                name = run["metadata"]["name"]
                theirs = repository_of(place.service.get(name))
                if theirs is not None:
                    return compare(context.s3, theirs, f"as the run {name} had it")
    return skipped(
        "bucket", "no run to compare with", f"argojobs doctor {context.name} --run makes one"
    )
