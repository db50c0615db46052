"""What a user's file holds: a pipeline, a hera Workflow, a manifest, or a plain script."""

from __future__ import annotations

import codecs
import difflib
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Literal

from argojobs.compile.hera_in import from_hera
from argojobs.compile.hiding import check_hides_nothing
from argojobs.compile.imports import imports_ours, leads_to_ours, parsed, runs_nothing
from argojobs.compile.project import project_files, project_root, search_entries, search_path
from argojobs.compile.scripts import Command, Script, pipeline_of, workflow_of
from argojobs.dsl.pipelines import Pipeline
from argojobs.dsl.steps import Step
from argojobs.errors import UsageError, UserCodeError
from argojobs.manifest import documents
from argojobs.manifest.kinds import KINDS
from argojobs.runtime import failure, importing
from argojobs.service import Workflow

_MANIFESTS = (".yaml", ".yml", ".json")
_SUFFIXES = (".py", *_MANIFESTS)
#: A system reads no more of a program's first line (Linux: BINPRM_BUF_SIZE).
_FIRST_LINE = 256


@dataclass(frozen=True, slots=True)
class Loaded:
    """One workflow, as it was found.

    kind: `dsl` or `script` (then `pipeline` is set), `hera`, `manifest` or `image` (then
    `manifest` is). root: the project's folder. name: the pipeline's or workflow's. warnings: one
    line each, for the user. entries: what was on `sys.path` before the file was imported, for
    `bundle.pack`. made_of: the script, or the command in an image, that it is made of.
    """

    kind: Literal["dsl", "hera", "manifest", "script", "image"]
    path: Path
    root: Path
    name: str
    pipeline: Pipeline[Any, Any] | None = None
    manifest: Workflow | None = None
    warnings: tuple[str, ...] = field(default=())
    entries: tuple[str, ...] = field(default=())
    made_of: Script | Command | None = None


def load(path: str | Path, pipeline: str = "", words: Sequence[str] | None = None) -> Loaded:
    """Read a file and return the one workflow in it, or the one called `pipeline`.

    Args:
        path: A program, a script or a manifest.
        pipeline: Needed where the file has several workflows.
        words: The arguments of a script; None where none are given.

    Raises:
        UsageError: No such file, no workflow or several in it, words for what takes none.
        UserCodeError: The file does not import, or is not Python.
        ManifestError: It is not a manifest.
    """
    file = Path(path)
    _check_file(file)
    root = project_root(file)
    if _is_script(file, root, given=words is not None):
        return _load_script(file, root, pipeline, tuple(words or ()))
    if words is not None:
        raise UsageError(
            f"{file} is a {'manifest' if file.suffix in _MANIFESTS else 'program with pipelines'}: "
            "words after -- are for a plain script, or a command in an image",
            hint="its parameters are given with -p NAME=VALUE",
        )
    if file.suffix in _MANIFESTS:
        return _load_manifest(file, root, pipeline)
    entries = tuple(search_entries())
    loaded = _choose(_import_user_file(file, root), file, root, pipeline)
    return replace(loaded, entries=entries)


def load_all(path: str | Path) -> list[Loaded]:
    """Return every workflow of a program, for lint; raises as `load` does."""
    file = Path(path)
    _check_file(file)
    root = project_root(file)
    if _is_script(file, root):
        return [_load_script(file, root, "", ())]
    module = _import_user_file(file, root)
    names = {**_found(module, _is_hera_workflow), **_found(module, _is_pipeline)}
    return [_choose(module, file, root, name) for name in names or ("",)]


def _is_script(file: Path, root: Path, *, given: bool = False) -> bool:
    """Whether a file is a plain script. given: words for it are there, as no pipeline takes.

    Raises UserCodeError for a mistake in a Python file's syntax.
    """
    if file.suffix != ".py":
        return file.suffix not in _MANIFESTS
    tree = parsed(file)
    return not imports_ours(tree) and (given or not leads_to_ours(tree, file, root))


