"""A bare Pod or Job as a Workflow of one step.

What a pod says of itself goes to the one template, what Argo says once for all pods to the spec,
and what only a pod has into a podSpecPatch; anything else is refused by its field. Several
containers are a containerSet, which ends when all of them have, as a pod does. A restart becomes
a retry. Sources: Kubernetes API reference, PodSpec and JobSpec; Argo docs: fields, Template and
WorkflowSpec.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from . import jobs
from .nearest import suggestion
from .places import Path
from .pod_paths import TO_SPEC, PodFieldError, path_in_pod, pod_prefix

if TYPE_CHECKING:
    from .objects import ObjectMeta, Workflow

__all__ = ["KINDS", "PodFieldError", "path_in_pod", "workflow_of_pod"]

KINDS = ("Pod", "Job")

_TO_TEMPLATE = frozenset({
    "affinity", "automountServiceAccountToken", "hostAliases", "initContainers", "nodeSelector",
    "priorityClassName", "schedulerName", "securityContext", "serviceAccountName", "tolerations",
    "volumes",
})  # fmt: skip
#: Fields that only a pod has: Argo lays a podSpecPatch over each pod it makes.
_TO_PATCH = frozenset({
    "enableServiceLinks", "hostIPC", "hostPID", "hostUsers", "hostname", "nodeName", "os",
    "overhead", "preemptionPolicy", "priority", "readinessGates", "resourceClaims", "resources",
    "runtimeClassName", "schedulingGates", "setHostnameAsFQDN", "shareProcessNamespace",
    "subdomain", "terminationGracePeriodSeconds", "topologySpreadConstraints",
})  # fmt: skip
_OWN = frozenset({"containers", "restartPolicy", "serviceAccount"})
#: What Kubernetes itself fills in, and `kubectl get -o yaml` shows; it says nothing here.
_FILLED_IN: dict[str, Any] = {
    "dnsPolicy": "ClusterFirst",
    "enableServiceLinks": True,
    "preemptionPolicy": "PreemptLowerPriority",
    "priority": 0,
    "schedulerName": "default-scheduler",
    "securityContext": {},
    "terminationGracePeriodSeconds": 30,
}
_NO_MAPPING: dict[str, Any] = {}


def workflow_of_pod(document: Mapping[str, Any]) -> tuple[Workflow, list[str]]:
    """Return the Workflow that a Pod or Job is, and what must be told of it, one line each.

    Raises PodFieldError, with the field's path, for what a Workflow of one step cannot do.
    """
    kind = str(document["kind"])
    prefix = pod_prefix(kind)
    spec = _mapping(document, "spec", ())
    metadata = document.get("metadata") or _NO_MAPPING
    whole: dict[str, Any] = {}
    if kind == "Job":
        jobs.check_job(spec)
        template = _mapping(spec, "template", ("spec",))
        pod = _mapping(template, "spec", ("spec", "template"))
        step, of_pod = _step(pod, template.get("metadata") or _NO_MAPPING, prefix)
        deadline = of_pod.pop("activeDeadlineSeconds", None)
        if deadline is not None:  # of each of the Job's pods
            step["activeDeadlineSeconds"] = deadline
        whole = {**of_pod, **jobs.workflow_fields(spec)}
        notes = list(jobs.told(spec))
    else:
        pod = spec
        step, whole = _step(pod, metadata, prefix)
        notes = []
    retry = _retry(pod, prefix, spec if kind == "Job" else None, notes)
    if retry is not None:
        step["retryStrategy"] = retry
    loop = jobs.loop(spec if kind == "Job" else _NO_MAPPING, step)
    templates = loop.pop("templates")
    whole_spec: Any = {**loop, **whole, "templates": templates}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": _workflow_metadata(metadata, is_job=kind == "Job"),
        "spec": whole_spec,
    }, notes


def _step(
    pod: Mapping[str, Any], metadata: Mapping[str, Any], prefix: Path
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the template that runs a pod, and what the workflow says of all its pods."""
    step: dict[str, Any] = {"name": "main", **_metadata(metadata), **_containers(pod, prefix)}
    whole: dict[str, Any] = {}
    patch: dict[str, Any] = {}
    for name, value in pod.items():
        if name in _OWN or value is None or _FILLED_IN.get(name) == value:
            continue
        if name in _TO_TEMPLATE:
            step[name] = value
        elif name in TO_SPEC:
            whole[name] = value
        elif name in _TO_PATCH:
            patch[name] = value
        elif name == "ephemeralContainers":
            raise PodFieldError(
                (*prefix, name), "an ephemeral container is for a pod that runs", "leave it out"
            )
        else:
            known = sorted(_TO_TEMPLATE | TO_SPEC | _TO_PATCH | {"containers", "restartPolicy"})
            raise PodFieldError(
                (*prefix, name),
                f"`{name}` is not a field of a pod",
                suggestion(name, known, what="its fields are"),
            )
    if pod.get("serviceAccount"):  # the old name of serviceAccountName
        step.setdefault("serviceAccountName", pod["serviceAccount"])
    if "initContainers" in step:
        step["initContainers"] = [dict(one) for one in _list(pod, "initContainers", prefix)]
    if patch:
        step["podSpecPatch"] = json.dumps(patch, ensure_ascii=False)
    return step, whole


