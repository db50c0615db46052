"""Images by their digests: what was deployed last is written into a workflow.

`train`, `train:latest` and `lab:5000/train` become `lab:5000/train@sha256:...`, wherever a
workflow has an image. A tag that somebody wrote, and a digest, stay: they say what is meant. An
image may come in by a parameter of the workflow, which is filled alike. Source: Argo docs: fields
(Template, ContainerSetTemplate, WorkflowStep.inline, templateDefaults).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from argojobs.manifest.kinds import around, inside
from argojobs.manifest.view import spec_of

Object = dict[str, Any]

_ONE = ("container", "script")
_SEVERAL = ("initContainers", "sidecars")
_IMAGE_ENDINGS = ("_image", "-image")
#: Parameters that get the one image that there is, as the first users' files call it.
_THE_IMAGE = frozenset({"image", "train_image", "train-image"})
_PARAMETER = re.compile(r"\{\{=?\s*(?:workflow|inputs)\.parameters\.([-\w]+)\s*\}\}")


@dataclass(frozen=True, slots=True)
class _Changes:
    """What becomes of the images of containers, and of parameters (any that are declared)."""

    image: Callable[[str], str] = lambda image: image
    parameter: Callable[[Any], Any] = lambda one: one


def pinned(workflow: Mapping[str, Any], known: Mapping[str, str]) -> Object:
    """Return the workflow with the images that are known by their digests.

    known: from an image's own name to `REGISTRY/NAME@sha256:...`. The given workflow is not
    changed.
    """
    if not known:
        return dict(workflow)
    used = image_parameters(workflow)

    def parameter(one: Any) -> Any:
        changed: Object = {}
        for key in ("value", "default"):
            text = one.get(key)
            if isinstance(text, str) and ("/" in text or one.get("name") in used):
                pin = pin_of(text, known)
                changed |= {key: pin} if pin else {}
        return {**one, **changed}

    return _changed(workflow, _Changes(lambda image: pin_of(image, known) or image, parameter))


def filled(
    workflow: Mapping[str, Any], known: Mapping[str, str], given: Collection[str] = ()
) -> Object:
    """Return the workflow with its image parameters at what was deployed last.

    That are `train_image` for the image `train`, and `image` or `train_image` for the only one,
    where a container's image comes from them. given: parameters that the user gave, which stay.
    So does a digest.
    """
    if not known:
        return dict(workflow)
    used = image_parameters(workflow)
    is_open = bool(spec_of(workflow).get("workflowTemplateRef"))

    def parameter(one: Any) -> Any:
        name = str(one.get("name", ""))
        image = _image_of_parameter(name, known)
        is_image = name in used or (is_open and name.startswith(image))
        if not image or not is_image or name in given or "@" in str(one.get("value", "")):
            return one
        return {**one, "value": known[image]}

    return _with_spec_of(workflow, lambda spec: _with_arguments(spec, parameter))


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


def renamed(workflow: Mapping[str, Any], names: Mapping[str, str]) -> Object:
    """Return the workflow with other names for some images of its containers."""
    if not names:
        return dict(workflow)
    return _changed(workflow, _Changes(lambda image: names.get(image, image)))


def images_in(workflow: Mapping[str, Any]) -> list[str]:
    """Return the images of all containers and image parameters, each once, as they stand."""
    found: dict[str, None] = {}
    used = image_parameters(workflow)

    def image(text: str) -> str:
        found[text] = None
        return text

    def parameter(one: Any) -> Any:
        texts = [one.get("value"), one.get("default")] if one.get("name") in used else []
        found.update({text: None for text in texts if isinstance(text, str)})
        return one

    _changed(workflow, _Changes(image, parameter))
    return list(found)


def image_parameters(workflow: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of parameters that become the image of some container.

    Of the workflow and of templates alike: what a template's input gets, from whom it says.
    """
    found: set[str] = set()
    passed: set[tuple[str, str]] = set()

    def image(text: str) -> str:
        match = _PARAMETER.fullmatch(text.strip())
        found.update([match[1]] if match else [])
        return text

    def parameter(one: Any) -> Any:
        match = _PARAMETER.fullmatch(str(one.get("value", "")).strip())
        passed.update([(str(one.get("name")), match[1])] if match else [])
        return one

    _changed(workflow, _Changes(image, parameter))
    while more := {source for name, source in passed if name in found} - found:
        found |= more
    return frozenset(found)


