"""A plain script, or a command in an image, as a workflow of one step; or a shell in place of it.

A script is a `.py` that imports neither argojobs nor hera, or a program that begins with `#!`. It
becomes a pipeline of one command step (`argojobs.runtime.script`), so that all that holds for
pipelines holds for it; so does a command beside the project's code. A command in an image needs no Python there, so its words stand in the
manifest, and no code travels. A job that waits for a shell is either: in place of a script it has
the code of the script's project.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argojobs import __version__
from argojobs.compile.code import VERSION
from argojobs.compile.imports import parsed
from argojobs.compile.loaded import Command, Script
from argojobs.compile.pipeline import pod
from argojobs.dsl.names import label
from argojobs.dsl.options import checked
from argojobs.dsl.pipelines import Pipeline
from argojobs.edits import shell_job
from argojobs.manifest.own_program import JOB_UUID
from argojobs.manifest.words import RUNS, check_words, container_words
from argojobs.runtime import environment
from argojobs.runtime import script as steps
from argojobs.runtime.script import OUT, RESULTS
from argojobs.service import Workflow

if TYPE_CHECKING:
    from collections.abc import Callable

    from argojobs.dsl.steps import Step

#: How a script says that it writes logs for TensorBoard.
_WRITES_LOGS = re.compile(rb"tensorboard|SummaryWriter", re.IGNORECASE)


def pipeline_of(script: Script) -> Pipeline[Any, Any]:
    """Return the pipeline that runs a script; its words are the default of its one parameter.

    That of a shell in place of it has no parameter.

    Raises UsageError for words that cannot travel, UserCodeError for a script with a mistake in
    its syntax.
    """
    check_words(script.words)
    file = "" if script.file is None else script.file.resolve().relative_to(script.root).as_posix()
    folder = _folder(script.root)
    step = _step(script).changed(_settings(script))
    where = "the command" if script.file is None else f"{script.file}:1"
    step.name, step.full_name, step.where = label(script.name), script.name, where

    def run(arguments: list[str] = list(script.words)) -> Any:  # noqa: B006 - read, not changed
        return step(file, folder, arguments)

    def wait() -> Any:
        return step("", folder, shell_job.waiting(script.idle or 0))

    body: Callable[..., Any] = run if script.idle is None else wait
    if script.idle is None and script.file is not None and script.file.suffix == ".py":
        body.__doc__ = ast.get_docstring(parsed(script.file))
    body.__annotations__["return"] = step.command_outputs
    made: Pipeline[Any, Any] = Pipeline(body, script.name, {})
    made.where = step.where
    return made


def _folder(root: Path) -> str:
    """Return the folder of the project that the user is in, where the script runs too."""
    here = Path.cwd()
    if not here.is_relative_to(root):
        return ""
    relative = here.relative_to(root).as_posix()
    return "" if relative == "." else relative


def _step(script: Script) -> Step[Any, Any]:
    if not script.keeps:
        return steps.runs
    if script.idle is not None:
        return steps.keeps
    logs = any("tensorboard" in word.lower() for word in script.words)
    if not logs and script.file is not None:
        logs = _WRITES_LOGS.search(script.file.read_bytes()) is not None
    return steps.shows if logs else steps.keeps


def _settings(given: Script | Command) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    if given.retry is not None:
        settings["retry"] = given.retry
    if given.shm:
        settings["shm"] = True
    return settings


def workflow_of(command: Command) -> Workflow:
    """Return the workflow of a command in an image. Raises UsageError for words that cannot travel."""
    check_words(command.words)
    name, settings = label(command.name), checked(_settings(command))
    results = f"{pod.OUT_PATH}/{RESULTS}"
    volumes, mounts = pod.volumes(settings)
    if command.idle is None:
        # Mounted itself, so that it is there and any user may write to it.
        mounts[0] = {**mounts[0], "mountPath": results}
    artifact = {"name": RESULTS, "path": results, "archive": {"none": {}}, "optional": True}
    program = command.words if command.idle is None else shell_job.waiting(command.idle)
    words = container_words(program)
    template: Any = {
        "name": name,
        **({"outputs": {"artifacts": [artifact]}} if command.keeps else {}),
        **pod.template_fields(settings),
        "volumes": volumes,
        "container": {
            "image": command.image,
            **{field: words[field] for field in ("command", "args") if field in words},
            "env": [*_environment(results), *words.get("env", ())],
            "ports": pod.ports(settings),
            "volumeMounts": mounts,
        },
    }
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {
            "generateName": f"{name}-",
            "annotations": {VERSION: __version__, RUNS: command.runs},
        },
        "spec": {"entrypoint": name, "templates": [template]},
    }


def _environment(results: str) -> list[dict[str, str]]:
    """Return what of the environment contract is known without our runtime in the image."""
    told = {
        "ARGOJOBS_RUN": "{{workflow.name}}",
        "JOB_UUID": JOB_UUID,
        OUT: results,
        "EPOCHS_DONE": "0",
        "JOB_RESTARTED": "FALSE",
    }
    constants = {
        name: value for name, (_, value) in environment.VARIABLES.items() if isinstance(value, str)
    }
    return [{"name": name, "value": value} for name, value in {**told, **constants}.items()]
