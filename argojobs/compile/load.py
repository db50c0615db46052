"""What a user's file holds: a pipeline, a hera Workflow, a manifest, or a plain script.

What knows the DSL is loaded for programs and scripts only.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from argojobs.compile.imports import imports_ours, leads_to_ours, parsed
from argojobs.compile.loaded import Loaded
from argojobs.compile.named_file import MANIFESTS, check_file
from argojobs.compile.project import project_root
from argojobs.compile.script_file import load_script
from argojobs.errors import UsageError
from argojobs.manifest import documents


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
    check_file(file)
    root = project_root(file)
    if _is_script(file, root, given=words is not None):
        return load_script(file, root, pipeline, tuple(words or ()))
    if words is not None:
        raise UsageError(
            f"{file} is a {'manifest' if file.suffix in MANIFESTS else 'program with pipelines'}: "
            "words after -- are for a plain script, or a command in an image",
            hint="its parameters are given with -p NAME=VALUE",
        )
    if file.suffix in MANIFESTS:
        return _load_manifest(file, root, pipeline)
    from argojobs.compile.python_file import load_one

    return load_one(file, root, pipeline)


def load_all(path: str | Path) -> list[Loaded]:
    """Return every workflow of a program, for lint; raises as `load` does."""
    file = Path(path)
    check_file(file)
    root = project_root(file)
    if _is_script(file, root):
        return [load_script(file, root, "", ())]
    from argojobs.compile.python_file import load_each

    return load_each(file, root)


def _is_script(file: Path, root: Path, *, given: bool = False) -> bool:
    """Whether a file is a plain script. given: words for it are there, as no pipeline takes.

    Raises UserCodeError for a mistake in a Python file's syntax.
    """
    if file.suffix != ".py":
        return file.suffix not in MANIFESTS
    tree = parsed(file)
    return not imports_ours(tree) and (given or not leads_to_ours(tree, file, root))


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
