"""What expr-lang's compiler refuses before it runs anything: unknown names, and operators on kinds known not to fit.

Only kinds that are known for sure take part: literals, top-level values of the environment, results of operators and
built-ins. Whatever comes out of a map or a list is unknown, as it is for Argo. Source: expr-lang's docs, type checks.
"""

import difflib
from collections.abc import Callable, Mapping

from argojobs.errors import ExpressionError
from argojobs.expressions.functions import BUILTINS
from argojobs.expressions.lexer import position
from argojobs.expressions.nodes import (
    Array,
    Binary,
    Builtin,
    Call,
    Chain,
    Conditional,
    Let,
    Literal,
    Map,
    Member,
    Name,
    Node,
    Pointer,
    Predicate,
    Sequence,
    Slice,
    Unary,
    children,
)
from argojobs.expressions.parser import PREDICATES
from argojobs.expressions.values import kind

Kinds = Mapping[str, str]
"""The kinds of the top-level names of an environment."""

_NUMBERS = frozenset(["int", "float"])
_TIMES = frozenset(["time.Time", "time.Duration"])
_TAKES: dict[str, frozenset[str]] = {
    "+": _NUMBERS | _TIMES | {"string"},
    "-": _NUMBERS | _TIMES,
    "*": _NUMBERS | {"time.Duration"},
    "/": _NUMBERS,
    "**": _NUMBERS,
    "%": frozenset(["int"]),
    "..": frozenset(["int"]),
    "<": _NUMBERS | _TIMES | {"string"},
    "and": frozenset(["bool"]),
    "or": frozenset(["bool"]),
    "matches": frozenset(["string", "array"]),
    "contains": frozenset(["string"]),
    "startsWith": frozenset(["string"]),
    "endsWith": frozenset(["string"]),
}
_TAKES |= dict.fromkeys((">", "<=", ">="), _TAKES["<"])
_MIXED: dict[tuple[str, str, str], str] = {
    ("+", "time.Time", "time.Duration"): "time.Time",
    ("+", "time.Duration", "time.Time"): "time.Time",
    ("-", "time.Time", "time.Time"): "time.Duration",
    ("-", "time.Time", "time.Duration"): "time.Time",
    ("*", "int", "time.Duration"): "time.Duration",
    ("*", "float", "time.Duration"): "time.Duration",
    ("*", "time.Duration", "int"): "time.Duration",
    ("*", "time.Duration", "float"): "time.Duration",
}
_RESULTS: dict[str, str] = {
    **dict.fromkeys(["/", "**"], "float"),
    "%": "int",
    "..": "array",
    **dict.fromkeys(
        [
            "==",
            "!=",
            "<",
            ">",
            "<=",
            ">=",
            "and",
            "or",
            "in",
            "matches",
            "contains",
            "startsWith",
            "endsWith",
        ],
        "bool",
    ),
}
_PREDICATE_RESULTS: dict[str, str] = {
    **dict.fromkeys(["all", "none", "any", "one"], "bool"),
    **dict.fromkeys(["filter", "map", "sortBy"], "array"),
    **dict.fromkeys(["count", "findIndex", "findLastIndex"], "int"),
    "groupBy": "map",
}
_HINT = (
    "convert one side with asInt(...), asFloat(...) or string(...); input parameters are strings"
)


def check(source: str, root: Node, kinds: Kinds) -> None:
    """Check a parsed expression against the kinds of the names that it may use.

    Args:
        source: the expression's text, to say where an error is.
        root: the parsed expression.
        kinds: the top-level names of its environment to their kinds.

    Raises:
        ExpressionError: a name is unknown, or kinds do not go together.
    """
    _Checker(source, kinds).visit(root, {})


