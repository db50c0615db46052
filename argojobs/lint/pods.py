"""The containers of templates, and rules for their environment, mounts, ports and volumes.

Source: Kubernetes API reference, Container and Volume, and its validation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from argojobs.lint.subject import NOTHING, Object, Place, Subject, items
from argojobs.manifest.findings import Finding, error, warning
from argojobs.manifest.kinds import TEMPLATES
from argojobs.manifest.names import is_dns_label
from argojobs.manifest.nearest import suggestion
from argojobs.manifest.places import Path

_VARIABLE = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")


@dataclass(frozen=True, slots=True)
class Container:
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


def check_pods(subject: Subject) -> Iterator[Finding]:
    """Environment, mounts and volumes of every template."""
    # A template of a library mounts the volumes of the workflow that calls it.
    shared = None if subject.kind in TEMPLATES else volume_names(subject)
    yield from _volumes(subject.spec, subject.at, claims=True)
    for place in subject.places:
        yield from _volumes(place.template, place.path, claims=False)
    for container in containers(subject):
        yield from _environment(container)
        yield from _mounts(container, shared)
        yield from _ports(container)


def volume_names(subject: Subject) -> set[str]:
    """Return the volumes that all templates of a workflow may mount."""
    names = {str(one.get("name")) for _, one in items(subject.spec, "volumes")}
    for _, claim in items(subject.spec, "volumeClaimTemplates"):
        names.add(str((claim.get("metadata") or NOTHING).get("name")))
    names |= {str(one.get("name")) for _, one in items(subject.defaults, "volumes")}
    return names


def _volumes(holder: Object, path: Path, *, claims: bool) -> Iterator[Finding]:
    found = [
        ((*path, "volumes", index), one.get("name")) for index, one in items(holder, "volumes")
    ]
    if claims:
        found += [
            ((*path, "volumeClaimTemplates", index), (one.get("metadata") or NOTHING).get("name"))
            for index, one in items(holder, "volumeClaimTemplates")
        ]
    seen: set[str] = set()
    for where, name in found:
        if not name or ("{{" not in name and not is_dns_label(name)):
            what = f"{name!r} cannot name a volume" if name else "the volume has no name"
            yield error("volume-name", where, what, "lower case letters, digits and `-`")
        elif name in seen:
            yield error(
                "volume-name", where, f"two volumes are called {name!r}", "rename one of them"
            )
        seen.add(str(name))


def _environment(container: Container) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, one in items(container.value, "env"):
        path = (*container.path, "env", index)
        name = one.get("name") or ""
        if not _VARIABLE.fullmatch(name) and "{{" not in name:
            yield error(
                "env-name",
                path,
                f"{name!r} cannot name an environment variable",
                "letters, digits, `_`, `-` and `.`, no digit first",
            )
        elif name in seen:
            yield warning("env-twice", path, f"{name} is set twice: the last wins", "keep one")
        seen.add(name)
        value, source = one.get("value"), one.get("valueFrom")
        if value is not None and source is not None and value != "":
            yield error("env-value", path, f"{name} has value and valueFrom", "keep one of them")
        elif value is None and source is None:
            yield warning(
                "env-value",
                path,
                f"{name} has no value: it is empty",
                'add `value:`, or `value: ""`',
            )


def foreign_mounts(container: Container) -> dict[int, str]:
    """Return the volumes that a container mounts and its template has not, by the mounts' indexes."""
    mounts = list(items(container.value, "volumeMounts"))
    own = {one.get("name") for _, one in items(container.place.template, "volumes")}
    named = {index: str(one.get("name") or "") for index, one in mounts}
    return {index: name for index, name in named.items() if name not in own and "{{" not in name}


def _mounts(container: Container, shared: set[str] | None) -> Iterator[Finding]:
    template = container.place.template
    taken: dict[str, str] = {}
    foreign = foreign_mounts(container)
    for index, one in items(container.value, "volumeMounts"):
        path = (*container.path, "volumeMounts", index)
        name, where = one.get("name") or "", one.get("mountPath") or ""
        if shared is not None and index in foreign and name not in shared:
            own = {str(each.get("name")) for _, each in items(template, "volumes")}
            yield error(
                "volume-undeclared",
                (*path, "name") if name else path,
                f"there is no volume {name!r}",
                suggestion(name, sorted(own | shared), what="the volumes are"),
            )
        if not where:
            yield error("mount-path", path, "it is mounted nowhere", "add `mountPath:`")
        elif where in taken:
            yield error(
                "mount-path",
                (*path, "mountPath"),
                f"{where} is where {taken[where]} is mounted",
                "mount it elsewhere",
            )
        taken[where] = name
    if not container.main:
        return
    for index, artifact in items(template.get("inputs"), "artifacts"):
        where = artifact.get("path") or ""
        if where in taken:
            yield error(
                "mount-path",
                (*container.place.path, "inputs", "artifacts", index, "path"),
                f"{where} is where {taken[where]} is mounted",
                "put the artifact elsewhere, or below the mount",
            )
        elif where:
            taken[where] = f"the input {artifact.get('name')}"


def _ports(container: Container) -> Iterator[Finding]:
    ports = [(index, one) for index, one in items(container.value, "ports")]
    counts = Counter(one.get("name") for _, one in ports if one.get("name"))
    for index, one in ports:
        path = (*container.path, "ports", index)
        for field in ("containerPort", "hostPort"):
            value = one.get(field)
            if value is not None and not 0 < value < 65536:
                yield error("port", (*path, field), f"{value} is not a port", "1 to 65535")
        if one.get("containerPort") is None:
            yield error("port", path, "the port has no containerPort", "add it")
        if counts[one.get("name")] > 1:
            yield error("port", path, f"two ports are called {one['name']!r}", "rename one")
