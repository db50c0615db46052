"""What git knows of a project: its files, its commit. Without git, or outside of it, nothing.

Only `checked` changes anything, and raises where git does not.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from argojobs.errors import HostError

#: Variables that a git hook sets and that would send us to another repository.
_FOREIGN = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY")


@dataclass(frozen=True, slots=True)
class Revision:
    """Where the code stands: commit (40 hex digits, "" before the first), branch, changed files."""

    commit: str
    branch: str
    dirty: bool


def repository(folder: Path) -> Path | None:
    """Return the work tree that holds this folder, None outside of one."""
    for place in (folder, *folder.parents):
        if (place / ".git").exists():
            return place
    return None


def _run(root: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    return subprocess.run(
        ["git", "-C", str(root), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment,
        check=False,
    )


def _git(root: Path, *arguments: str) -> bytes | None:
    """Run git and return what it printed; None where git is missing or refuses the folder."""
    try:
        done = _run(root, *arguments)
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None


def checked(root: Path, *arguments: str) -> str:
    """Run git and return what it printed. Raises HostError, with git's words, where it fails."""
    try:
        done = _run(root, *arguments)
    except FileNotFoundError as error:
        raise HostError("git is not there", hint="install git") from error
    if done.returncode:
        words = os.fsdecode(done.stderr or done.stdout).strip()
        raise HostError(f"git {arguments[0]} failed: {words}", where=str(root))
    return os.fsdecode(done.stdout)


def head(root: Path) -> str:
    """Return the commit that is checked out, "" where there is none or git cannot tell."""
    return os.fsdecode(_git(root, "rev-parse", "--verify", "--quiet", "HEAD") or b"").strip()


def changed(root: Path) -> tuple[str, ...]:
    """Return the files that differ from the last commit, untracked ones too, relative to the tree."""
    status = _git(root, "status", "--porcelain", "--no-renames", "-z")
    entries = [] if status is None else os.fsdecode(status).split("\0")
    return tuple(entry[3:] for entry in entries if entry)


def tags(root: Path, *, here: bool = False) -> tuple[str, ...]:
    """Return all tags, or those of the commit that is checked out; none where git cannot tell."""
    listing = _git(root, "tag", "--list", *(["--points-at", "HEAD"] if here else []))
    return () if listing is None else tuple(os.fsdecode(listing).split())


def files(root: Path, *, others: bool = True) -> list[str] | None:
    """Return the files below `root` that git tracks or would track, relative to it, unsorted.

    A submodule, or a repository inside this one, is an entry of its own (a folder). others: also
    those that it does not track yet. None where git cannot tell.
    """
    untracked = ("--others", "--exclude-standard") if others else ()
    return _names(_git(root, "ls-files", "-z", "--cached", *untracked), keep="")


def ignored(root: Path) -> list[str]:
    """Return what git ignores below `root`, relative to it: a folder once, with a `/` at its end."""
    found = _git(
        root, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"
    )
    return _names(found, keep="/") or []


def why_ignored(root: Path, name: str) -> str:
    """Return which line makes git ignore a file: `.gitignore:3 (gen.py)`; "" where none does."""
    found = _git(root, "check-ignore", "--verbose", "--no-index", "--", name)
    line, _, _ = os.fsdecode(found or b"").partition("\t")
    source, _, rest = line.partition(":")
    number, _, pattern = rest.partition(":")
    return f"{source}:{number} ({pattern})" if number else ""


def _names(listing: bytes | None, *, keep: str) -> list[str] | None:
    """Return the names in a listing that ends each with a zero byte; keep: an end that stays."""
    if listing is None:
        return None
    names = {os.fsdecode(name) for name in listing.split(b"\0") if name}
    return [name if name.endswith(keep) and keep else name.rstrip("/") for name in names]


def revision(root: Path) -> Revision | None:
    """Return commit, branch and whether any file differs from it; None where git cannot tell."""
    status = _git(root, "status", "--porcelain=v2", "--branch", "-z")
    if status is None:
        return None
    commit = branch = ""
    dirty = False
    for line in os.fsdecode(status).split("\0"):
        if line.startswith("# branch.oid "):
            commit = line.removeprefix("# branch.oid ").replace("(initial)", "")
        elif line.startswith("# branch.head "):
            branch = line.removeprefix("# branch.head ").replace("(detached)", "")
        elif line and not line.startswith("#"):
            dirty = True
    return Revision(commit, branch, dirty)