def _load_script(file: Path, root: Path, pipeline: str, words: tuple[str, ...]) -> Loaded:
    if pipeline:
        raise UsageError(
            f"{file} is a plain script, without pipelines: it imports neither argojobs nor hera",
            hint="leave --pipeline out, or name the file that has it.",
        )
    _check_name(file, root, script=True)
    if file.suffix == ".py" and runs_nothing(parsed(file)):
        raise UsageError(
            f"{file} runs nothing: {'it only defines things' if file.read_bytes().strip() else 'it is empty'}",
            hint="call what is to run at its end; argojobs new NAME makes a first pipeline",
        )
    return _script(file, Script(file, root, words=words))


def load_command(image: str, words: Sequence[str]) -> Loaded:
    """Return the workflow of a command in an image. Raises UsageError for what cannot travel."""
    empty = Loaded("image", Path(image), project_root(Path.cwd()), "")
    return of_words(empty, Command(image, words=tuple(words)))


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
        return of_words(empty, Command(image, idle=idle))
    path = Path(file)
    _check_file(path)
    if path.suffix in _MANIFESTS:
        raise UsageError(
            f"{file} is a manifest: it brings no code that a shell could have",
            hint="name an image: --shell --image IMAGE; or run it, and enter a step that runs: "
            "argojobs ssh RUN STEP",
        )
    root = project_root(path)
    _check_name(path, root, script=True)
    return _script(path, Script(path, root, idle=idle))


def _script(path: Path, script: Script) -> Loaded:
    entries = tuple(search_entries())
    return of_words(Loaded("script", path, script.root, "", entries=entries), script)


def of_words(loaded: Loaded, made_of: Script | Command) -> Loaded:
    """Return what was loaded made anew, of another script or command."""
    if isinstance(made_of, Script):
        pipeline = pipeline_of(made_of)
        return replace(loaded, name=pipeline.name, pipeline=pipeline, made_of=made_of)
    manifest = workflow_of(made_of)
    return replace(loaded, name=made_of.name, manifest=manifest, made_of=made_of)


def _check_file(file: Path) -> None:
    """Raise UsageError, with what may be meant, unless this is a file we can read."""
    if file.is_dir():
        inside = sorted(each.name for each in file.iterdir() if each.suffix in _SUFFIXES)
        raise UsageError(
            f"{file} is a folder",
            hint=f"name one of its files: {', '.join(inside[:10])}"
            if inside
            else "name a .py file with a pipeline, or a manifest (.yaml, .json).",
        )
    if not file.exists():
        raise UsageError(f"there is no file {file}", hint=_nearest(file))
    if file.suffix in _SUFFIXES:
        return
    with file.open("rb") as stream:
        first = stream.read(_FIRST_LINE).partition(b"\n")[0]
    if first.endswith(b"\r") and first.startswith(b"#!"):
        name = shlex.quote(str(file))
        raise UsageError(
            f"the lines of {file} end with a carriage return, as on Windows: no system has the "
            f"program {os.fsdecode(first[2:]).strip(' ')!r}",
            hint=f"take them out: sed -i 's/\\r$//' {name}; git keeps them out with a line "
            "* text=auto eol=lf in .gitattributes",
        )
    if first.startswith(codecs.BOM_UTF8):
        raise UsageError(
            f"{file} begins with a byte order mark, so no system sees its #!",
            hint="save it as UTF-8 without one",
        )
    if not first.startswith(b"#!"):
        raise UsageError(
            f"{file} is neither Python nor a manifest, nor a program that begins with #!",
            hint="a name ends in .py, .yaml, .yml or .json; a shell script's first line is "
            "#!/bin/sh or the like.",
        )
    if not os.access(file, os.X_OK):
        raise UsageError(f"{file} may not be executed", hint=f"chmod +x {shlex.quote(str(file))}")


def _nearest(file: Path) -> str:
    """Return a hint that names files of this or a similar name, here and one folder below."""
    places = [place for place in (file.parent, Path()) if place.is_dir()]
    known = [
        each
        for place in places
        for pattern in ("*", "*/*")
        for each in place.glob(pattern)
        if each.suffix in _SUFFIXES
    ]
    same = [str(each) for each in known if each.name == file.name]
    by_stem = {each.stem: str(each) for each in known}  # endings are alike, and say nothing
    near = difflib.get_close_matches(file.stem, by_stem, 3)
    found = list(dict.fromkeys(same + [by_stem[stem] for stem in near]))
    if found:
        return f"did you mean {' or '.join(found[:3])}?"
    return f"the working directory is {Path.cwd()}; `argojobs new` makes a first pipeline."


