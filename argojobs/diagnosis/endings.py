"""Pods that were ended: by the kernel, by the node, by Kubernetes or by somebody.

Source: Kubernetes docs, node-pressure eviction, pod disruption conditions, local ephemeral storage;
Argo's `inferFailedReason`; as recorded.
"""

from __future__ import annotations

import re

from argojobs.diagnosis.cause import Cause, told
from argojobs.diagnosis.evidence import Subject
from argojobs.diagnosis.finding import Answer

_OOM = re.compile(r"OOMKilled")
_EVICTED = re.compile(
    r"The node was low on resource: (?P<resource>[\w-]+)\. (?:Threshold quantity: (?P<threshold>\S+), "
    r"available: (?P<available>\S+)\. )?(?:Container (?P<container>\S+) was using (?P<used>\S+), "
    r"request is (?P<request>[^,\s]+))?"
)


def _out_of_memory(subject: Subject) -> Answer | None:
    """The kernel killed the program at its memory limit."""
    if subject.search(_OOM) is None:
        return None
    resources = subject.main.get("resources") or {}
    limit = str((resources.get("limits") or {}).get("memory") or "")
    request = str((resources.get("requests") or {}).get("memory") or "")
    had = f"its limit is {limit}" if limit else "it has no limit of its own: the node was full"
    asks = f", its request {request}" if request and request != limit else ""
    return Answer(
        f"the step used more memory than it may and was killed (OOMKilled): {had}{asks}",
        "give it more memory in its resources, or let it take less: smaller batches, fewer "
        "worker processes",
    )


def evicted(subject: Subject) -> Answer | None:
    """The node ran short of something and ended the pod."""
    found = subject.search(_EVICTED)
    if found is None:
        return None
    what = found["resource"]
    used = f"; {found['container']} used {found['used']}" if found["used"] else ""
    asked = f" and had asked for {found['request']}" if found["request"] else ""
    return Answer(
        f"the node ran out of {what} and evicted the pod{used}{asked}",
        f"ask for as much {what} as the step uses, so that it comes to a node that has it",
    )


CAUSES = (
    Cause("out-of-memory", _out_of_memory),
    Cause("evicted", evicted),
    told(
        "ephemeral-storage",
        r"(?:Pod|Container) ?\S* ?(?:ephemeral local storage usage exceeds the total limit of "
        r"containers|exceeded its local ephemeral storage limit) \"?(?P<limit>[^\s\".]+)",
        "the step wrote more to its own disk than it may, {limit}, and was evicted",
        "raise the limit of ephemeral-storage, or write to a volume or the artifact store",
    ),
    told(
        "volume-full",
        r"Usage of EmptyDir volume \"(?P<name>[^\"]+)\" exceeds the limit \"(?P<limit>[^\"]+)\"",
        "the step wrote more into its volume {name} than it may hold, {limit}, and was evicted",
        "raise the volume's sizeLimit, or write less into it",
    ),
    told(
        "preempted",
        r"PreemptionByScheduler|Preempted by ",
        "the pod had to make room for one of a higher priority",
        "retry it, or give the run a higher priority: argojobs run --priority",
        "argojobs retry {run}{options}",
    ),
    told(
        "node-lost",
        r"NodeLost|Node ?NotReady|DeletionByTaintManager|TaintManagerEviction|node .* is not ready"
        r"|was unresponsive|node is not ready",
        "the node of the pod was lost: it no longer answered, or was taken away",
        "retry it; a retryStrategy with retryPolicy Always does that by itself",
        "argojobs retry {run}{options}",
    ),
    told(
        "node-shutdown",
        r"(?:NodeShutdown|Terminated): .*(?:node shutdown|imminent)",
        "the pod was ended because its node shut down",
        "retry it; on spot machines give the step a retryStrategy with retryPolicy Always",
        "argojobs retry {run}{options}",
    ),
    told(
        "pod-deleted",
        r"(?:pod|Pod) (?:was )?deleted|DeletionByPodGC|EvictionByEvictionAPI",
        "the pod was deleted while its step ran, by somebody or when its node was drained",
        "retry it",
        "argojobs retry {run}{options}",
    ),
    told(
        "wrong-architecture",
        r"Exec format error",
        "a program of the step is not for this node's CPU, or a script without its first line #!",
        "build it for the cluster's platform",
        where="log",
    ),
    told(
        "shared-memory",
        r"(?i)bus error.*shared memory|insufficient shared memory|\bshm\b.*No space left"
        r"|unable to (?:open|write|allocate) shared memory",
        "the shared memory /dev/shm is too small: a pod has 64 MiB unless told otherwise",
        "ask for more: resources of a step of ours with a GPU have it; else mount an emptyDir with "
        "medium Memory at /dev/shm",
        where="log",
    ),
    told(
        "disk-full",
        r"(?i)no space left on (?:the )?dev(?:ice)?|no space left on the disk",
        "a disk was full: No space left on device",
        "write to a volume that has room, or remove what is not needed",
        where="log",
    ),
    told(
        "disk-full",
        r"no space left on (?:the disk of (?P<where>\S+)|device)",
        "a disk was full {where}",
        "make room, or write elsewhere",
    ),
)
