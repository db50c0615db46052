"""Files of a project that hide Python's own modules: a step would import them in their place."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from argojobs.compile.project import IGNORE_FILE, project_files, search_path
from argojobs.errors import UsageError
from argojobs.runtime.importing import module_place

#: The modules that something on `sys.path` hides: those of the interpreter itself come first.
_HIDDEN = sys.stdlib_module_names - set(sys.builtin_module_names)


def check_name(file: Path, root: Path, *, script: bool) -> None:
    """Refuse names of ours or of Python's own, of this file or beside it.

    Args:
        file: what a step imports or runs.
        root: the project's folder.
        script: it is run, not imported.

    Raises:
        UsageError: a step would import the user's file in the place of ours or Python's.
    """
    if file.stem == "argojobs":
        raise UsageError(
            f"{file} has the name of this program: `import argojobs` would find it",
            hint="give the file another name.",
        )
    _check_hides_nothing(file, root, script=script)


def _check_hides_nothing(file: Path, root: Path, *, script: bool) -> None:
    """Raise UsageError where what a step finds first hides a module of Python's own.

    argojobs and any library may import that module at any time. Looked at is what travels of the
    folders on the project's `sys.path`.

    Args:
        file: The user's file, which is looked at as well.
        root: The project's folder.
        script: Python searches beside a script, but above the package of a module.
    """
    beside = file.resolve().parent if script else Path(module_place(str(file))[1])
    places = [root / entry for entry in search_path(root).inside]
    if file.suffix == ".py":
        places.insert(0, beside)
    found = {each.resolve() for place in dict.fromkeys(places) for each in _hiding(place)}
    if not found:
        return
    travels = {root / name for name in project_files(root).files} | {file.resolve()}
    for each in sorted(found & travels):
        package = each.name == "__init__.py"
        name = each.parent.name if package else each.stem
        shown = each.parent if package else each
        remedy = f", or list it in {IGNORE_FILE} if no step needs it"
        raise UsageError(
            f"{shown.name} hides Python's own module {name}",
            where=str(shown),
            hint=f"rename it{'' if each == file.resolve() else remedy}.",
        )


def _hiding(place: Path) -> Iterator[Path]:
    """Yield the files in a folder that Python takes for modules of its own."""
    for each in place.iterdir() if place.is_dir() else ():
        if each.suffix == ".py" and each.stem in _HIDDEN and each.is_file():
            yield each
        elif each.name in _HIDDEN and (each / "__init__.py").is_file():
            yield each / "__init__.py"
