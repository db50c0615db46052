"""Which images a project builds, in what order: from `dockerfiles/`, or from a build file.

`dockerfiles/train.Dockerfile`, `Dockerfile.train` and `dockerfile-train` build `train`, and a
`Dockerfile` builds what the project is called; the context is the project's root. Where there is
no such folder, Dockerfiles right in the folder count. A Dockerfile with `ARG IMAGE` and
`FROM ${IMAGE}` is built on the image that `ARG IMAGE=NAME` names, or on the only one that is built
on no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from argojobs.errors import UsageError
from argojobs.images.build_file import is_build_file, read_build_file
from argojobs.images.dockerfiles.dockerfile import (
    Dockerfile,
    argument_names,
    base_images,
    global_arguments,
    parent_stage,
    read_dockerfile,
)
from argojobs.images.reference import check_name

FOLDER = "dockerfiles"
#: The build argument that is the image to build on.
PARENT_ARGUMENT = "IMAGE"

_KIND = r"(?:dockerfile|containerfile)"
_FILE = re.compile(rf"(?:(?P<before>.+)\.{_KIND}|{_KIND}(?:[.-](?P<after>.+))?)", re.IGNORECASE)
#: What editors and patches leave beside a file, and a Dockerfile's own ignore file.
_OTHER = (".dockerignore", "~", ".bak", ".orig", ".rej", ".swp", ".tmp")
_USES_IMAGE = re.compile(rf"\$(?:{PARENT_ARGUMENT}\b|\{{{PARENT_ARGUMENT}\b[^}}]*\}})")


@dataclass(frozen=True, slots=True)
class Build:
    """One image to build.

    arguments: the build arguments, without IMAGE where the image is built on another of these.
    parent: the name of that other one, or "". origin: the file that says so, with a line if it is
    a build file.
    """

    name: str
    dockerfile: Path
    context: Path
    arguments: Mapping[str, str]
    parent: str
    origin: str


@dataclass(frozen=True, slots=True)
class Builds:
    """All images of a project, each after the one that it is built on.

    version, file: those of a build file, None without one. notes: to be told, a line each.
    """

    builds: tuple[Build, ...]
    version: str | None = None
    file: Path | None = None
    notes: tuple[str, ...] = ()


def builds_in(
    folder: Path, project: Path, arguments: Mapping[str, str] = MappingProxyType({})
) -> Builds:
    """Return what is built.

    Args:
        folder: the project, a folder with Dockerfiles, or a build file.
        project: the context of `dockerfiles/`, and the base of paths in a build file.
        arguments: build arguments by name, for each Dockerfile that has such an ARG; they win
            over a build file's.

    Raises:
        UsageError: with file and line: nothing to build, a name that no image can have, a parent
            that nobody can tell or that goes in a circle, an argument that no Dockerfile has, and
            as `read_dockerfile`.
    """
    folder, project = folder.absolute(), project.absolute()
    file = _build_file(folder)
    if file is not None:
        found = read_build_file(file)
        builds = [
            Build(
                check_name(entry.name, f"{file}:{entry.line}"),
                _path(entry.dockerfile, project, file.parent),
                _path(entry.context, project, file.parent),
                entry.arguments,
                "",
                f"{file}:{entry.line}",
            )
            for entry in found.entries
        ]
        notes = (*found.notes, *_lost(builds))
        builds = _with_arguments(builds, arguments)
        return Builds(_in_order(_with_parents(builds)), found.version, file, notes)
    files = _dockerfiles(folder)
    if not files:
        raise UsageError(
            f"there is no Dockerfile in {folder}",
            hint=f"write one, such as {FOLDER}/train.Dockerfile, or name another folder by -d",
        )
    builds = _with_arguments(list(_named(files, project)), arguments)
    return Builds(_in_order(_with_parents(builds)))


def _build_file(folder: Path) -> Path | None:
    """Return the one build file of a folder, None where it has none."""
    if folder.is_file():
        return None if _FILE.fullmatch(folder.name) else folder
    found = [
        path
        for place in (folder, folder / "config")
        if place.is_dir()
        for path in sorted(place.iterdir())
        if is_build_file(path)
    ]
    if len(found) > 1:
        listed = ", ".join(str(path) for path in found)
        raise UsageError(f"there are several build files: {listed}", hint="name one of them by -d")
    return found[0] if found else None


def _path(text: str, project: Path, folder: Path) -> Path:
    """Return a path of a build file: from the project's root, else from the file's folder."""
    path = Path(text).expanduser()
    from_project = project / path
    return from_project if from_project.exists() else folder / path


def _dockerfiles(folder: Path) -> list[Path]:
    if folder.is_file():
        return [folder]
    for place in (folder / FOLDER, folder):
        found = [
            path
            for path in (sorted(place.iterdir()) if place.is_dir() else ())
            if _FILE.fullmatch(path.name)
            and not path.name.lower().endswith(_OTHER)
            and (path.is_file() or place.name == FOLDER)
        ]
        for path in found:
            if not path.is_file():
                raise UsageError(
                    f"{path.name} is {'a folder' if path.is_dir() else 'a link to nothing'}",
                    where=str(path),
                    hint=f"in {FOLDER}/ it must be a Dockerfile: give it another name or take it out",
                )
        if found:
            return found
    return []


def _named(files: Iterable[Path], project: Path) -> Iterator[Build]:
    from argojobs.images.described.generated import project_name

    seen: dict[str, Path] = {}
    for file in files:
        match = _FILE.fullmatch(file.name)
        written = (match["before"] or match["after"]) if match else ""
        name = check_name(written, str(file)) if written else project_name(project)
        if name in seen:
            raise UsageError(
                f"{seen[name].name} and {file.name} both build {name}",
                where=str(file),
                hint="give one of them another name",
            )
        seen[name] = file
        yield Build(name, file, project, {}, "", str(file))


def _with_arguments(builds: list[Build], arguments: Mapping[str, str]) -> list[Build]:
    """Return the builds, each with those of the arguments that its Dockerfile has an ARG for."""
    if not arguments:
        return builds
    has = {build.name: argument_names(read_dockerfile(build.dockerfile)) for build in builds}
    known = sorted({name for names in has.values() for name in names})
    for name in arguments:
        if name not in known:
            from argojobs.manifest.nearest import suggestion

            hint = suggestion(name, known, what="there are") if known else f"write ARG {name}"
            raise UsageError(f"no Dockerfile has ARG {name}", where="--build-arg", hint=hint)
    return [
        replace(
            build,
            arguments={
                **build.arguments,
                **{name: text for name, text in arguments.items() if name in has[build.name]},
            },
        )
        for build in builds
    ]


def _lost(builds: list[Build]) -> Iterator[str]:
    """Say which arguments of a build file do nothing: no ARG takes them."""
    for build in builds:
        known = argument_names(read_dockerfile(build.dockerfile))
        for name in build.arguments:
            if name not in known and not name.upper().endswith("_PROXY"):  # these need no ARG
                yield f"{build.origin}: {build.dockerfile.name} has no ARG {name}"


def _with_parents(builds: list[Build]) -> list[Build]:
    """Return the builds with their parents filled in."""
    names = [build.name for build in builds]
    read = {build.name: read_dockerfile(build.dockerfile) for build in builds}
    said = {build.name: _said(build, read[build.name]) for build in builds}
    on_none = [name for name in names if said[name] is not None and said[name] not in names]
    done = []
    for build in builds:
        parent = said[build.name]
        if parent is None:
            parent = _only(build, read[build.name], on_none)
        if parent in names:
            rest = {k: v for k, v in build.arguments.items() if k != PARENT_ARGUMENT}
            done.append(replace(build, parent=parent, arguments=rest))
        else:
            _check_bases(build, read[build.name], names)
            done.append(build)
    return done


def _said(build: Build, dockerfile: Dockerfile) -> str | None:
    """Return the name that IMAGE has: given, or by default; "" without IMAGE, None for no value.

    A name with a tag other than `latest`, or with a registry, is one of a registry's images.
    """
    defaults = global_arguments(dockerfile)
    value = build.arguments.get(PARENT_ARGUMENT, "") or defaults.get(PARENT_ARGUMENT)
    if value:
        return value.strip("'\"").removesuffix(":latest")
    used = any(_USES_IMAGE.search(stage.base) for stage in dockerfile.stages)
    return None if used and PARENT_ARGUMENT in defaults else ""


def _only(build: Build, dockerfile: Dockerfile, candidates: list[str]) -> str:
    """Return the only image that is built on none of the others. Raises UsageError."""
    line = next(s.line for s in dockerfile.stages if _USES_IMAGE.search(s.base))
    others = [name for name in candidates if name != build.name]
    if len(others) == 1:
        return others[0]
    listed = " or ".join(others) if others else "an image"
    raise UsageError(
        f"nobody says what {build.name} is built on: {PARENT_ARGUMENT} has no value",
        where=dockerfile.where(line),
        hint=f"write ARG {PARENT_ARGUMENT}=NAME before FROM, where NAME is {listed}",
    )


def _check_bases(build: Build, dockerfile: Dockerfile, names: list[str]) -> None:
    """Raise UsageError for a FROM that names another build as if a registry had it."""
    bases = base_images(dockerfile, build.arguments)
    for stage, base in zip(dockerfile.stages, bases, strict=True):
        inside = parent_stage(dockerfile, base, stage.number) is not None
        if base in names and base != build.name and not inside:
            raise UsageError(
                f"FROM {base} would take {base} from the network, not the one that is built here",
                where=dockerfile.where(stage.line),
                hint=f"write ARG {PARENT_ARGUMENT}={base} and FROM ${{{PARENT_ARGUMENT}}}",
            )


def _in_order(builds: list[Build]) -> tuple[Build, ...]:
    """Return each build after its parent, else as they came. Raises UsageError for a circle."""
    by_name = {build.name: build for build in builds}
    done: dict[str, Build] = {}
    for build in builds:
        chain = [build]
        while chain[-1].parent and chain[-1].parent not in done:
            above = by_name[chain[-1].parent]
            chain.append(above)
            if above in chain[:-1]:
                circle = chain[chain.index(above) :]
                raise UsageError(
                    f"images are built on each other in a circle: "
                    f"{' -> '.join(one.name for one in circle)}",
                    where=above.origin,
                    hint=f"correct ARG {PARENT_ARGUMENT}=NAME in one of them",
                )
        done |= {one.name: one for one in reversed(chain)}
    return tuple(done.values())
