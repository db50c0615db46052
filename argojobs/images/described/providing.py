"""Brings images that nobody wrote a Dockerfile for to a registry: only those that it lacks.

The tag says what is in an image, so a tag that is there is the image. What runs is named by the
digest that the registry tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from argojobs.images.builders.explaining import BuildFailedError
from argojobs.images.described.generated import Generated

if TYPE_CHECKING:
    from argojobs.images.builders.shape import Builder
    from argojobs.images.described.pip_settings import PipSettings
    from argojobs.images.registry.client import Registry

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """An image that a workflow names. host: the registry as images are named in it."""

    build: Generated
    host: str

    @property
    def tagged(self) -> str:
        """Its name with the tag, as the workflow has it before the image is known."""
        return self.build.reference(self.host)

    def pinned(self, digest: str) -> str:
        """Its name with a digest."""
        return f"{self.host}/{self.build.name}@{digest}"


def present(wanted: Iterable[Wanted], registry: Registry) -> dict[str, str]:
    """Return the images that the registry has: from their names with tags to those with digests.

    Raises ServerError where it is out of reach and UsageError where it refuses us.
    """
    found: dict[str, str] = {}
    for one in wanted:
        digest = registry.digest(one.build.name, one.build.tag)
        if digest:
            found[one.tagged] = one.pinned(digest)
    return found


def provide(
    one: Wanted,
    builder: Builder,
    registry: Registry,
    *,
    settings: PipSettings,
    platform: str = "",
    say: Say,
    environment: Mapping[str, str] | None = None,
) -> str:
    """Build an image and push it; return its name with the digest.

    Args:
        one: the image.
        builder: what builds it.
        registry: where it is pushed.
        settings: what pip is told, as secrets.
        platform: of the machines that run it; "" for the builder's own.
        say: gets each line that the builder prints.
        environment: where a login is looked for; the process's own for None.

    Raises:
        BuildFailedError, PushFailedError: with the last lines of output.
    """
    from argojobs.images.builders.building import build_image, push_image
    from argojobs.images.builders.shape import Task
    from argojobs.images.delivery import arrived, workplace
    from argojobs.images.described.pip_settings import written

    with workplace(registry, environment) as place:
        context = place.folder / "context"
        task = Task(
            tags=(one.tagged,),
            context=context,
            dockerfile=write_context(one.build, context),
            secrets=written(settings, place.secrets),
            platform=platform,
            plain_http=registry.plain_http,
            auth_folder=place.login,
        )
        try:
            build_image(builder, task, say)
        except BuildFailedError as error:
            error.where = ""  # of a Dockerfile that nobody wrote; what failed is said
            raise
        push_image(builder, task, say)
    return one.pinned(arrived(registry, one.build.name, one.build.tag))


def write_context(build: Generated, folder: Path) -> Path:
    """Write a build's files into a new folder, with fixed times; return the Dockerfile."""
    import os

    folder.mkdir()
    for name, text in {**build.files, "Dockerfile": build.dockerfile}.items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o644)
        os.utime(path, (0, 0))
    return folder / "Dockerfile"
