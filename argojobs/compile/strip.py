"""Our own code as it travels: `__init__`, `errors`, `dsl`, `job` and `runtime` without what nobody runs.

Comments, docstrings, annotations, blank lines and blocks for type checkers are cut from the source
text, and indentation is one space a level; the rest stays as it was written, so the result is the
same whichever Python packs it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeGuard

#: What travels, relative to the package; a folder stands for all its modules.
TRAVELS = ("__init__.py", "errors.py", "dsl", "job", "runtime")
#: What is brought only to steps that wait for a debugger: see `debugger_archive`.
_STAYS = "argojobs/runtime/debugger.py"

#: A string literal (of Python 3.10: no quote of its own kind inside an f-string), or the end of a
#: line with all blank and comment lines after it and the next one's indentation.
_PIECES = re.compile(
    r"""(?P<string>\"{3}(?:[^"\\]|\\.|"(?!""))*\"{3}|'{3}(?:[^'\\]|\\.|'(?!''))*'{3}"""
    r"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
    r"""|(?:[ \t]*(?:\#[^\n]*)?\n)+(?P<indentation>[ ]*)""",
    re.DOTALL,
)

#: A comment that says what the next function, or the module, travels with (see `travelling`).
_MARK = re.compile(r"[ ]*# travels with: (.+)")
_CHECK = re.compile(r"# travels with: mistakes\n *def (\w+)")
#: What makes the error of a mistake in a definition.
_MISTAKES = frozenset({"mistake", "DefinitionError", "_unsupported"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DOCUMENTED = (ast.Module, ast.ClassDef, *_FUNCTIONS)
_PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Cut:
    """What is cut besides: what does not travel with any of these words (see `travelling`).

    mistakes: also what raises a mistake in a definition.
    """

    words: frozenset[str]
    mistakes: bool = False

    def keeps(self, line: str) -> bool:
        """Whether what a comment in this line stands for travels; so does what has none."""
        marked = _MARK.match(line)
        return marked is None or not self.words.isdisjoint(marked[1].split())


def sources() -> dict[str, str]:
    """Return the modules that travel, as they are written, by their path below `.argojobs`, sorted."""
    found: dict[str, str] = {}
    for name in TRAVELS:
        place = _PACKAGE / name
        for file in place.rglob("*.py") if place.is_dir() else [place]:
            relative = f"argojobs/{file.relative_to(_PACKAGE).as_posix()}"
            if relative != _STAYS:
                found[relative] = file.read_text("utf-8")
    return dict(sorted(found.items()))


def strip(source: str, cut: Cut | None = None) -> str:
    """Cut what nobody runs out of Python source: comments, docstrings, annotations, blank lines.

    Annotations of functions and their variables are cut, those of classes have a meaning. Blocks
    for type checkers and overloads go too. cut: what is cut besides.
    """
    text = source.encode()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    edits = sorted(_Cuts(text, starts, cut).of(ast.parse(source)), reverse=True)
    for begin, end, replacement in edits:
        text = text[:begin] + replacement + text[end:]
    return _compact(text.decode())


class _Cuts:
    """Finds what to cut, as byte ranges of the source with what comes in their place."""

    def __init__(self, text: bytes, starts: list[int], cut: Cut | None = None) -> None:
        self.text = text
        self.starts = starts
        self.cut = cut

    def of(
        self, node: ast.AST, *, in_function: bool = False, top: bool = False
    ) -> Iterator[tuple[int, int, bytes]]:
        """Yield the cuts in a statement (or module) and in the statements below it.

        top: whether it stands at the top of its module.
        """
        if isinstance(node, _DOCUMENTED):
            yield from self._docstring(node)
        if isinstance(node, _FUNCTIONS):
            yield from self._annotations(node)
        bare = in_function or (self.cut is not None and top)
        if bare and isinstance(node, ast.AnnAssign) and node.value is not None:
            yield self._end(node.target), self._end(node.annotation), b""
        inside = isinstance(node, _FUNCTIONS) or (
            in_function and not isinstance(node, ast.ClassDef)
        )
        fields = ["body", "orelse", "handlers", "finalbody"]
        if self.cut is not None and _is_only_for_checkers_else(node):
            yield self._end(node.body[-1]), self._end(node), b""
            fields.remove("orelse")
        for name in fields:
            children = getattr(node, name, ())
            here = [each for each in children if name == "body" and self._stays_here(each)]
            alone = all(each in here or _is_docstring(each) for each in children)
            for child in children:
                if child in here:
                    left = b"pass" if alone and child is here[0] else b""
                    yield self._start(child), self._end(child), left
                elif _is_for_checkers(child):
                    yield self._start(child), self._end(child), b"pass"
                elif isinstance(child, ast.stmt | ast.ExceptHandler):
                    yield from self.of(child, in_function=inside, top=isinstance(node, ast.Module))

    def _stays_here(self, node: ast.AST) -> bool:
        """Whether a statement is one that this program never runs: see `Cut`."""
        if self.cut is None:
            return False
        if _is_for_checkers(node):
            return True
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "TYPE_CHECKING":
            return b"not TYPE_CHECKING" not in self.text
        if self.cut.mistakes and isinstance(node, ast.If) and not node.orelse:
            return len(node.body) == 1 and _raises_mistake(node.body[0])
        if self.cut.mistakes and isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called: Any = node.value.func
            return getattr(called, "id", getattr(called, "attr", "")) in _checks()
        above = self._start(node)
        begin = self.text.rfind(b"\n", 0, max(self.text.rfind(b"\n", 0, above), 0)) + 1
        return not self.cut.keeps(self.text[begin:above].decode())

    def _docstring(self, node: ast.AST) -> Iterator[tuple[int, int, bytes]]:
        body: list[ast.stmt] = getattr(node, "body", [])
        if body and _is_docstring(body[0]):
            alone = len(body) == 1 and not isinstance(node, ast.Module)
            yield self._start(body[0]), self._end(body[0]), b"pass" if alone else b""

    def _annotations(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef
    ) -> Iterator[tuple[int, int, bytes]]:
        every = node.args
        for each in [
            *every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg,
        ]:  # fmt: skip
            if each is not None and each.annotation is not None:
                yield self._start(each) + len(each.arg.encode()), self._end(each.annotation), b""
        if node.returns is not None:
            arrow = self.text.rindex(b"->", 0, self._start(node.returns))
            yield arrow, self._end(node.returns), b""

    def _start(self, node: ast.AST) -> int:
        decorators = getattr(node, "decorator_list", ())
        first: Any = decorators[0] if decorators else node
        before = self._offset(first.lineno, first.col_offset)
        return before - 1 if decorators else before  # the @

    def _end(self, node: Any) -> int:
        return self._offset(node.end_lineno, node.end_col_offset)

    def _offset(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_for_checkers(node: ast.AST) -> bool:
    """Whether this is an `if TYPE_CHECKING` block without an else, or an overload."""
    if isinstance(node, ast.If):
        return (
            isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING" and not node.orelse
        )
    decorators = getattr(node, "decorator_list", ())
    return any(isinstance(each, ast.Name) and each.id == "overload" for each in decorators)


def _is_only_for_checkers_else(node: ast.AST) -> TypeGuard[ast.If]:
    """Whether this is an `if not TYPE_CHECKING` block with an else."""
    if not isinstance(node, ast.If) or not isinstance(node.test, ast.UnaryOp) or not node.orelse:
        return False
    return isinstance(node.test.operand, ast.Name) and node.test.operand.id == "TYPE_CHECKING"


def _raises_mistake(node: ast.AST) -> bool:
    raised = node.exc if isinstance(node, ast.Raise) else None
    return isinstance(raised, ast.Call) and getattr(raised.func, "id", "") in _MISTAKES


@lru_cache(maxsize=1)
def _checks() -> frozenset[str]:
    """Return the functions that only look for mistakes in a definition."""
    return frozenset(_CHECK.findall("".join(sources().values())))


def _compact(source: str) -> str:
    """Drop comments and blank lines, and shrink indentation; strings stay as they are."""
    return _PIECES.sub(_shorter, "\n" + source).lstrip()


def _shorter(match: re.Match[str]) -> str:
    if match["string"]:
        return match["string"]
    return "\n" + " " * (len(match["indentation"]) // 4)