class _Checker:
    """One check: its text, for messages, and the kinds of the environment's names."""

    def __init__(self, source: str, kinds: Kinds) -> None:
        self.source = source
        self.kinds = kinds

    def _reject(self, node: Node, what: str, hint: str = _HINT) -> ExpressionError:
        return ExpressionError(f"{what} ({position(self.source, node.at)})", hint=hint)

    def visit(self, node: Node, lets: Kinds) -> str | None:
        """Give the kind of a node's value, None if it is not known."""
        handler = _VISITORS.get(type(node))
        if handler is not None:
            return handler(self, node, lets)
        for part in children(node):
            self.visit(part, lets)
        if isinstance(node, Array | Map):
            return "array" if isinstance(node, Array) else "map"
        return None

    def name(self, node: Name, lets: Kinds) -> str | None:
        found = lets.get(node.name) or self.kinds.get(node.name)
        if found is not None:
            return None if found == "unknown" else found
        if node.name == "$env":
            return None
        if node.name in BUILTINS or node.name in PREDICATES:
            return "func"
        raise self._reject(node, f"unknown name {node.name}", self.known_names(node.name))

    def known_names(self, name: str) -> str:
        near = difflib.get_close_matches(name, self.kinds, n=1)
        if near:
            return f"did you mean {near[0]}?"
        return "nothing of this name is known here; put text into quotes"

    def unary(self, node: Unary, lets: Kinds) -> str | None:
        operand = self.visit(node.operand, lets)
        takes = {"bool"} if node.operator == "not" else _NUMBERS
        if operand is not None and operand not in takes:
            raise self._reject(
                node, f"invalid operation: {node.operator} (mismatched type {operand})"
            )
        return "bool" if node.operator == "not" else operand

    def binary(self, node: Binary, lets: Kinds) -> str | None:
        spine: list[Binary] = []
        first: Node = node
        while isinstance(first, Binary):
            spine.append(first)
            first = first.left
        left = self.visit(first, lets)
        for step in reversed(spine):
            left = self._operation(step, left, self.visit(step.right, lets))
        return left

    def _operation(self, node: Binary, left: str | None, right: str | None) -> str | None:
        operator = node.operator
        if operator == "??":
            return left if left == right else None
        if not _fits(operator, left, right):
            raise self._reject(
                node,
                f"invalid operation: {operator} (mismatched types {left or 'unknown'} and {right or 'unknown'})",
            )
        if operator in _RESULTS:
            return _RESULTS[operator]
        if left is None or right is None:
            return None
        mixed = _MIXED.get((operator, left, right))
        if mixed is not None:
            return mixed
        return "float" if "float" in (left, right) else left

    def conditional(self, node: Conditional, lets: Kinds) -> str | None:
        condition = self.visit(node.condition, lets)
        if condition not in {None, "bool"}:
            raise self._reject(
                node.condition,
                f"non-bool expression (type {condition}) used as condition",
                "compare it, as in x == 'true' or x != ''",
            )
        yes, no = self.visit(node.yes, lets), self.visit(node.no, lets)
        if "nil" in (yes, no):
            return no if yes == "nil" else yes
        return yes if yes == no else None

    def member(self, node: Member, lets: Kinds) -> str | None:
        base = self.visit(node.base, lets)
        key = self.visit(node.key, lets)
        name = node.key.value if isinstance(node.key, Literal) else "..."
        if base == "array" and key not in {None, "int"}:
            raise self._reject(
                node, f"array elements can only be selected using an integer (got {key})"
            )
        if base in {"string", "int", "float", "bool", "nil", "func"}:
            raise self._reject(
                node,
                f"type {base} has no field {name}",
                "only maps have fields; ['x'] and .x are the same",
            )
        return None

    def slice(self, node: Slice, lets: Kinds) -> str | None:
        base = self.visit(node.base, lets)
        if base not in {None, "string", "array"}:
            raise self._reject(node, f"cannot slice {base}", "only lists and strings can be sliced")
        for end in (node.start, node.stop):
            found = None if end is None else self.visit(end, lets)
            if found not in {None, "int"}:
                raise self._reject(node, f"non-integer slice index {found}")
        return base

    def call(self, node: Call, lets: Kinds) -> str | None:
        called = self.visit(node.function, lets)
        for argument in node.arguments:
            self.visit(argument, lets)
        if called not in {None, "func"}:
            raise self._reject(node, f"{called} is not callable", "only functions are")
        name = node.function.name if isinstance(node.function, Name) else ""
        return "string" if name == "toJson" else None

    def builtin(self, node: Builtin, lets: Kinds) -> str | None:
        found = [self.visit(argument, lets) for argument in node.arguments]
        if node.name in PREDICATES and found[0] not in {None, "array"}:
            raise self._reject(
                node,
                f"builtin {node.name} takes only array (got {found[0]})",
                "fromJSON(...) makes a list of a text",
            )
        if node.name in {"filter", "all", "any", "none", "one", "find"} and found[1] not in {
            None,
            "bool",
        }:
            raise self._reject(
                node,
                f"predicate should return boolean (got {found[1]})",
                "compare it, as in # != ''",
            )
        if node.name == "abs":
            return found[0] if found else None
        if node.name in BUILTINS:
            return BUILTINS[node.name].result or None
        return _PREDICATE_RESULTS.get(node.name)

    def let(self, node: Let, lets: Kinds) -> str | None:
        if node.name in self.kinds or node.name in lets:
            raise self._reject(node, f"cannot redeclare {node.name}", "choose another name for it")
        value = self.visit(node.value, lets) or "unknown"
        return self.visit(node.body, {**lets, node.name: value})

    def sequence(self, node: Sequence, lets: Kinds) -> str | None:
        return [self.visit(part, lets) for part in node.nodes][-1]

    def pointer(self, node: Pointer, _: Kinds) -> str | None:
        if node.name not in {"", "acc", "index"}:
            raise self._reject(
                node, f"unknown pointer #{node.name}", "there are #, #acc and #index"
            )
        return "int" if node.name == "index" else None


def _fits(operator: str, left: str | None, right: str | None) -> bool:
    """Whether an operator may take values of these kinds, where None may turn out to be any."""
    if operator in {"==", "!="}:
        return (
            left in {None, "nil"}
            or right in {None, "nil"}
            or left == right
            or {left, right} <= _NUMBERS
        )
    if operator == "in":
        return right in {None, "array", "map", "func"} or (left is None and right == "string")
    takes = _TAKES[operator]
    if left is None or right is None:
        return (left is None or left in takes) and (right is None or right in takes)
    if (operator, left, right) in _MIXED:
        return True
    if operator == "-" and "time.Time" in (left, right):
        return False
    if operator == "+" and left == right == "time.Time":
        return False
    same = (
        left == right or {left, right} <= _NUMBERS or (operator == "matches" and right == "string")
    )
    return same and left in takes and right in takes


def _predicate(checker: _Checker, node: Predicate | Chain, lets: Kinds) -> str | None:
    return checker.visit(node.body, lets)


_VISITORS: dict[type[Node], Callable[..., str | None]] = {
    Literal: lambda _checker, node, _lets: kind(node.value),
    Name: _Checker.name,
    Pointer: _Checker.pointer,
    Unary: _Checker.unary,
    Binary: _Checker.binary,
    Conditional: _Checker.conditional,
    Member: _Checker.member,
    Chain: _predicate,
    Slice: _Checker.slice,
    Call: _Checker.call,
    Builtin: _Checker.builtin,
    Predicate: _predicate,
    Let: _Checker.let,
    Sequence: _Checker.sequence,
}
