"""The images of a run: what an `Image` is called, what was deployed last, and what is built first.

Whoever compiles asks for names and remembers what they stand for; `run` then brings to the
context's registry what it lacks. On this machine nothing is built: steps run in its own Python.
So what builds images, and speaks to registries, is imported only where one is to be built.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argojobs.config.image_lock import LOCK_FILE, known_in, read_lock, registries_of
from argojobs.dsl.images import BASE, Image
from argojobs.edits.pins import filled, images_in, pin_of, pinned, renamed, split
from argojobs.errors import ArgojobsError, UsageError
from argojobs.lint import lint
from argojobs.runs.cluster import has_kubeconfig, kube_of
from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.compile.loaded import Loaded
    from argojobs.config.contexts import Context
    from argojobs.images.described.providing import Wanted
    from argojobs.images.registry.client import Registry
    from argojobs.manifest.findings import Finding
    from argojobs.runs.plan import Plan
    from argojobs.runs.request import RunRequest


@dataclass
class PipelineImages:
    """The images of one workflow.

    context: whose registry they are in; `local` where the workflow is for no context. root: the
    project's folder. here: the workflow runs on this machine, where images are names only.
    wanted: what was asked for so far and is to be built, by its name with the tag.
    """

    context: Context
    root: Path
    here: bool
    wanted: dict[str, Wanted] = field(default_factory=dict)

    def wanted_by(self, request: RunRequest, loaded: Loaded) -> str | Image:
        """Return what steps run in that name no image: of the options, else the context's.

        Raises UsageError for options that exclude each other or have no steps to be for, and
        DefinitionError.
        """
        if not request.base_image and not request.requirements:
            return request.image or self.context.image
        option = "--base-image" if request.base_image else "--requirements"
        if request.image:
            raise UsageError(
                f"--image and {option} exclude each other",
                hint="--base-image is what the requirements are put on; leave --image out",
            )
        if loaded.pipeline is None:
            raise UsageError(
                f"{option} is for pipelines of ours and plain scripts",
                where=str(loaded.path),
                hint="this one names its images itself",
            )

        file = str(Path(request.requirements).resolve()) if request.requirements else ()
        return Image(request.base_image or self.context.image or BASE, pip=file)

    def reference(self, image: Image) -> str:
        """Return an Image's name in the manifest. Raises UsageError where it has none."""
        from argojobs.images.described.generated import generated
        from argojobs.images.described.providing import Wanted

        if image.is_base:
            return image.base
        build = generated(image, self.root, base_of=self._base_of)
        if not self.host and not self.here:
            raise self._no_registry()
        one = Wanted(build, self.host)
        self.wanted[one.tagged] = one
        return one.tagged

    def filled(self, workflow: Workflow, given: Collection[str]) -> Workflow:
        """Return the workflow with its image parameters at what was deployed last."""
        known = self._known(lambda images: filled(workflow, images, given), workflow)
        return filled(workflow, known, given)

    def pinned(self, workflow: Workflow) -> Workflow:
        """Return the workflow with the images that were deployed by their digests.

        Raises UsageError for one that `deploy` builds and that was not deployed yet.
        """
        if self.here:
            return workflow
        known = self._known(lambda images: pinned(workflow, images), workflow)
        self._check_deployed(images_in(workflow), known)
        return pinned(workflow, known)

    def notes(self) -> list[str]:
        """Return what to tell of images on this machine, one line for all."""
        if not self.here or not self.wanted:
            return []
        text = (
            "an Image is not built on this machine: its steps run in the Python that argojobs was "
            "started with, which must have their packages"
        )
        return [text]

    @cached_property
    def host(self) -> str:
        """The context's registry as images are named in it, "" where it has none."""
        from argojobs.images.reference import registry_host

        registry = self.context.registry
        return "" if self.here or registry is None else registry_host(registry.url)

    @cached_property
    def _lock(self) -> Any:
        return () if self.here else read_lock(self.root / LOCK_FILE)

    def _known(self, change: Callable[[Mapping[str, str]], Any], now: Any) -> Mapping[str, str]:
        """Return the deployed images of the registry, for something that names images.

        change: what becomes of it when these are known; now: what it is. Raises UsageError where
        one of them is meant and several registries have it.
        """
        if self.here:
            return {}
        if self.host:
            return known_in(self._lock, self.host)
        registries = registries_of(self._lock)
        if len(registries) == 1:
            return known_in(self._lock, registries[0])
        for one in self._lock:
            if change({one.name: one.reference}) != now:
                raise UsageError(
                    f"{LOCK_FILE} has {one.name} in more than one registry: "
                    f"{', '.join(registries)}",
                    hint=self._how_to_say_the_registry(),
                )
        return {}

    def _check_deployed(self, names: Collection[str], known: Mapping[str, str]) -> None:
        """Raise UsageError for a bare name that `deploy` builds and the lock does not have."""
        if self.here:
            return
        bare = {split(name)[0] for name in names if split(name)[1:] in (("", ""), ("latest", ""))}
        bare = {name for name in bare - known.keys() if "/" not in name and "{{" not in name}
        built = self._built() if bare else frozenset()
        for name in sorted(bare & built):
            where = f" to {self.host}" if self.host else ""
            registry = "REGISTRY" if self.context.built_in else self.context.name
            raise UsageError(
                f"the image {name} is built by this project and was not deployed{where} yet",
                hint=f"./deploy -r {registry}",
            )

    def _built(self) -> frozenset[str]:
        """Return the images that `deploy` builds; none where it would say that something is wrong."""
        from argojobs.images.builds import builds_in

        try:
            return frozenset(build.name for build in builds_in(self.root, self.root).builds)
        except UsageError:
            return frozenset()

    def _base_of(self, base: str) -> str:
        """Return the base of an image: one that was deployed by its digest."""
        if self.here:
            return base
        known = self._known(lambda images: pin_of(base, images), "")
        self._check_deployed([base], known)
        return pin_of(base, known) or base

    def _no_registry(self) -> UsageError:
        return UsageError(
            "a step runs in an Image, and no registry says where the cluster finds it",
            hint=self._how_to_say_the_registry(),
        )

    def _how_to_say_the_registry(self) -> str:
        if self.context.built_in:
            return "compile it for a context that has a registry: --context NAME"
        return f"argojobs config set contexts.{self.context.name}.registry.url HOST[:PORT]"


