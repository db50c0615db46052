"""The exit handler of a pipeline: a step that runs at the end, whatever happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from argojobs.compile.pipeline.step import step_template
from argojobs.dsl.compatible import accepts
from argojobs.dsl.foreign import Foreign
from argojobs.dsl.options import merged
from argojobs.dsl.steps import Step
from argojobs.dsl.where import mistake
from argojobs.runtime.wire import encode

if TYPE_CHECKING:
    from argojobs.compile.pipeline.build import Build
    from argojobs.dsl.pipelines import Pipeline

#: Arguments that a handler may take besides the pipeline's own.
_VARIABLES = {"status": "{{workflow.status}}"}


def exit_template(build: Build, pipeline: Pipeline[..., Any]) -> str:
    """Return the name of the handler's template. Raises DefinitionError for what it cannot get.

    Argo gives the handler the workflow's arguments and nothing else (Argo docs: exit handlers).
    """
    step = pipeline.on_exit
    if isinstance(step, Foreign):
        return _foreign(build, pipeline, step)
    if not isinstance(step, Step):
        raise mistake(f"on_exit of {pipeline.name} is {step!r}", "let it be a step", pipeline.where)
    given = {name: _text(pipeline, step, name) for name in step.inputs}
    name = build.reserve(step.name)
    build.keep_full_name(name, step.name, step.full_name)
    build.places[name] = step.where
    settings = merged(pipeline.settings, step.settings)
    template = step_template(name, step, settings, build.program(step), given=given)
    build.put(name, template)
    return name


def _foreign(build: Build, pipeline: Pipeline[..., Any], handler: Foreign) -> str:
    for name in handler.needs():
        if name not in pipeline.inputs:
            raise mistake(
                f"the exit handler {handler.name} takes {name!r}, which is not given",
                "it gets the pipeline's arguments by name; give others a default",
                handler.where,
            )
    return build.foreign(handler)


def _text(pipeline: Pipeline[..., Any], step: Step[..., Any], name: str) -> str:
    declared = step.inputs[name]
    own = pipeline.inputs.get(name)
    if declared.kind == "parameter":
        schema = declared.fields[name].schema
        if own is not None and own.kind == "parameter":
            if accepts(schema, own.fields[name].schema):
                return f"{{{{workflow.parameters.{name}}}}}"
        elif name in _VARIABLES and schema["type"] == "str":
            return _VARIABLES[name]
        if not declared.required:
            return encode(declared.default, schema)
    raise mistake(
        f"the exit handler {step.name} takes {name!r}, which is not given",
        "it gets the pipeline's parameters by name and type, and status: str; give others a default",
        step.where,
    )
