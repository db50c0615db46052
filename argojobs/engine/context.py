"""What the pods of a run have in common, from the run's row and the home: the `PodContext`.

Also where things lie in a home: `pods/<run>/<pod>/`, `artifacts/`, `cache/`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.engine.pod_context import PodContext

Isolation = Literal["mount", "user", "none"]


def pod_directory(home: Path, run: str, pod: str) -> Path:
    """Return where request, log and result of a pod lie; of all of a run's when pod is ""."""
    return home / "pods" / run / pod


def artifact_root(home: Path) -> Path:
    """Return the folder of the home's artifact repository."""
    return home / "artifacts"


def pod_context(
    home: Path,
    workflow: Workflow,
    submitter: Mapping[str, Any],
    isolation: Isolation,
    gpus: Sequence[str] | None,
) -> PodContext:
    """Return the context of a run's pods.

    submitter: as `submitter.capture` recorded it. isolation: what the executor found this host to
    allow. gpus: the indexes of those lent to the pod; None on a host without any, where nothing
    has to be hidden from it.
    """
    # Here, as verbs that only read need no more of this module than where things lie.
    from argojobs.engine.pod_context import Image, PodContext, Submitter

    metadata, spec = workflow["metadata"], workflow["spec"]
    environment = {}
    if gpus is not None:
        environment["CUDA_VISIBLE_DEVICES"] = ",".join(gpus)
    return PodContext(
        workflow=metadata["name"],
        uid=metadata["uid"],
        namespace=metadata["namespace"],
        submitter=Submitter(
            interpreter=submitter["interpreter"],
            directory=submitter["project"],
            environment=submitter["environment"],
            keep=tuple(submitter["keep"]),
        ),
        pods=str(home / "pods"),
        cache=str(home / "cache"),
        repository={"kind": "directory", "root": str(artifact_root(home))},
        claims_home=str(home / "claims"),
        claims=submitter["claims"],
        secrets=submitter.get("secrets", {}),
        images={
            name: Image(
                tuple(image["entrypoint"]),
                tuple(image["command"]),
                image["root"],
                image.get("workdir", ""),  # runs of before it was there have none
            )
            for name, image in submitter["images"].items()
        },
        isolation=isolation,
        share_host_paths=submitter["share_host_paths"],
        enforce_memory=submitter.get("strict_resources", False),
        service_account=spec.get("serviceAccountName") or "default",
        labels=metadata.get("labels", {}),
        annotations=metadata.get("annotations", {}),
        environment=environment,
    )
