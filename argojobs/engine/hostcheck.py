"""What this host has and lacks for a workflow, found before anything starts: programs, claims.

Only what is certain is refused: a name with a tag or a path inside the pod's own places is left
to the pod.
"""

from __future__ import annotations

import posixpath
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from argojobs.engine.capacity import host_capacity
from argojobs.engine.coverage import reachable
from argojobs.engine.executors.process.host import PYTHON, missing_command, no_command, refuse_paths
from argojobs.engine.executors.process.memory import may_limit
from argojobs.engine.executors.process.namespace import probe
from argojobs.engine.executors.process.processes import boot_identity
from argojobs.engine.expansion import secret_value
from argojobs.engine.placement import NVIDIA, Resources
from argojobs.engine.small_files import read_small
from argojobs.errors import HostError
from argojobs.manifest.own_program import is_own_program
from argojobs.manifest.view import artifacts_of, parameters_of
from argojobs.service import Workflow
from argojobs.units import quantity

#: In the home: what the executor last found this host to allow, and since which start of it.
ISOLATION_FILE = "isolation"
ISOLATIONS = ("mount", "user", "none")


def refuse_missing(workflow: Workflow, submitter: Mapping[str, Any]) -> None:
    """Raise `HostError` for the first program that this host has no answer for.

    submitter: as `submitter.capture` recorded it.
    """
    spec = workflow["spec"]
    for index, template in reachable(spec):
        for kind in ("container", "script"):
            container = template.get(kind)
            if container is not None:
                where = f"spec.templates[{index}].{kind}"
                _check_program(template, container, submitter, where)
                _check_secrets(container, submitter, where)


def _check_program(
    template: Mapping[str, Any],
    container: Mapping[str, Any],
    submitter: Mapping[str, Any],
    where: str,
) -> None:
    image = str(container.get("image", ""))
    if "{{" in image and submitter["images"]:
        return  # it may turn out to be any of them
    known = submitter["images"].get(image, {"entrypoint": [], "command": [], "root": ""})
    words = list(container.get("command") or known["entrypoint"])
    words += container.get("args") or ()
    words += [] if container.get("command") or container.get("args") else known["command"]
    if not words:
        unknown = no_command(image)
        raise HostError(unknown.what, where=where, hint=unknown.hint)
    program = str(words[0])
    if known["root"] or "{{" in program or "$(" in program or PYTHON.fullmatch(program):
        return
    if _is_missing(program, template, container, submitter):
        if not container.get("command") and not known["entrypoint"]:
            raise HostError(
                f"the entrypoint of the image {image!r} is not known on this machine, and its "
                f"args begin with {program!r}, which is not a program here",
                where=where,
                hint="give the template a command, or say what the image starts: "
                f'[local.images."{image}"]  entrypoint = [...]',
            )
        error = missing_command(program, image)
        raise HostError(error.what, where=f"{where}.command", hint=error.hint)


def _check_secrets(container: Mapping[str, Any], submitter: Mapping[str, Any], where: str) -> None:
    for index, variable in enumerate(container.get("env") or ()):
        reference = (variable.get("valueFrom") or {}).get("secretKeyRef")
        if reference and "{{" not in f"{reference}":
            try:
                secret_value(variable["name"], reference, submitter.get("secrets", {}))
            except HostError as error:
                raise HostError(
                    error.what, where=f"{where}.env[{index}]", hint=error.hint
                ) from error


def _is_missing(
    program: str,
    template: Mapping[str, Any],
    container: Mapping[str, Any],
    submitter: Mapping[str, Any],
) -> bool:
    if program.startswith("/"):
        inside = any(
            posixpath.commonpath([program, place]) == place.rstrip("/")
            for place in _own_places(template, container)
        )
        return not inside and not Path(program).exists()
    if "/" in program or any(entry["name"] == "PATH" for entry in container.get("env") or ()):
        return False  # relative to a working directory, or looked up where only the pod knows
    interpreters = str(Path(submitter["interpreter"]).parent)
    path = f"{interpreters}:{submitter['environment'].get('PATH', '/usr/bin:/bin')}"
    return shutil.which(program, path=path) is None


def _own_places(template: Mapping[str, Any], container: Mapping[str, Any]) -> Iterator[str]:
    """Yield the absolute paths below which a pod has files that this host does not show."""
    yield "/argojobs"
    yield "/argo"
    for artifact in artifacts_of(template.get("inputs")):
        if str(artifact.get("path", "")).startswith("/"):
            yield artifact["path"]
    for mount in container.get("volumeMounts") or ():
        if str(mount.get("mountPath", "")).startswith("/"):
            yield mount["mountPath"]


