"""What a request asks to be run: a file, a script, a command in an image, a shell, a template."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from argojobs.compile.load import load
from argojobs.compile.loaded import Loaded
from argojobs.compile.project import project_root
from argojobs.compile.script_file import load_beside_code, load_command, load_shell, recompiled
from argojobs.edits.parameters import require, resolve
from argojobs.errors import ServerError, UsageError
from argojobs.manifest.kinds import inside, referring
from argojobs.runs.request import RunRequest, overrides_of
from argojobs.runs.shell import idle_of
from argojobs.runs.target import Target

#: What Argo's own command line calls the kinds.
_CLUSTER = {"workflowtemplate": False, "clusterworkflowtemplate": True}


def loaded(request: RunRequest, verb: str = "run") -> Loaded:
    """Return what a request names.

    verb: what the user called, for hints. Raises UsageError for a request that names nothing to
    run, or asks for what a pipeline says itself; and as `load`.
    """
    if request.words and request.beside_code:
        return load_beside_code(request.words)
    if request.shell:
        _check_shell(request)
        return load_shell(request.file, request.image, idle_of(request.idle))
    if request.idle:
        raise UsageError("--idle is for a job that waits for a shell", hint="add --shell")
    if request.template:
        _check_template(request)
        return _loaded_from(request.template)
    found = _of_file_or_command(request, verb)
    if request.retries is None:
        return found
    if found.source is None:
        raise UsageError(
            "--retries is for plain scripts and commands in an image",
            hint="a pipeline says it itself: @step(retry=3), or @pipeline(retry=3) for all steps",
        )
    return recompiled(found, replace(found.source, retry=request.retries))


def _of_file_or_command(request: RunRequest, verb: str) -> Loaded:
    if request.file:
        return load(request.file, request.pipeline, request.words)
    if request.words is None:
        command = ", or the command for the image after --" if request.image else ""
        without = " (without a COMMAND: the image's own)" if request.image else ""
        raise UsageError(
            f"{verb} wants a file{command}",
            hint=f"argojobs {verb} FILE, or argojobs {verb} --image IMAGE -- COMMAND{without}",
        )
    if not request.image:
        raise UsageError(
            "there is neither a file nor an image before --",
            hint=f"argojobs {verb} FILE -- WORDS, or argojobs {verb} --image IMAGE -- COMMAND",
        )
    if request.pipeline:
        raise UsageError("--pipeline without a file", hint="leave it out, or name the file")
    return load_command(request.image, request.words)


def _check_shell(request: RunRequest) -> None:
    """Raise UsageError for what a job that waits for a shell cannot have."""
    if request.words is not None:
        raise UsageError(
            "--shell takes no words after --",
            hint="leave --shell out to run them, or run them in the job: "
            "argojobs ssh RUN -- COMMAND",
        )
    others = {
        "--params": request.params,
        "-p": request.assignments,
        "--pipeline": request.pipeline,
        "--debug": request.debug,
        "--debug-step": request.debug_steps,
        "--debug-on-error": request.debug_on_error,
        "--retries": request.retries is not None,
    }
    named = next((option for option, is_given in others.items() if is_given), "")
    if named:
        raise not_for_a_shell(named)


def not_for_a_shell(option: str) -> UsageError:
    """Return the error for an option that has no meaning for a job that waits for a shell."""
    return UsageError(
        f"--shell and {option} exclude each other",
        hint="a shell is waited for in place of a program: leave one of them out",
    )


def _check_template(request: RunRequest) -> None:
    """Raise UsageError for what else is named to be run beside a template on a server."""
    others = {
        "a file": request.file,
        "--pipeline": request.pipeline,
        "--image": request.image,
        "words after --": request.words is not None,
        "--retries": request.retries is not None,
    }
    named = next((what for what, is_given in others.items() if is_given), "")
    if named:
        raise UsageError(f"--from and {named} exclude each other", hint="leave one of them out")


def _loaded_from(text: str) -> Loaded:
    """Return the Workflow that refers to a template: KIND/NAME. Raises UsageError."""
    kind, _, name = text.partition("/")
    if kind not in _CLUSTER or not name or "/" in name:
        raise UsageError(
            f"--from {text} names no template",
            hint=" or ".join(f"--from {kind}/NAME" for kind in _CLUSTER)
            + "; a CronWorkflow is run from its file: argojobs run FILE",
        )
    manifest = referring(name, _CLUSTER[kind])
    return Loaded("manifest", Path(text), project_root(Path.cwd()), name, manifest=manifest)


def require_server(place: Target) -> None:
    """Raise UsageError where no templates are kept."""
    if not place.has_templates:
        raise UsageError(
            "--from names a template on a server, and this machine keeps none",
            hint="name its context: --context NAME; or run the template's file: argojobs run FILE",
        )


def check_given(place: Target, loaded: Loaded, request: RunRequest) -> None:
    """Check what a request gives to a template of the server.

    Args:
        place: whose server is asked for the template.
        loaded: its manifest refers to the template.
        request: with the arguments.

    Raises:
        ParameterError: the template does not take one, or lacks one.
        NotFoundError: there is no such template.
        UsageError: it has no entrypoint.
    """
    assert loaded.manifest is not None
    reference = loaded.manifest["spec"]["workflowTemplateRef"]
    template = place.service.template(reference["name"], cluster=reference["clusterScope"])
    workflow = inside(template if isinstance(template, dict) else {})
    if not isinstance(workflow["spec"], dict):
        raise ServerError(
            f"the server's answer for {reference['name']} is not a template",
            where=place.context.name,
            hint="argojobs doctor looks at the server",
        )
    if not workflow["spec"].get("entrypoint"):
        raise UsageError(
            f"the template {reference['name']} has no entrypoint: others call its templates",
            hint="run a workflow that calls them, by templateRef",
        )
    applied = resolve(workflow, overrides_of(request))
    require(applied.workflow, applied.artifacts)
