"""Images by their digests: what was deployed last is written into a workflow.

`train`, `train:latest` and `lab:5000/train` become `lab:5000/train@sha256:...`, wherever a
workflow has an image. A tag that somebody wrote, and a digest, stay: they say what is meant. An
image may come in by a parameter of the workflow, which is filled alike. Source: Argo docs: fields
(Template, ContainerSetTemplate, WorkflowStep.inline, templateDefaults).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from argojobs.edits.parts import calls_in, containers_in, copied, members, templates_in, with_inline
from argojobs.manifest.kinds import around, inside
from argojobs.manifest.view import spec_of
from argojobs.service import Workflow

Object = dict[str, Any]

_IMAGE_ENDINGS = ("_image", "-image")
#: Parameters that get the one image that there is, as the first users' files call it.
_THE_IMAGE = frozenset({"image", "train_image", "train-image"})
_PARAMETER = re.compile(r"\{\{=?\s*(?:workflow|inputs)\.parameters\.([-\w]+)\s*\}\}")


def pinned(workflow: Workflow, known: Mapping[str, str]) -> Workflow:
    """Return the workflow with the images that are known by their digests.

    known: from an image's own name to `REGISTRY/NAME@sha256:...`. The given workflow is not
    changed.
    """
    if not known:
        return {**workflow}
    used = image_parameters(workflow)
    spec = copied(_spec(workflow))
    for container in _images(spec):
        container["image"] = pin_of(container["image"], known) or container["image"]
    for one in _parameters(spec):
        for key in ("value", "default"):
            text = one.get(key)
            if isinstance(text, str) and ("/" in text or one.get("name") in used):
                one[key] = pin_of(text, known) or text
    return _with_spec(workflow, spec)


def filled(workflow: Workflow, known: Mapping[str, str], given: Collection[str] = ()) -> Workflow:
    """Return the workflow with its image parameters at what was deployed last.

    That are `train_image` for the image `train`, and `image` or `train_image` for the only one,
    where a container's image comes from them. A digest stays.

    Args:
        workflow: stays as it is.
        known: references by the names of images.
        given: parameters that the user gave, which stay.
    """
    if not known:
        return {**workflow}
    used = image_parameters(workflow)
    is_open = bool(spec_of(workflow).get("workflowTemplateRef"))
    spec = copied(_spec(workflow))
    for one in members(spec.get("arguments"), "parameters"):
        name = str(one.get("name", ""))
        image = _image_of_parameter(name, known)
        is_image = name in used or (is_open and name.startswith(image))
        if image and is_image and name not in given and "@" not in str(one.get("value", "")):
            one["value"] = known[image]
    return _with_spec(workflow, spec)


def _image_of_parameter(name: str, known: Mapping[str, str]) -> str:
    """Return which image a parameter is for, by its name; "" for none."""
    for ending in _IMAGE_ENDINGS:
        if name.endswith(ending) and name.removesuffix(ending) in known:
            return name.removesuffix(ending)
    return next(iter(known)) if name in _THE_IMAGE and len(known) == 1 else ""


def pin_of(image: str, known: Mapping[str, str]) -> str:
    """Return what stands for an image, "" where it says itself what is meant, or is not known."""
    repository, tag, digest = split(image)
    if digest or tag not in ("", "latest"):
        return ""
    if repository in known:
        return known[repository]
    return next((pin for pin in known.values() if split(pin)[0] == repository), "")


def split(image: str) -> tuple[str, str, str]:
    """Return the repository, the tag and the digest of an image's name.

    A `:` before a `/` is a registry's port. Source: the distribution project's grammar of
    references.
    """
    rest, _, digest = image.partition("@")
    start, colon, tag = rest.rpartition(":")
    return (start, tag, digest) if colon and "/" not in tag else (rest, "", digest)


def renamed(workflow: Workflow, names: Mapping[str, str]) -> Workflow:
    """Return the workflow with other names for some images of its containers."""
    if not names:
        return {**workflow}
    spec = copied(_spec(workflow))
    for container in _images(spec):
        container["image"] = names.get(container["image"], container["image"])
    return _with_spec(workflow, spec)


def images_in(workflow: Workflow) -> list[str]:
    """Return the images of all containers and image parameters, each once, as they stand."""
    spec, used = _spec(workflow), image_parameters(workflow)
    named = [one for one in _parameters(spec) if one.get("name") in used]
    texts = [one.get(key) for one in named for key in ("value", "default")]
    texts += [container["image"] for container in _images(spec)]
    return list(dict.fromkeys(text for text in texts if isinstance(text, str)))


def image_parameters(workflow: Workflow) -> frozenset[str]:
    """Return the names of parameters that become the image of some container.

    Of the workflow and of templates alike: what a template's input gets, from whom it says.
    """
    spec = _spec(workflow)
    texts = [container["image"] for container in _images(spec)]
    found = {match[1] for text in texts if (match := _PARAMETER.fullmatch(text.strip()))}
    passed = {
        (str(one.get("name")), match[1])
        for one in _parameters(spec)
        if (match := _PARAMETER.fullmatch(str(one.get("value", "")).strip()))
    }
    while more := {source for name, source in passed if name in found} - found:
        found |= more
    return frozenset(found)


def _spec(workflow: Workflow) -> Object:
    """Return the spec of a workflow, or of the one that a CronWorkflow has."""
    spec: Any = inside(workflow)["spec"]
    return spec if isinstance(spec, dict) else {}


def _with_spec(workflow: Workflow, spec: Object) -> Workflow:
    made: Any = {**workflow, "spec": spec}
    return around(workflow, made) if spec else {**workflow}


def _templates(spec: Object) -> Iterator[Object]:
    defaults = spec.get("templateDefaults")
    yield from with_inline(defaults) if isinstance(defaults, dict) else ()
    yield from templates_in(spec)


def _images(spec: Object) -> Iterator[Object]:
    """Yield the containers that name an image."""
    for template in _templates(spec):
        yield from (one for one in containers_in(template) if isinstance(one.get("image"), str))


def _parameters(spec: Object) -> Iterator[Object]:
    """Yield all parameters: of the workflow, of templates, and those that are passed on."""
    yield from members(spec.get("arguments"), "parameters")
    for template in _templates(spec):
        yield from members(template.get("inputs"), "parameters")
        for call in calls_in(template):
            yield from members(call.get("arguments"), "parameters")
