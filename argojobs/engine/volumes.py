"""The volumes that a container mounts: of which kind, and where it sees them.

Source: Kubernetes API reference, Volume and VolumeMount.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from argojobs.errors import UnsupportedError
from argojobs.manifest.names import is_dns_label
from argojobs.manifest.quantities import number_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from argojobs.engine.model import Template

HOST_PATH_TYPES = ("", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket",
                   "CharDevice", "BlockDevice")  # fmt: skip


def mounts_of(template: Template, container: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what a container mounts, in its order: see `PodSpec`. Raises UnsupportedError."""
    volumes = {volume["name"]: volume for volume in template.get("volumes") or ()}
    numbers = {name: number for number, name in enumerate(volumes)}
    mounts = []
    for mount in container.get("volumeMounts") or ():
        volume = volumes.get(mount["name"])
        if volume is None:
            raise UnsupportedError(f"volumeMounts names {mount['name']!r}, which is not a volume")
        if not is_dns_label(mount["name"]):
            raise UnsupportedError(
                f"{mount['name']!r} is not a name of a volume",
                hint="names are small letters, digits and '-', at most 63 (Kubernetes).",
            )
        sub_path = str(mount.get("subPath") or "")
        if sub_path.startswith("/") or ".." in sub_path.split("/"):
            raise UnsupportedError(f"the subPath {sub_path!r} leads out of its volume")
        mounts.append(
            {
                "name": mount["name"],
                "number": numbers[mount["name"]],
                "path": _mount_path(mount),
                "sub_path": sub_path,
                **_volume(volume, read_only=bool(mount.get("readOnly"))),
            }
        )
    return mounts


def _mount_path(mount: Mapping[str, Any]) -> str:
    path = absolute_path(mount["mountPath"], "mountPath")
    if path == "/" or not path:
        raise UnsupportedError(f"the volume {mount['name']!r} cannot be mounted at {path!r}")
    return path


def _volume(volume: Mapping[str, Any], *, read_only: bool) -> dict[str, Any]:
    if "emptyDir" in volume:
        empty = volume["emptyDir"] or {}
        found: dict[str, Any] = {"kind": "emptyDir", "read_only": read_only}
        if empty.get("medium") == "Memory":
            found["memory"] = int(number_of(empty.get("sizeLimit")) or 0)
        return found
    if "hostPath" in volume:
        host = volume["hostPath"]
        kind = str(host.get("type") or "")
        if kind not in HOST_PATH_TYPES:
            raise UnsupportedError(
                f"the hostPath of the volume {volume['name']!r} has the type {kind!r}",
                hint=f"known are: {', '.join(filter(None, HOST_PATH_TYPES))}.",
            )
        return {
            "kind": "host",
            "source": absolute_path(host["path"], "hostPath"),
            "type": kind,
            "read_only": read_only,
        }
    if "persistentVolumeClaim" in volume:
        claim = volume["persistentVolumeClaim"]
        return {
            "kind": "claim",
            "claim": claim["claimName"],
            "read_only": read_only or bool(claim.get("readOnly")),
        }
    kinds = ", ".join(key for key in volume if key != "name")
    raise UnsupportedError(f"the volume {volume['name']!r} is of a kind unknown here: {kinds}")


def absolute_path(path: Any, field: str) -> str:
    """The path of a field, normalised; raises UnsupportedError for a relative one."""
    path = str(path or "")
    if path and not path.startswith("/"):
        raise UnsupportedError(
            f"the {field} {path!r} is not absolute", hint="begin it with '/' (Kubernetes)."
        )
    return joined("/", path) if path else ""


def joined(folder: str, path: str) -> str:
    """A path as the step means it, from its working directory; "/" stays within "/"."""
    return "/" + posixpath.normpath(posixpath.join(folder, path)).lstrip("/")
