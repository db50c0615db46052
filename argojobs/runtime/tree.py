# travels with: artifacts outputs gathered fanout script
"""What an un-archived directory loses on its way: empty folders, links and modes.

Object stores keep files only, and Argo gives inputs mode 0755 throughout. So a step leaves
`.argojobs-tree.json` in each directory it hands on, and the next step restores from it before
the user's code looks. The file is also what keeps an empty directory from being no artifact
at all (Argo: an empty un-archived directory fails its consumer).

The file: `{"format": 1, "file": 420, "directory": 493, "modes": {path: mode},
"empty": [path], "links": {path: target}}`; `file` and `directory` are the modes of everything
that `modes` does not name. A step that is repeated adds `"files": [path]`: an earlier attempt may
have left others at the same place, which do not belong to it. Paths are relative, with `/`, in any bytes (surrogateescape).
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable

from ..errors import InputError, OutputError

NAME = ".argojobs-tree.json"
FORMAT = 1


class _Tree:
    """One walk over a directory: what is in it, links not followed."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.files: dict[str, int] = {}
        self.directories: dict[str, int] = {}
        self.empty: list[str] = []
        self.links: dict[str, str] = {}
        self._walk("")

    def _walk(self, relative: str) -> None:
        entries = sorted(os.scandir(os.path.join(self.root, relative)), key=lambda e: e.name)
        for entry in entries:
            path = f"{relative}/{entry.name}" if relative else entry.name
            if path == NAME:
                continue
            if entry.is_symlink():
                self.links[path] = os.readlink(entry.path)
                continue
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                self.directories[path] = mode & 0o777
                self._walk(path)
            elif stat.S_ISREG(mode):
                self.files[path] = mode & 0o777
            else:
                raise OutputError(
                    f"{path} is a socket, pipe or device, which no artifact can hold",
                    where=self.root,
                    hint="remove it before the step returns, or keep it outside the output.",
                )
        if relative and not entries:
            self.empty.append(relative)


def save(root: str) -> None:
    """Write the tree file of the directory `root`, which is about to be saved as an artifact.

    Links that lead outside become copies, all others are relative and noted; those that an
    uploader would stumble over (to directories, or dangling) are taken away, the next step has
    them back. Raises OutputError for sockets and the like, for links that lead in a circle, and
    where the directory cannot be read or written.
    """
    import json

    try:
        tree = _Tree(root)
        if tree.links:
            from . import links as links_of

            links_of.settle(root, tree.links)
            tree = _Tree(root)
        links = _keep_links(tree)
        file_mode = _most_common(tree.files, 0o644)
        directory_mode = _most_common(tree.directories, 0o755)
        modes = {path: mode for path, mode in tree.files.items() if mode != file_mode}
        modes.update((p, mode) for p, mode in tree.directories.items() if mode != directory_mode)
        again = os.environ.get("ARGOJOBS_ATTEMPT", "0") not in ("", "0")
        text = json.dumps(
            {
                **({"files": sorted({*tree.files, *links})} if again else {}),
                "format": FORMAT,
                "file": file_mode,
                "directory": directory_mode,
                "modes": modes,
                "empty": tree.empty,
                "links": links,
            },
            separators=(",", ":"),
            sort_keys=True,
        )
        with open(os.path.join(root, NAME), "w", encoding="ascii") as file:
            file.write(text + "\n")
    except OSError as error:
        raise OutputError(
            f"this output directory cannot be saved: {error.strerror}",
            where=error.filename or root,
            hint="the step's user must be able to read and write its own outputs.",
        ) from error


def _keep_links(tree: _Tree) -> dict[str, str]:
    """Return the links to restore; remove those that no uploader can follow to a file."""
    # Twice: a link to a file may lead through a link to a folder, which is removed first.
    for _ in range(2):
        for path in tree.links:
            link = os.path.join(tree.root, path)
            if os.path.islink(link) and not os.path.isfile(link):
                os.unlink(link)
    return tree.links


def _most_common(modes: dict[str, int], usual: int) -> int:
    """Return the mode most entries have, `usual` when there is none."""
    counts: dict[int, int] = {}
    for mode in modes.values():
        counts[mode] = counts.get(mode, 0) + 1
    return max(sorted(counts), key=counts.__getitem__) if counts else usual


def restore_all(root: str) -> None:
    """Restore the directory `root`; what a fan-out gathered is one such directory an entry."""
    if os.path.isfile(os.path.join(root, NAME)):
        restore(root)
        return
    for entry in os.scandir(root):
        if entry.is_dir(follow_symlinks=False):
            restore(entry.path)


