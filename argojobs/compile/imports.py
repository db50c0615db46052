"""Whether a Python file may hold a pipeline: read from its text, without importing it.

It may if it imports argojobs or hera, or at its top a module of the project that does.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from argojobs.compile.project import search_path
from argojobs.errors import UserCodeError
from argojobs.runtime.importing import module_place

#: What pipelines are written with.
_OURS = frozenset({"argojobs", "hera"})
#: What a script reports with: it is no pipeline for that.
_JOB = "argojobs.job"
#: A project has more modules than this only where looking on helps nobody.
_MOST_MODULES = 500


def parsed(file: Path) -> ast.Module:
    """Return the syntax of a Python file. Raises UserCodeError with its place."""
    try:
        return ast.parse(file.read_bytes(), str(file))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        version = ".".join(str(part) for part in sys.version_info[:2])
        what = getattr(error, "msg", None) or str(error)
        text = (getattr(error, "text", None) or "").strip()
        raise UserCodeError(
            f"{type(error).__name__}: {what}" + (f": {text}" if text else ""),
            where=f"{file}:{line}",
            hint=f"nothing was started; the file was read as Python {version} reads it.",
        ) from error


def runs_nothing(tree: ast.Module) -> bool:
    """Whether a file has nothing but functions, classes and texts: as a program it does nothing."""
    return all(
        (
            isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and not one.decorator_list
        )
        or isinstance(one, ast.Pass)
        or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        for one in tree.body
    )


def imports_ours(tree: ast.Module) -> bool:
    """Whether a file imports argojobs or hera itself, anywhere in it; `argojobs.job` is for any script."""
    return any(
        name.partition(".")[0] in _OURS and not f"{name}.".startswith(f"{_JOB}.")
        for name in _imported(_whole(ast.walk(tree)))
    )


def _whole(nodes: Iterator[ast.AST]) -> Iterator[ast.AST]:
    """Yield nodes, `from argojobs import job` as `import argojobs.job`."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{one.name}" for one in node.names]
            if names == [_JOB] or f"{node.module}.".startswith(f"{_JOB}."):
                yield ast.Import([ast.alias(_JOB)])
                continue
        yield node


def leads_to_ours(tree: ast.Module, file: Path, root: Path) -> bool:
    """Whether what a file imports at its top, of the project, imports argojobs or hera.

    Args:
        tree: The file's content.
        file: Its path.
        root: The project's folder.
    """
    return any(imports_ours(inner) for _, _, inner in _reached(tree, file, root, _at_the_top))


def imported_files(file: Path, root: Path) -> dict[Path, tuple[Path, bool]]:
    """Return the modules of the project that a Python file leads to, by who imports them first.

    With each: whether it is always imported, and not only where a function is called or a `try`
    or `if` allows for its absence.
    """
    tree = parsed(file)
    always = {found for found, _, _ in _reached(tree, file, root, lambda each: iter(each.body))}
    return {
        found: (by, found in always) for found, by, _ in _reached(tree, file, root, _that_may_run)
    }


def _reached(
    tree: ast.Module, file: Path, root: Path, statements: Callable[[ast.Module], Iterator[ast.AST]]
) -> Iterator[tuple[Path, Path, ast.Module]]:
    """Yield the modules of the project that a file imports, who imports them, and their syntax.

    statements: those of a module that count.
    """
    places = [Path(module_place(str(file))[1]), *(root / one for one in search_path(root).inside)]
    waiting, seen = [(tree, file)], {file.resolve()}
    while waiting and len(seen) < _MOST_MODULES:
        tree, file = waiting.pop()
        for name in _imported(statements(tree)):
            for found in _files_of(name, file, places):
                if found in seen:
                    continue
                seen.add(found)
                try:
                    inner = ast.parse(found.read_bytes(), str(found))
                except (SyntaxError, ValueError, OSError):
                    continue
                yield found, file, inner
                waiting.append((inner, found))


def _imported(nodes: Iterator[ast.AST]) -> Iterator[str]:
    """Yield the dotted names that import statements may mean; relative ones begin with dots."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield base
            yield from (f"{base}{'.' if node.module else ''}{one.name}" for one in node.names)


def _at_the_top(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the statements that run when a file is imported, those of functions left out."""
    waiting: list[ast.AST] = [*tree.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) or is_main(node):
            continue
        yield node
        waiting += [child for child in ast.iter_child_nodes(node) if isinstance(child, _BLOCKS)]


def _that_may_run(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield all of a module but what is for type checkers, or for it as a program."""
    waiting: list[ast.AST] = [*tree.body]
    while waiting:
        node = waiting.pop()
        if is_main(node) or (
            isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        ):
            continue
        yield node
        waiting += ast.iter_child_nodes(node)


_BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)


def is_main(node: ast.AST) -> bool:
    """Whether this is `if __name__ == "__main__":`."""
    if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare):
        return False
    return isinstance(node.test.left, ast.Name) and node.test.left.id == "__name__"


def _files_of(name: str, file: Path, places: list[Path]) -> Iterator[Path]:
    """Yield the file of a module of the project, in the first of these places that has it."""
    level = len(name) - len(name.lstrip("."))
    parts = [part for part in name.split(".") if part]
    if level:
        folder = file.resolve().parent
        for _ in range(level - 1):
            folder = folder.parent
        places = [folder]
    for place in places:
        path = place.joinpath(*parts)
        for found in (path.with_name(f"{path.name}.py"), path / "__init__.py"):
            if parts and found.is_file():
                yield found.resolve()
                return
