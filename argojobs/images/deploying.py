"""What a deploy will do, as a value, and the doing of it.

What is there already is found by content: in the lock file, under its tag in the registry, on this
machine. Only the rest is built, only what the registry lacks is pushed, and the lock file is the
caller's to write, when all of it has gone well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from argojobs.config.image_lock import Locked
from argojobs.errors import ConflictError
from argojobs.images.builders.shape import Builder, Task
from argojobs.images.builds import PARENT_ARGUMENT
from argojobs.images.recipe import Recipe
from argojobs.images.reference import within

if TYPE_CHECKING:
    from argojobs.images.registry.client import Registry

Say = Callable[[str], None]

#: What happens to an image: `keep` and `record` send nothing, and `record` writes a line of the lock.
Does = Literal["keep", "record", "push", "build"]


@dataclass(frozen=True, slots=True)
class Step:
    """One image of a deploy. host: the registry as images are named in it, "" for none.

    tags: all that it gets, the one of its content first. digest: what is known of it before.
    """

    recipe: Recipe
    does: Does
    why: str
    host: str
    tags: tuple[str, ...]
    digest: str = ""

    @property
    def name(self) -> str:
        """The image's name."""
        return self.recipe.build.name

    @property
    def references(self) -> tuple[str, ...]:
        """Its names with each of the tags."""
        return tuple(within(self.host, self.name, tag=tag).text for tag in self.tags)


@dataclass(frozen=True, slots=True)
class Deployed:
    """An image as it is now: digest "" where it is on this machine only."""

    step: Step
    digest: str

    @property
    def reference(self) -> str:
        """What a manifest says to run it."""
        if not self.digest:
            return self.step.references[0]
        return within(self.step.host, self.step.name, digest=self.digest).text


def plan_deploy(
    recipes: Iterable[Recipe],
    *,
    host: str,
    registry: Registry | None,
    lock: Sequence[Locked],
    builder: Callable[[], Builder],
    tags: Sequence[str] = (),
    version: str = "",
    no_cache: bool = False,
) -> tuple[Step, ...]:
    """Return what is to be done with each image, parents first.

    Args:
        recipes: of the images.
        host: of the registry, as their names begin.
        registry: None builds for this machine only.
        lock: what was deployed before.
        builder: called where it matters what this machine has.
        tags: what new images get beside the tag of their content.
        version: a tag that all get.
        no_cache: build all anew.

    Raises:
        ConflictError: the registry has the version for another image.
    """
    steps = []
    for recipe in recipes:
        step = Step(recipe, "build", "", host, (recipe.tag, *tags))
        if version:
            step = replace(step, tags=(*step.tags, version))
        step = _looked_up(step, registry, lock, builder, no_cache=no_cache)
        if step.does in ("keep", "record"):  # it has the tag of the commit that it was built of
            step = replace(step, tags=tuple(one for one in step.tags if one not in tags))
        steps.append(step)
        if version and registry is not None:
            check_version(registry, step.name, version, step.digest)
    return tuple(steps)


def carry_out(
    steps: Iterable[Step],
    *,
    registry: Registry | None,
    builder: Callable[[], Builder],
    secrets: Callable[[Recipe, Path], Mapping[str, Path]],
    say: Say,
    version: str = "",
    no_cache: bool = False,
) -> tuple[Deployed, ...]:
    """Build and push what is to be; return all images as they are then.

    Args:
        steps: as `plan_deploy` returned them.
        registry: where they are pushed; None for this machine only.
        builder: the one to build with, chosen when it is first needed.
        secrets: writes what a build mounts into a private folder.
        say: gets a line for each image, and all that a builder prints.
        version: a tag that all get.
        no_cache: build all anew.

    Raises:
        BuildFailedError, PushFailedError: and the registry's errors.
    """
    done = []
    for step in steps:
        digest = step.digest
        if step.does in ("build", "push"):
            say(f"{step.name}: {_DOING[step.does]} {step.references[0]} ({step.why})")
            _made(step, registry, builder(), secrets, say, no_cache=no_cache)
            digest = _tagged(step, registry) if registry is not None else ""
        elif version and registry is not None and registry.digest(step.name, version) is None:
            registry.add_tag(step.name, digest, version)
            say(f"{step.name}: tagged {version}")
        done.append(Deployed(step, digest))
    return tuple(done)