def restore(root: str) -> None:
    """Bring back what the directory `root` lost, and take its tree file away.

    Without a tree file nothing happens (the directory was not made by our runtime). A tree file
    that names places outside the directory is an InputError. What the step's user may not change
    (inputs belong to root on a cluster) is told in one line on stderr where it matters: modes
    do not, Argo gives every input 0755.
    """
    file = os.path.join(root, NAME)
    if not os.path.isfile(file):
        return
    import json

    try:
        with open(file, encoding="ascii") as stream:
            tree = json.load(stream)
        if tree["format"] != FORMAT:
            raise InputError(
                f"this artifact was written by a newer argojobs (tree format {tree['format']})",
                where=file,
                hint="run this step with the same or a newer argojobs.",
            )
        for path in (*tree["empty"], *tree["links"], *tree["modes"], *tree.get("files", ())):
            _check_inside(root, path, tree["links"])
        for target in tree["links"].values():
            _check_text(target)
        modes = {path: int(mode) & 0o777 for path, mode in tree["modes"].items()}
        tree.update(modes=modes, file=int(tree["file"]) & 0o777)
        tree.update(directory=int(tree["directory"]) & 0o777)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"the tree file of this artifact is damaged: {error}",
            where=file,
            hint="run the step that wrote it again, or delete the file.",
        ) from error
    left = [path for path in _of_earlier(root, tree) if not _done(_remove, root, path)]
    missing = [path for path in tree["empty"] if not _done(_make_directory, root, path)]
    # Those whose content came in their place come last: what they lead to is there by then.
    links = sorted(tree["links"].items(), key=lambda one: os.path.lexists(f"{root}/{one[0]}"))
    missing += [path for path, target in links if not _done(_make_link, root, path, target)]
    _check_links(root, tree["links"])
    _restore_modes(root, tree)
    if left:
        print(
            f"argojobs: {root}: this user may not remove {len(left)} files that an earlier attempt"
            f" of the step left, among them {left[0]}",
            file=sys.stderr,
        )
    if missing:
        print(
            f"argojobs: {root}: this user may not restore {len(missing)} empty folders or links,"
            f" among them {missing[0]}",
            file=sys.stderr,
        )
    _done(_remove, root, NAME)


def _of_earlier(root: str, tree: dict) -> list[str]:  # type: ignore[type-arg]
    """Return the files that are not of the attempt that wrote the tree file."""
    if "files" not in tree:
        return []
    own = {NAME, *tree["files"]}
    found = (
        os.path.relpath(os.path.join(here, name), root)
        for here, _, names in os.walk(root)
        for name in names
    )
    return [path for path in found if path not in own]


def _check_text(path: object) -> None:
    if not isinstance(path, str) or "\0" in path:
        raise ValueError(f"{path!r} is not a path")


def _check_inside(root: str, path: str, links: dict[str, str]) -> None:
    """Refuse a path that leaves the directory, by `..` or through a link there or to be made."""
    _check_text(path)
    parts = path.split("/")
    if path.startswith("/") or not path or ".." in parts:
        raise ValueError(f"{path!r} lies outside of it")
    for count in range(1, len(parts)):
        place = "/".join(parts[:count])
        if place in links or os.path.islink(os.path.join(root, place)):
            raise ValueError(f"{path!r} leads through a link")


def _check_links(root: str, links: Iterable[str]) -> None:
    """Raise InputError for a link to what is outside, perhaps through others; it is taken away.

    A link to nothing stays one, as the step made it.
    """
    inside = os.path.realpath(root) + os.sep
    for path in links:
        link = os.path.join(root, path)
        leads = os.path.realpath(link) + os.sep
        if os.path.islink(link) and os.path.exists(link) and not leads.startswith(inside):
            os.unlink(link)
            raise InputError(
                f"the link {path!r} leads outside of this artifact",
                where=root,
                hint="run the step that wrote it again.",
            )


def _done(action, root: str, *rest: str) -> bool:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Do it; False where this user may not."""
    try:
        action(root, *rest)
    except PermissionError:
        return False
    except OSError as error:
        if error.errno == 30:  # EROFS: a read-only mount refuses like a missing permission
            return False
        raise
    return True


def _make_directory(root: str, path: str) -> None:
    os.makedirs(os.path.join(root, path), exist_ok=True)


def _make_link(root: str, path: str, target: str) -> None:
    """Make a link; content that came in its place goes only if the link leads to such content."""
    link = os.path.join(root, path)
    if os.path.islink(link) and os.readlink(link) == target:
        return
    folder = os.path.dirname(link)
    if os.path.lexists(link):
        leads_to = os.path.realpath(os.path.join(folder, target))
        inside = leads_to.startswith(os.path.realpath(root) + os.sep)
        is_itself = leads_to == os.path.realpath(link)
        if os.path.isdir(link) or not inside or is_itself or not os.path.isfile(leads_to):
            return
        os.unlink(link)
    os.makedirs(folder, exist_ok=True)
    os.symlink(target, link)


def _remove(root: str, path: str) -> None:
    os.unlink(os.path.join(root, path))


def _restore_modes(root: str, tree: dict) -> None:  # type: ignore[type-arg]
    """Set every mode, children before their folder, so that a closed folder closes last."""
    usual_file, usual_directory, modes = tree["file"], tree["directory"], tree["modes"]
    for folder, _, files in os.walk(root, topdown=False):
        relative = os.path.relpath(folder, root)
        prefix = "" if relative == "." else relative + "/"
        for name in files:
            path = os.path.join(folder, name)
            if not os.path.islink(path) and prefix + name != NAME:
                _done(_set_mode, path, modes.get(prefix + name, usual_file))
        if prefix:
            _done(_set_mode, folder, modes.get(relative, usual_directory))


def _set_mode(path: str, mode: int) -> None:
    os.chmod(path, mode)
