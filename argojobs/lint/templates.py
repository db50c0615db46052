"""Rules for templates: what they are called, what each is, and what it runs.

Source: Argo `workflow/validate/validate.go` and its docs, fields, Template.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from argojobs.errors import ManifestError
from argojobs.lint.rule import Fault, Faults, error, warning
from argojobs.lint.subject import NOTHING, Object, Place, Subject, items
from argojobs.manifest.findings import Finding
from argojobs.manifest.graph import find_cycle
from argojobs.manifest.places import Path
from argojobs.manifest.reading import read

#: The fields of a template that say what it is; each has exactly one.
TEMPLATE_TYPES = (
    "container",
    "containerSet",
    "dag",
    "data",
    "http",
    "plugin",
    "resource",
    "script",
    "steps",
    "suspend",
)
_FIELD_NAME = re.compile(r"[a-zA-Z0-9][-a-zA-Z0-9]*")
_LONGEST_FIELD_NAME = 128
_ACTIONS = ("get", "create", "apply", "delete", "replace", "patch")


def name_faults(name: str, path: Path, what: str) -> Faults:
    """Yield what keeps a text from naming a template, task or step.

    Args:
        name: the text.
        path: of the name.
        what: which of them it names.
    """
    if not _FIELD_NAME.fullmatch(name) or len(name) > _LONGEST_FIELD_NAME:
        hint = "letters, digits and `-`, not `-` first, at most 128 characters"
        yield Fault(path, f"{name!r} cannot name a {what}", hint)


@error("fields/#template")
def template_name(template: Object, path: Path) -> Faults:
    """A template without a legal name.

    Names of templates have letters, digits and `-`, at most 128 characters.
    Remedy: Rename it.
    Wrong:
        entrypoint: do_it
        templates:
        - name: do_it
          container: {image: 'busybox:1.36'}
    Right:
        entrypoint: do-it
        templates:
        - name: do-it
          container: {image: 'busybox:1.36'}
    """
    name = template.get("name")
    if not name:
        yield Fault(path, "the template has no name", "add `name:`")
    else:
        yield from name_faults(name, (*path, "name"), "template")


@error("fields/#template")
def duplicate_template(subject: Subject) -> Faults:
    """Two templates with the same name.

    Argo would not know which is meant.
    Remedy: Rename one.
    Wrong:
        templates:
        - name: main
          suspend: {}
        - name: main
          suspend: {}
    Right:
        templates:
        - name: main
          steps:
          - - {name: wait, template: wait}
        - name: wait
          suspend: {}
    """
    seen: dict[str, int] = {}
    for index, template in items(subject.spec, "templates"):
        name = template.get("name")
        if name and seen.setdefault(name, index) != index:
            what = (
                f"template {name!r} stands here twice: it is spec.templates[{seen[name]}] already"
            )
            yield Fault((*subject.at, "templates", index, "name"), what)


@error("workflow-concepts/")
def template_types(place: Place) -> Faults:
    """A template that is two things at once.

    A template has exactly one of container, script, dag, steps and so on.
    Remedy: Make a template of each.
    Wrong:
        container: {image: 'busybox:1.36'}
        suspend: {}
    Right:
        container: {image: 'busybox:1.36'}
    """
    types = _types_of(place.template)
    if len(types) > 1:
        yield Fault(place.path, f"the template is {' and '.join(types)} at once")


@error("workflow-concepts/")
def template_type(place: Place, defaults: Object) -> Faults:
    """A template that does nothing.

    A template has exactly one of container, script, dag, steps and so on.
    Remedy: Say what it does.
    Wrong:
        templates:
        - {name: main}
    Right:
        templates:
        - name: main
          container: {image: 'busybox:1.36'}
    """
    inherited = place.path[-1] != "inline" and _types_of(defaults)
    if not inherited and not _types_of(place.template):
        hint = f"give it one of {', '.join(TEMPLATE_TYPES)}"
        yield Fault(place.path, "the template does nothing", hint)


def _types_of(template: Object) -> list[str]:
    return [kind for kind in TEMPLATE_TYPES if template.get(kind) is not None]


@error("fields/#container")
def image_missing(value: Object, path: Path, what: str, inherited: Object = NOTHING) -> Faults:
    """No image.

    Without an image there is no container.
    Remedy: Add `image:`, with a fixed tag.
    Wrong:
        container:
          command: [ls]
    Right:
        container:
          image: busybox:1.36
          command: [ls]
    """
    if not value.get("image") and not inherited.get("image"):
        yield Fault(path, f"the {what} has no image")


@warning("walk-through/scripts-and-results/")
def script_command(place: Place, inherited: Object) -> Faults:
    """A script without a command.

    Nothing says which program reads the script: the entrypoint of the image gets it as its
    argument, and most images have one that does something else, or none.
    Remedy: Add `command: [python]` or `command: [sh]`.
    Wrong:
        script: {image: 'busybox:1.36', source: ls}
    Right:
        script: {image: 'busybox:1.36', command: [sh], source: ls}
    """
    if not place.template["script"].get("command") and not inherited.get("command"):
        what = "the script has no command to run it: the image's own entrypoint gets it"
        yield Fault((*place.path, "script"), what)


@warning("walk-through/scripts-and-results/")
def script_source(place: Place, inherited: Object) -> Faults:
    """An empty script.

    The command starts without a script.
    Remedy: Write `source: |`, or make it a container.
    Wrong:
        script:
          image: busybox:1.36
          command: [sh]
    Right:
        script:
          image: busybox:1.36
          command: [sh]
          source: |
            ls
    """
    if not place.template["script"].get("source") and not inherited.get("source"):
        yield Fault((*place.path, "script"), "the script is empty")


@error("container-set-template/")
def container_set(value: Object, path: Path) -> Faults:
    """A containerSet that does not fit together.

    Its containers have names of their own and wait only for each other, without going round.
    Remedy: Correct the names or dependencies.
    Wrong:
        containerSet:
          containers:
          - name: a
            image: busybox:1.36
            dependencies: [b]
    Right:
        containerSet:
          containers:
          - name: b
            image: busybox:1.36
          - name: a
            image: busybox:1.36
            dependencies: [b]
    """
    edges: dict[str, list[str]] = {}
    found = list(items(value, "containers"))
    names = {one.get("name") for _, one in found}
    if not found:
        yield Fault(path, "it has no containers", "add at least one")
    for index, one in found:
        name = str(one.get("name") or "")
        where = (*path, "containers", index)
        if not name or name in edges:
            what = f"two containers are called {name!r}" if name else "the container has no name"
            yield Fault(where, what, "give each a name of its own")
        edges[name] = list(one.get("dependencies") or ())
        for other in edges[name]:
            if other not in names:
                hint = f"the containers are: {', '.join(sorted(filter(None, names)))}"
                yield Fault((*where, "dependencies"), f"there is no container {other!r}", hint)
    cycle = find_cycle(edges)
    if cycle:
        what = f"the containers wait for each other: {' -> '.join(cycle[:12])}"
        yield Fault(path, what, "remove one of the dependencies")


@error("container-set-template/")
def container_set_main(place: Place) -> Faults:
    """A containerSet with outputs and no `main`.

    Inputs and outputs belong to the container called `main`.
    Remedy: Call one of the containers `main`.
    Wrong:
        containerSet:
          containers:
          - {name: a, image: 'busybox:1.36'}
        outputs:
          parameters:
          - name: o
            valueFrom: {path: /o}
    Right:
        containerSet:
          containers:
          - {name: main, image: 'busybox:1.36'}
        outputs:
          parameters:
          - name: o
            valueFrom: {path: /o}
    """
    names = [one.get("name") for _, one in items(place.template["containerSet"], "containers")]
    outputs, inputs = (place.template.get(side) or NOTHING for side in ("outputs", "inputs"))
    passes = outputs.get("parameters") or outputs.get("artifacts") or inputs.get("artifacts")
    if passes and names and "main" not in names:
        what = "inputs and outputs are those of a container called `main`, and there is none"
        yield Fault((*place.path, "containerSet"), what)


@error("walk-through/kubernetes-resources/")
def resource_action(value: Object, path: Path) -> Faults:
    """An unknown action on a resource.

    Argo passes it to kubectl.
    Remedy: get, create, apply, delete, replace or patch.
    Wrong:
        resource: {action: make, manifest: 'kind: Job'}
    Right:
        resource: {action: create, manifest: 'kind: Job'}
    """
    action = value.get("action") or ""
    if action not in _ACTIONS and "{{" not in action:
        where = (*path, "action") if action else path
        yield Fault(where, f"{action!r} is not an action", f"one of {', '.join(_ACTIONS)}")


@error("walk-through/kubernetes-resources/")
def resource_manifest(value: Object, place: Place) -> Faults:
    """A resource without a readable manifest.

    A manifest, or a manifestFrom with a declared artifact, is what the action works on.
    Remedy: Give exactly one of them.
    Wrong:
        resource: {action: create}
    Right:
        resource:
          action: create
          manifest: |
            apiVersion: v1
            kind: ConfigMap
            metadata: {generateName: made-}
    """
    path = (*place.path, "resource")
    text, source = value.get("manifest"), value.get("manifestFrom")
    if value.get("action") not in ("get", "delete") and bool(text) == bool(source):
        what = "both a manifest and a manifestFrom" if text else "no manifest"
        yield Fault(path, f"the resource has {what}")
    if text and "{{" not in text and not _is_yaml(text):
        hint = "write one Kubernetes object, with `|` after `manifest:`"
        yield Fault((*path, "manifest"), "the manifest is not YAML", hint)
    name = ((source or NOTHING).get("artifact") or NOTHING).get("name")
    inputs = [one.get("name") for _, one in items(place.template.get("inputs"), "artifacts")]
    if name and name not in inputs:
        where = (*path, "manifestFrom", "artifact")
        yield Fault(where, f"there is no input artifact {name!r}", "declare it in inputs.artifacts")


def _is_yaml(text: str) -> bool:
    try:
        list(read(text))
    except ManifestError:
        return False
    return True


@error("http-template/", beyond=True)
def http_url(request: Object, path: Path) -> Faults:
    """A request without a url.

    There is nowhere to send it.
    Remedy: Add `url:`.
    Wrong:
        http: {method: GET}
    Right:
        http: {method: GET, url: 'https://example.com'}
    """
    if not request.get("url"):
        yield Fault(path, "the request has no url")


@error("fields/#usercontainer")
def init_container_name(place: Place) -> Faults:
    """An init container without a name.

    Argo refuses the template.
    Remedy: Add `name:`.
    Wrong:
        container: {image: 'busybox:1.36'}
        initContainers:
        - {image: 'busybox:1.36'}
    Right:
        container: {image: 'busybox:1.36'}
        initContainers:
        - {name: prepare, image: 'busybox:1.36'}
    """
    for index, one in items(place.template, "initContainers"):
        if not one.get("name"):
            where = (*place.path, "initContainers", index)
            yield Fault(where, "the init container has no name")


def check_templates(subject: Subject) -> Iterator[Finding]:
    """The names of all templates, and what each says of its own work."""
    if not subject.spec.get("workflowTemplateRef"):
        for index, template in items(subject.spec, "templates"):
            yield from template_name(template, (*subject.at, "templates", index))
        yield from duplicate_template(subject)
    for place in subject.places:
        yield from template_types(place)
        yield from template_type(place, subject.defaults)
        yield from _work(place, subject.defaults)
        yield from init_container_name(place)


def _work(place: Place, defaults: Object) -> Iterator[Finding]:
    template = place.template
    for kind in ("container", "script"):
        if template.get(kind) is not None:
            inherited = defaults.get(kind) or NOTHING
            yield from image_missing(template[kind], (*place.path, kind), kind, inherited)
    if template.get("script") is not None:
        inherited = defaults.get("script") or NOTHING
        yield from script_command(place, inherited)
        yield from script_source(place, inherited)
    if template.get("containerSet") is not None:
        path = (*place.path, "containerSet")
        yield from container_set(template["containerSet"], path)
        for index, one in items(template["containerSet"], "containers"):
            yield from image_missing(one, (*path, "containers", index), "container")
        yield from container_set_main(place)
    if template.get("resource") is not None:
        yield from resource_action(template["resource"], (*place.path, "resource"))
        yield from resource_manifest(template["resource"], place)
    if template.get("http") is not None:
        yield from http_url(template["http"], (*place.path, "http"))
