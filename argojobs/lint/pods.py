"""The containers of templates, and rules for their environment, mounts, ports and volumes.

Source: Kubernetes API reference, Container and Volume, and its validation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from argojobs.lint.rule import KUBERNETES, Fault, Faults, error, warning
from argojobs.lint.subject import NOTHING, Object, Place, Subject, items
from argojobs.manifest.findings import Finding
from argojobs.manifest.kinds import TEMPLATES
from argojobs.manifest.names import is_dns_label
from argojobs.manifest.nearest import suggestion
from argojobs.manifest.places import Path

_VARIABLE = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")


class Container(NamedTuple):
    """A container of a template and where it stands. main: whether it does the template's work."""

    path: Path
    value: Object
    place: Place
    main: bool


def containers(subject: Subject) -> Iterator[Container]:
    """Yield every container of every template."""
    for place in subject.places:
        yield from containers_of(place)


def containers_of(place: Place) -> Iterator[Container]:
    """Yield every container of a template."""
    template = place.template
    for kind in ("container", "script"):
        if template.get(kind):
            yield Container((*place.path, kind), template[kind], place, main=True)
    for index, one in items(template.get("containerSet"), "containers"):
        path = (*place.path, "containerSet", "containers", index)
        yield Container(path, one, place, main=True)
    for kind in ("initContainers", "sidecars"):
        for index, one in items(template, kind):
            yield Container((*place.path, kind, index), one, place, main=False)


@error(KUBERNETES + "concepts/storage/volumes/", beyond=True)
def volume_name(holder: Object, path: Path) -> Faults:
    """A volume without a name of its own.

    Names of volumes have lower case letters, digits and `-`, and stand once.
    Remedy: Rename it.
    Wrong:
        volumes:
        - name: My_Data
          emptyDir: {}
    Right:
        volumes:
        - name: my-data
          emptyDir: {}
    """
    found: list[tuple[Path, str | None]] = [
        ((*path, "volumes", index), one.get("name")) for index, one in items(holder, "volumes")
    ]
    found += [
        ((*path, "volumeClaimTemplates", index), (one.get("metadata") or NOTHING).get("name"))
        for index, one in items(holder, "volumeClaimTemplates")
    ]
    seen: set[str] = set()
    for where, name in found:
        if not name or ("{{" not in name and not is_dns_label(name)):
            what = f"{name!r} cannot name a volume" if name else "the volume has no name"
            yield Fault(where, what, "lower case letters, digits and `-`")
        elif name in seen:
            yield Fault(where, f"two volumes are called {name!r}", "rename one of them")
        seen.add(str(name))


def volume_names(subject: Subject) -> set[str]:
    """Return the volumes that all templates of a workflow may mount."""
    names = {str(one.get("name")) for _, one in items(subject.spec, "volumes")}
    for _, claim in items(subject.spec, "volumeClaimTemplates"):
        names.add(str((claim.get("metadata") or NOTHING).get("name")))
    names |= {str(one.get("name")) for _, one in items(subject.defaults, "volumes")}
    return names


@error(
    KUBERNETES + "tasks/inject-data-application/define-environment-variable-container/", beyond=True
)
def env_name(name: str, path: Path) -> Faults:
    """An environment variable that cannot have its name.

    Kubernetes refuses the pod.
    Remedy: Letters, digits, `_`, `-` and `.`, no digit first.
    Wrong:
        container:
          image: busybox:1.36
          env:
          - {name: 1st, value: a}
    Right:
        container:
          image: busybox:1.36
          env:
          - {name: FIRST, value: a}
    """
    if not _VARIABLE.fullmatch(name) and "{{" not in name:
        yield Fault(path, f"{name!r} cannot name an environment variable")


@warning(KUBERNETES + "tasks/inject-data-application/define-environment-variable-container/")
def env_twice(name: str, path: Path) -> Faults:
    """An environment variable that is set twice.

    The last one wins.
    Remedy: Keep one.
    Wrong:
        container:
          image: busybox:1.36
          env:
          - {name: A, value: a}
          - {name: A, value: b}
    Right:
        container:
          image: busybox:1.36
          env:
          - {name: A, value: b}
    """
    yield Fault(path, f"{name} is set twice: the last wins")


@warning(KUBERNETES + "tasks/inject-data-application/define-environment-variable-container/")
def env_value(one: Object, path: Path) -> Faults:
    """An environment variable without a value, or with two.

    Without one it is empty; with value and valueFrom, Kubernetes refuses the pod.
    Remedy: Give it one.
    Wrong:
        container:
          image: busybox:1.36
          env:
          - {name: A}
    Right:
        container:
          image: busybox:1.36
          env:
          - {name: A, value: ''}
    """
    name, value, source = one.get("name") or "", one.get("value"), one.get("valueFrom")
    if value and source is not None:
        yield Fault(path, f"{name} has value and valueFrom", "keep one of them", "error")
    elif value is None and source is None:
        hint = 'add `value:`, or `value: ""`'
        yield Fault(path, f"{name} has no value: it is empty", hint)


