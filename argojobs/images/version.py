"""The version of a project's images: raised, committed and tagged on request.

It stands in the build file where there is one, else it is the last tag `vX.Y.Z`. A version is used
once: a tag that somebody else made first, in git or in the registry, is an error before anything
is changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from argojobs.compile import git
from argojobs.config.image_lock import LOCK_FILE
from argojobs.errors import ConflictError, HostError, UsageError

Part = Literal["major", "minor", "patch"]
PARTS: tuple[Part, ...] = ("major", "minor", "patch")

#: Three numbers, and perhaps a label: `1.2.3-rc1`.
_VERSION = re.compile(r"v?(\d+)\.(\d+)\.(\d+)(-[\w.-]+)?", re.ASCII)
_MOST_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Raise:
    """A version to be given: old and new as `1.2.3`; file: the build file that has it, or None."""

    old: str
    new: str
    file: Path | None

    @property
    def tag(self) -> str:
        """The tag in git."""
        return f"v{self.new}"


class Standing(NamedTuple):
    """Where the code stands: the commit as the lock has it, with `-dirty` where files differ.

    version: without its `v`, "" for a commit without one or with changes.
    """

    commit: str = ""
    version: str = ""


def raised(version: str, part: Part) -> str:
    """Return the next version: `raised("1.2.3-rc1", "minor")` is `1.3.0-rc1`. Raises UsageError."""
    match = _VERSION.fullmatch(version.strip())
    if match is None:
        raise UsageError(
            f"the version {version!r} cannot be raised", hint="write three numbers: 1.2.3"
        )
    numbers = [int(text) for text in match.groups()[:3]]
    place = PARTS.index(part)
    numbers[place:] = [numbers[place] + 1, *([0] * (len(PARTS) - 1 - place))]
    return ".".join(map(str, numbers)) + (match[4] or "")


def newest(tags: Iterable[str]) -> str:
    """Return the highest version among tags, without its `v`; `0.0.0` where there is none."""
    found = [match for tag in tags if (match := _VERSION.fullmatch(tag))]
    return max(found, key=_order)[0].removeprefix("v") if found else "0.0.0"


def _order(match: re.Match[str]) -> tuple[bool, int, int, int, str]:
    """Sort versions by their numbers; those with a label come before all without."""
    return match[4] is None, int(match[1]), int(match[2]), int(match[3]), match[4] or ""


def standing(root: Path) -> Standing:
    """Return the commit that is checked out, and the version that it is tagged with."""
    commit = git.head(root)
    if not commit:
        return Standing()
    if changes(root):
        return Standing(f"{commit[:12]}-dirty")
    found = [tag for tag in git.tags(root, here=True) if _VERSION.fullmatch(tag)]
    return Standing(commit[:12], newest(found) if found else "")


def changes(root: Path) -> tuple[str, ...]:
    """Return the files that differ from the commit, but for the lock file, which a deploy writes."""
    return tuple(name for name in git.changed(root) if name.rpartition("/")[2] != LOCK_FILE)


def plan_raise(root: Path, version: str | None, file: Path | None, part: Part) -> Raise:
    """Return the version to be given; nothing is changed.

    Args:
        root: the project's folder.
        version: of the build file, None for the newest tag's.
        file: the build file, None without one.
        part: which part of the version is raised.

    Raises:
        UsageError: it is not in git.
        ConflictError: the tree has changes, or the tag is here or in the remote repository already.
    """
    if git.repository(root) is None:
        raise UsageError(
            "--version tags a commit, and this is not a git repository",
            where=str(root),
            hint="git init, or leave --version out",
        )
    dirty = changes(root)
    if dirty:
        more = f" and {len(dirty) - _MOST_SHOWN} more" if len(dirty) > _MOST_SHOWN else ""
        raise ConflictError(
            f"the working tree has changes: {', '.join(dirty[:_MOST_SHOWN])}{more}",
            where="--version",
            hint="commit or stash them first: a version says which code is in an image",
        )
    old = version if version is not None else newest(git.tags(root))
    plan = Raise(old, raised(old, part), file if version is not None else None)
    if plan.tag in git.tags(root):
        raise _taken(plan, "in this repository")
    remote = _remote(root)
    if remote and _has_tag(root, remote, plan.tag):
        raise _taken(plan, f"in {remote}")
    return plan


def carry_out_raise(root: Path, plan: Raise) -> None:
    """Write the version into the build file, commit that file, and tag the commit.

    Raises HostError with git's words; the file and the commit are then as they were.
    """
    before = git.checked(root, "rev-parse", "HEAD").strip()
    try:
        if plan.file is not None:
            from argojobs.images.build_file import with_version

            text = plan.file.read_bytes().decode()  # its line ends stay as they are
            plan.file.write_bytes(with_version(text, plan.new).encode())
            git.checked(
                root, "commit", "--quiet", "-m", f"Version {plan.new}", "--", str(plan.file)
            )
        git.checked(root, "tag", "--annotate", plan.tag, "-m", f"Version {plan.new}")
    except HostError:
        _undo(root, plan, before)
        raise


def _undo(root: Path, plan: Raise, before: str) -> None:
    """Take back a commit that could not be tagged; only the build file differs in it."""
    if plan.file is not None:
        git.checked(root, "reset", "--quiet", "--soft", before)
        git.checked(root, "checkout", "--quiet", before, "--", str(plan.file))


def _remote(root: Path) -> str:
    """Return the remote repository whose tags count: origin, or the only one; "" without one."""
    found = git.checked(root, "remote").split()
    return "origin" if "origin" in found else found[0] if len(found) == 1 else ""


def _has_tag(root: Path, remote: str, tag: str) -> bool:
    """Whether a remote repository has a tag. Raises HostError where it is out of reach."""
    return bool(git.checked(root, "ls-remote", "--tags", remote, f"refs/tags/{tag}").strip())


def _taken(plan: Raise, where: str) -> ConflictError:
    return ConflictError(
        f"somebody made {plan.tag} already, {where}",
        where="--version",
        hint="git pull --tags, and try again",
    )
