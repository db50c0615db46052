"""What is linted, taken apart once: its spec, its templates with their paths, what they know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from argojobs.manifest.kinds import TEMPLATES, inside, spec_path
from argojobs.manifest.places import Path

Refs = Literal["strict", "warn", "off"]
Object = Mapping[str, Any]

NOTHING: Object = {}

#: Templates that run a pod of the user's. Source: Argo docs, fields, Template.
POD_TYPES = ("container", "script", "containerSet")


class Place(NamedTuple):
    """A template and where it stands."""

    path: Path
    template: Object

    @property
    def name(self) -> str:
        """Its name; inline templates have none."""
        return str(self.template.get("name") or "")

    @property
    def is_leaf(self) -> bool:
        """Whether it calls no others."""
        return self.template.get("dag") is None and self.template.get("steps") is None


class Caller(NamedTuple):
    """A task or step: what calls a template."""

    path: Path
    value: Object

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.value.get("name") or "")

    @property
    def kind(self) -> str:
        """What it is: a task or a step."""
        return "task" if self.path[-2:-1] == ("tasks",) else "step"

    @property
    def loops(self) -> bool:
        """Whether it runs once for each of several items."""
        value = self.value
        return any(value.get(way) is not None for way in ("withItems", "withParam", "withSequence"))


@dataclass(frozen=True, slots=True)
class Subject:
    """An object under lint.

    at: the path of the workflow spec in it. places: all its templates, inline ones too. named: the
    templates that can be called by name. library: the templates of other objects by
    (cluster-wide or not, object's name, template's name); known: which objects those are. older:
    whether it is for an Argo before 4.1, which does not take defaults of what was skipped.
    """

    kind: str
    metadata: Object
    spec: Object
    at: Path
    places: Sequence[Place]
    named: Mapping[str, Object]
    library: Mapping[tuple[bool, str, str], Object]
    known: Mapping[tuple[bool, str], Object]
    refs: Refs
    older: bool = False

    @property
    def defaults(self) -> Object:
        """What every template has unless it says otherwise."""
        defaults: Object = self.spec.get("templateDefaults") or NOTHING
        return defaults

    def called(self, caller: Object) -> Object | None:
        """Return the template that a task, step or hook calls, or None where it is not known."""
        inline: Object | None = caller.get("inline")
        if inline:
            return inline
        reference = caller.get("templateRef")
        if reference:
            scope = bool(reference.get("clusterScope"))
            return self.library.get((scope, reference.get("name"), reference.get("template")))
        return self.named.get(caller.get("template") or "")


def items(holder: Object | None, field: str) -> Iterator[tuple[int, Object]]:
    """Return the members of a list field with their indexes; none of them is None (`wrong-type`)."""
    return enumerate((holder or NOTHING).get(field) or ())


def callers(template: Object, path: Path) -> Iterator[Caller]:
    """Yield the tasks or steps of a template."""
    for index, task in items(template.get("dag"), "tasks"):
        yield Caller((*path, "dag", "tasks", index), task)
    for number, group in enumerate(template.get("steps") or ()):
        for index, step in enumerate(group):
            yield Caller((*path, "steps", number, index), step)


def _with_inline(template: Object, path: Path) -> Iterator[Place]:
    yield Place(path, template)
    for caller in callers(template, path):
        inline = caller.value.get("inline")
        if inline:
            yield from _with_inline(inline, (*caller.path, "inline"))


def subject_of(value: Object, kind: str, refs: Refs, templates: Sequence[Object] = ()) -> Subject:
    """Return an object taken apart.

    Args:
        value: the object.
        kind: of the object.
        refs: what a reference to a template that cannot be found is.
        templates: objects that hold templates for references.
    """
    spec = inside({**value, "kind": kind})["spec"]
    at = spec_path(kind)
    library: dict[tuple[bool, str, str], Object] = {}
    known: dict[tuple[bool, str], Object] = {}
    own = [value] if kind in TEMPLATES else []
    for one in (*templates, *own):
        cluster = (one.get("kind") or kind) == "ClusterWorkflowTemplate"
        name = str((one.get("metadata") or NOTHING).get("name") or "")
        known[cluster, name] = one
        for _, template in items(one.get("spec"), "templates"):
            library[cluster, name, str(template.get("name") or "")] = template
    places = [
        place
        for index, template in items(spec, "templates")
        for place in _with_inline(template, (*at, "templates", index))
    ]
    named = {
        str(template["name"]): template
        for _, template in items(spec, "templates")
        if template.get("name")
    }
    metadata = value.get("metadata") or NOTHING
    return Subject(kind, metadata, spec, at, places, named, library, known, refs)