def _environment(container: Container) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, one in items(container.value, "env"):
        path = (*container.path, "env", index)
        name = one.get("name") or ""
        yield from env_name(name, path) or (env_twice(name, path) if name in seen else ())
        seen.add(name)
        yield from env_value(one, path)


def foreign_mounts(container: Container) -> dict[int, str]:
    """Return the volumes that a container mounts and its template has not, by the mounts' indexes."""
    mounts = list(items(container.value, "volumeMounts"))
    own = {one.get("name") for _, one in items(container.place.template, "volumes")}
    named = {index: str(one.get("name") or "") for index, one in mounts}
    return {index: name for index, name in named.items() if name not in own and "{{" not in name}


@error("walk-through/volumes/", beyond=True)
def volume_undeclared(path: Path, message: str, hint: str) -> Faults:
    """A mount of a volume that is not there.

    Kubernetes refuses the pod; Argo's lint passes it.
    Remedy: Declare it in `volumes`, of the template or the workflow.
    Wrong:
        container:
          image: busybox:1.36
          volumeMounts:
          - {name: data, mountPath: /data}
    Right:
        container:
          image: busybox:1.36
          volumeMounts:
          - {name: data, mountPath: /data}
        volumes:
        - name: data
          emptyDir: {}
    """
    yield Fault(path, message, hint)


@error("walk-through/volumes/")
def mount_path(container: Container) -> Faults:
    """Two mounts at one path, or a mount without.

    Kubernetes refuses the pod.
    Remedy: Mount it elsewhere.
    Wrong:
        container:
          image: busybox:1.36
          volumeMounts:
          - {name: a, mountPath: /x}
          - {name: a, mountPath: /x}
        volumes:
        - name: a
          emptyDir: {}
    Right:
        container:
          image: busybox:1.36
          volumeMounts:
          - {name: a, mountPath: /x}
          - {name: a, mountPath: /y}
        volumes:
        - name: a
          emptyDir: {}
    """
    taken: dict[str, str] = {}
    for index, one in items(container.value, "volumeMounts"):
        path = (*container.path, "volumeMounts", index)
        where = one.get("mountPath") or ""
        if not where:
            yield Fault(path, "it is mounted nowhere", "add `mountPath:`")
        elif where in taken:
            what = f"{where} is where {taken[where]} is mounted"
            yield Fault((*path, "mountPath"), what)
        taken[where] = one.get("name") or ""
    inputs = container.place.template.get("inputs") if container.main else None
    for index, artifact in items(inputs, "artifacts"):
        where = artifact.get("path") or ""
        if where in taken:
            path = (*container.place.path, "inputs", "artifacts", index, "path")
            what = f"{where} is where {taken[where]} is mounted"
            yield Fault(path, what, "put the artifact elsewhere, or below the mount")
        elif where:
            taken[where] = f"the input {artifact.get('name')}"


def _mounts(container: Container, shared: set[str]) -> Iterator[Finding]:
    """What a container mounts that is not there. shared: the volumes that all templates have."""
    for index, name in foreign_mounts(container).items():
        if name not in shared:
            path = (*container.path, "volumeMounts", index)
            own = {str(each.get("name")) for _, each in items(container.place.template, "volumes")}
            hint = suggestion(name, sorted(own | shared), what="the volumes are")
            where = (*path, "name") if name else path
            yield from volume_undeclared(where, f"there is no volume {name!r}", hint)


@error(KUBERNETES + "concepts/services-networking/service/", beyond=True)
def port(container: Container) -> Faults:
    """A number that is not a port.

    Kubernetes refuses the pod.
    Remedy: 1 to 65535, each name once.
    Wrong:
        container:
          image: busybox:1.36
          ports:
          - {containerPort: 70000}
    Right:
        container:
          image: busybox:1.36
          ports:
          - {containerPort: 6006}
    """
    ports = list(items(container.value, "ports"))
    counts = Counter(one.get("name") for _, one in ports if one.get("name"))
    for index, one in ports:
        path = (*container.path, "ports", index)
        for field in ("containerPort", "hostPort"):
            value = one.get(field)
            if value is not None and not 0 < value < 65536:
                yield Fault((*path, field), f"{value} is not a port", "1 to 65535")
        if one.get("containerPort") is None:
            yield Fault(path, "the port has no containerPort", "add it")
        if counts[one.get("name")] > 1:
            yield Fault(path, f"two ports are called {one['name']!r}", "rename one")


def check_pods(subject: Subject) -> Iterator[Finding]:
    """Environment, mounts and volumes of every template."""
    yield from volume_name(subject.spec, subject.at)
    for place in subject.places:
        yield from volume_name(place.template, place.path)
    shared = volume_names(subject)
    for container in containers(subject):
        yield from _environment(container)
        # A template of a library mounts the volumes of the workflow that calls it.
        if subject.kind not in TEMPLATES:
            yield from _mounts(container, shared)
        yield from mount_path(container)
        yield from port(container)
