"""Which part of our own code a project's steps need, as it travels inside a manifest.

A comment in the source says what a function or module is for: `# travels with: command Model`, on
the line above a function, or on a module's first line. It travels where the project's Python files
use one of these words: names that they import from argojobs, the modules these live in, attributes
that they mention (`.path_of`), `options` where a step is given any, `calls` where one may be called
as a function. Without such a comment it always travels.
What raises a mistake in a definition stays here, as no manifest is made of one; it travels with
`calls`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from types import ModuleType

import argojobs
from argojobs import _HOMES
from argojobs.compile.imports import is_main
from argojobs.compile.strip import Cut, sources, strip

#: The modules in which a mistake in a definition is found while its pipeline is compiled.
_DEFINE = frozenset(
    f"argojobs/{name}.py"
    for name in (
        *("dsl/annotations", "dsl/callables", "dsl/fields", "dsl/images", "dsl/mappings"),
        *("dsl/names", "dsl/options", "dsl/outputs", "dsl/pipelines", "dsl/quantities"),
        *("dsl/resources", "dsl/retry", "dsl/signature", "dsl/steps", "dsl/tokens"),
        *("dsl/volumes", "runtime/types"),
    )
)
#: Decorators: used in any other way than `@step`, they may be given options.
_DECORATORS = frozenset({"step", "pipeline", "command"})

#: Our own modules that travel, and the package itself.
_TRAVELS = re.compile(r"argojobs(\.(dsl|job|runtime)(\..*)?)?")
#: The words of the library inside a step, and of the packages of older scripts that are built on it.
_LIBRARIES = {
    "argojobs.job": ("job",),
    "kubernetesdlprofile": ("kubernetesdlprofile", "job"),
    "telegraf": ("telegraf", "job"),
}

#: The words of a project: None stands for all there are.
Words = frozenset[str] | None


def words_of(files: Iterable[tuple[str, bytes]]) -> Words:
    """Return what the Python files of a project use of ours; None where that cannot be known.

    files: name and content of each file of the project.
    """
    words: set[str] = set()
    trees: list[ast.Module] = []
    for name, content in files:
        if not (name.endswith(".py") or (content.startswith(b"#!") and b"argojobs" in content)):
            continue
        try:
            trees.append(ast.parse(content))
        except (SyntaxError, ValueError):  # of a shell script, or nothing that a step could import
            continue
    for tree in trees:
        imported = dict(_imported(tree))
        if None in imported:
            return None
        words |= {word for found in imported.values() for word in found}
        words |= {f".{node.attr}" for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        if ".options" in words or _gives_options(tree, imported):
            words.add("options")
    if _calls_steps(trees):
        words.add("calls")
    return frozenset(words)


def _calls_steps(trees: list[ast.Module]) -> bool:
    """Whether a step may be called as a function: one is mentioned outside of all pipelines."""
    functions = [
        node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
    ]
    steps = {function.name for function in functions if function.decorator_list}
    waiting: list[ast.AST] = [*trees]
    while waiting:
        node = waiting.pop()
        if is_main(node) or (isinstance(node, ast.FunctionDef) and _is_pipeline(node)):
            continue
        names = (getattr(node, field, None) for field in ("id", "attr"))
        if not steps.isdisjoint(names) or (isinstance(node, ast.alias) and node.name in steps):
            return True
        waiting += ast.iter_child_nodes(node)
    return False


def _is_pipeline(node: ast.FunctionDef) -> bool:
    heads = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
    return any(_is_one_of(head, {"pipeline"}) for head in heads)


def _imported(tree: ast.Module) -> Iterator[tuple[str | None, tuple[str, ...]]]:
    """Yield the names that a file has of argojobs, with their words; None for all that it has.

    What never travels (`argojobs.cli`, say) counts for nothing.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                if _TRAVELS.fullmatch(one.name):
                    yield None, ()
                elif words := _library(one.name):
                    yield one.name, words
        elif isinstance(node, ast.ImportFrom) and not node.level:
            if node.module == "argojobs":
                for one in node.names:
                    home = _HOMES.get(one.name)
                    if words := _library(f"argojobs.{one.name}"):
                        yield one.asname or one.name, words
                    elif home is not None:
                        yield one.asname or one.name, (one.name, home.rpartition(".")[2])
                    elif _TRAVELS.fullmatch(f"argojobs.{one.name}") or one.name == "*":
                        yield None, ()
            elif words := _library(node.module or ""):
                yield node.module, words
            elif _TRAVELS.fullmatch(node.module or ""):
                yield None, ()


def _library(module: str) -> tuple[str, ...]:
    """Return the words of a module of the library, and none of others."""
    package = next((one for one in _LIBRARIES if f"{module}.".startswith(f"{one}.")), "")
    return _LIBRARIES.get(package, ())


def _gives_options(tree: ast.Module, imported: dict[str | None, tuple[str, ...]]) -> bool:
    """Whether a file uses `step` and the like in any other way than as a bare decorator."""
    ours = {name for name, found in imported.items() if found[0] in _DECORATORS}
    bare = {
        id(decorator)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
    }
    commands = {name for name in ours if imported[name][0] == "command"}
    bare |= {
        id(node.func)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and not node.keywords and _is_one_of(node.func, commands)
    }
    return any(_is_one_of(node, ours) and id(node) not in bare for node in ast.walk(tree))


def _is_one_of(node: ast.AST, names: set[str | None]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def installed_steps() -> bool:
    """Whether an installed package has names of ours, so that nobody reads what it uses of them."""
    ours = {id(value) for name, value in vars(argojobs).items() if name in _HOMES}
    return any(
        "-packages" in str(known.get("__file__"))
        and any(id(value) in ours for value in list(known.values()))
        for name, known in _loaded()
        if name.partition(".")[0] != "argojobs"
    )


def _loaded() -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the names that each loaded module has, without waking one that loads when it is used."""
    for name, module in list(sys.modules.items()):
        if issubclass(type(module), ModuleType):  # cffi's libraries say so of themselves
            yield name, object.__getattribute__(module, "__dict__")


@lru_cache(maxsize=4)
def needed_sources(words: Words, left_out: tuple[str, ...] = ()) -> dict[str, bytes]:
    """Return our own modules as they travel for these words, by their path below `.argojobs`.

    left_out: how the paths begin of what does not travel whatever the words.
    """
    texts = {name: text for name, text in sources().items() if not name.startswith(left_out)}
    if words is None:
        return {name: strip(source).encode() for name, source in texts.items()}
    # A call inside a step was not looked at before.
    mistakes = "calls" in words
    words |= {"mistakes"} if mistakes else set()
    return {
        name: strip(source, Cut(words, mistakes=name in _DEFINE and not mistakes)).encode()
        for name, source in texts.items()
        if Cut(words).keeps(source.partition("\n")[0])
    }