def linted(workflow: Workflow, root: Callable[[], Path], **how: Any) -> list[Finding]:
    """Lint a workflow as it is run: an image that was deployed is not `latest`, whatever it says.

    Args:
        workflow: the object.
        root: finds the project's folder, where it is needed.
        how: the options of `lint.lint`.
    """
    findings = lint(workflow, **how)
    if all(one.code != "image-latest" for one in findings):
        return findings
    known = {one.name: one.reference for one in read_lock(root() / LOCK_FILE)}
    return lint(pinned(workflow, known), **how) if known else findings


def lacking(plan: Plan, context: Context) -> tuple[list[Wanted], Plan]:
    """Return the images that are to be built, and the plan with the others by their digests.

    Asks the registry. Raises ServerError where it is out of reach, UsageError where it refuses us.
    """
    return _lacking(plan, _registry(context)) if plan.images else ([], plan)


def _lacking(plan: Plan, registry: Registry) -> tuple[list[Wanted], Plan]:
    from argojobs.images.described.providing import present

    found = present(plan.images, registry)
    missing = [one for one in plan.images if one.tagged not in found]
    return missing, replace(plan, workflow=renamed(plan.workflow, found), images=tuple(missing))


def with_images(plan: Plan, context: Context, say: Callable[[str], None]) -> Plan:
    """Build and push what the registry lacks; return the plan with all images by their digests.

    Args:
        plan: with the images that it wants.
        context: whose registry and nodes they are for.
        say: gets a line for each image, and what the builder prints.

    Raises:
        HostError: nothing builds images here.
        BuildFailedError, PushFailedError: the builder's own failure.
        UsageError, ServerError: as `lacking`.
    """
    if not plan.images:
        return plan
    registry = _registry(context)
    missing, plan = _lacking(plan, registry)
    if not missing:
        return plan
    from argojobs.images.builders.choosing import choose
    from argojobs.images.described.pip_settings import pip_settings
    from argojobs.images.described.providing import provide

    builder = choose(mounts=True)
    settings = pip_settings(os.environ, Path.home())
    platform = node_platform(context)
    made: dict[str, str] = {}
    for one in missing:
        say(f"building {one.tagged} ({one.build.words}) with {builder.name}")
        made[one.tagged] = provide(
            one, builder, registry, settings=settings, platform=platform, say=say
        )
        say(f"pushed {made[one.tagged]}")
    return replace(plan, workflow=renamed(plan.workflow, made), images=())


def node_platform(context: Context) -> str:
    """Return the platform of a context's nodes, "" where its cluster is not known or does not say.

    Asked only through a kubeconfig that is the context's own.
    """
    if context.built_in or not (context.kubeconfig or context.kube_context or not context.server):
        return ""
    if not has_kubeconfig(context):
        return ""
    from argojobs.client.kube.objects import list_all
    from argojobs.client.kube.platforms import platform_of

    try:
        with kube_of(context) as kube:
            return platform_of(list_all(kube, "Node"))
    except ArgojobsError:  # who may run need not be one who may list nodes
        return ""


def _registry(context: Context) -> Registry:
    from argojobs.images.destinations import of_context, opened

    return opened(of_context(context))
