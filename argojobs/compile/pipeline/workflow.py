"""A pipeline of the DSL as an Argo Workflow: a plain dict, the same for the same code.

    workflow = compile_pipeline(demo, code=code)

Pure but for one look at where the project begins (to name the user's file in it). Parameters are
at their defaults; `argojobs.dev/signature` says what each of them may be.
"""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any

from argojobs import __version__
from argojobs.compile.code import INLINE_PARAMETER, VERSION
from argojobs.compile.pipeline.build import Build
from argojobs.compile.pipeline.exit import exit_template
from argojobs.compile.pipeline.plain import plain_parameters
from argojobs.compile.pipeline.step import fields_of_inputs
from argojobs.dsl.trace import trace
from argojobs.manifest.names import FULL_NAME, FULL_NAMES
from argojobs.manifest.signature import SIGNATURE
from argojobs.runtime.types import plain_of
from argojobs.runtime.wire import wire, wire_as_text
from argojobs.service import Workflow

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from argojobs.compile.code import Code
    from argojobs.dsl.fields import Field
    from argojobs.dsl.images import Image
    from argojobs.dsl.pipelines import Pipeline
    from argojobs.manifest.objects import Arguments, Artifact, ObjectMeta, Parameter, WorkflowSpec

__all__ = ["compile_pipeline", "taken_by", "trace"]


def compile_pipeline(
    pipeline: Pipeline[..., Any],
    *,
    code: Code,
    python: str = "python3",
    root: Path | None = None,
    image: str | Image = "",
    image_reference: Callable[[Image], str] | None = None,
) -> Workflow:
    """Return the manifest of a pipeline.

    Args:
        pipeline: The user's own.
        code: Where its steps' code comes from.
        python: The program that runs them in their images.
        root: The folder that is packed; found from the pipeline's file if left out.
        image: What steps that name none run in; a plain Python if left out.
        image_reference: Gives the name that the manifest has for an `Image`.

    Raises:
        DefinitionError: The pipeline cannot be, or no reference of an Image is known.
    """
    graph = trace(pipeline)
    plain = plain_parameters(pipeline, graph)
    build = Build(code, python, root, image, image_reference)
    entrypoint = build.written(graph, pipeline.settings).template
    spec: WorkflowSpec = {"entrypoint": entrypoint}
    arguments = _arguments(pipeline, code, plain)
    if arguments:
        spec["arguments"] = arguments
    if pipeline.on_exit is not None:
        spec["onExit"] = exit_template(build, pipeline)
    if pipeline.run_priority is not None:
        spec["priority"] = pipeline.run_priority
    spec["templates"] = build.finished()
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": _metadata(pipeline, code, plain, build.full_names),
        "spec": spec,
    }


def _metadata(
    pipeline: Pipeline[..., Any], code: Code, plain: frozenset[str], full_names: dict[str, str]
) -> ObjectMeta:
    metadata: ObjectMeta = {"generateName": f"{pipeline.name}-"}
    if code.labels:
        metadata["labels"] = dict(code.labels)
    title, description = _title_and_description(pipeline.function.__doc__)
    annotations = {
        **({"workflows.argoproj.io/title": title} if title else {}),
        **({"workflows.argoproj.io/description": description} if description else {}),
        **({FULL_NAME: pipeline.full_name} if pipeline.name != _plain(pipeline.full_name) else {}),
        **({FULL_NAMES: _json(full_names)} if full_names else {}),
        SIGNATURE: _json(taken_by(pipeline, plain)),
        VERSION: __version__,
        **code.annotations,
    }
    metadata["annotations"] = annotations
    return metadata


def _plain(name: str) -> str:
    return name.replace("_", "-")


def _title_and_description(docstring: str | None) -> tuple[str, str]:
    """Return the first paragraph of a docstring as one line, and the rest, for Argo's UI."""
    first, _, rest = inspect.cleandoc(docstring or "").partition("\n\n")
    return " ".join(first.split()), rest.strip()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def taken_by(pipeline: Pipeline[..., Any], plain: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return what parameters and artifacts a run of the pipeline takes, as JSON.

    plain: parameters that must not travel encoded.
    """
    parameters = {
        name: {
            "schema": field.schema,
            "required": declared.required,
            **({"plain": True} if name in plain else {}),
        }
        for name, field, declared in fields_of_inputs(pipeline.inputs)
        if field.kind == "parameter"
    }
    artifacts = {
        name: {"kind": field.cls.__name__, "required": declared.required and not field.optional}
        for name, field, declared in fields_of_inputs(pipeline.inputs)
        if field.kind == "artifact"
    }
    return {"parameters": parameters, "artifacts": artifacts}


def _arguments(pipeline: Pipeline[..., Any], code: Code, plain: frozenset[str]) -> Arguments:
    parameters: list[Parameter] = []
    artifacts: list[Artifact] = []
    for name, field, declared in fields_of_inputs(pipeline.inputs):
        if field.kind == "artifact":
            if declared.required:
                artifacts.append({"name": name})
            continue
        parameter: Parameter = {"name": name}
        if not declared.required:
            to_text = wire_as_text if name in plain else wire
            parameter["value"] = to_text(plain_of(declared.default, field.schema), field.schema)
        choices = _choices(field)
        if choices:
            parameter["enum"] = choices
        parameters.append(parameter)
    if code.kind == "inline":
        parameters.append({"name": INLINE_PARAMETER, "value": code.data})
    return {
        **({"parameters": parameters} if parameters else {}),
        **({"artifacts": artifacts} if artifacts else {}),
    }


def _choices(field: Field) -> list[str]:
    """Return the texts of a Literal or Enum, which Argo checks and its UI offers."""
    schema = field.schema
    if schema["type"] == "literal":
        return [wire(value, schema) for value in schema["values"]]
    if schema["type"] == "enum":
        return [wire(value, schema) for value in schema["members"].values()]
    return []
