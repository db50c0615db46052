"""The file tree of one pod: which host path stands behind each path of its container.

Three ways, by what the host offers:

private   the pod has a root of its own, a folder of its scratch. The host's top folders are bound
          into it, /tmp and /var/tmp are the pod's, and each path the manifest speaks of appears
          where it says, even below a host folder: such a folder is opened, that is its children
          are bound one by one. Nothing is ever created in a folder of the host.
rerooted  no namespaces: argojobs' own steps find their places below `$ARGOJOBS_ROOT`.
shared    no namespaces, and the user allowed it: paths are the host's.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from typing import TYPE_CHECKING, Any

from argojobs.engine.executors.process.namespace import Bind
from argojobs.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ARGO_FOLDERS = ("/argo", "/argojobs")  # never the host's, should it have such folders
TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - each pod has its own
PODS_OWN = (*TEMPORARY, *ARGO_FOLDERS)
KERNELS = ("/dev", "/proc", "/sys")  # also in the root folder of an image
IMAGES = ("/bin", "/etc", "/lib", "/lib64", "/opt", "/sbin", "/usr", "/var")  # every image has
LINK_LIMIT = 40
FOR_ALL, FOR_ALL_STICKY = 0o777, 0o1777  # modes of folders that every user may write to


class Layout:
    """What to make below the root, what to bind, and where each container path lies.

    root: the host folder before each path. binds: in order. folders, links: to be made below the
    root. placeholders: what is to be bound upon, with whether it is a folder. copies: host paths
    that are outputs, with their place: the pod has its own, as it was in its image. reusable: whether
    all host folders are bound whole, so that the root can serve another pod. plain: pods see
    the host's root, so links lead where they say.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.binds: list[Bind] = []
        self.folders: list[str] = []
        self.links: list[tuple[str, str]] = []
        self.placeholders: list[tuple[str, bool]] = []
        self.copies: list[tuple[str, str]] = []
        self.reusable = False
        self.plain = False
        self._from_host: set[str] = set()
        self._sources: dict[str, str] = {}

    def place(self, bind: Bind, *, is_folder: bool) -> None:
        """Bind a folder or file of the host where it is on the host."""
        self.placeholders.append((bind.target, is_folder))
        self._from_host.add(bind.target)
        self.bind(bind)

    def bind(self, bind: Bind) -> None:
        """Show a host path at a container path, over all that is there so far."""
        self.binds.append(bind)
        if bind.memory is None:
            self._sources[bind.target] = bind.source

    def host(self, path: str) -> str:
        """The host path that stands behind an absolute container path, links not followed."""
        above = path
        while len(above) > 1:
            source = self._sources.get(above)
            if source is not None:
                return source + path[len(above) :]
            above = os.path.dirname(above)
        return self.root + path

    def locate(self, path: str) -> str:
        """The host path of what a container path leads to, links followed as the pod sees them.

        Raises OSError when links lead in a circle.
        """
        if self.plain:
            return self.root + path
        parts = [part for part in path.split("/") if part not in ("", ".")]
        parts.reverse()
        here, links = "/", 0
        while parts:
            part = parts.pop()
            if part == "..":
                here = os.path.dirname(here)
                continue
            following = f"{here.rstrip('/')}/{part}"
            host = self.host(following)
            try:
                target = os.readlink(host)
            except OSError:  # no link: a file, a folder, or nothing there
                here = following
                continue
            links += 1
            if links > LINK_LIMIT:
                raise OSError(f"{path}: too many links")
            if target.startswith("/"):
                here = "/"
            parts += [word for word in reversed(target.split("/")) if word not in ("", ".")]
        return self.host(here)

    def own(self, host_path: str, scratch: str) -> bool:
        """Whether a host path is the pod's alone, so that it may be moved away."""
        return host_path.startswith(scratch + "/")

    def make(self, *, prepared: bool) -> None:
        """Make what lies below the root and is not there already; volumes must be.

        prepared: what stands for the host's folders and links in "/" is there.
        """
        for folder in self.folders:
            host = self.host(folder)
            _make_folder(host)
            if folder in TEMPORARY:
                os.chmod(host, FOR_ALL_STICKY)
        for path, target in self.links:
            if prepared and path.rfind("/") == 0:
                continue
            with contextlib.suppress(FileExistsError):
                os.symlink(target, self.root + path)
        for path, is_folder in self.placeholders:
            if prepared and path.rfind("/") == 0 and path in self._from_host:
                continue
            host = self._below(path)
            if is_folder:
                _make_folder(host)
            elif not os.path.lexists(host):
                os.makedirs(os.path.dirname(host), exist_ok=True)
                os.close(os.open(host, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))

        for source, path in self.copies:
            _copy(source, self.host(path))

    def _below(self, path: str) -> str:
        """Where the thing to be bound upon at `path` is: in whatever is shown above it."""
        return self.host(os.path.dirname(path)).rstrip("/") + "/" + os.path.basename(path)


