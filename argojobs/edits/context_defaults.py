"""What every run in a context gets, put into its workflow: defaults, never a change of what it says.

- the namespace and the service account, where the workflow names none; the Secret to pull images
- the image and the resources, for containers that have none (of a container set: the image)
- variables, at the end of each container's own, for names that it has not
- mounts, and a storage claim with `$STORAGE_DIR`, for paths that are not mounted yet
- a limit on runs that go on at once. One at a time is a mutex, which needs nothing on the cluster;
  more are a semaphore, whose size stands in the ConfigMap `argojobs-limits` of the namespace
  under the context's key (`argojobs doctor` makes it). Runs that wait are Pending.

Applied twice it is the same as once. Sidecars and init containers keep to what they say. Source:
Argo docs: fields (WorkflowSpec, Template, Synchronization), template defaults, synchronization.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from argojobs.edits.parts import copied, members, templates_in, with_inline
from argojobs.manifest.names import label_value
from argojobs.manifest.view import metadata_of, spec_of
from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.manifest.objects import ObjectMeta

Object = dict[str, Any]

#: The ConfigMap with the sizes of semaphores.
LIMITS = "argojobs-limits"

#: What a step runs in where neither its manifest nor the context names an image.
DEFAULT_IMAGE = "docker.io/library/python:3.12-slim"

#: The variable that names the folder of the storage claim.
STORAGE_VARIABLE = "STORAGE_DIR"

GPU = "nvidia.com/gpu"

#: The variable with the number of GPUs; 0 is how a step says that it wants none.
GPUS_VARIABLE = "NUM_GPUS"

#: Resources that Kubernetes lets a container exceed on purpose: a request, without a limit.
_REQUEST_ONLY = frozenset({"cpu"})

_LONGEST_VOLUME = 63


class Volume(NamedTuple):
    """A folder for every step: a `claim` by its name, a `hostPath`, or an `nfs` as `HOST:/PATH`."""

    path: str
    kind: str
    source: str
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a context says of every run; an empty value says nothing.

    storage: the path of the storage claim, which is also among the volumes. limit_key: what runs
    that share the limit have in common. pull_secret: the Secret with the registry's password.
    """

    namespace: str = ""
    service_account: str = ""
    image: str = ""
    resources: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    volumes: tuple[Volume, ...] = ()
    storage: str = ""
    max_parallel: int = 0
    limit_key: str = ""
    pull_secret: str = ""


def with_context(workflow: Workflow, defaults: Defaults) -> Workflow:
    """Return a Workflow with what its context says; the given one is not changed."""
    result: Workflow = {**workflow}
    if defaults.namespace:
        metadata: ObjectMeta = {**metadata_of(workflow)}
        if not metadata.get("namespace"):
            metadata["namespace"] = defaults.namespace
        result["metadata"] = metadata
    result["spec"] = _with_spec(spec_of(workflow), defaults)
    return result


def limit_of(defaults: Defaults) -> tuple[str, int] | None:
    """Return the key and the size that `argojobs-limits` must have, None where it is not needed."""
    if defaults.max_parallel < 2:
        return None
    return _key(defaults), defaults.max_parallel


def _with_spec(given: Mapping[str, Any], defaults: Defaults) -> Any:
    spec: Any = copied(given)
    if defaults.service_account and not spec.get("serviceAccountName"):
        spec["serviceAccountName"] = defaults.service_account
    secret, secrets = {"name": defaults.pull_secret}, spec.get("imagePullSecrets") or []
    if defaults.pull_secret and secret not in secrets:
        spec["imagePullSecrets"] = [*secrets, secret]
    names = _volume_names(spec, defaults.volumes)
    common = _containers_of(spec.get("templateDefaults") or {})
    used: set[str] = set()
    for template in templates_in(spec):
        for container in _containers_of(template):
            _fill(container, defaults, names, common, used)
        together = template.get("containerSet") or {}
        # They share what the set mounts, and one pod's resources.
        shared = {"volumeMounts": together.get("volumeMounts"), "resources": {"shared": True}}
        for container in members(together, "containers"):
            _fill(container, defaults, names, [*common, shared], used)
    _add_volumes(spec, defaults.volumes, names, used)
    if defaults.max_parallel:
        spec["synchronization"] = _synchronization(spec.get("synchronization") or {}, defaults)
    return spec


