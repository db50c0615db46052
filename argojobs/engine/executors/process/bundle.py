"""The unpacked code bundle: once for each hash and interpreter, shown to each pod as its own.

Every pod of a run has the same bundle as input artifact. Unpacked and compiled once it lies in a
cache; a pod sees it through an overlay, or gets a copy, so that what one step writes beside its
code is seen by no other.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from argojobs.engine.executors.process.namespace import Bind
from argojobs.errors import InputError
from argojobs.storage.bundle_digest import digest_of_folder
from argojobs.storage.loading import load
from argojobs.storage.removing import remove_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from argojobs.storage.repository import Repository

KEY = re.compile(r"code/([0-9a-f]{8,128})\.tgz")
LITTLE_ROOM = 1 << 20  # bytes
COMPILED_LIMIT = 300  # Python files; of larger projects only argojobs' own part is compiled


def find_bundle(request: Mapping[str, Any]) -> dict[str, Any] | None:
    """The code bundle among a request's inputs, if there is one."""
    for item in request["inputs"]:
        if KEY.fullmatch(item.get("key", "")) and item["path"] == "/argojobs/code":
            found: dict[str, Any] = item
            return found
    return None


def show_bundle(
    request: Mapping[str, Any], scratch: str, repository: Callable[[], Repository]
) -> Bind | None:
    """How the bundle comes into a pod: a bind for its layout; None when there is none.

    Args:
        request: the pod's.
        scratch: the pod's scratch folder, where a copy of the bundle may go.
        repository: opens the place for artifacts, called when the bundle is not unpacked yet.

    Raises:
        NotFoundError: the repository lacks it.
        InputError: it is not an archive.
    """
    item = find_bundle(request)
    if item is None:
        return None
    interpreter = next(iter(request["containers"][0]["command"]), "")
    unpacked = _unpacked(item["key"], request["host"]["cache"], interpreter, repository)
    own = f"{scratch}/code"
    if request["host"]["isolation"] in ("mount", "user") and not _written_outputs(request):
        os.makedirs(own)
        return Bind(item["path"], own, lower=unpacked)
    shutil.copytree(unpacked, own, symlinks=True)
    return Bind(item["path"], own)


def _written_outputs(request: Mapping[str, Any]) -> bool:
    """Whether outputs are to be found among the code, which an overlay shows only inside."""
    outputs = request["outputs"]
    return any(
        item["path"].startswith("/argojobs/code/")
        for item in (*outputs["parameters"], *outputs["artifacts"])
    )


def _unpacked(key: str, cache: str, interpreter: str, repository: Callable[[], Repository]) -> str:
    """The folder of the unpacked bundle; made by the first who needs it, others wait."""
    match = KEY.fullmatch(key)
    digest = match[1] if match else key
    folder = f"{cache}/{digest}"
    if os.path.isdir(folder):
        return folder
    os.makedirs(cache, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK  # a pipe there is an error
    lock = os.open(f"{cache}/{digest}.lock", flags, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.isdir(folder):
            return folder
        unfinished = f"{folder}.{os.getpid()}"
        with suppress(FileNotFoundError):  # of a supervisor that was killed, its number used again
            remove_tree(unfinished)
        os.makedirs(unfinished)
        packed = repository().local(key)
        if packed is None:
            packed = f"{unfinished}/bundle.tgz"
            repository().get(key, packed)
        load(packed, f"{unfinished}/code", "tar")
        _check(f"{unfinished}/code", digest)
        _compile(f"{unfinished}/code", interpreter)
        os.rename(f"{unfinished}/code", folder)
        shutil.rmtree(unfinished)
    finally:
        os.close(lock)
    return folder


def _check(folder: str, digest: str) -> None:
    """Raise InputError unless this is the bundle that its name says: code is about to be run."""
    try:
        found = digest_of_folder(folder)
    except (ValueError, TypeError) as error:  # bundle.json is not what we write there
        found = f"none: {error}"
    if found != digest:
        raise InputError(f"the code bundle {digest} was changed: what it holds has another hash")


def _compile(folder: str, interpreter: str) -> None:
    """Have the steps' interpreter compile the sources, so that no step has to.

    A file that does not compile is left to the step that imports it.
    """
    own = f"{folder}/.argojobs"
    count = 0
    for _, _, files in os.walk(folder):
        count += sum(name.endswith(".py") for name in files)
    what = folder if count <= COMPILED_LIMIT else own
    if not os.path.isdir(what) or not re.search(r"python[\d.]*$", interpreter):
        return
    subprocess.run(
        [interpreter, "-I", "-m", "compileall", "-qq", "--invalidation-mode", "timestamp", what],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    disk = os.statvfs(folder)
    if (
        disk.f_bavail * disk.f_frsize < LITTLE_ROOM
    ):  # some may be cut off, and Python would run them
        for place, _, _ in os.walk(what):
            shutil.rmtree(f"{place}/__pycache__", ignore_errors=True)
