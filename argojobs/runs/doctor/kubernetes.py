"""Checks that only Kubernetes can answer: rights, the executor's role, claims, limits, secrets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from argojobs.client.kube.connection import Kube
from argojobs.client.kube.objects import read
from argojobs.client.kube.rights import EXEC, PORT_FORWARD, Right, account_may, may
from argojobs.config.context_defaults import defaults_of
from argojobs.config.contexts import Context
from argojobs.edits.context_defaults import LIMITS, limit_of
from argojobs.errors import UsageError
from argojobs.manifest.view import annotations_of
from argojobs.runs.doctor.checking import Check, attempt, failed, ok, skipped, warning

_ARGO = "argoproj.io"
_ACCOUNT = "system:serviceaccount:"
CONTROLLER = "workflow-controller-configmap"
REPOSITORIES = "artifact-repositories"
DEFAULT_REPOSITORY = "workflows.argoproj.io/default-artifact-repository"

#: What a kubeconfig's user needs by what it is for.
NEEDED = (
    ("run", (Right("create", "workflows", _ARGO),)),
    ("list and get", (Right("list", "workflows", _ARGO), Right("get", "workflows", _ARGO))),
    ("watch", (Right("watch", "workflows", _ARGO),)),
    ("stop and retry", (Right("patch", "workflows", _ARGO), Right("update", "workflows", _ARGO))),
    ("delete", (Right("delete", "workflows", _ARGO),)),
    ("logs", (Right("list", "pods"), Right("get", "pods/log"))),
    ("retry", (Right("delete", "pods"),)),
)

#: What it needs to enter steps that run; all else works without.
ENTERING = (("ssh and run --shell", EXEC), ("port-forward and --debug", PORT_FORWARD))

EXECUTOR = (
    Right("create", "workflowtaskresults", _ARGO),
    Right("patch", "workflowtaskresults", _ARGO),
)

#: What the executor needs so that Argo removes an artifact with its run.
COLLECTOR = (
    Right("list", "workflowartifactgctasks", _ARGO),
    Right("watch", "workflowartifactgctasks", _ARGO),
    Right("patch", "workflowartifactgctasks/status", _ARGO),
)


def _write_it(context: Context) -> str:
    """Return what to do about rights and objects that are missing."""
    return f"argojobs doctor --write - --context {context.name} writes what is missing; --apply makes it"


def kube_checks(
    context: Context, kube: Kube, namespace: str, *, subject: str = ""
) -> Iterator[Check]:
    """Yield what Kubernetes says of a context.

    Args:
        context: what runs need is read from it.
        kube: the cluster, as the kubeconfig's user.
        namespace: of the context's runs.
        subject: the account of the token for Argo's server, `system:serviceaccount:NAMESPACE:NAME`;
            "" where there is none to look at.
    """
    first = list(attempt("kubernetes", lambda: reached(kube)))
    yield from first
    if first[0].state == "failed":
        return
    yield from attempt("rights", lambda: _rights(context, kube, namespace))
    if subject:
        yield from attempt("token", lambda: _token_rights(context, kube, namespace, subject))
    yield from attempt("entering", lambda: _entering(context, kube, namespace))
    yield from attempt("executor", lambda: _executor(context, kube, namespace))
    yield from attempt("secret", lambda: _secret(context, kube, namespace))
    yield from attempt("claims", lambda: _claims(context, kube, namespace))
    yield from attempt("limits", lambda: _limits(context, kube, namespace))


def without_kube(context: Context) -> Iterator[Check]:
    """Yield what cannot be looked at without a kubeconfig, where it matters."""
    remedy = f"argojobs config set contexts.{context.name}.kubeconfig FILE"
    yield skipped(
        "executor", "no kubeconfig to ask by", f"argojobs doctor {context.name} --run finds out"
    )
    if context.storage or any(mount.kind == "claim" for mount in context.mounts):
        yield skipped("claims", "no kubeconfig to ask by: a missing claim is not made", remedy)
    if context.max_parallel > 1:
        yield skipped("limits", "no kubeconfig to ask by", remedy)


def reached(kube: Kube) -> Check:
    """The API server answers and takes the kubeconfig's user. Raises UsageError, ServerError."""
    version = kube.ask("GET", "/version")
    return ok("kubernetes", f"{version.get('gitVersion', '')} at {kube.address}")