def _fill(
    container: Object,
    defaults: Defaults,
    names: Mapping[str, str],
    common: list[Object],
    used: set[str],
) -> None:
    """Give a container what it lacks.

    names: the volumes' names by their paths. common: the containers of the template defaults,
    which Argo puts under this one. used: gets the paths that are mounted here.
    """
    every = [container, *common]
    if defaults.image and not any(one.get("image") for one in every):
        container["image"] = defaults.image
    variables = [variable for one in every for variable in one.get("env") or []]
    environment = {STORAGE_VARIABLE: defaults.storage} if defaults.storage else {}
    environment.update(defaults.environment)
    resources = _wanted(defaults.resources, variables)
    if resources and not any(one.get("resources") for one in every):
        container["resources"] = _resources(resources)
        if GPU in resources:
            environment[GPUS_VARIABLE] = resources[GPU]
    has = {variable.get("name") for variable in variables}
    new = [{"name": name, "value": environment[name]} for name in environment if name not in has]
    if new:
        container["env"] = [*(container.get("env") or []), *new]
    mounted = {
        str(mount.get("mountPath", "")).rstrip("/")
        for one in every
        for mount in one.get("volumeMounts") or []
    }
    mounts = []
    for volume in defaults.volumes:
        if volume.path.rstrip("/") in mounted:
            continue
        used.add(volume.path)
        only = {"readOnly": True} if volume.read_only else {}
        mounts.append({"name": names[volume.path], "mountPath": volume.path, **only})
    if mounts:
        container["volumeMounts"] = [*(container.get("volumeMounts") or []), *mounts]


def _containers_of(template: Object) -> list[Object]:
    return [one for kind in ("container", "script") if isinstance(one := template.get(kind), dict)]


def _wanted(resources: Mapping[str, str], variables: list[Mapping[str, Any]]) -> Mapping[str, str]:
    """Return the default resources; none of GPUs where a step of ours says that it wants none."""
    if {"name": GPUS_VARIABLE, "value": "0"} not in variables:
        return resources
    return {name: text for name, text in resources.items() if name != GPU}


def _resources(given: Mapping[str, str]) -> Object:
    """Return requests and limits, as the DSL writes them."""
    limits = {name: text for name, text in given.items() if name not in _REQUEST_ONLY}
    return {"requests": dict(given), **({"limits": limits} if limits else {})}


def _volume_names(spec: Object, volumes: tuple[Volume, ...]) -> dict[str, str]:
    """Return a name for each volume by its path: the same each time, and nobody else's."""
    taken: dict[str, list[Object]] = {}
    for name, source in _volumes_in(spec):
        taken.setdefault(name, []).append(source)
    names: dict[str, str] = {}
    for volume in volumes:
        start = re.sub(r"[^a-z0-9]+", "-", volume.path.lower()).strip("-") or "root"
        base = f"context-{start}"[: _LONGEST_VOLUME - 3].rstrip("-")
        name, number = base, 1
        source = _source(volume)
        while any(one != source for one in taken.get(name, ())) or name in names.values():
            number += 1
            name = f"{base}-{number}"
        names[volume.path] = name
    return names


def _volumes_in(spec: Object) -> list[tuple[str, Object]]:
    """Return all volumes that the workflow and its templates have, by name, without the names."""
    found: list[Any] = [*(spec.get("volumes") or [])]
    for template in (*templates_in(spec), *with_inline(spec.get("templateDefaults") or {})):
        found += members(template, "volumes")
    claims: list[Any] = [
        {**one.get("metadata", {}), "claim": True} for one in spec.get("volumeClaimTemplates") or []
    ]
    return [
        (str(one.get("name", "")), {key: value for key, value in one.items() if key != "name"})
        for one in [*found, *claims]
        if isinstance(one, Mapping)
    ]


def _source(volume: Volume) -> Object:
    """Return a volume as Kubernetes has it. Source: Kubernetes API reference, Volume."""
    if volume.kind == "claim":
        return {"persistentVolumeClaim": {"claimName": volume.source}}
    if volume.kind == "hostPath":
        return {"hostPath": {"path": volume.source}}
    server, _, path = volume.source.partition(":")
    nfs: Object = {"server": server, "path": path}
    return {"nfs": nfs}


def _add_volumes(
    spec: Object, volumes: tuple[Volume, ...], names: Mapping[str, str], used: set[str]
) -> None:
    """Add the volumes that some container mounts now."""
    own = spec.get("volumes") or []
    has = {one.get("name") for one in own}
    new = [
        {"name": names[volume.path], **_source(volume)}
        for volume in volumes
        if volume.path in used and names[volume.path] not in has
    ]
    if new:
        spec["volumes"] = [*own, *new]


def _synchronization(given: Mapping[str, Any], defaults: Defaults) -> Object:
    """Return the locks of a run with the context's among them.

    The lists are Argo's from 3.6 on; 3.5 ignores them, and runs do not wait there.
    """
    key = _key(defaults)
    lock: Object
    if defaults.max_parallel == 1:
        kind, lock = "mutexes", {"name": f"argojobs-{key}"}
    else:
        kind, lock = "semaphores", {"configMapKeyRef": {"name": LIMITS, "key": key}}
    locks = given.get(kind) or []
    return dict(given) if lock in locks else {**given, kind: [*locks, lock]}


def _key(defaults: Defaults) -> str:
    return label_value(defaults.limit_key or "runs")
