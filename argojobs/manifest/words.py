"""The words that a run was given for its program: `argojobs run train.py -- --lr 0.1`.

A script's are one parameter, a list; those of a command in an image stand in its container, so
that an image without Python takes them. Argo replaces `{{...}}` in a container and Kubernetes
`$(X)` and `$$` (Kubernetes docs: define a command and arguments), so they are written in a way
that both leave nothing but the word: a `{` in front of another one, and a `$` in front of another
one, a `(` or a `{`, is a variable, which Kubernetes puts in once, after Argo is done.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ..dsl.tokens import token_in
from ..errors import UsageError
from ..runtime.wire import LARGEST, encode
from .view import annotations_of, arguments_of, parameters_of

if TYPE_CHECKING:
    from .objects import Container, Parameter, Template, Workflow, WorkflowSpec

#: The annotation of a run of a plain script or of a command, which says which of them it is.
RUNS = "argojobs.dev/runs"
#: What it says of a job that waits for a shell.
SHELL = "shell"
#: The parameter with a script's words, and its schema.
ARGUMENTS = "arguments"
SCHEMA = {"type": "list", "items": {"type": "str"}}

#: What is altered on the way, and the variables whose values stand for it.
_ALTERED = re.compile(r"\{(?=\{)|\$(?=[$({])")
_VARIABLES = {"{": "ARGOJOBS_BRACE", "$": "ARGOJOBS_DOLLAR"}
_IN_A_FILE = "write them to a file of the project, or of a volume, and give its name"


def check_words(words: Sequence[str]) -> None:
    """Raise UsageError for words that no container can get, or that everyone would read."""
    for word in words:
        if "\0" in word:
            raise UsageError(
                f"the word {word!r:.40} holds a zero byte", hint="no program can get one"
            )
        try:
            word.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                f"the word {word!r:.40} is not UTF-8", hint=f"manifests are Unicode; {_IN_A_FILE}"
            ) from error
        if what := token_in(word):
            raise UsageError(
                f"what is given for the program holds {what}, which everyone could read",
                hint="keep it in a Kubernetes Secret, and let the program read it from its "
                "environment: contexts.NAME.environment, or @step(env={'KEY': Secret('name', 'key')})",
            )
    size = sum(len(word.encode()) for word in words)
    if size > LARGEST:
        raise UsageError(f"the words for the program have {size} bytes", hint=_IN_A_FILE)


def container_words(words: Sequence[str]) -> Container:
    """Return the fields of a container whose program gets exactly these words.

    They are the command; or arguments of the image's own, if the first begins with a hyphen.
    Without any the image does what it does by itself. `env` is there if they need a variable.
    """
    written = [_written(word) for word in words]
    fields: Container = {}
    if words and not words[0].startswith("-"):
        fields["command"], written = written[:1], written[1:]
    if written:
        fields["args"] = written
    needed = {sign for word in words for sign in _ALTERED.findall(word)}
    if needed:
        fields["env"] = [{"name": _VARIABLES[one], "value": one} for one in sorted(needed)]
    return fields


def _written(word: str) -> str:
    return _ALTERED.sub(lambda found: f"$({_VARIABLES[found[0]]})", word)


def kind_of(workflow: Workflow) -> Literal["script", "image", ""]:
    """Return what a run with words runs; "" for any other run."""
    annotations = annotations_of(workflow)
    found = annotations.get(RUNS)
    return "script" if found == "script" else "image" if found == "image" else ""


def with_words(workflow: Workflow, words: Sequence[str]) -> Workflow:
    """Return a run's workflow with other words for its program.

    Raises UsageError for a run of a pipeline or manifest, which has parameters instead.
    """
    check_words(words)
    if annotations_of(workflow).get(RUNS) == SHELL:
        raise UsageError(
            "this run waits for a shell: it takes no words",
            hint="start it again without, and run them there: argojobs ssh RUN -- COMMAND",
        )
    kind = kind_of(workflow)
    if not kind:
        raise UsageError(
            "this run has no program that takes words: it is one of a pipeline or manifest",
            hint="its parameters are changed with -p NAME=VALUE",
        )
    spec: WorkflowSpec = {**workflow["spec"]}
    if kind == "script":
        value: Parameter = {"name": ARGUMENTS, "value": encode(list(words), SCHEMA)}
        given = parameters_of(arguments_of(spec))
        parameters = [value if one.get("name") == ARGUMENTS else one for one in given]
        spec["arguments"] = {**arguments_of(spec), "parameters": parameters}
    else:
        spec["templates"] = [
            _with_other_words(one, words) if one.get("name") == spec["entrypoint"] else one
            for one in spec["templates"]
        ]
    return {**workflow, "spec": spec}


def _with_other_words(template: Template, words: Sequence[str]) -> Template:
    container: Container = {**template["container"]}
    container.pop("command", None)
    container.pop("args", None)
    own = [one for one in container.get("env") or () if one.get("name") not in _VARIABLES.values()]
    new = container_words(words)
    container = {**container, **new, "env": [*own, *new.get("env", ())]}
    return {**template, "container": container}