def _changed(workflow: Mapping[str, Any], changes: _Changes) -> Object:
    return _with_spec_of(workflow, lambda spec: _with_spec(spec, changes))


def _with_spec_of(
    workflow: Mapping[str, Any], change: Callable[[Mapping[str, Any]], Object]
) -> Object:
    """Return the workflow with its spec changed, or that of the workflow that a CronWorkflow has."""
    spec = inside(workflow)["spec"]
    if not isinstance(spec, Mapping) or not spec:
        return dict(workflow)
    return around(workflow, {**workflow, "spec": change(spec)})


def _with_spec(spec: Mapping[str, Any], changes: _Changes) -> Object:
    result = _with_arguments(spec, changes.parameter)
    if isinstance(spec.get("templateDefaults"), Mapping):
        result["templateDefaults"] = _with_template(spec["templateDefaults"], changes)
    if isinstance(spec.get("templates"), list):
        result["templates"] = [_with_template(one, changes) for one in spec["templates"]]
    return result


def _with_arguments(given: Mapping[str, Any], change: Callable[[Any], Any]) -> Object:
    """Return what has `arguments` (a spec, a step, a task) with their parameters changed."""
    arguments = given.get("arguments")
    if not isinstance(arguments, Mapping):
        return dict(given)
    return {**given, "arguments": _with_parameters(arguments, change)}


def _with_parameters(given: Mapping[str, Any], change: Callable[[Any], Any]) -> Object:
    if not isinstance(given.get("parameters"), list):
        return dict(given)
    parameters = [change(one) if isinstance(one, Mapping) else one for one in given["parameters"]]
    return {**given, "parameters": parameters}


def _with_template(given: Any, changes: _Changes) -> Any:
    """Return a template with its images changed, and those of the templates inside it."""
    if not isinstance(given, Mapping):
        return given
    template = dict(given)
    if isinstance(template.get("inputs"), Mapping):
        template["inputs"] = _with_parameters(template["inputs"], changes.parameter)
    for kind in _ONE:
        if kind in template:
            template[kind] = _with_container(template[kind], changes)
    for kind in _SEVERAL:
        if isinstance(template.get(kind), list):
            template[kind] = [_with_container(one, changes) for one in template[kind]]
    together = template.get("containerSet")
    if isinstance(together, Mapping) and isinstance(together.get("containers"), list):
        containers = [_with_container(one, changes) for one in together["containers"]]
        template["containerSet"] = {**together, "containers": containers}
    if isinstance(template.get("steps"), list):
        template["steps"] = [_with_group(group, changes) for group in template["steps"]]
    graph = template.get("dag")
    if isinstance(graph, Mapping) and isinstance(graph.get("tasks"), list):
        template["dag"] = {**graph, "tasks": [_with_call(one, changes) for one in graph["tasks"]]}
    return template


def _with_container(given: Any, changes: _Changes) -> Any:
    if not isinstance(given, Mapping) or not isinstance(given.get("image"), str):
        return given
    return {**given, "image": changes.image(given["image"])}


def _with_group(group: Any, changes: _Changes) -> Any:
    """Return a group of parallel steps; a lone step may stand without its list."""
    if isinstance(group, list):
        return [_with_call(one, changes) for one in group]
    return _with_call(group, changes)


def _with_call(given: Any, changes: _Changes) -> Any:
    """Return a step or task; a template may stand inside it."""
    if not isinstance(given, Mapping):
        return given
    call = _with_arguments(given, changes.parameter)
    if isinstance(call.get("inline"), Mapping):
        call["inline"] = _with_template(call["inline"], changes)
    return call