def _copy(source: str, target: str) -> None:
    """Copy a file or folder of an image; without what this user may not read, and no sockets."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if not os.path.isdir(source) or os.path.islink(source):
        shutil.copy2(source, target, follow_symlinks=False)
        return
    with contextlib.suppress(shutil.Error):
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)


def _make_folder(path: str) -> None:
    """As `os.makedirs(path, exist_ok=True)`, quicker when the folder is there or its parent."""
    try:
        os.mkdir(path)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
    except FileNotFoundError:
        os.makedirs(path, exist_ok=True)


def _volume_binds(request: Mapping[str, Any], scratch: str) -> list[Bind]:
    """The volumes as binds, outer ones first; the folders of emptyDirs and subPaths are made.

    Raises HostError when a volume is not there, or of another type than the manifest says.
    """
    binds = []
    touched = [item["path"] for item in (*request["inputs"], *_outputs(request))]
    for mount in request["mounts"]:
        target = os.path.normpath(mount["path"])
        memory = mount.get("memory")
        if memory is not None and any(path.startswith(target + "/") for path in touched):
            memory = None  # artifacts in it must be seen from outside
        if mount["kind"] == "emptyDir":
            source = f"{scratch}/volumes/{mount['number']}"
            if memory is None:
                _make_open_folder(source, FOR_ALL)
        else:
            source = mount["source"]
            _provide(source, mount)
        sub_path = mount.get("sub_path")
        if sub_path and memory is None:
            source = f"{source}/{sub_path}"
            if not os.path.lexists(source):
                os.makedirs(source)
        binds.append(Bind(target, source, bool(mount.get("read_only")), memory))
    return sorted(binds, key=lambda bind: bind.target.count("/"))


IS_OF_TYPE = {
    "Directory": stat.S_ISDIR,
    "DirectoryOrCreate": stat.S_ISDIR,
    "File": stat.S_ISREG,
    "FileOrCreate": stat.S_ISREG,
    "Socket": stat.S_ISSOCK,
    "CharDevice": stat.S_ISCHR,
    "BlockDevice": stat.S_ISBLK,
}


def _provide(source: str, mount: Mapping[str, Any]) -> None:
    """See that a host path is there and of the type that a volume asks for (hostPath.type)."""
    wanted = mount["type"]
    if not os.path.lexists(source):
        if wanted == "DirectoryOrCreate":
            _make_folder(source)
        elif wanted == "FileOrCreate":  # Kubernetes makes no folders above it either
            os.close(os.open(source, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644))
    try:
        mode = os.stat(source).st_mode
    except FileNotFoundError:
        raise HostError(
            f"the volume {mount['name']!r} is not there: {source}",
            hint="make it, or give its hostPath the type DirectoryOrCreate.",
        ) from None
    if wanted and not IS_OF_TYPE[wanted](mode):
        raise HostError(f"the volume {mount['name']!r} is not a {wanted}: {source}")


def _make_open_folder(path: str, mode: int) -> None:
    """Make a folder that every user may write to, as in Kubernetes; the pod directory is closed."""
    os.makedirs(path, exist_ok=True)
    os.chmod(path, mode)


def _outputs(request: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    return (*request["outputs"]["parameters"], *request["outputs"]["artifacts"])


def lay_out(request: Mapping[str, Any], scratch: str, code: Bind | None) -> Layout:
    """The layout of a pod; reads the host's folders, makes volumes' folders, nothing else.

    Args:
        request: the pod's.
        scratch: the pod's scratch folder.
        code: the unpacked bundle, shown at its path; None without one.
    """
    volumes = _volume_binds(request, scratch)
    if code is not None:
        volumes.append(code)
    isolation = request["host"]["isolation"]
    root = f"{scratch}/root"
    if isolation in ("rerooted", "shared"):
        return _without_namespace(root if isolation == "rerooted" else "", volumes)
    return _Private(request, root, scratch, volumes).layout


def _without_namespace(root: str, volumes: list[Bind]) -> Layout:
    layout = Layout(root)
    layout.plain = True
    for bind in volumes:
        if os.path.realpath(root + bind.target) == os.path.realpath(bind.source):
            continue  # the volume is what lies there
        above = os.path.dirname(bind.target)
        if not any(_within(above, target) for target, _ in layout.links):  # a volume in a volume
            layout.folders.append(above)
        layout.links.append((bind.target, bind.source))
    return layout


class _Private:
    """Builds the layout of a private root."""

    def __init__(
        self, request: Mapping[str, Any], root: str, scratch: str, volumes: list[Bind]
    ) -> None:
        self.view = request["host"].get("root", "")
        self.layout = Layout(root)
        self.opened = {"/", "/tmp"}  # noqa: S108
        self.hidden: set[str] = set()
        self.kept = [path for path in request["host"]["keep"] if _is_private(path)]
        self.volumes = [bind._replace(target=self._canonical(bind.target)) for bind in volumes]
        if os.path.isdir(self.view + "/var/tmp") and not os.path.islink(self.view + "/var"):  # noqa: S108
            _make_open_folder(f"{scratch}/var-tmp", FOR_ALL_STICKY)
            self.volumes.insert(0, Bind("/var/tmp", f"{scratch}/var-tmp"))  # noqa: S108
        self._own_places(request)
        written = self.hidden.copy()
        late = self._volume_places()
        for folder in ("/", *(path for path in self.kept if path in self.opened)):
            self._show(folder)
        if self.view:
            for path in KERNELS:
                self.layout.place(Bind(path, path), is_folder=True)
        for bind in late:
            self.layout.bind(bind)
        self.layout.reusable = not self.view and not any(
            os.path.lexists(path) and not _is_private(path)
            for path in self.opened.union(written) - {"/"}
        )
        self.layout.folders = [
            path for path in sorted(self.opened) if path not in {"/", *(b.target for b in late)}
        ]

    def _canonical(self, path: str) -> str:
        """The path with the links of the host's own folders followed."""
        path = os.path.normpath(path)
        top = "/" + path.split("/", 2)[1]
        if self.view or _is_private(path) or not os.path.lexists(top):
            return path
        return os.path.realpath(path)

    def _in_volume(self, path: str) -> bool:
        return any(path == v.target or path.startswith(v.target + "/") for v in self.volumes)

    def _open_up(self, path: str) -> None:
        while path not in self.opened:
            self.opened.add(path)
            path = os.path.dirname(path)

    def _nearest(self, path: str) -> str:
        """The nearest folder above an output: those between are for the step to make, as in Argo.

        What the host has there is opened all the same, so that the step makes nothing in it.
        """
        above = os.path.dirname(path)
        while above not in self.opened and not self._on_host(above):
            above = os.path.dirname(above)
        return above

    def _on_host(self, path: str) -> bool:
        if _is_private(path) and not any(_within(path, kept) for kept in self.kept):
            return False
        return os.path.lexists(self.view + path)

    def _own_places(self, request: Mapping[str, Any]) -> None:
        """Artifacts, parameters, script and working directory are the pod's own."""
        paths = [item["path"] for item in request["inputs"]]
        if request["script"] is not None:
            paths.append(request["script_path"])
        for path in map(self._canonical, paths):
            if not self._in_volume(path):
                self.hidden.add(path)
                self._open_up(os.path.dirname(path))
        for path in map(self._canonical, (item["path"] for item in _outputs(request))):
            if not self._in_volume(path):
                self.hidden.add(path)
                self._open_up(self._nearest(path))
                in_image = self.view or any(_within(path, folder) for folder in IMAGES)
                if in_image and self._on_host(path):
                    self.layout.copies.append((self.view + path, path))
        for container in request["containers"]:
            directory = self._canonical(container["working_directory"])
            if not self._in_volume(directory) and not self._on_host(directory):
                self._open_up(directory)

    def _volume_places(self) -> list[Bind]:
        """Find a place for each volume; returns the binds to be made after the host's."""
        late: list[Bind] = []
        volumes = [*self.volumes]
        volumes += [
            Bind(path, path)
            for path in self.kept
            if path not in self.opened and os.path.lexists(path)
        ]
        for bind in sorted(volumes, key=lambda bind: bind.target.count("/")):
            target, parent = bind.target, os.path.dirname(bind.target)
            is_folder = bind.memory is not None or os.path.isdir(bind.source)
            inside = any(_within(parent, other.target) for other in late)
            shown = self._on_host(parent) and os.path.lexists(self.view + target)
            if inside or parent in self.opened or not shown:
                self.hidden.add(target)
                if not inside:
                    self._open_up(parent)
                self.layout.placeholders.append((target, is_folder))
            late.append(bind)
        return late

    def _show(self, folder: str) -> None:
        """Bind the host's children of an opened folder, except what is the pod's own."""
        if not self._on_host(folder) or not os.path.isdir(self.view + folder):
            return
        with os.scandir(self.view + folder) as entries:
            for entry in entries:
                path = f"{folder.rstrip('/')}/{entry.name}"
                if path in self.opened:
                    self._show(path)
                elif path in self.hidden or path in ARGO_FOLDERS or (self.view and path in KERNELS):
                    continue
                elif entry.is_symlink():
                    self.layout.links.append((path, os.readlink(entry.path)))
                elif entry.is_dir(follow_symlinks=False):
                    self.layout.place(Bind(path, entry.path), is_folder=True)
                elif folder != "/" or entry.name.startswith(".docker"):
                    self.layout.place(Bind(path, entry.path), is_folder=False)


def _is_private(path: str) -> bool:
    return any(_within(path, private) for private in PODS_OWN)


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")