def _list(pod: Mapping[str, Any], name: str, prefix: Path) -> list[dict[str, Any]]:
    found = pod.get(name)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise PodFieldError(
            (*prefix, name), f"`{name}` is not a list of containers", "begin each with `- name:`"
        )
    return found


def _mapping(holder: Mapping[str, Any], name: str, path: Path) -> Mapping[str, Any]:
    value = holder.get(name)
    if not isinstance(value, dict) or not value:
        raise PodFieldError(
            path if value is None else (*path, name),
            f"`{name}` is not a mapping with fields"
            if value is not None
            else f"`{name}` is missing",
            f"write the fields of `{name}` below it, indented",
        )
    return value


def _containers(pod: Mapping[str, Any], prefix: Path) -> dict[str, Any]:
    """Return the container of a template, or the containerSet: a pod ends when all have ended."""
    if not pod.get("containers"):
        raise PodFieldError(
            (*prefix, "containers") if "containers" in pod else prefix,
            "the pod has no containers",
            "give `containers:` a list with one of them",
        )
    containers = _list(pod, "containers", prefix)
    if len(containers) == 1:
        (only,) = containers
        return {"container": {name: value for name, value in only.items() if name != "name"}}
    for index, each in enumerate(containers):
        if not isinstance(each.get("name"), str) or not each["name"]:
            raise PodFieldError(
                (*prefix, "containers", index),
                "a container among several has no name",
                "give it a `name`",
            )
    return {"containerSet": {"containers": [dict(each) for each in containers]}}


def _metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return labels and annotations for the template, which gives them to its pod."""
    kept = {name: metadata[name] for name in ("labels", "annotations") if metadata.get(name)}
    return {"metadata": kept} if kept else {}


def _workflow_metadata(metadata: Mapping[str, Any], *, is_job: bool) -> ObjectMeta:
    """Return the workflow's own: a name to begin with, so that the file can run again."""
    start = metadata.get("generateName") or f"{metadata.get('name') or 'pod'}-"
    kept: Any = {"generateName": start}
    if metadata.get("namespace"):
        kept["namespace"] = metadata["namespace"]
    if is_job:
        kept |= {name: metadata[name] for name in ("labels", "annotations") if metadata.get(name)}
    return cast("ObjectMeta", kept)


def _retry(
    pod: Mapping[str, Any], prefix: Path, job: Mapping[str, Any] | None, notes: list[str]
) -> dict[str, Any] | None:
    """Return the retry that a restart is. A Job's pods are replaced, whatever they say."""
    policy = pod.get("restartPolicy")
    known = ("Never", "OnFailure") if job is not None else ("Never", "OnFailure", "Always")
    if policy is not None and policy not in known:
        raise PodFieldError(
            (*prefix, "restartPolicy"),
            f"restartPolicy {policy!r} is none of {'a Pod' if job is None else 'a Job'}",
            "write OnFailure or Never",
        )
    if job is not None:
        times, backoff = jobs.attempts(job), jobs.JOB_BACKOFF
    elif policy in (None, "Never"):
        return None
    else:
        times, backoff = jobs.BACKOFF_LIMIT, jobs.RESTART_BACKOFF
        notes.extend(_told(str(policy)))
    return (
        {"limit": str(times), "retryPolicy": "Always", "backoff": dict(backoff)} if times else None
    )


def _told(policy: str) -> Iterator[str]:
    if policy == "Always":
        yield "restartPolicy Always is taken as OnFailure: a step that succeeded is done"
    yield (
        f"restartPolicy {policy} becomes a retryStrategy with {jobs.BACKOFF_LIMIT} more attempts, "
        "as a Job's; Kubernetes would restart the pod without end"
    )