def _rights(context: Context, kube: Kube, namespace: str) -> Check:
    """What the kubeconfig's user may do of what the verbs need."""
    missing = [
        f"{purpose}: {right}"
        for purpose, needed in NEEDED
        for right in needed
        if not may(kube, right, namespace)
    ]
    if not missing:
        return ok("rights", f"the kubeconfig's user may do all that the verbs need in {namespace}")
    found = "the kubeconfig's user may not " + "; ".join(missing)
    return warning("rights", found, _write_it(context))


def _token_rights(context: Context, kube: Kube, namespace: str, subject: str) -> Check:
    """What the service account of the context's token may do of what the verbs need.

    Argo's server acts with its rights: its retry deletes pods by them. subject: as the server
    names it, `system:serviceaccount:NAMESPACE:NAME`. Raises UsageError and ServerError.
    """
    own, _, account = subject.removeprefix(_ACCOUNT).partition(":")
    if not subject.startswith(_ACCOUNT) or not account:
        return skipped("token", f"{subject or 'the token'} is not a service account's", "")
    try:
        missing = [
            f"{purpose}: {right}"
            for purpose, needed in NEEDED
            for right in needed
            if not account_may(kube, account, right, namespace, of_namespace=own)
        ]
    except UsageError as error:
        return skipped("token", error.what, "ask the cluster's keeper what the token may do")
    if missing:
        return warning("token", f"{account} may not {'; '.join(missing)}", _write_it(context))
    return ok("token", f"{account} may do all that the verbs need in {namespace}")


def _entering(context: Context, kube: Kube, namespace: str) -> Iterator[Check]:
    """Whether the kubeconfig's user may enter steps that run, said for each way and what it is for."""
    for purpose, needed in ENTERING:
        missing = [str(right) for right in needed if not may(kube, right, namespace)]
        if missing:
            found = (
                f"the kubeconfig's user may not {' nor '.join(missing)} in {namespace}: "
                f"no {purpose.replace(' and ', ', no ')}; runs go on without"
            )
            yield warning("entering", found, _write_it(context))
        else:
            yield ok("entering", f"the kubeconfig's user may use {purpose} in {namespace}")


def _executor(context: Context, kube: Kube, namespace: str) -> Check:
    """Steps can report their outputs: the runs' service account may write task results.

    Where we have no keys of a store it is Argo that removes what a read of a claim stores there,
    by that account.
    """
    account = context.service_account or "default"
    try:
        if read(kube, "ServiceAccount", namespace, account) is None:
            return failed(
                "executor",
                f"there is no service account {account} in {namespace}",
                _write_it(context),
            )
        missing = [str(one) for one in EXECUTOR if not account_may(kube, account, one, namespace)]
        collector = COLLECTOR if context.s3 is None else ()
        kept = [str(one) for one in collector if not account_may(kube, account, one, namespace)]
    except UsageError as error:
        return skipped("executor", error.what, f"argojobs doctor {context.name} --run finds out")
    if missing:
        return failed(
            "executor",
            f"the service account {account} may not {' nor '.join(missing)} in {namespace}: "
            "steps end in Error",
            _write_it(context),
        )
    if kept:
        return warning(
            "executor",
            f"the service account {account} may not {' nor '.join(kept)} in {namespace}: what "
            "artifacts get claim://... stores there is never removed",
            _write_it(context),
        )
    return ok("executor", f"the service account {account} may report what steps did")


def _secret(context: Context, kube: Kube, namespace: str) -> Iterator[Check]:
    """The Secrets that manifests refer to are there, with the keys that are named."""
    wanted: list[tuple[str, list[str]]] = []
    if context.s3 is not None and context.s3.secret_name:
        s3 = context.s3
        wanted.append((s3.secret_name, [s3.access_key_field, s3.secret_key_field]))
    if context.registry is not None and context.registry.pull_secret:
        wanted.append((context.registry.pull_secret, []))
    for name, fields in wanted:
        found = read(kube, "Secret", namespace, name)
        lacks = [one for one in fields if found and one not in (found.get("data") or {})]
        if found is None or lacks:
            keys = "".join(f" --from-literal={one}=..." for one in fields)
            yield failed(
                "secret",
                f"the Secret {name} in {namespace} "
                + (f"lacks {' and '.join(lacks)}" if lacks else "is missing"),
                f"kubectl create secret generic {name} --namespace {namespace}{keys}",
            )
        else:
            yield ok("secret", f"the Secret {name} is there")


