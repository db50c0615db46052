"""Claims and volumes that a pod does not get.

Source: Kubernetes docs, persistent volumes; messages of the scheduler, the volume controllers and
kubelet (`FailedMount`, `FailedAttachVolume`), as recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from argojobs.diagnosis.cause import Cause, told, words_of
from argojobs.diagnosis.evidence import Object, Subject
from argojobs.diagnosis.finding import Answer
from argojobs.diagnosis.quantities import names

_UNBOUND = re.compile(
    r"unbound immediate PersistentVolumeClaims|waiting for a volume to be created"
)


def _claim_not_bound(subject: Subject) -> Answer | None:
    """A claim waits for a volume."""
    if subject.over or subject.search(_UNBOUND) is None:
        return None
    waiting = [one for one in _claims(subject) if _phase(one) != "Bound"]
    told_of = [_said(subject, claim) for claim in waiting]
    kubectl = words_of(subject)["kubectl"]
    return Answer(
        "; ".join(told_of) or f"a claim of the step has no volume yet: {names(_names(subject))}",
        "name a storage class that the cluster has, or have its keeper make volumes",
        f"{kubectl} get persistentvolumeclaims; {kubectl} get storageclasses",
    )


def _names(subject: Subject) -> Iterator[str]:
    for volume in subject.spec.get("volumes") or ():
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if claim:
            yield str(claim)


def _claims(subject: Subject) -> list[Object]:
    wanted = set(_names(subject))
    return [one for one in subject.evidence.claims if one["metadata"]["name"] in wanted]


def _phase(claim: Object) -> str:
    return str((claim.get("status") or {}).get("phase") or "")


def _said(subject: Subject, claim: Object) -> str:
    name, spec = claim["metadata"]["name"], claim.get("spec") or {}
    size = ((spec.get("resources") or {}).get("requests") or {}).get("storage", "")
    of_class = spec.get("storageClassName")
    asks = f"{size} of the class {of_class}" if of_class else f"{size} of the usual class"
    events = [e for e in subject.evidence.events if _about(e) == name]
    why = next((str(e.get("message")) for e in reversed(events) if e.get("type") == "Warning"), "")
    return f"the claim {name} has no volume: it asks for {asks}" + (f" ({why})" if why else "")


def _about(event: Object) -> str:
    involved = event.get("involvedObject") or {}
    kind = involved.get("kind")
    return str(involved.get("name", "")) if kind == "PersistentVolumeClaim" else ""


CAUSES = (
    told(
        "missing-claim",
        r"persistentvolumeclaims? \"(?P<name>[^\"]+)\" not found",
        "the claim {name} does not exist in the namespace {namespace}",
        "make it (a context's `storage_claim` is made with its first run), or name another",
        "{kubectl} get persistentvolumeclaims",
    ),
    Cause("claim-not-bound", _claim_not_bound),
    told(
        "volume-in-use",
        r"Multi-Attach error for volume \"(?P<name>[^\"]+)\"",
        "the volume {name} is still attached to another node, and may be at one only",
        "wait until the other pod has gone, or use a claim for several nodes (ReadWriteMany)",
        "{kubectl} get pods -o wide",
    ),
    told(
        "host-path",
        r"hostPath type check failed: (?P<path>\S+) is not (?P<kind>[^\n]+)",
        "the node has no {path}: it is not {kind}",
        "make it on the node, or leave `type` out of the hostPath",
    ),
    told(
        "volume-mount",
        r"Failed(?:Mount|AttachVolume): (?P<why>(?!.*context deadline)[^\n]+)",
        "a volume cannot be mounted: {why}",
        "correct the volume in the template, or have the storage looked at",
    ),
    told(
        "read-only",
        r"Read-only file system:? ?(?P<path>'[^']*')?",
        "the step writes where it may only read: {path}",
        "write to /tmp, an output, or a volume that is not readOnly",
        where="log",
    ),
)
