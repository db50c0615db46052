"""What somebody asks for who wants a run, as one value that says it all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from argojobs.edits.parameters import Overrides, parse_assignment, parse_params
from argojobs.errors import ParameterError


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """A run that is asked for: what runs, with which parameters, how, and what it is called.

    Whoever takes options names each field that it fills, so that one which is not carried is found
    by ruff (an unused argument) or mypy, and not by a user.

    What runs:
        file: a pipeline, manifest or script; "" for the others.
        pipeline: which one in the file, "" for the only one.
        words: those of a script or command, None where none were given.
        template: KIND/NAME of one that the server has.
        shell: a job that waits for a shell.
        idle: after how long without use such a job ends, "" for the usual time.
        beside_code: the words are a command, run in the project's folder.
        retries: further attempts of a script or command, None for what it says itself.

    Its parameters:
        params: as JSON, or a file of them.
        assignments: NAME=VALUE; they win over params.
        values: those that are known already, as from Python; params win over them.

    How it runs:
        debug, debug_steps, debug_on_error: all steps wait for a debugger; only these; at the
            exception that ends them.
        image: what our own steps that name none run in.
        base_image, requirements: of an image that is built for them instead.
        resources: what steps that ask for none get, before what the context gives them.
        python: the program that runs our own steps.
        code: "" packs the project; `image`, `latest` or a hash does not.
        max_code_size: with a unit, "" for the settings' or the usual limit.
        allow_secret_files: files that look like secrets travel too.
        notify: whom the run tells of its end.
        priority: among the runs that wait, None to leave what the manifest says.

    What it is called:
        name: "" for one that is made.
        experiment: what it belongs to.
        command_line: what asked for it, for whoever looks later.
        keep_names: those that Kubernetes would refuse are not cut: a program is written of them.
    """

    file: str = ""
    pipeline: str = ""
    words: tuple[str, ...] | None = None
    template: str = ""
    shell: bool = False
    idle: str = ""
    beside_code: bool = False
    retries: int | None = None
    params: str = ""
    assignments: Sequence[str] = ()
    values: Overrides = field(default_factory=dict)
    debug: bool = False
    debug_steps: Sequence[str] = ()
    debug_on_error: bool = False
    image: str = ""
    base_image: str = ""
    requirements: str = ""
    resources: str = ""
    python: str = "python3"
    code: str = ""
    max_code_size: str = ""
    allow_secret_files: bool = False
    notify: str = ""
    priority: int | None = None
    name: str = ""
    experiment: str = ""
    command_line: str = ""
    keep_names: bool = False


def overrides_of(request: RunRequest) -> Overrides:
    """Return the parameters that a request gives. Raises ParameterError."""
    return {**request.values, **given(request.params, request.assignments)}


def given(params: str, assignments: Sequence[str]) -> Overrides:
    """Return what `--params` and `-p` give, the latter over the former.

    Raises ParameterError, also for a name given twice with `-p`.
    """
    found: Overrides = dict(parse_params(params)) if params else {}
    seen: set[str] = set()
    for text in assignments:
        name, value = parse_assignment(text)
        if name in seen:
            raise ParameterError(f"-p {name} is given twice", hint="keep one of them")
        seen.add(name)
        found[name] = value
    return found
