"""Why a step does not find a file that this machine has: it does not travel, or lies elsewhere there.

Only this machine can tell: a step knows no more than that nothing is at a path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from argojobs.compile.project import project_files, project_root
from argojobs.errors import ArgojobsError
from argojobs.manifest.own_program import is_own_program
from argojobs.manifest.view import arguments_of, parameters_of, spec_of
from argojobs.runtime.wire import readable
from argojobs.service import Workflow

#: What Python, a shell's programs and Python's own start say of a file that is not there.
_MISSING = re.compile(
    r"No such file or directory: (?:\w+\()?(?:'([^']+)'|\"([^\"]+)\")"
    r"|can't open file '([^']+)'"
    r"|(?:^|\s)([^\s:']+): No such file or directory\s*$"
)
#: What each step has of its own.
_OWN = ("/tmp", "/var/tmp")  # noqa: S108 - named to the user
_CODE = "/argojobs/code/"


class Absent(NamedTuple):
    """A file that is here and not there. what: the fact and its reason. remedy: what to do."""

    what: str
    remedy: str


class Here(NamedTuple):
    """What this machine has for a run. root: of the project. stood: the folder of its user.

    files: the names that travel, asked for when needed. local: whether steps run here.
    """

    root: Path
    stood: Path
    files: Callable[[], Iterable[str]]
    local: bool

    def absent(self, text: str) -> Absent | None:
        """Say why a step of ours lacks what is at a path here; None when it does not, or is not."""
        path = text.partition(_CODE)[2] if _CODE in text else text
        if path.startswith("~/"):
            reason, remedy = "nobody expands ~ in a step", "write Path(...).expanduser()"
            return _because(text, Path.home() / path[2:], reason, remedy)
        if path.startswith("/"):
            return self._absolute(Path(os.path.normpath(path)))
        inside = os.path.normpath(path)
        if _exists(self.root / inside) and not inside.startswith(".."):
            return None if self._travels(inside) else _left_behind(text, self.root / inside, inside)
        place = self.stood / inside
        if not _exists(place):
            return None
        if self.stood == self.root or not place.resolve().is_relative_to(self.root):
            remedy = "pass it as an artifact (a File argument)"
        else:
            remedy = f"write {os.path.relpath(place.resolve(), self.root)}"
        return _because(text, place, f"a step of ours begins in the project, {self.root}", remedy)

    def _absolute(self, path: Path) -> Absent | None:
        remedy = "pass it as an artifact (a File argument)"
        if not self.local:
            ours = (Path.home(), self.root, *map(Path, _OWN))
            near = any(path.is_relative_to(folder) for folder in ours)
            return _because(str(path), path, "the step runs elsewhere", remedy) if near else None
        own = any(path.is_relative_to(folder) for folder in _OWN)
        shown = path.is_relative_to(self.root) or path.is_relative_to(self.stood)
        if own and not shown:
            return _because(str(path), path, "each step has a /tmp of its own", remedy)
        return None

    def _travels(self, name: str) -> bool:
        below = "" if name == "." else f"{name}/"
        return any(each == name or each.startswith(below) for each in self.files())

    def absent_for_container(self, text: str, image: str) -> Absent | None:
        """Say why a container of a manifest lacks a file of the folder that its user stands in."""
        place = self.stood / text.lstrip("/")
        remedy = f'give it as an input artifact, or say [local.images."{image}"] workdir = "."'
        return _because(text, place, "a container sees nothing of a project", remedy)


def _because(text: str, place: Path, reason: str, remedy: str) -> Absent | None:
    if not _exists(place):
        return None
    return Absent(f"{text} is on this machine ({place}) but not in the step: {reason}", remedy)


def _exists(path: Path) -> bool:
    """Whether anything is there; nothing is at what is not a path at all."""
    return os.path.exists(path)  # noqa: PTH110 - pathlib's raises for names that are too long


def _left_behind(text: str, place: Path, name: str) -> Absent | None:
    return _because(
        text,
        place,
        "it does not travel with the project, as git or .argojobsignore ignores it",
        f"pass it as an artifact (a File argument), or add the line !{name} to .argojobsignore "
        "(docs/concepts/what-a-step-sees.md)",
    )


def here(root: Path | None = None, *, local: bool) -> Here:
    """Return what this machine has for runs from the current folder. root: of the project."""
    stood = Path.cwd()
    root = root or project_root(stood)
    return Here(root.resolve(), stood, partial(_names, root.resolve()), local)


def _names(root: Path) -> Sequence[str]:
    return project_files(root).files


def absent_in(log: Sequence[str], template: Mapping[str, Any], *, local: bool) -> Absent | None:
    """Say of the last file that a step's log misses why it is not there.

    Args:
        log: the step's lines, in order.
        template: of the step.
        local: the step ran on this machine, not on a cluster.

    Returns:
        None where no file is missed, or this machine does not have it either.
    """
    for line in reversed(log):
        found = _MISSING.search(line)
        if found is None:
            continue
        text = next(filter(None, found.groups()))
        container = template.get("container") or template.get("script") or {}
        try:
            if is_own_program(container):
                return here(local=local).absent(text)
            image = str(container.get("image") or "")
            return here(local=local).absent_for_container(text, image) if local else None
        except (ArgojobsError, OSError):  # of a folder that is not a project: nothing is known
            return None
    return None


def absent_arguments(inputs: Mapping[str, Any], workflow: Workflow, place: Here) -> list[str]:
    """Return a warning for each `Path` parameter of a run that is here and will not be there.

    Args:
        inputs: of the pipeline, by name.
        workflow: with the parameters of this run in it.
        place: what this machine has, and what of it travels.
    """
    given = parameters_of(arguments_of(spec_of(workflow)))
    values = {str(one["name"]): str(one.get("value", "")) for one in given}
    warnings = []
    for name, declared in inputs.items():
        for field in declared.fields.values():
            types = (
                [field.schema, *field.schema.get("any", ())] if field.kind == "parameter" else []
            )
            if any(each["type"] == "path" for each in types):
                absent = place.absent(readable(values.get(name, "")))
                if absent is not None:
                    warnings.append(f"{name}={absent.what}; {absent.remedy}")
    return warnings
