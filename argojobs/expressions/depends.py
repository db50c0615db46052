"""The `depends` grammar of DAG tasks: `A && (B.Succeeded || B.Failed) && !C.Skipped`.

`&&` binds tighter than `||`, `!` tightest. Source: Argo docs, enhanced depends logic.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from argojobs.errors import ExpressionError
from argojobs.expressions.values import shorten

CONDITIONS = (
    "Succeeded", "Failed", "Errored", "Skipped", "Omitted", "Daemoned", "AnySucceeded", "AllFailed",
)  # fmt: skip
MAX_DEPTH = 100
_TOKEN = re.compile(
    r"\s*(?:(?P<name>[A-Za-z0-9][-A-Za-z0-9]*)(?:\.(?P<condition>[A-Za-z]*))?|(?P<symbol>&&|\|\||[!()]))",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked about a task; the condition "" is a bare name."""

    task: str
    condition: str


@dataclass(frozen=True, slots=True)
class Not:
    """`!operand`."""

    operand: "Tree"


@dataclass(frozen=True, slots=True)
class Both:
    """`a && b && ...`."""

    operands: "tuple[Tree, ...]"


@dataclass(frozen=True, slots=True)
class Either:
    """`a || b || ...`."""

    operands: "tuple[Tree, ...]"


Tree = Task | Not | Both | Either


@dataclass(frozen=True, slots=True)
class Depends:
    """A parsed `depends`: its text, the tasks it names (each once, in order), and its tree."""

    text: str
    tasks: tuple[str, ...]
    tree: Tree

    def conditions(self) -> tuple[Task, ...]:
        """Give every question it asks, in order, repeats left out."""
        return tuple(dict.fromkeys(_leaves(self.tree)))


@lru_cache(maxsize=65536)
def parse(text: str) -> Depends:
    """Parse a `depends`, cached. Raises ExpressionError, with where and a hint, for one that is none."""
    tree = _Reader(text).read()
    return Depends(text, tuple(dict.fromkeys(leaf.task for leaf in _leaves(tree))), tree)


def evaluate(depends: Depends, lookup: Callable[[str, str], bool]) -> bool:
    """Whether it holds; `lookup(task, condition)` answers for each task, "" for a bare name, left to right."""
    return _holds(depends.tree, lookup)


def _holds(tree: Tree, lookup: Callable[[str, str], bool]) -> bool:
    match tree:
        case Task(task, condition):
            return lookup(task, condition)
        case Not(operand):
            return not _holds(operand, lookup)
        case Both(operands):
            return all(_holds(operand, lookup) for operand in operands)
        case Either(operands):
            return any(_holds(operand, lookup) for operand in operands)


def _leaves(tree: Tree) -> list[Task]:
    leaves: list[Task] = []
    stack: list[Tree] = [tree]
    while stack:
        match stack.pop():
            case Task() as task:
                leaves.append(task)
            case Not(operand):
                stack.append(operand)
            case Both(operands) | Either(operands):
                stack.extend(reversed(operands))
    return leaves


class _Reader:
    """Reads one text into a tree."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.depth = 0
        self.token: re.Match[str] | None = None
        self.advance()

    def reject(self, what: str, hint: str) -> ExpressionError:
        return ExpressionError(f"invalid depends {shorten(self.text, 200)}: {what}", hint=hint)

    def advance(self) -> None:
        if self.token is not None:
            self.position = self.token.end()
        self.token = _TOKEN.match(self.text, self.position)
        rest = self.text[self.position :].strip()
        if self.token is None and rest:
            raise self.reject(
                f"unexpected {rest[:1]!r} at character {self.text.index(rest[:1], self.position) + 1}",
                "it is made of task names, .Succeeded and the like, &&, ||, ! and parentheses",
            )

    def at(self, symbol: str) -> bool:
        return self.token is not None and self.token["symbol"] == symbol

    def read(self) -> Tree:
        tree = self.either()
        if self.token is not None:
            raise self.reject(
                f"unexpected {self.token.group().strip()!r}", "join two tasks with && or ||"
            )
        return tree

    def either(self) -> Tree:
        operands = [self.both()]
        while self.at("||"):
            self.advance()
            operands.append(self.both())
        return operands[0] if len(operands) == 1 else Either(tuple(operands))

    def both(self) -> Tree:
        operands = [self.operand()]
        while self.at("&&"):
            self.advance()
            operands.append(self.operand())
        return operands[0] if len(operands) == 1 else Both(tuple(operands))

    def operand(self) -> Tree:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.reject("it is nested too deeply", "split it over several tasks")
        try:
            return self.operand_within()
        finally:
            self.depth -= 1

    def operand_within(self) -> Tree:
        token = self.token
        if token is None:
            raise self.reject("it ends too early", "a task's name is missing at its end")
        if self.at("!"):
            self.advance()
            return Not(self.operand())
        if self.at("("):
            self.advance()
            inner = self.either()
            if not self.at(")"):
                raise self.reject("a ) is missing", "each ( needs its )")
            self.advance()
            return inner
        if token["name"] is None:
            raise self.reject(
                f"unexpected {token.group().strip()!r}", "a task's name is missing there"
            )
        condition = token["condition"]
        if condition is not None and condition not in CONDITIONS:
            raise self.reject(
                f"task result '{condition}' for task '{token['name']}' is invalid",
                "it is one of " + ", ".join(CONDITIONS),
            )
        self.advance()
        return Task(token["name"], condition or "")
