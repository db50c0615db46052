"""A step as a template: what goes in and out of its container, and the program that runs there.

The paths, variables and names are the contract with `argojobs.runtime`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argojobs.compile.bootstrap import BOOTSTRAP
from argojobs.compile.code import INLINE_PARAMETER, INLINE_VARIABLE, PROGRAM
from argojobs.compile.pipeline import pod
from argojobs.compile.pipeline.arguments import lists
from argojobs.dsl.artifacts import TensorBoard
from argojobs.dsl.callables import Declared
from argojobs.dsl.images import Image
from argojobs.dsl.where import mistake, unwrapped
from argojobs.manifest.own_program import JOB_UUID
from argojobs.runtime.environment import parameter_variable
from argojobs.runtime.places import parameter_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from argojobs.compile.code import Code
    from argojobs.dsl.fields import Field
    from argojobs.dsl.signature import Input
    from argojobs.dsl.steps import Step

_CODE_PATH = "/argojobs/code"
#: The module with our own steps, those of plain scripts.
SCRIPT = "argojobs.runtime.script"
_MODE = {"mode": 0o755, "recurseMode": True}
_PLACE_KEY = "{{inputs.parameters.argojobs-gather}}/%s/%s"
#: Which attempt it is, 0 the first: Argo knows `retries` only where there is a retryStrategy. The
#: attempts of an item store at one place, so the runtime notes what is the last one's (see its
#: `tree`). JOB_RESTARTED does not come from it: that asks for a checkpoint, not for an attempt.
_ATTEMPT = ({"name": "ARGOJOBS_ATTEMPT", "value": "{{retries}}"},)
_GIVEN_NUMBER = "{{inputs.parameters.argojobs-item}}"


@dataclass(frozen=True, slots=True)
class Program:
    """How a container gets the code and starts it.

    root: the project's folder here. image: what steps without an image of their own run in.
    reference: from an image that is described to its name; None where nobody knows one.
    """

    code: Code
    python: str
    root: Path
    image: str | Image
    reference: Callable[[Image], str] | None = None


def step_template(
    name: str,
    step: Step[..., Any],
    settings: Mapping[str, Any],
    program: Program,
    *,
    gathered: frozenset[str] = frozenset(),
    number: str = _GIVEN_NUMBER,
    given: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return a step's template.

    Args:
        name: Of the template.
        step: What it runs.
        settings: The step's options, those of its pipeline among them.
        program: What starts it.
        gathered: Artifacts that a fan-out stores side by side.
        number: Under which they are stored: an input, or what the task's own name says.
        given: For an exit handler, which is not a task: the texts of its parameters.
    """
    given = given or {}
    template: dict[str, Any] = {"name": name}
    inputs = _inputs(step, program.code, given)
    if gathered:
        names = ["argojobs-gather", *(["argojobs-item"] if number == _GIVEN_NUMBER else [])]
        parameters = [*inputs.get("parameters", ()), *({"name": each} for each in names)]
        inputs = {**inputs, "parameters": parameters}
    if inputs:
        template["inputs"] = inputs
    outputs = _outputs(step, gathered, number)
    if outputs:
        template["outputs"] = outputs
    template.update(pod.template_fields(settings))
    volumes, mounts = pod.volumes(settings, _own_input_folders(step))
    template["volumes"] = volumes
    environment = _unique(
        *_parameters(step, given),
        *_run(step, program),
        *(_ATTEMPT if "retry" in settings else ()),
        *pod.environment(settings),
    )
    template["container"] = _container(step, settings, program, environment, mounts)
    return template


def _unique(*variables: dict[str, Any]) -> list[dict[str, Any]]:
    """Return each variable once: the last one, which is the user's, at the place of the first."""
    return list({variable["name"]: variable for variable in variables}.values())


def fields_of_inputs(inputs: Mapping[str, Input]) -> Iterator[tuple[str, Field, Input]]:
    """Yield what travels into a step or pipeline: its name there, the field, the argument."""
    for name, declared in inputs.items():
        whole = declared.kind in ("outputs", "gathered")
        for field_name, field in declared.fields.items():
            yield (f"{name}-{field_name}" if whole else name), field, declared


def _inputs(step: Step[..., Any], code: Code, given: Mapping[str, str]) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = []
    artifacts: list[dict[str, Any]] = []
    if code.kind == "stored":
        place = {"name": "code", "path": _CODE_PATH, **_MODE}
        artifacts.append({**place, "s3": {"key": code.key}})
    for name, field, declared in fields_of_inputs(step.inputs):
        if field.kind == "parameter":
            if name not in given:
                parameters.append({"name": name})
            if _travels_as_file(step, field, declared):
                data = {"data": _text_of(name, given)}
                artifacts.append({"name": name, "path": parameter_file(name), "raw": data})
            continue
        path = f"{pod.IN_PATH}/{name.replace('-', '/', 1)}"
        # A fan-out over an empty list stores nothing.
        optional = declared.optional or declared.kind == "gathered"
        artifacts.append(
            {"name": name, "path": path, **_MODE, **({"optional": True} if optional else {})}
        )
    return lists(parameters, artifacts)


def _own_input_folders(step: Step[..., Any]) -> list[str] | None:
    """Return the arguments with several artifacts, if one of the others may be absent."""
    if not any(declared.optional for declared in step.inputs.values()):
        return None
    return [
        name
        for name, declared in step.inputs.items()
        if declared.kind in ("outputs", "gathered")
        and any(field.kind == "artifact" for field in declared.fields.values())
    ]


