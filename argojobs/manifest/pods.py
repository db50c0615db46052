"""A bare Pod or Job as a Workflow of one step.

What a pod says of itself goes to the one template, what Argo says once for all pods to the spec;
what a Workflow has no place for is refused by its field. A restart becomes a retry. Sources:
Kubernetes API reference, PodSpec and JobSpec; Argo docs: fields, Template and WorkflowSpec.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import ManifestError
from .places import Path, path_text

KINDS = ("Pod", "Job")

#: How often Kubernetes starts a Job's pod again unless it says otherwise (JobSpec, backoffLimit).
BACKOFF_LIMIT = 6

_TO_TEMPLATE = frozenset(
    {
        "affinity",
        "automountServiceAccountToken",
        "hostAliases",
        "initContainers",
        "nodeSelector",
        "priorityClassName",
        "schedulerName",
        "securityContext",
        "serviceAccountName",
        "tolerations",
        "volumes",
    }
)
_TO_SPEC = frozenset(
    {"activeDeadlineSeconds", "dnsConfig", "dnsPolicy", "hostNetwork", "imagePullSecrets"}
)
_OWN = frozenset({"containers", "restartPolicy"})
_JOBS_OWN = frozenset({"backoffLimit", "template"})
#: Of a Job: they say one pod at a time and once, which is what a Workflow of one step does.
_ONE = frozenset({"completions", "parallelism"})
#: What Kubernetes itself fills in, and `kubectl get -o yaml` shows; it says nothing here.
_FILLED_IN: dict[str, Any] = {
    "completionMode": "NonIndexed",
    "dnsPolicy": "ClusterFirst",
    "manualSelector": False,
    "podReplacementPolicy": "TerminatingOrFailed",
    "schedulerName": "default-scheduler",
    "securityContext": {},
    "suspend": False,
    "terminationGracePeriodSeconds": 30,
}
_NO_MAPPING: dict[str, Any] = {}


def workflow_of_pod(document: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the Workflow that a Pod or Job is, and what must be told of it, one line each.

    Raises ManifestError with the field's path as its place (`PodFieldError`) for what a Workflow
    of one step cannot do.
    """
    is_job = document.get("kind") == "Job"
    spec = _mapping(document, "spec", ())
    if is_job:
        _check_job(spec)
        template = _mapping(spec, "template", ("spec",))
        pod = _mapping(template, "spec", ("spec", "template"))
        metadata = template.get("metadata") or _NO_MAPPING
    else:
        pod = spec
        metadata = document.get("metadata") or _NO_MAPPING
    prefix = pod_prefix(str(document["kind"]))
    step: dict[str, Any] = {"name": "main", **_metadata(metadata)}
    step["container"] = _container(pod, prefix)
    whole: dict[str, Any] = {"entrypoint": "main"}
    for name, value in pod.items():
        if name in _OWN or value is None or _FILLED_IN.get(name) == value:
            continue
        if name in _TO_TEMPLATE:
            step[name] = value
        elif name in _TO_SPEC:
            whole[name] = value
        else:
            raise _refused(
                (*prefix, name),
                f"`{name}` has no place in a Workflow's template",
                "leave it out, or write a Workflow with a podSpecPatch",
            )
    if is_job:
        whole.update(_job_fields(spec))
    notes: list[str] = []
    retry = _retry(pod, prefix, spec.get("backoffLimit") if is_job else None, notes, is_job=is_job)
    if retry is not None:
        step["retryStrategy"] = retry
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": _workflow_metadata(document.get("metadata") or _NO_MAPPING, is_job=is_job),
        "spec": {**whole, "templates": [step]},
    }, notes


class PodFieldError(ManifestError):
    """A field of a Pod or Job that a Workflow of one step cannot honour; `path` says which."""

    def __init__(self, path: Path, what: str, hint: str) -> None:
        super().__init__(what, where=path_text(path), hint=hint)
        self.path = path


def pod_prefix(kind: str) -> Path:
    """Return the path of the pod's spec in a document of a kind."""
    return ("spec", "template", "spec") if kind == "Job" else ("spec",)


def path_in_pod(kind: str, path: Path) -> Path:
    """Return where in a Pod or Job stands what has this path in the Workflow made of it."""
    prefix = pod_prefix(kind)
    start = ("spec", "templates", 0)
    if path[:3] == start:
        rest = path[3:]
        if rest[:1] == ("container",):
            return (*prefix, "containers", 0, *rest[1:])
        if rest[:1] == ("retryStrategy",):
            return ("spec", "backoffLimit") if kind == "Job" else (*prefix, "restartPolicy")
        if rest[:1] == ("metadata",):
            return (*prefix[:-1], *rest)
        return (*prefix, *rest)
    if path[:1] == ("spec",) and path[1:2] and path[1] in _TO_SPEC:
        return (*prefix, *path[1:])
    return path[:1] if path[:1] == ("metadata",) else ()