def _load_manifest(file: Path, root: Path, wanted: str) -> Loaded:
    """Take the one Workflow of a YAML or JSON file, or the one of this name."""
    document = documents.choose(documents.load(file), wanted or None)
    warnings = tuple(
        f"{file}: {name} beside `workflow:` means nothing to Argo" for name in document.ignored
    )
    notes = tuple(f"{file}: {note}" for note in document.notes)
    return Loaded(
        "manifest", file, root, document.name, manifest=document.workflow, warnings=warnings + notes
    )


def _import_user_file(file: Path, root: Path) -> ModuleType:
    """Import the user's file as a step will: its folder and the project are searched first.

    Raises UserCodeError with the user's own frames.
    """
    _check_name(file, root, script=False)
    _, folder = importing.module_place(str(file))
    inside = search_path(root).inside
    importing.search([folder, *(str(root / entry) for entry in inside)])
    try:
        return importing.import_file(str(file))
    except SystemExit as error:
        raise UserCodeError(
            f"the file ends the program while it is imported (exit {error.code})",
            where=str(file),
            hint='put what a script does below `if __name__ == "__main__":`.',
        ) from error
    except UsageError:  # of the DSL, say: it names the user's line and the remedy itself
        raise
    except Exception as error:
        raise _import_failure(error, file, root) from error


def _check_name(file: Path, root: Path, *, script: bool) -> None:
    """Raise UsageError for names of ours or of Python's own, of this file or beside it."""
    if file.stem == "argojobs":
        raise UsageError(
            f"{file} has the name of this program: `import argojobs` would find it",
            hint="give the file another name.",
        )
    check_hides_nothing(file, root, script=script)


def _import_failure(error: Exception, file: Path, root: Path) -> UserCodeError:
    text = failure.user_traceback(error)
    missing = failure.missing_module(error, str(root))
    hint = "the file must import on this machine, so that its pipeline can be read."
    if missing and (place := _lies_in(missing, root)):
        hint = (
            f"{place} has it, which is not searched: PYTHONPATH={shlex.quote(place)} argojobs ..., "
            "here and in the steps then."
        )
    elif missing:
        hint = (
            f"import {missing} inside the step that needs it: only the step's image must have it. "
            f"Or install it here: {sys.executable} -m pip install {missing}"
        )
    return UserCodeError(
        f"{type(error).__name__}: {error}", where=_place(error, file), hint=hint, traceback=text
    )


def _lies_in(module: str, root: Path) -> str:
    """Return the folder of the project that holds a module of this name, "" if none does."""
    for name in project_files(root).files:
        if f"/{name}".endswith((f"/{module}.py", f"/{module}/__init__.py")):
            folder = (root / name).parent
            return os.path.relpath(folder.parent if name.endswith("__init__.py") else folder)
    return ""


