# travels with: artifacts outputs gathered fanout script
"""Links in a folder that travels: what leads out of it is copied, what stays is relative.

Elsewhere an absolute link means another file or none, and so does a link to something that did
not travel along. So what leaves a folder is replaced by a copy of its content, and what stays
inside is written relative to the link.
"""

from __future__ import annotations

import os
import stat

from ..errors import OutputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Where a copy is made, beside the link that it replaces.
_COPY = ".argojobs-copy"


def settle(root: str, paths: Iterable[str]) -> None:
    """Make each of these links of the folder `root` (relative paths) one that may travel.

    A link to nothing holds no content and stays, relative if it leads inside. Raises OutputError
    for one that leads in a circle or to a device, OSError where this user may not.
    """
    top = os.path.realpath(root)
    for path in paths:
        link = os.path.join(top, path)
        if _is_below(os.path.realpath(link), top):
            target = _inner(link, top)
            if target != os.readlink(link):
                os.unlink(link)
                os.symlink(target, link)
        elif os.path.exists(link):
            replace_by_copy(link)


def replace_by_copy(link: str) -> None:
    """Put a copy of what a link leads to in its place.

    Raises OutputError for a link to nothing, in a circle or to a device, OSError like `copy`.
    """
    copy_of = os.path.join(os.path.dirname(link), _COPY)
    _copy_content(link, copy_of, (), dangling=True)
    os.unlink(link)
    os.rename(copy_of, link)


def copy(source: str, target: str, *, dangling: bool = False) -> None:
    """Copy a folder into another, which may exist, with what its links lead to outside of it.

    dangling: take links to nothing along; else they are an OutputError, as are circles, sockets,
    pipes and devices. Raises OSError for what cannot be read or written.
    """
    _copy_folder(source, target, (), dangling=dangling)


def _copy_folder(source: str, target: str, above: tuple[str, ...], *, dangling: bool) -> None:
    """Copy a folder; above: the folders that are being copied, as links led from one to the next."""
    top = os.path.realpath(source)
    if top in above or _is_below(os.path.realpath(target), top):
        raise OutputError(
            "a link leads in a circle: to a folder that holds it",
            where=source,
            hint="remove it, or copy what is needed of that folder.",
        )
    _copy_entries(top, target, top, (*above, top), dangling=dangling)


def _copy_entries(
    folder: str, target: str, top: str, above: tuple[str, ...], *, dangling: bool
) -> None:
    import shutil

    os.makedirs(target, exist_ok=True)
    with os.scandir(folder) as entries:
        for entry in entries:
            place = os.path.join(target, entry.name)
            if entry.is_symlink():
                real = os.path.realpath(entry.path)
                exists = os.path.exists(entry.path)
                if not exists and not dangling:
                    raise _leads_to_nothing(entry.path)
                if exists and not _is_below(real, top):
                    _copy_content(entry.path, place, above, dangling=dangling)
                    continue
                if os.path.lexists(place):
                    os.unlink(place)
                inside = _is_below(real, top)
                os.symlink(_inner(entry.path, top) if inside else os.readlink(entry.path), place)
            elif entry.is_dir():
                _copy_entries(entry.path, place, top, above, dangling=dangling)
            else:
                _copy_content(entry.path, place, above, dangling=dangling)
    shutil.copystat(folder, target)


def _copy_content(source: str, target: str, above: tuple[str, ...], *, dangling: bool) -> None:
    """Copy a file, or the folder that a link leads to."""
    import shutil

    try:
        mode = os.stat(source).st_mode
    except FileNotFoundError as error:
        raise _leads_to_nothing(source) from error
    if stat.S_ISDIR(mode):
        _copy_folder(source, target, above, dangling=dangling)
    elif stat.S_ISREG(mode):
        shutil.copy2(source, target)
    else:
        raise OutputError(
            "this is a socket, pipe or device, which no artifact can hold",
            where=source,
            hint="remove it, or keep it outside of the folder.",
        )


def _inner(link: str, top: str) -> str:
    """Return the text of a link that stays inside `top`: its own, if that is true elsewhere too."""
    target = os.readlink(link)
    folder = os.path.relpath(os.path.dirname(link), top)
    leaves = os.path.normpath(os.path.join(folder, target)).split(os.sep)[0] == os.pardir
    if os.path.isabs(target) or leaves:
        return os.path.relpath(os.path.realpath(link), os.path.dirname(link))
    return target


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(top.rstrip(os.sep) + os.sep)


def _leads_to_nothing(link: str) -> OutputError:
    target = f" (to {os.readlink(link)})" if os.path.islink(link) else ""
    return OutputError(
        f"this link leads to nothing{target}",
        where=link,
        hint="remove it, or make what it leads to.",
    )