def _outputs(step: Step[..., Any], gathered: frozenset[str], number: str) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = []
    artifacts: list[dict[str, Any]] = []
    for name, field in step.output_fields.items():
        if field.kind == "parameter":
            path = f"{pod.OUT_PATH}/.parameters/{name}"
            parameters.append({"name": name, "valueFrom": {"path": path}})
            continue
        artifact = {"name": name, "path": f"{pod.OUT_PATH}/{name}", "archive": {"none": {}}}
        if name in gathered:
            artifact["s3"] = {"key": _PLACE_KEY % (name, number)}
        artifacts.append(artifact)
    return lists(parameters, artifacts)


def _container(
    step: Step[..., Any],
    settings: Mapping[str, Any],
    program: Program,
    environment: list[dict[str, Any]],
    mounts: list[dict[str, Any]],
) -> dict[str, Any]:
    container: dict[str, Any] = {
        "image": _image(step, settings.get("image", program.image), program),
        "command": _command(step, program),
    }
    if program.code.kind == "stored":
        container["workingDir"] = _CODE_PATH
    container["env"] = environment
    container["ports"] = pod.ports(settings)
    resources = pod.resources(settings)
    if resources:
        container["resources"] = resources
    container["volumeMounts"] = mounts
    return container


def _image(step: Step[..., Any], image: str | Image, program: Program) -> str:
    """Return the name of the image that a step runs in."""
    if not isinstance(image, Image):
        return image
    if program.reference is None:
        raise mistake(
            f"the step {step.name} runs in an Image, which has no name before it is built",
            "compile it for a context that has a registry, or name an image that there is",
            step.where,
        )
    return program.reference(image)


def _parameters(step: Step[..., Any], given: Mapping[str, str]) -> Iterator[dict[str, str]]:
    for name, field, declared in fields_of_inputs(step.inputs):
        if field.kind == "parameter" and not _travels_as_file(step, field, declared):
            yield {"name": parameter_variable(name), "value": _text_of(name, given)}


def _text_of(name: str, given: Mapping[str, str]) -> str:
    return given.get(name, f"{{{{inputs.parameters.{name}}}}}")


def _travels_as_file(step: Step[..., Any], field: Field, declared: Input) -> bool:
    """Whether a parameter comes as a file: what a fan-out gathers may be more than a variable holds.

    Any list may have been gathered, in a pipeline around this one. The words of a script were not.
    """
    if step.__module__ == SCRIPT:
        return False
    types = [field.schema, *field.schema.get("any", ())]
    return declared.kind == "gathered" or any(each["type"] == "list" for each in types)


def _run(step: Step[..., Any], program: Program) -> Iterator[dict[str, str]]:
    """Yield what the runtime is told about the run (see `runtime.environment`)."""
    yield {"name": "ARGOJOBS_RUN", "value": "{{workflow.name}}"}
    yield {"name": "JOB_UUID", "value": JOB_UUID}
    if any(
        field.kind == "artifact" and issubclass(field.cls, TensorBoard)
        for field in step.output_fields.values()
    ):
        yield {"name": "ARGOJOBS_TENSORBOARD", "value": "1"}
    if step.is_command:
        yield {"name": "ARGOJOBS_COMMAND", "value": "1"}
    if program.code.kind == "inline":
        tag = f"{{{{workflow.parameters.{INLINE_PARAMETER}}}}}"
        yield {"name": INLINE_VARIABLE, "value": tag}


def _command(step: Step[..., Any], program: Program) -> list[str]:
    start = [program.python, "-u"]
    if program.code.kind == "stored":
        start.append(PROGRAM)
    elif program.code.kind == "inline":
        start += ["-c", BOOTSTRAP]
    else:
        start += ["-m", "argojobs.runtime"]
    return [*start, f"{_file(step, program.root)}:{_name(step)}"]


def _file(step: Step[..., Any], root: Path) -> str:
    """Return the step's file in the project, or its module's name if it is installed."""
    if step.__module__ == SCRIPT:  # travels with every bundle
        return step.__module__
    file = source_file(step).resolve()
    if file.is_relative_to(root.resolve()):
        return file.relative_to(root.resolve()).as_posix()
    if step.__module__ == "__main__":
        raise mistake(
            f"the step {step.name} is in {file}, outside of the project {root}",
            "put the file into the project",
            step.where,
        )
    return step.__module__


def source_file(step: Step[..., Any]) -> Path:
    """Return the file that a step is defined in; a decorator below @step may be in another one."""
    file = getattr(sys.modules.get(step.__module__), "__file__", None)
    return Path(file or unwrapped(step.function).__code__.co_filename)


def _name(step: Step[..., Any]) -> str:
    """Return the name that the step has in its module. Raises DefinitionError if it has none."""
    module = sys.modules.get(step.__module__)
    known = vars(module) if module is not None else {}
    qualified = step.__qualname__
    if "<locals>" not in qualified and (not known or _is(known.get(qualified), step)):
        return qualified
    for name, value in known.items():
        if _is(value, step):
            return name
    if "." in qualified and "<locals>" not in qualified:
        return qualified
    inside = "<locals>" in qualified
    raise mistake(
        f"the step {step.name} has no name in its module, so its container cannot find it",
        "define it at the top of the file, not inside a function"
        if inside
        else "something else has its name there: where a decorator stands above @step, put @step "
        "above the decorator",
        step.where,
    )


def _is(value: object, step: Step[..., Any]) -> bool:
    return isinstance(value, Declared) and value.function is step.function
