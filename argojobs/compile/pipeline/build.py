"""One compilation: the templates made so far, each step and graph once, under unique names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from argojobs.compile.pipeline.graph import GraphWriter, Names
from argojobs.compile.pipeline.step import Program, source_file, step_template
from argojobs.compile.project import project_root
from argojobs.dsl.options import merged
from argojobs.dsl.where import mistake
from argojobs.edits.context_defaults import DEFAULT_IMAGE
from argojobs.manifest.view import called, recalled

if TYPE_CHECKING:
    from collections.abc import Callable

    from argojobs.compile.code import Code
    from argojobs.dsl.foreign import Foreign
    from argojobs.dsl.graph import Graph
    from argojobs.dsl.images import Image
    from argojobs.dsl.steps import Step
    from argojobs.manifest.objects import Template


class Build:
    """Makes templates on demand and keeps them in the order of their first use."""

    def __init__(
        self,
        code: Code,
        python: str,
        root: Path | None,
        image: str | Image = "",
        image_reference: Callable[[Image], str] | None = None,
    ) -> None:
        self.code = code
        self.python = python
        self.names = Names()
        self._root = root
        self._image = image or DEFAULT_IMAGE
        self._reference = image_reference
        self._templates: dict[str, dict[str, Any]] = {}
        self._seen: dict[Any, str] = {}
        self._steps: dict[Any, str] = {}
        self._graphs: dict[Any, GraphWriter] = {}
        self._foreign: dict[int, str] = {}
        self.full_names: dict[str, str] = {}
        #: Of each template of a step: `file:line` in the user's files; and who wrote the others.
        self.places: dict[str, str] = {}
        self.writers: list[GraphWriter] = []

    def keep_full_name(self, name: str, label: str, whole: str) -> None:
        """Remember what a name was cut from.

        Args:
            name: As Argo gets it.
            label: The name without its number.
            whole: What it was cut from; "" if nothing was.
        """
        if whole and label != whole.replace("_", "-"):
            self.full_names[name] = whole + name[len(label) :]

    def reserve(self, base: str) -> str:
        """Return a new template's name and keep its place in the order."""
        name = self.names.new(base)
        self._templates[name] = {}
        return name

    def put(self, name: str, template: dict[str, Any]) -> None:
        """Fill a reserved place."""
        self._templates[name] = template

    def written(self, graph: Graph, settings: dict[str, Any]) -> GraphWriter:
        """Write a pipeline's graph, once for each set of defaults that it is called with."""
        key = (id(graph), repr(sorted(settings.items())))
        writer = self._graphs.get(key)
        if writer is None:
            writer = self._graphs[key] = GraphWriter(self, graph, settings)
            writer.write()
        return writer

    def step(
        self,
        step: Step[..., Any],
        defaults: dict[str, Any],
        gathered: frozenset[str],
        number: str = "",
    ) -> str:
        """Return the name of a step's template, made once for each set of options.

        Args:
            step: What the template runs.
            defaults: Options of the pipeline, for what the step leaves open.
            gathered: Artifacts that a fan-out stores side by side.
            number: Of the item, as text.
        """
        quick = (step.function, id(step.settings), id(defaults), gathered, number)
        name = self._seen.get(quick)
        if name is None:
            settings = merged(defaults, step.settings)
            key = (step.function, repr(sorted(settings.items())), gathered, number)
            name = self._steps.get(key)
            if name is None:
                name = self._steps[key] = self.reserve(step.name)
                self.keep_full_name(name, step.name, step.full_name)
                self.places[name] = step.where
                program = self.program(step)
                template = step_template(
                    name, step, settings, program, gathered=gathered, number=number
                )
                self.put(name, template)
            self._seen[quick] = name
        return name

    def foreign(self, template: Foreign) -> str:
        """Return the name of a template from elsewhere, put in as it is."""
        known = self._foreign.get(id(template.template))
        if known is None:
            known = self._foreign[id(template.template)] = self.reserve(template.name)
            self.keep_full_name(known, template.name, template.full_name)
            self.places[known] = template.where
            names = {str(template.template.get("name")): known}
            names |= {name: self.foreign(one) for name, one in template.calls.items()}
            for name in called(template.template):
                if name not in names:
                    raise mistake(
                        f"the template {template.name} calls {name!r}, which is not given",
                        f"write use(..., calls={{{name!r}: use(...)}})",
                        template.where,
                    )
            self.put(known, {**recalled(template.template, names), "name": known})
        return known

    def program(self, step: Step[..., Any]) -> Program:
        """Return how this step's container finds and runs its function."""
        return Program(self.code, self.python, self._project(step), self._image, self._reference)

    def _project(self, step: Step[..., Any]) -> Path:
        if self._root is None:
            file = source_file(step)
            self._root = project_root(file if file.exists() else Path.cwd())
        return self._root

    def finished(self) -> list[Template]:
        """Return all templates."""
        return cast("list[Template]", [*self._templates.values()])
