"""What `argojobs deploy` works on: the project's builds, where they go, and for which machines."""

from __future__ import annotations

import platform as machine
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from argojobs.compile.project import project_root
from argojobs.compile.secrets import looks_secret
from argojobs.config.choosing import choose as choose_context
from argojobs.config.choosing import creds_files
from argojobs.config.context_files import load_contexts
from argojobs.config.contexts import Context
from argojobs.config.settings import Settings, load_settings
from argojobs.errors import UsageError
from argojobs.images.builders.choosing import choose
from argojobs.images.builders.shape import Builder
from argojobs.images.builds import Build, Builds, builds_in
from argojobs.images.destinations import Destination, choose_destination, destinations, opened
from argojobs.images.recipe import Recipe, recipes
from argojobs.images.reference import registry_host
from argojobs.images.registry.client import Registry, unasked_registry
from argojobs.manifest.nearest import suggestion
from argojobs.runs.images import node_platform

#: Source: the OCI image specification, "Image Index" (os, architecture, variant).
_PLATFORM = re.compile(r"[a-z0-9]+/[a-z0-9_]+(/[a-z0-9.]+)?")
#: The architectures as images name them, where Python's name is another.
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "armv7l": "arm"}


@dataclass
class Deployment:
    """One deploy. project: its root. platform: `linux/amd64`. builder_name: "" for any."""

    project: Path
    builds: Builds
    destination: Destination
    platform: str
    builder_name: str
    settings: Settings

    @property
    def host(self) -> str:
        """The registry as images are named in it, "" where nothing is pushed."""
        return registry_host(self.destination.url)

    @cached_property
    def registry(self) -> Registry | None:
        """The open registry, None where nothing is pushed. Raises as `open_registry`."""
        if not self.destination.url:
            return None

        return opened(self.destination)

    def unasked(self) -> Registry | None:
        """Return the registry as the lock file knows it; nothing is asked."""
        return unasked_registry(self.destination.url) if self.destination.url else None

    @cached_property
    def recipes(self) -> tuple[Recipe, ...]:
        """What each image is made of, parents first. Raises as `recipes`."""
        return recipes(self.builds.builds, self.platform, self.settings.build_allow)

    def builder(self) -> Builder:
        """Return what builds, found when it is first needed. Raises HostError where nothing does."""
        return self._builder

    @cached_property
    def _builder(self) -> Builder:
        return choose(self.builder_name, mounts=any(one.secrets for one in self.recipes))


def deployment(
    folder: Path,
    *,
    registry: str = "",
    context: str = "",
    only: str = "",
    builder: str = "",
    platform: str = "",
    arguments: Iterable[str] = (),
) -> Deployment:
    """Return the deploy that the options ask for.

    Args:
        folder: the project, or the folder of Dockerfiles.
        registry: where images go; "" as `choose_destination` finds it.
        context: by name, "" for the one in use.
        only: this image and those that it is built on; "" for all.
        builder: the program that builds, "" for the first that works.
        platform: OS/ARCH, "" for that of the context's nodes, else this machine's.
        arguments: build arguments, NAME=VALUE.

    Raises:
        UsageError: the folder has no Dockerfiles, or a registry, context, image or argument is
            unknown.
    """
    if not folder.exists():
        raise UsageError(f"there is no folder {folder}", where="--directory")
    project = project_root(folder)
    files = creds_files(project, Path.cwd())
    contexts = load_contexts(project)
    chosen = choose_context(context, "", project)
    to = choose_destination(registry, destinations(contexts, files), chosen, files)
    builds = builds_in(folder, project, dict(map(_argument, arguments)))
    if only:
        builds = _with_parents(builds, only)
    if platform and not _PLATFORM.fullmatch(platform):
        raise UsageError(
            f"{platform!r} is not a platform, or more than one",
            where="--platform",
            hint="write one, as linux/amd64 or linux/arm64; a second deploy makes the image of another",
        )
    where = contexts.by_name.get(to.context, chosen)
    return Deployment(
        project, builds, to, platform or _platform(where), builder, load_settings(project)
    )


def _argument(text: str) -> tuple[str, str]:
    """Return name and value of a build argument. Raises UsageError; also for what is a secret."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise UsageError(
            f"{text!r} is not a build argument",
            where="--build-arg",
            hint="write NAME=VALUE, such as BASE=python:3.12-slim",
        )
    why = looks_secret("", value.encode())
    if why:
        raise UsageError(
            f"the build argument {name} looks like a secret ({why}), and the image would show it",
            where="--build-arg",
            hint="mount it: RUN --mount=type=secret,id=NAME, see docs/howto/images.md",
        )
    return name, value


def _with_parents(builds: Builds, only: str) -> Builds:
    """Return one build and those that it is built on. Raises UsageError for an unknown name."""
    by_name: dict[str, Build] = {build.name: build for build in builds.builds}
    if only not in by_name:
        raise UsageError(
            f"no image is called {only!r} here",
            where="--only",
            hint=suggestion(only, by_name, what="there are"),
        )
    kept = [only]
    while by_name[kept[-1]].parent:  # builds_in has refused circles
        kept.append(by_name[kept[-1]].parent)
    return replace(builds, builds=tuple(one for one in builds.builds if one.name in kept))


def _platform(context: Context) -> str:
    """Return the platform of the context's nodes, else of this machine."""
    known = node_platform(context)
    if known:
        return known
    here = machine.machine().lower()
    return f"linux/{_ARCHITECTURES.get(here, here)}"
