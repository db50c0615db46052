# travels with: options volumes
"""What a step mounts besides its inputs: `volumes={"/data": Claim("datasets")}`."""

from __future__ import annotations

from .names import check_object_name
from .quantities import size
from .records import Record
from .where import mistake

#: The types of a hostPath volume (Kubernetes API: HostPathVolumeSource).
_HOST_KINDS = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)


class Claim(Record):
    """A persistent volume claim; on a laptop, a folder."""

    __slots__ = ("name", "read_only", "sub_path")

    def __init__(self, name: str, *, read_only: bool = False, sub_path: str = "") -> None:
        if sub_path.startswith("/") or ".." in sub_path.split("/"):
            raise mistake(
                f"sub_path={sub_path!r} leads out of the claim",
                "write a path below its root, without '..'",
            )
        self.name = check_object_name(name, "a persistent volume claim")
        self.read_only = read_only
        self.sub_path = sub_path


class EmptyDir(Record):
    """An empty folder that exists as long as the step, in memory if you ask for it."""

    __slots__ = ("memory", "size")

    def __init__(self, size_limit: str | None = None, *, memory: bool = False) -> None:
        self.size = None if size_limit is None else size(size_limit, "size_limit")
        self.memory = memory


class HostPath(Record):
    """A path on whichever machine the step runs on; `kind` is Kubernetes' name for what it is."""

    __slots__ = ("kind", "path", "read_only")

    def __init__(self, path: str, *, kind: str = "", read_only: bool = False) -> None:
        if kind not in _HOST_KINDS:
            raise mistake(
                f"kind={kind!r} is not a kind of path", "one of " + ", ".join(_HOST_KINDS[1:])
            )
        if not path.startswith(("/", "{{")) or ".." in path.split("/"):
            raise mistake(
                f"{path!r} is not an absolute path of a machine", "begin it with '/', without '..'"
            )
        self.path = path
        self.kind = kind
        self.read_only = read_only


class SecretFiles(Record):
    """A Kubernetes Secret as a folder, with one file per key."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = check_object_name(name, "a Secret")


class ConfigFiles(Record):
    """A ConfigMap as a folder, with one file per key."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = check_object_name(name, "a ConfigMap")


VOLUMES = (Claim, EmptyDir, HostPath, SecretFiles, ConfigFiles)