def _claims(context: Context, kube: Kube, namespace: str) -> Iterator[Check]:
    """The claims that runs mount are there; the storage claim is made when a run first needs it."""
    storage = context.storage_claim if context.storage else ""
    mounts = [mount.source for mount in context.mounts if mount.kind == "claim"]
    for name in dict.fromkeys(filter(None, (storage, *mounts))):
        found = read(kube, "PersistentVolumeClaim", namespace, name)
        if found is not None:
            phase = (found.get("status") or {}).get("phase", "")
            yield ok("claims", f"the claim {name} is there ({phase or 'no phase yet'})")
        elif name == storage:
            size = context.storage_size
            yield warning(
                "claims",
                f"the claim {name} is missing; the next run makes it ({size})",
                _write_it(context),
            )
        else:
            yield failed(
                "claims",
                f"the claim {name} is missing in {namespace}: runs would wait for it for ever",
                "make it, or take its mount out of the context",
            )


def _limits(context: Context, kube: Kube, namespace: str) -> Iterator[Check]:
    """The ConfigMap with the size of the context's semaphore says what the context says."""
    wanted = limit_of(defaults_of(context))
    if wanted is None:
        return
    key, size = wanted
    found = read(kube, "ConfigMap", namespace, LIMITS)
    has = (found or {}).get("data", {}).get(key)
    if has is None:
        yield failed(
            "limits",
            f"the ConfigMap {LIMITS} in {namespace} has no {key}: runs end in Error",
            _write_it(context),
        )
    elif has != str(size):
        yield warning(
            "limits",
            f"the ConfigMap {LIMITS} lets {has} runs of {key} go on, max_parallel says {size}",
            _write_it(context),
        )
    else:
        yield ok("limits", f"{size} runs may go on at once")


def argo_repository(kube: Kube, namespaces: Sequence[str]) -> tuple[dict[str, Any] | None, str]:
    """Return Argo's artifact repository in S3 as its settings say it, and where they stand.

    namespaces: the runs', then those where the controller may be. Raises UsageError where the
    settings cannot be read. Source: Argo docs, configure your artifact repository.
    """
    own = read(kube, "ConfigMap", namespaces[0], REPOSITORIES)
    if own is not None:
        chosen = annotations_of(own).get(DEFAULT_REPOSITORY)
        data = own.get("data") or {}
        if chosen in data:
            return _s3_of(data[chosen]), f"ConfigMap {REPOSITORIES} in {namespaces[0]}"
    for namespace in dict.fromkeys(namespaces):
        found = read(kube, "ConfigMap", namespace, CONTROLLER)
        if found is not None:
            return controller_s3(found.get("data") or {}), f"ConfigMap {CONTROLLER} in {namespace}"
    raise UsageError(
        f"the controller's settings are not in {' or '.join(dict.fromkeys(namespaces))}",
        hint="the same with --run finds out",
    )


def controller_s3(data: dict[str, Any]) -> dict[str, Any] | None:
    """Return the S3 of the controller's settings: a key of the map, or within its key `config`."""
    if "artifactRepository" in data:
        return _s3_of(data["artifactRepository"])
    if "config" in data:
        whole = _yaml(data["config"])
        found = (whole.get("artifactRepository") or {}).get("s3")
        return found if isinstance(found, dict) else None
    return None


def _s3_of(text: str) -> dict[str, Any] | None:
    found = _yaml(text).get("s3")
    return found if isinstance(found, dict) else None


def _yaml(text: str) -> dict[str, Any]:
    import yaml

    read_text = yaml.safe_load(text)
    return read_text if isinstance(read_text, dict) else {}