def _mapping(holder: Mapping[str, Any], name: str, path: Path) -> Mapping[str, Any]:
    value = holder.get(name)
    if not isinstance(value, dict) or not value:
        raise _refused(
            path if value is None else (*path, name),
            f"`{name}` is no mapping with fields" if value is not None else f"`{name}` is missing",
            f"write the fields of `{name}` below it, indented",
        )
    return value


def _refused(path: Path, what: str, hint: str) -> PodFieldError:
    return PodFieldError(path, what, hint)


def _check_job(spec: Mapping[str, Any]) -> None:
    """Raise PodFieldError for what of a Job needs more than one pod, or is not known here."""
    for name, value in spec.items():
        if value is None or name in _JOBS_OWN or _FILLED_IN.get(name) == value:
            continue
        if name in _ONE:
            if value != 1:
                raise _refused(
                    ("spec", name),
                    f"`{name}: {value}` asks for several pods, and this is a workflow of one step",
                    "write a Workflow whose task loops: withSequence, and `parallelism`",
                )
        elif name not in ("activeDeadlineSeconds", "selector", "ttlSecondsAfterFinished"):
            raise _refused(
                ("spec", name),
                f"`{name}` of a Job has no place in a Workflow of one step",
                "leave it out, or write a Workflow",
            )


def _job_fields(spec: Mapping[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if spec.get("activeDeadlineSeconds") is not None:
        fields["activeDeadlineSeconds"] = spec["activeDeadlineSeconds"]
    if spec.get("ttlSecondsAfterFinished") is not None:
        fields["ttlStrategy"] = {"secondsAfterCompletion": spec["ttlSecondsAfterFinished"]}
    return fields


def _container(pod: Mapping[str, Any], prefix: Path) -> dict[str, Any]:
    containers = pod.get("containers")
    if not isinstance(containers, list) or not containers or not isinstance(containers[0], dict):
        raise _refused(
            (*prefix, "containers") if "containers" in pod else prefix,
            "the pod has no containers",
            "give `containers:` a list with one of them",
        )
    if len(containers) > 1:
        raise _refused(
            (*prefix, "containers", 1),
            f"the pod has {len(containers)} containers, and a step runs one",
            "write a Workflow with a containerSet, or sidecars",
        )
    return {name: value for name, value in containers[0].items() if name != "name"}


def _metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return labels and annotations for the template, which gives them to its pod."""
    kept = {name: metadata[name] for name in ("labels", "annotations") if metadata.get(name)}
    return {"metadata": kept} if kept else {}


def _workflow_metadata(metadata: Mapping[str, Any], *, is_job: bool) -> dict[str, Any]:
    """Return the workflow's own: a name to begin with, so that the file can run again."""
    start = metadata.get("generateName") or f"{metadata.get('name') or 'pod'}-"
    kept = {"generateName": start}
    if metadata.get("namespace"):
        kept["namespace"] = metadata["namespace"]
    if is_job:
        kept |= {name: metadata[name] for name in ("labels", "annotations") if metadata.get(name)}
    return kept


def _retry(
    pod: Mapping[str, Any], prefix: Path, limit: Any, notes: list[str], *, is_job: bool
) -> dict[str, Any] | None:
    """Return the retry that a restart is. A Job's pods are replaced, whatever they say."""
    policy = pod.get("restartPolicy")
    if policy not in (None, "Never", "OnFailure", "Always") or (is_job and policy == "Always"):
        raise _refused(
            (*prefix, "restartPolicy"),
            f"restartPolicy {policy!r} is none of {'a Job' if is_job else 'a Pod'}",
            "write OnFailure or Never",
        )
    if is_job:
        times = BACKOFF_LIMIT if limit is None else limit
        if isinstance(times, bool) or not isinstance(times, int) or times < 0:
            raise _refused(("spec", "backoffLimit"), f"{times!r} is no count", "write 0 or more")
    elif policy in (None, "Never"):
        return None
    else:
        times = BACKOFF_LIMIT
        notes.extend(_told(str(policy)))
    return {"limit": str(times), "retryPolicy": "Always"} if times else None


def _told(policy: str) -> Iterator[str]:
    if policy == "Always":
        yield "restartPolicy Always is taken as OnFailure: a step that succeeded is done"
    yield (
        f"restartPolicy {policy} becomes a retryStrategy with {BACKOFF_LIMIT} more attempts, as a "
        "Job's; Kubernetes would restart the pod without end"
    )
