"""Where a run's artifacts lie on a cluster, as its manifest says it: never with a literal key.

A context's S3 is either Argo's own artifact repository, then a manifest names keys alone and Argo
adds the rest; or it has a Kubernetes Secret of its own (`secret_name`), then each location is
whole: endpoint, bucket, and which keys of the Secret hold the keys.
Source: Argo docs, fields, S3Artifact and ArtifactLocation; `ArtifactLocation.Relocate` (a location
without endpoint and bucket is replaced by the repository's).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from argojobs.errors import UsageError
from argojobs.service import Workflow
from argojobs.storage.s3_place import AWS_ENDPOINT

if TYPE_CHECKING:
    from argojobs.config.contexts import S3
    from argojobs.manifest.objects import Artifact

RUN = "{{workflow.name}}"
#: Argo's own format of keys; an attempt is a pod, so attempts do not overwrite each other.
USUAL_FORMAT = RUN + "/{{pod.name}}"
#: Parameters of ours whose values are the beginnings of keys.
_OURS = "argojobs-"
_NO_PODS = frozenset({"dag", "steps", "suspend"})


def is_own(s3: S3) -> bool:
    """Whether the store is another than Argo's own artifact repository."""
    return bool(s3.secret_name)


def location(s3: S3, bucket: str, key: str) -> Artifact:
    """Return `{"s3": ...}` for a whole key; only the key where Argo knows the rest.

    Args:
        s3: of the context.
        bucket: where the artifact lies.
        key: of the artifact, the prefix included.

    Raises:
        UsageError: another bucket without a Secret, or an endpoint with a path, which Argo cannot
            use.
    """
    if not is_own(s3):
        if bucket == s3.bucket:
            return {"s3": {"key": key}}
        raise UsageError(
            f"s3://{bucket}/{key}: steps cannot read another bucket than {s3.bucket} with Argo's "
            "own keys",
            hint="name a Kubernetes Secret that has keys: secret_name in the context's S3",
        )
    endpoint = s3.endpoint.rpartition("://")[2].rstrip("/") or AWS_ENDPOINT
    if "/" in endpoint:
        raise UsageError(
            f"Argo cannot use an S3 endpoint with a path: {endpoint}",
            hint="have AIStore serve S3 at its root (its feature flag S3-API-via-Root), and leave "
            "the path out",
        )
    secure = s3.endpoint.startswith("https://") or (s3.tls and "://" not in s3.endpoint)
    found: dict[str, Any] = {
        "endpoint": endpoint,
        "bucket": bucket,
        **({"region": s3.region} if s3.region else {}),
        "insecure": not secure,
        "accessKeySecret": {"name": s3.secret_name, "key": s3.access_key_field},
        "secretKeySecret": {"name": s3.secret_name, "key": s3.secret_key_field},
        "key": key,
    }
    return {"s3": found}


def folder_of_runs(s3: S3) -> str:
    """Return the beginning of the keys of all runs, with a "/" at its end if there is one.

    From the key format: `workflows/{{workflow.name}}/{{pod.name}}` keeps runs in `workflows/`. A
    format whose beginning differs from pod to pod keeps none together, so only the prefix does.
    """
    start = s3.key_format.partition(RUN)[0] if RUN in s3.key_format else ""
    if "{{" in start:
        start = ""
    if s3.prefix and not start.startswith(f"{s3.prefix.strip('/')}/"):
        start = f"{s3.prefix.strip('/')}/{start.lstrip('/')}"
    return start


def key_format(s3: S3) -> str:
    """Return the format of keys that are not said, below the prefix. Raises UsageError.

    It must tell attempts apart, so it needs the pod's name (or an attempt's number and more).
    """
    chosen = s3.key_format or USUAL_FORMAT
    if "{{pod.name}}" not in chosen:
        raise UsageError(
            f"key_format {chosen!r} lacks {{{{pod.name}}}}: attempts would overwrite each other",
            hint=f"write for instance workflows/{USUAL_FORMAT}",
        )
    prefix = s3.prefix.strip("/")
    return chosen if not prefix or chosen.startswith(f"{prefix}/") else f"{prefix}/{chosen}"


def in_store(workflow: Workflow, s3: S3) -> Workflow:
    """Return the workflow with its artifacts in a context's store.

    Keys that begin with the run's name come into the folder of all runs. Where the store is not
    Argo's own, locations become whole, and each template says where its other outputs and its
    logs go.
    """
    folder = folder_of_runs(s3)
    placed: Any = _placed(workflow, s3, folder)
    if is_own(s3):
        spec = dict(placed["spec"])
        whole = location(s3, s3.bucket, key_format(s3))
        spec["templates"] = [
            one if _NO_PODS & one.keys() or "archiveLocation" in one
            else {**one, "archiveLocation": {"archiveLogs": True, **whole}}
            for one in spec.get("templates") or ()
        ]  # fmt: skip
        placed["spec"] = spec
    made: Workflow = placed
    return made


def _placed(value: Any, s3: S3, folder: str) -> Any:
    """Rewrite what is a place in a tree of plain data: our parameters, and `s3` with a key."""
    if isinstance(value, list):
        return [_placed(one, s3, folder) for one in value]
    if not isinstance(value, dict):
        return value
    made = {name: _placed(one, s3, folder) for name, one in value.items()}
    found = made.get("s3")
    if isinstance(found, dict) and set(found) == {"key"}:
        made.update(_with_key(s3, _moved(str(found["key"]), folder)))
    name, text = made.get("name"), made.get("value")
    if isinstance(name, str) and name.startswith(_OURS) and isinstance(text, str):
        made["value"] = _moved(text, folder)
    return made


def _with_key(s3: S3, key: str) -> Artifact:
    return location(s3, s3.bucket, key) if is_own(s3) else {"s3": {"key": key}}


def _moved(text: str, folder: str) -> str:
    return folder + text if text.startswith(f"{RUN}/") or text == RUN else text
