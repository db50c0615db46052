"""A plain script, a command or a shell, loaded as the workflow of one step that runs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from argojobs.compile.hiding import check_name
from argojobs.compile.imports import parsed, runs_nothing
from argojobs.compile.loaded import Command, Loaded, Script
from argojobs.compile.named_file import MANIFESTS, check_file
from argojobs.compile.project import project_root, search_entries
from argojobs.errors import UsageError


def load_script(file: Path, root: Path, pipeline: str, words: tuple[str, ...]) -> Loaded:
    """Return the workflow of a script.

    Args:
        file: the script.
        root: the project's folder.
        pipeline: what `--pipeline` says; a script has none.
        words: for its command line.

    Raises:
        UsageError: it runs nothing, or a pipeline of it is asked for.
    """
    if pipeline:
        raise UsageError(
            f"{file} is a plain script, without pipelines: it imports neither argojobs nor hera",
            hint="leave --pipeline out, or name the file that has it.",
        )
    check_name(file, root, script=True)
    if file.suffix == ".py" and runs_nothing(parsed(file)):
        raise UsageError(
            f"{file} runs nothing: {'it only defines things' if file.read_bytes().strip() else 'it is empty'}",
            hint="call what is to run at its end; argojobs new NAME makes a first pipeline",
        )
    return _script(file, Script(file, root, words=words))


def load_command(image: str, words: Sequence[str]) -> Loaded:
    """Return the workflow of a command in an image. Raises UsageError for what cannot travel."""
    empty = Loaded("image", Path(image), project_root(Path.cwd()), "")
    return recompiled(empty, Command(image, words=tuple(words)))


def load_beside_code(words: Sequence[str]) -> Loaded:
    """Return the workflow of a command beside the code of the project that one is in.

    Raises UsageError for words that cannot travel.
    """
    script = Script(None, project_root(Path.cwd()), words=tuple(words))
    return _script(Path(words[0]), script)


def load_shell(file: str, image: str, idle: int) -> Loaded:
    """Return the job that waits for a shell.

    Args:
        file: The shell gets the code of this file's project; "" for none.
        image: What it runs in.
        idle: As `Script` has it.

    Raises:
        UsageError: The file brings no code.
    """
    if not file:
        empty = Loaded("image", Path(image or "--shell"), project_root(Path.cwd()), "")
        return recompiled(empty, Command(image, idle=idle))
    path = Path(file)
    check_file(path)
    if path.suffix in MANIFESTS:
        raise UsageError(
            f"{file} is a manifest: it brings no code that a shell could have",
            hint="name an image: --shell --image IMAGE; or run it, and enter a step that runs: "
            "argojobs ssh RUN STEP",
        )
    root = project_root(path)
    check_name(path, root, script=True)
    return _script(path, Script(path, root, idle=idle))


def _script(path: Path, script: Script) -> Loaded:
    entries = tuple(search_entries())
    return recompiled(Loaded("script", path, script.root, "", entries=entries), script)


def recompiled(loaded: Loaded, source: Script | Command) -> Loaded:
    """Return what was loaded made anew, of another script or command."""
    from argojobs.compile.scripts import pipeline_of, workflow_of  # they know the DSL

    if isinstance(source, Script):
        pipeline = pipeline_of(source)
        return replace(loaded, name=pipeline.name, pipeline=pipeline, source=source)
    manifest = workflow_of(source)
    return replace(loaded, name=source.name, manifest=manifest, source=source)
