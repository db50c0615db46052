"""A Python file of the user: imported as a step will, and the workflows in it."""

from __future__ import annotations

import difflib
import os
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from argojobs.compile.hera_in import from_hera
from argojobs.compile.hiding import check_name
from argojobs.compile.imports import imports_ours, parsed
from argojobs.compile.loaded import Loaded
from argojobs.compile.project import project_files, search_entries, search_path
from argojobs.dsl.pipelines import Pipeline
from argojobs.dsl.steps import Step
from argojobs.errors import UsageError, UserCodeError
from argojobs.manifest.kinds import KINDS
from argojobs.runtime import failure, importing


def load_one(file: Path, root: Path, wanted: str) -> Loaded:
    """Return the one workflow of a file, or the one of a name.

    Args:
        file: the program.
        root: the project's folder.
        wanted: the workflow's name, "" for the only one.

    Raises:
        UsageError, UserCodeError: as `load`.
    """
    entries = tuple(search_entries())
    return replace(_choose(_imported(file, root), file, root, wanted), entries=entries)


def load_each(file: Path, root: Path) -> list[Loaded]:
    """Return every workflow of a file. Raises as `load`."""
    module = _imported(file, root)
    names = {**_found(module, _is_hera_workflow), **_found(module, _is_pipeline)}
    return [_choose(module, file, root, name) for name in names or ("",)]


def _imported(file: Path, root: Path) -> ModuleType:
    """Import the user's file as a step will: its folder and the project are searched first.

    Raises UserCodeError with the user's own frames.
    """
    check_name(file, root, script=False)
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