def _place(error: Exception, file: Path) -> str:
    """Return file:line of the innermost frame that is the user's."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    place = str(file)
    traceback = error.__traceback__
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        if "site-packages" not in name and not name.startswith("<"):
            place = f"{name}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return place


def _choose(module: ModuleType, file: Path, root: Path, wanted: str) -> Loaded:
    """Take the one workflow of a module: a pipeline of ours, else a hera Workflow."""
    pipelines = _found(module, _is_pipeline)
    workflows = _found(module, _is_hera_workflow)
    known = {**workflows, **pipelines}
    if not known:
        hint = _what_there_is(module)
        if not imports_ours(parsed(file)):
            hint = f"to run it as a plain script: argojobs run {file} --"
        raise UsageError(f"there is no pipeline in {file}", hint=hint)
    if wanted and wanted not in known:
        by_name = {
            own: name
            for name, each in known.items()
            for own in (_own_name(each), getattr(each, "full_name", ""))
        }
        if wanted not in by_name:
            near = difflib.get_close_matches(wanted, [*known, *by_name], 1)
            meant = f"did you mean {near[0]!r}? " if near else ""
            raise UsageError(
                f"there is no pipeline {wanted!r} in {file}",
                hint=f"{meant}it has: {', '.join(known)}",
            )
        wanted = by_name[wanted]
    name = wanted or _outermost(known, file)
    if name in pipelines:
        pipeline = pipelines[name]
        return Loaded("dsl", file, root, _own_name(pipeline) or name, pipeline=pipeline)
    return Loaded("hera", file, root, name, manifest=from_hera(workflows[name]))


def _outermost(known: dict[str, Any], file: Path) -> str:
    """Return the one workflow that no other of the file calls. UsageError for several."""
    called = set().union(*(_called_by(each) for each in known.values()))
    outer = [name for name in known if name not in called] or list(known)
    if len(outer) == 1:
        return outer[0]
    raise UsageError(
        f"there are {len(known)} pipelines in {file}: {', '.join(known)}",
        hint=f"say which: --pipeline {outer[0]}",
    )


def _called_by(workflow: Any) -> set[str]:
    """Return the names that a pipeline's function mentions, those of its inner functions too."""
    waiting = [code] if (code := getattr(_function(workflow), "__code__", None)) else []
    names = {getattr(_function(getattr(workflow, "on_exit", None)), "__name__", "")}
    while waiting:
        code = waiting.pop()
        names.update(code.co_names)
        waiting += [each for each in code.co_consts if isinstance(each, CodeType)]
    return names - {getattr(workflow, "__name__", "")}


def _function(declared: Any) -> Any:
    return getattr(declared, "function", None)


def _own_name(value: Any) -> str:
    return str(getattr(value, "name", None) or getattr(value, "generate_name", None) or "")


def _found(module: ModuleType, is_one: Callable[[Any], bool]) -> dict[str, Any]:
    """Return a module's objects of a kind by their names, each once.

    Those that were imported from elsewhere count only if the module has none of its own.
    """
    names: dict[int, tuple[str, Any]] = {}
    for name, value in vars(module).items():
        if is_one(value):
            names.setdefault(id(value), (name, value))
    everything = dict(names.values())
    own = {
        name: value
        for name, value in everything.items()
        if getattr(value, "__module__", module.__name__)
        in (module.__name__, type(value).__module__)
    }
    return own or everything


def _is_pipeline(value: Any) -> bool:
    return isinstance(value, Pipeline)


def _is_hera_workflow(value: Any) -> bool:
    """Whether something is a hera Workflow, template or CronWorkflow; hera need not be imported."""
    hera = sys.modules.get("hera.workflows")
    return hera is not None and type(value) in [getattr(hera, kind) for kind in KINDS]


def _what_there_is(module: ModuleType) -> str:
    """Say what a module without a pipeline has instead."""
    for name, value in vars(module).items():
        inner = getattr(value, "__dict__", {}).get("__wrapped__")
        if isinstance(inner, Pipeline) and not isinstance(value, Pipeline):
            return f"a decorator stands above @pipeline of {name}: put @pipeline above it."
    steps = [name for name, value in vars(module).items() if isinstance(value, Step)]
    if steps:
        return f"it has steps ({', '.join(steps[:5])}) but no @pipeline function that calls them."
    hera = sys.modules.get("hera.workflows")
    if hera is not None:
        others = [
            f"{name} ({type(value).__name__})"
            for name, value in vars(module).items()
            if isinstance(value, hera.Workflow)
        ]
        if others:
            return f"it has {', '.join(others)}; only objects of hera's own classes can be run."
        if any(_origin(value).startswith("hera") for value in vars(module).values()):
            return "its hera Workflow must be a variable of the module, not of a function."
    functions = [
        name
        for name, value in vars(module).items()
        if callable(value) and _origin(value) == module.__name__
    ]
    seen = f"it has {', '.join(functions[:5])}; " if functions else ""
    return f"{seen}a pipeline is a function below @pipeline; `argojobs new` shows one."


def _origin(value: Any) -> str:
    """Return the module that something was defined in, or the module's own name."""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
    return str(name or "")
