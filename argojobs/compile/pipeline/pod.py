"""The options of a step as fields of its template and container."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from argojobs.dsl.quantities import count_of_bytes
from argojobs.dsl.resources import GPU, Port, Secret
from argojobs.dsl.volumes import Claim, ConfigFiles, EmptyDir, HostPath, SecretFiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from argojobs.dsl.retry import Retry

IN, IN_PATH = "argojobs-in", "/argojobs/in"
OUT, OUT_PATH = "argojobs-out", "/argojobs/out"
SHM, SHM_PATH = "argojobs-shm", "/dev/shm"  # noqa: S108 - not a file of ours
_PORTS = {"debug": Port(3000), "tensorboard": Port(6006)}
_MEBIBYTE = 1024 * 1024
#: Exit code 78: something was wrong before the user's first line, and would be again.
_CAN_HELP = "lastRetry.exitCode != '78'"
#: The machine is to blame: the pod was lost (Error, or no exit code), killed from outside
#: (SIGKILL, SIGTERM), evicted or preempted; not one that took too much memory or time.
_LOST = (
    "(lastRetry.status == 'Error' || lastRetry.exitCode == '-1' || lastRetry.exitCode == '137'"
    " || lastRetry.exitCode == '143' || lastRetry.message matches"
    " 'pod deleted|[Ee]vict|[Pp]reempt|node shutdown')"
    " && !(lastRetry.message matches 'OOMKilled|deadline')"
)


def template_fields(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields beside `container`: retries, deadline, where the pod may run.

    The timeout is one attempt's from the start of its pod (activeDeadlineSeconds): a template's
    `timeout` would count the hours that a pod waits for a GPU.
    """
    found: dict[str, Any] = {}
    if "retry" in settings:
        found["retryStrategy"] = retry_strategy(settings["retry"])
    if "timeout" in settings:
        found["activeDeadlineSeconds"] = settings["timeout"]
    if settings.get("node_selector"):
        found["nodeSelector"] = dict(settings["node_selector"])
    if settings.get("tolerations"):
        found["tolerations"] = [_toleration(one) for one in settings["tolerations"]]
    if "priority" in settings:
        found["priorityClassName"] = settings["priority"]
    if "service_account" in settings:
        found["serviceAccountName"] = settings["service_account"]
    return found


def retry_strategy(retry: Retry) -> dict[str, Any]:
    """Return the strategy: policy Always, as a lost pod is an Error and a crash a Failure.

    Argo docs: retries; `retries` counts the attempts that were repeated, as text.
    """
    limit, expression = retry.limit, _CAN_HELP
    if limit is None:
        assert retry.infra is not None
        assert retry.failures is not None
        limit = max(retry.infra, retry.failures)
        # Neither budget is exceeded, by the count that Argo has: of both.
        expression += f" && asInt(retries) < ({_LOST} ? {retry.infra} : {retry.failures})"
    strategy: dict[str, Any] = {
        "limit": str(limit),
        "retryPolicy": "Always",
        "expression": expression,
    }
    if retry.backoff is not None:
        strategy["backoff"] = {
            "duration": str(retry.backoff),
            "factor": str(retry.factor),
            **({"cap": str(retry.cap)} if retry.cap is not None else {}),
        }
    return strategy


def _toleration(toleration: Any) -> dict[str, str]:
    found = {"key": toleration.key, "operator": "Exists"}
    if toleration.value is not None:
        found["operator"], found["value"] = "Equal", toleration.value
    if toleration.effect is not None:
        found["effect"] = toleration.effect
    return found


