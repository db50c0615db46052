"""Import the user's file by its place, in the same way on a laptop and inside a step.

The file's folder and the project's recorded `sys.path` entries are searched first, as Python
does for `python FILE`. The module has the file's stem as its name; in a package (a folder with
`__init__.py`) the dotted name, so that its relative imports work.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType


def module_place(file: str) -> tuple[str, str]:
    """Return the module name of a file and the folder that this name is searched in."""
    folder, base = os.path.split(os.path.abspath(file))
    names = [os.path.splitext(base)[0].replace(".", "_")]
    if names == ["__init__"]:
        folder, base = os.path.split(folder)
        names = [base]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        parent, base = os.path.split(folder)
        if not base.isidentifier() or parent == folder:
            break
        names.insert(0, base)
        folder = parent
    return ".".join(names), folder


def search(entries: Iterable[str]) -> None:
    """Put these folders in front of `sys.path`, in this order, each once."""
    unique = dict.fromkeys(entries)
    sys.path[:] = [*unique, *(entry for entry in sys.path if entry not in unique)]


def import_file(file: str) -> ModuleType:
    """Import a file, or return the module if it is imported already. Raises what the file raises.

    A module of the standard library or an installed one that has the same name is not taken for
    it, and stays what it is for everyone else: `workflows/random.py` becomes `random_file`.
    """
    name, _ = module_place(file)
    if name.partition(".")[0] not in sys.stdlib_module_names:
        try:
            __import__(name)
        except ModuleNotFoundError as error:
            if error.name is None or not (name + ".").startswith(error.name + "."):
                raise
    present = sys.modules.get(name)
    if present is not None:
        if _is_from(present, file):
            return present
        name += "_file"
    present = sys.modules.get(name)
    return present if present is not None and _is_from(present, file) else _load(name, file)


def _is_from(module: ModuleType, file: str) -> bool:
    origin = getattr(module, "__file__", None)
    return origin is not None and os.path.realpath(origin) == os.path.realpath(file)


def _load(name: str, file: str) -> ModuleType:
    """Execute the file as a module of this name."""
    import importlib.util

    spec = importlib.util.spec_from_file_location(name, os.path.abspath(file))
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a Python file", name=name, path=file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
