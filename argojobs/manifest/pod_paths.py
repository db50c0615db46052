"""Where something of a Pod or Job stands in the Workflow made of it, and back."""

from __future__ import annotations

from ..errors import ManifestError
from .places import Path, path_text

#: Fields of a pod that Argo says once for all pods of a workflow.
TO_SPEC = frozenset(
    {"activeDeadlineSeconds", "dnsConfig", "dnsPolicy", "hostNetwork", "imagePullSecrets"}
)


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
    if path[:3] == ("spec", "templates", 0):
        return _in_template(kind, prefix, path[3:])
    if path[:2] == ("spec", "templates"):  # the loop of a Job
        return ("spec", "completions")
    if path == ("spec", "parallelism"):
        return path
    if path[:1] == ("spec",) and path[1:2] and path[1] in TO_SPEC:
        return (*prefix, *path[1:])
    return path[:1] if path[:1] == ("metadata",) else ()


def _in_template(kind: str, prefix: Path, rest: Path) -> Path:
    match rest[:1]:
        case ("container",):
            return (*prefix, "containers", 0, *rest[1:])
        case ("containerSet",):
            return (*prefix, *rest[1:])
        case ("retryStrategy",):
            return ("spec", "backoffLimit") if kind == "Job" else (*prefix, "restartPolicy")
        case ("metadata",):
            return (*prefix[:-1], *rest)
        case ("podSpecPatch",) | ("inputs",):
            return prefix
    return (*prefix, *rest)