def task_of(
    step: Step,
    *,
    context: Path,
    secrets: Mapping[str, Path],
    dockerfile: Path | None = None,
    registry: Registry | None = None,
    login: Path | None = None,
    no_cache: bool = False,
) -> Task:
    """Return what a builder is asked to build for a step.

    Args:
        step: one of the deploy's.
        context: the folder that the build gets.
        secrets: files by the ids that the build mounts.
        dockerfile: a copy of the step's; None for that itself.
        registry: where the image goes, None for nowhere. For one it gets the tag of its content
            only; the others are given it there.
        login: the folder with the login for that registry, None for nobody's.
        no_cache: nothing of earlier builds is used.
    """
    build = step.recipe.build
    parent = _step_parent(step)
    arguments = {**build.arguments, **({PARENT_ARGUMENT: parent} if parent else {})}
    return Task(
        tags=step.references if registry is None else step.references[:1],
        context=context,
        dockerfile=dockerfile or build.dockerfile,
        origin=build.dockerfile,
        arguments=arguments,
        secrets=secrets,
        platform=step.recipe.platform,
        no_cache=no_cache,
        parent=parent,
        plain_http=registry is not None and registry.plain_http,
        auth_folder=login,
    )


def _step_parent(step: Step) -> str:
    """Return the reference of the image that a step's is built on, "" where it is none of ours."""
    parent = step.recipe.parent
    return within(step.host, parent.build.name, tag=parent.tag).text if parent else ""


_DOING = {"build": "building", "push": "pushing"}


def _looked_up(
    step: Step,
    registry: Registry | None,
    lock: Sequence[Locked],
    builder: Callable[[], Builder],
    *,
    no_cache: bool,
) -> Step:
    """Return the step with what is there already."""
    from argojobs.images.builders.building import has_image

    if no_cache:
        return replace(step, why="--no-cache")
    recipe, name = step.recipe, step.name
    before = _locked(step, lock)
    if registry is not None:
        if (
            before is not None
            and before.content == recipe.content
            and registry.digest(name, before.digest)
        ):
            return replace(step, does="keep", why="unchanged", digest=before.digest)
        digest = registry.digest(name, recipe.tag)
        if digest:
            why = "the registry has it already"
            return replace(step, does="record", why=why, digest=digest)
    if has_image(builder(), step.references[0]):
        if registry is None:
            return replace(step, does="keep", why="unchanged")
        return replace(step, does="push", why="it was built here before")
    return replace(step, why=_reason(before, recipe))


def _locked(step: Step, lock: Sequence[Locked]) -> Locked | None:
    """Return the line of the lock for an image."""
    name = within(step.host, step.name).name if step.host else ""
    platform = step.recipe.platform
    return next((one for one in lock if one.key == (name, platform)), None)


def _reason(before: Locked | None, recipe: Recipe) -> str:
    if before is None:
        return "never deployed there"
    return "changed" if before.content != recipe.content else "the registry lost it"


def check_version(registry: Registry, name: str, version: str, digest: str = "") -> None:
    """Refuse a version that a registry has of another image.

    Args:
        registry: which is asked.
        name: of the image.
        version: as a tag.
        digest: of the image that may have it, "" for none.

    Raises:
        ConflictError: the version is taken.
    """
    there = registry.digest(name, version)
    if there is not None and there != digest:
        raise ConflictError(
            f"{registry.host} has {name}:{version} already, and it is another image",
            where="--version",
            hint="somebody deployed this version first: git pull --tags, then raise it again: "
            "./deploy --version patch",
        )


def _made(
    step: Step,
    registry: Registry | None,
    builder: Builder,
    secrets: Callable[[Recipe, Path], Mapping[str, Path]],
    say: Say,
    *,
    no_cache: bool,
) -> None:
    """Build an image, unless it is only to be pushed, and push it."""
    from argojobs.images.builders.building import build_image, push_image
    from argojobs.images.context.writing import write_context
    from argojobs.images.delivery import workplace

    with workplace(registry) as place:
        task = task_of(
            step,
            context=place.folder / "context",
            dockerfile=_copied_dockerfile(step.recipe, place.folder),
            secrets=secrets(step.recipe, place.secrets) if step.does == "build" else {},
            registry=registry,
            login=place.login,
            no_cache=no_cache,
        )
        if step.does == "build":
            task.context.mkdir()
            write_context(step.recipe.files, task.context)
            build_image(builder, task, say)
        if registry is not None:
            push_image(builder, task, say)


def _copied_dockerfile(recipe: Recipe, folder: Path) -> Path:
    """Copy a Dockerfile into a folder, beside an ignore file that leaves nothing out.

    What the project's ignore file leaves out is not sent; it must not be read a second time, from
    what `COPY . .` brings. Source: BuildKit documentation, "Dockerfile-specific ignore file".
    """
    copy = folder / recipe.build.dockerfile.name
    copy.write_bytes(recipe.build.dockerfile.read_bytes())
    copy.with_name(f"{copy.name}.dockerignore").touch()
    return copy


def _tagged(step: Step, registry: Registry) -> str:
    """Give what was pushed its other tags; return its digest, as the registry tells it."""
    from argojobs.images.delivery import arrived

    digest = arrived(registry, step.name, step.tags[0])
    for tag in step.tags[1:]:
        registry.add_tag(step.name, digest, tag)
    return digest