def claim_notes(workflow: Workflow, submitter: Mapping[str, Any], claims: Path) -> list[str]:
    """Return one note for each claim without a folder that is there: where it is here.

    Args:
        workflow: the one to run.
        submitter: as `submitter.capture` recorded it.
        claims: the folder of the home that holds such claims, made when a pod first mounts one.
    """
    spec = workflow["spec"]
    unnamed: dict[str, None] = {}
    named: dict[str, str] = {}
    for _, template in reachable(spec):
        container = template.get("container") or template.get("script") or {}
        mounted = {mount.get("name") for mount in container.get("volumeMounts") or ()}
        for volume in (*(spec.get("volumes") or ()), *(template.get("volumes") or ())):
            claim = (volume.get("persistentVolumeClaim") or {}).get("claimName", "")
            if volume["name"] in mounted and claim and claim not in submitter["claims"]:
                unnamed[claim] = None
            elif volume["name"] in mounted and claim:
                named[claim] = str(submitter["claims"][claim])
    return [
        f"the claim {claim!r} is the folder {claims / claim} on this machine; "
        f"[local.claims] in argojobs.toml names another"
        for claim in unnamed
        if "{{" not in claim
    ] + [
        f"the claim {claim!r} is the folder {folder} by [local.claims]: it is not there yet and "
        "is made, empty"
        for claim, folder in named.items()
        if not Path(folder).exists()
    ]


def host_isolation(home: Path) -> str:
    """Return what kind of private root this host allows a pod: mount, user or none.

    As the executor of the home last found, else found out here.
    """
    try:
        found, boot = read_small(home / ISOLATION_FILE).split()
    except ValueError:
        boot = found = ""
    if found in ISOLATIONS and boot == boot_identity():
        return found
    with tempfile.TemporaryDirectory(prefix="argojobs-") as folder:
        return probe(folder)


def refuse_private_paths(workflow: Workflow, submitter: Mapping[str, Any]) -> None:
    """Raise `UnsupportedError` for the first template that needs a root of its own.

    For a host without mount namespaces, unless the submitter shares the host's paths.
    """
    if submitter["share_host_paths"]:
        return
    for index, template in reachable(workflow["spec"]):
        for kind in ("container", "script"):
            container = template.get(kind)
            if container is not None:
                paths = list(_private_paths(template, container))
                refuse_paths(paths, where=f"spec.templates[{index}].{kind}")


#: What a run is told once on a host without mount namespaces.
WITHOUT_NAMESPACES = (
    "this host has no mount namespaces: the steps of a manifest see and write its own files, also "
    "by absolute paths inside their commands, which cannot be known beforehand"
)


def _private_paths(template: Mapping[str, Any], container: Mapping[str, Any]) -> Iterator[str]:
    """Yield the absolute paths that a template declares, but for those of our own program."""
    inputs, outputs = template.get("inputs") or {}, template.get("outputs") or {}
    paths = [each.get("path") for each in artifacts_of(inputs)]
    paths += [each.get("path") for each in artifacts_of(outputs)]
    paths += [(each.get("valueFrom") or {}).get("path") for each in parameters_of(outputs)]
    paths += [mount.get("mountPath") for mount in container.get("volumeMounts") or ()]
    ours = is_own_program(container)
    for path in paths:
        given = str(path or "")
        if not given or "{{" in given or given == "/dev/shm":  # noqa: S108
            continue
        if not (ours and given.startswith("/argojobs/")):
            yield given


def missing_devices(
    templates: Iterable[Mapping[str, Any]], capacity: Resources | None = None
) -> list[str]:
    """Return notes on what templates ask for and this host does not have, one a kind of thing."""
    capacity = capacity or host_capacity()
    gpus = int(capacity.gpus.get(NVIDIA, 0))
    most: dict[str, float] = {}
    for template in templates:
        container = template.get("container") or template.get("script") or {}
        resources = container.get("resources") or {}
        for name, amount in {
            **(resources.get("limits") or {}),
            **(resources.get("requests") or {}),
        }.items():
            most[name] = max(most.get(name, 0.0), quantity(amount) or 0.0)
    notes = []
    for name, amount in sorted(most.items()):
        if name == "cpu" and amount > capacity.cpu:
            notes.append(f"a step asks for {amount:g} CPUs, this host has {capacity.cpu:g}")
        elif name == "memory" and amount > capacity.memory:
            notes.append(
                f"a step asks for {amount / 2**30:.1f} GiB of memory, "
                f"this host has {capacity.memory / 2**30:.1f} GiB"
            )
        elif name == NVIDIA and amount > gpus:
            wanted = f"a step asks for {amount:g} GPU{'s' if amount > 1 else ''} ({name})"
            has = f"this host has {gpus}: it gets {gpus}"
            none = "this host has none: it runs on the CPU"
            notes.append(f"{wanted}, {has if gpus else none}")
        elif "/" in name and name != NVIDIA and amount:
            notes.append(f"a step asks for {name}, which this host does not know: it runs without")
    return notes


def unlimited_memory(templates: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a note where limits of memory cannot be kept: no control groups for this user."""
    for template in templates:
        container = template.get("container") or template.get("script") or {}
        limits = (container.get("resources") or {}).get("limits") or {}
        if "memory" in limits and not may_limit():
            return [
                "limits of memory are not enforced: this user may make no control groups (cgroups)"
            ]
    return []