def resources(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return requests and limits.

    CPU is a request only: a limit would slow a step down on a machine with idle cores. All else
    is both, as Kubernetes demands for GPUs.
    """
    limits: dict[str, str] = {}
    if "memory" in settings:
        limits["memory"] = settings["memory"]
    if "ephemeral_storage" in settings:
        limits["ephemeral-storage"] = settings["ephemeral_storage"]
    gpu: GPU | None = settings.get("gpu")
    if gpu is not None and gpu.count:
        limits[gpu.resource] = str(gpu.count)
        if gpu.memory_resource is not None:
            limits[gpu.memory_resource] = _mebibytes(gpu)
    requests = {**({"cpu": settings["cpu"]} if "cpu" in settings else {}), **limits}
    return {
        **({"requests": requests} if requests else {}),
        **({"limits": limits} if limits else {}),
    }


def _mebibytes(gpu: GPU) -> str:
    assert gpu.memory is not None
    return str(count_of_bytes(gpu.memory) // _MEBIBYTE)


def ports(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the named ports: debug and tensorboard, and the step's own."""
    own = settings.get("ports", {})
    numbers = {port.number for port in own.values()}
    ours = {name: port for name, port in _PORTS.items() if port.number not in numbers}
    return [
        {
            "name": name,
            "containerPort": port.number,
            **({"hostPort": port.host} if port.host is not None else {}),
        }
        for name, port in {**ours, **own}.items()
    ]


def environment(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the step's own variables, and what it has of GPUs."""
    found: list[dict[str, Any]] = []
    gpu: GPU | None = settings.get("gpu")
    if gpu is not None:
        found.append({"name": "NUM_GPUS", "value": str(gpu.count)})
        if gpu.memory is not None:
            found.append({"name": "RESERVED_MEM", "value": _mebibytes(gpu)})
    for name, value in settings.get("env", {}).items():
        if isinstance(value, Secret):
            reference = {"secretKeyRef": {"name": value.name, "key": value.key}}
            found.append({"name": name, "valueFrom": reference})
        else:
            found.append({"name": name, "value": _as_written(value)})
    return found


def _as_written(text: str) -> str:
    """Return a value so that it arrives as it is: Kubernetes takes `$$` for `$`, and `$(X)` for X."""
    return text.replace("$", "$$") if "$$" in text or "$(" in text else text


def volumes(
    settings: Mapping[str, Any], own_inputs: Iterable[str] | None = None
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the volumes of the template and where the container mounts them.

    own_inputs: if the folder of the inputs is a volume, those of its folders that are mounted by
    themselves. Argo loads an artifact whose path lies in a volume straight into it, so that one
    which is absent has no path; any other it mounts, and an absent one is an empty folder (seen
    with Argo 4.0.5). Folders that it makes on the way are closed to all but the user that loads
    (0700), who may be another than the step's; a mounted one is open.
    """
    found: list[dict[str, Any]] = [{"name": OUT, "emptyDir": {}}]
    mounts: list[dict[str, Any]] = [{"name": OUT, "mountPath": OUT_PATH}]
    if own_inputs is not None:
        found.append({"name": IN, "emptyDir": {}})
        mounts.append({"name": IN, "mountPath": IN_PATH})
        mounts += [
            {"name": IN, "mountPath": f"{IN_PATH}/{name}", "subPath": name} for name in own_inputs
        ]
    given = dict(settings.get("volumes", {}))
    shm = _shared_memory(settings)
    if shm is not None and SHM_PATH not in given:
        given = {SHM_PATH: shm, **given}
    for number, (path, volume) in enumerate(given.items(), 1):
        name = SHM if path == SHM_PATH else f"volume-{number}"
        found.append({"name": name, **_source(volume)})
        mount: dict[str, Any] = {"name": name, "mountPath": path}
        if getattr(volume, "sub_path", ""):
            mount["subPath"] = volume.sub_path
        if getattr(volume, "read_only", False):
            mount["readOnly"] = True
        mounts.append(mount)
    return found, mounts


def _shared_memory(settings: Mapping[str, Any]) -> EmptyDir | None:
    """Return /dev/shm: containers have 64 MiB, too little for data loaders with worker processes.

    What it holds counts as the step's memory, so it gets half of that if it is limited.
    """
    gpu: GPU | None = settings.get("gpu")
    wanted = settings.get("shm", gpu is not None and gpu.count > 0)
    if wanted is False:
        return None
    if wanted is True:
        memory = settings.get("memory")
        wanted = None if memory is None else str(count_of_bytes(memory) // 2)
    return EmptyDir(wanted, memory=True)


def _source(volume: Any) -> dict[str, Any]:
    if isinstance(volume, Claim):
        return {"persistentVolumeClaim": {"claimName": volume.name}}
    if isinstance(volume, EmptyDir):
        return {
            "emptyDir": {
                **({"medium": "Memory"} if volume.memory else {}),
                **({"sizeLimit": volume.size} if volume.size is not None else {}),
            }
        }
    if isinstance(volume, HostPath):
        kind = {"type": volume.kind} if volume.kind else {}
        return {"hostPath": {"path": volume.path, **kind}}
    if isinstance(volume, SecretFiles):
        return {"secret": {"secretName": volume.name}}
    assert isinstance(volume, ConfigFiles)
    return {"configMap": {"name": volume.name}}
