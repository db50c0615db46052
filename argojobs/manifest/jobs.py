"""What a Job says beside its pod: attempts, deadlines, several pods.

Sources: Kubernetes API reference, JobSpec, and its documentation of Jobs (completions and
parallelism, backoff: 10 s, doubled, at most six minutes); Argo docs: fields, RetryStrategy,
Sequence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .nearest import suggestion
from .pod_paths import PodFieldError
from .view import containers_of

#: How often Kubernetes starts a Job's pod again unless it says otherwise (JobSpec, backoffLimit).
BACKOFF_LIMIT = 6
#: The delays between the attempts of a Job, and between the restarts of a pod's containers.
JOB_BACKOFF = {"duration": "10s", "factor": "2", "cap": "6m"}
RESTART_BACKOFF = {"duration": "10s", "factor": "2", "cap": "5m"}
#: The number of an Indexed Job's pod: an input of its template, and Kubernetes' own variable.
INDEX = "index"
_INDEX_VARIABLE = "JOB_COMPLETION_INDEX"

_COUNTS = ("backoffLimit", "backoffLimitPerIndex", "completions", "parallelism")
_OTHERS = frozenset(
    {"activeDeadlineSeconds", "completionMode", "selector", "suspend", "template"}
    | {"ttlSecondsAfterFinished", *_COUNTS}
)
#: What Kubernetes itself fills in; it says nothing here.
_FILLED_IN: dict[str, Any] = {
    "manualSelector": False,
    "podReplacementPolicy": "TerminatingOrFailed",
}
_REFUSED: dict[str, str] = {
    "managedBy": "leave it out: Argo runs the workflow",
    "manualSelector": "leave it out",
    "maxFailedIndexes": "leave it out: a Workflow fails once a pod has no attempts left",
    "podFailurePolicy": "write a Workflow with an `expression` in its retryStrategy",
    "podReplacementPolicy": "leave it out: a retry begins when the attempt before has ended",
    "successPolicy": "write a Workflow whose tasks say what depends on what",
}


def check_job(spec: Mapping[str, Any]) -> None:
    """Raise PodFieldError for what a Workflow of one step, or a loop of it, cannot do."""
    for name, value in spec.items():
        if value is None or name in _OTHERS or _FILLED_IN.get(name) == value:
            continue
        hint = _REFUSED.get(name)
        if hint is not None:
            raise PodFieldError(
                ("spec", name), f"`{name}` of a Job has no place in a Workflow", hint
            )
        raise PodFieldError(
            ("spec", name),
            f"`{name}` is not a field of a Job",
            suggestion(name, sorted(_OTHERS), what="its fields are"),
        )
    for name in _COUNTS:
        _count(spec, name)
    mode = spec.get("completionMode") or "NonIndexed"
    if mode not in ("Indexed", "NonIndexed"):
        raise PodFieldError(
            ("spec", "completionMode"), f"{mode!r} is not a mode", "write Indexed or NonIndexed"
        )
    if _is_indexed(spec) and spec.get("completions") is None:
        raise PodFieldError(
            ("spec", "completionMode"), "an Indexed Job needs `completions`", "say how many pods"
        )
    if spec.get("backoffLimitPerIndex") is not None and not _is_indexed(spec):
        raise PodFieldError(
            ("spec", "backoffLimitPerIndex"),
            "`backoffLimitPerIndex` is for an Indexed Job",
            "write backoffLimit",
        )
    if spec.get("completions") == 0 or spec.get("parallelism") == 0:
        name = "completions" if spec.get("completions") == 0 else "parallelism"
        raise PodFieldError(
            ("spec", name), f"`{name}: 0` runs no pod", "write 1 or more; `suspend: true` waits"
        )
    if spec.get("completions") is None and (spec.get("parallelism") or 1) > 1:
        raise PodFieldError(
            ("spec", "parallelism"),
            "without `completions` the pods share a queue of work and end together, which Argo "
            "does not know",
            "write completions, or a Workflow whose task loops over the work",
        )


def _count(spec: Mapping[str, Any], name: str) -> None:
    value = spec.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise PodFieldError(("spec", name), f"{value!r} is not a count", "write 0 or more")


def _is_indexed(spec: Mapping[str, Any]) -> bool:
    """Whether each pod of a Job has a number."""
    return spec.get("completionMode") == "Indexed"


def attempts(spec: Mapping[str, Any]) -> int:
    """Return how many more attempts a pod of a Job has."""
    per_index = spec.get("backoffLimitPerIndex")
    limit = spec.get("backoffLimit") if per_index is None else per_index
    return BACKOFF_LIMIT if limit is None else int(limit)


def workflow_fields(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a Job says of the whole workflow."""
    fields: dict[str, Any] = {}
    if spec.get("activeDeadlineSeconds") is not None:
        fields["activeDeadlineSeconds"] = spec["activeDeadlineSeconds"]
    if spec.get("ttlSecondsAfterFinished") is not None:
        fields["ttlStrategy"] = {"secondsAfterCompletion": spec["ttlSecondsAfterFinished"]}
    if spec.get("suspend"):
        fields["suspend"] = True
    return fields


def loop(spec: Mapping[str, Any], step: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a workflow that runs a step as often as a Job wants.

    The step is changed where the pods have numbers.
    """
    count = spec.get("completions")
    indexed = _is_indexed(spec)
    if not indexed and count in (None, 1):
        return {"entrypoint": step["name"], "templates": [step]}
    call: dict[str, Any] = {
        "name": "pod",
        "template": step["name"],
        "withSequence": {"count": str(count)},
    }
    if indexed:
        step["inputs"] = {"parameters": [{"name": INDEX}]}
        call["arguments"] = {"parameters": [{"name": INDEX, "value": "{{item}}"}]}
        for container in (*containers_of(step), *(step.get("initContainers") or ())):
            own = {"name": _INDEX_VARIABLE, "value": f"{{{{inputs.parameters.{INDEX}}}}}"}
            container["env"] = [*(container.get("env") or ()), own]
    return {
        "entrypoint": "pods",
        "parallelism": spec.get("parallelism") or 1,
        "templates": [step, {"name": "pods", "steps": [[call]]}],
    }


def told(spec: Mapping[str, Any]) -> Iterator[str]:
    """Yield what differs from Kubernetes, one line each."""
    several = (spec.get("completions") or 1) > 1
    if several and spec.get("backoffLimitPerIndex") is None:
        yield (
            f"each of the {spec['completions']} pods has {attempts(spec)} more attempts; "
            "Kubernetes counts the failures of all pods together (backoffLimit)"
        )
    if _is_indexed(spec):
        yield f"an Indexed Job's pods get {_INDEX_VARIABLE}, and no hostname with their number"
