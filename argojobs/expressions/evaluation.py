"""The value of an expression's tree in an environment.

Lazy where expr-lang is (`and`, `or`, `??`, the branches of a conditional, predicates), and bounded: see `budget`.
Source: expr-lang's docs, language definition.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from argojobs.errors import ExpressionError
from argojobs.expressions.budget import spend
from argojobs.expressions.functions import BUILTINS, hashable, order_items
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
)
from argojobs.expressions.operators import BINARY, cut, fetch, truth, unary
from argojobs.expressions.signature import Context, Function
from argojobs.expressions.values import AnyMap, failure, kind


class _NilInChain(Exception):  # noqa: N818  # not an error: how a ?. leaves its chain
    """A nil was met before a `?.`: the chain around it is nil."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a node is evaluated: the environment, `let` variables, and the element a predicate looks at."""

    environment: dict[str, object]
    context: Context
    variables: dict[str, object] = field(default_factory=dict)
    element: object = None
    index: int = 0
    accumulator: object = None


def evaluate_node(node: Node, scope: Scope) -> object:
    """Evaluate a tree. Raises ExpressionError for whatever goes wrong."""
    spend()
    return _HANDLERS[type(node)](node, scope)


def _name(node: Name, scope: Scope) -> object:
    if node.name in scope.variables:
        return scope.variables[node.name]
    if node.name in scope.environment:
        return scope.environment[node.name]
    return scope.environment if node.name == "$env" else BUILTINS.get(node.name)


def _pointer(node: Pointer, scope: Scope) -> object:
    if node.name == "index":
        return scope.index
    return scope.accumulator if node.name == "acc" else scope.element


def _unary(node: Unary, scope: Scope) -> object:
    return unary(node.operator, evaluate_node(node.operand, scope))


def _binary(node: Binary, scope: Scope) -> object:
    # A long row of operators leans to the left: walk down it in a loop, not by recursion.
    spine: list[Binary] = []
    first: Node = node
    while isinstance(first, Binary):
        spine.append(first)
        first = first.left
    value = evaluate_node(first, scope)
    for step in reversed(spine):
        operator = step.operator
        if operator == "??":
            value = evaluate_node(step.right, scope) if value is None else value
        elif operator in {"and", "or"}:
            if truth(value, operator) == (operator == "and"):
                value = truth(evaluate_node(step.right, scope), operator)
        else:
            value = BINARY[operator](value, evaluate_node(step.right, scope))
    return value


def _conditional(node: Conditional, scope: Scope) -> object:
    condition = truth(evaluate_node(node.condition, scope), "? :")
    return evaluate_node(node.yes if condition else node.no, scope)


def _member(node: Member, scope: Scope) -> object:
    base = evaluate_node(node.base, scope)
    if node.optional and base is None:
        raise _NilInChain
    return fetch(base, evaluate_node(node.key, scope))


def _chain(node: Chain, scope: Scope) -> object:
    try:
        return evaluate_node(node.body, scope)
    except _NilInChain:
        return None


def _slice(node: Slice, scope: Scope) -> object:
    base = evaluate_node(node.base, scope)
    start = None if node.start is None else evaluate_node(node.start, scope)
    stop = None if node.stop is None else evaluate_node(node.stop, scope)
    return cut(base, start, stop)


def _call(node: Call, scope: Scope) -> object:
    function = evaluate_node(node.function, scope)
    arguments = [evaluate_node(argument, scope) for argument in node.arguments]
    if isinstance(function, Function):
        return function(scope.context, *arguments)
    if not callable(function):
        raise failure(
            f"invalid operation: cannot call {kind(function)}",
            "only functions and methods can be called",
        )
    try:
        return function(*arguments)
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ExpressionError(
            f"cannot call a method: {error}", hint="check its arguments"
        ) from error


def _let(node: Let, scope: Scope) -> object:
    value = evaluate_node(node.value, scope)
    return evaluate_node(node.body, replace(scope, variables={**scope.variables, node.name: value}))


def _sequence(node: Sequence, scope: Scope) -> object:
    return [evaluate_node(part, scope) for part in node.nodes][-1]


def _array(node: Array, scope: Scope) -> object:
    return [evaluate_node(item, scope) for item in node.items]


def _map(node: Map, scope: Scope) -> object:
    made: dict[str, object] = {}
    for key_node, value in node.pairs:
        key = evaluate_node(key_node, scope)
        if not isinstance(key, str):
            raise failure(
                f"a map's key must be a string (got {kind(key)})", "write (string(x)): value"
            )
        made[key] = evaluate_node(value, scope)
    return made


def _builtin(node: Builtin, scope: Scope) -> object:
    handler = _PREDICATES.get(node.name)
    if handler is not None:
        items = evaluate_node(node.arguments[0], scope)
        if not isinstance(items, list):
            raise failure(
                f"builtin {node.name} takes only array (got {kind(items)})",
                "fromJSON(...) makes a list of a text",
            )
        return handler(node, items, scope)
    arguments = [evaluate_node(argument, scope) for argument in node.arguments]
    return BUILTINS[node.name](scope.context, *arguments)


def _each(node: Builtin, items: list[object], scope: Scope) -> Iterator[tuple[int, object, object]]:
    """Give (index, element, the predicate's value) for each element; without a predicate the element itself."""
    body = node.arguments[1] if len(node.arguments) > 1 else None
    for index, item in enumerate(items):
        spend()
        if body is None:
            yield index, item, item
        else:
            yield index, item, evaluate_node(body, replace(scope, element=item, index=index))


def _matching(node: Builtin, items: list[object], scope: Scope) -> Iterator[tuple[int, object]]:
    return (
        (index, item) for index, item, value in _each(node, items, scope) if truth(value, node.name)
    )


def _last(node: Builtin, items: list[object], scope: Scope) -> tuple[int, object] | None:
    for index, item in _matching(node, items[::-1], scope):
        return len(items) - 1 - index, item
    return None


def _sum(node: Builtin, items: list[object], scope: Scope) -> object:
    total: object = 0
    for _, _, value in _each(node, items, scope):
        total = BINARY["+"](total, value)
    return total


def _group_by(node: Builtin, items: list[object], scope: Scope) -> object:
    groups = AnyMap()
    for _, item, key in _each(node, items, scope):
        group = groups.setdefault(hashable(key), [])
        assert isinstance(group, list)
        group.append(item)
    return groups


def _sort_by(node: Builtin, items: list[object], scope: Scope) -> object:
    order = evaluate_node(node.arguments[2], scope) if len(node.arguments) > 2 else "asc"
    return order_items([(value, item) for _, item, value in _each(node, items, scope)], order)


def _reduce(node: Builtin, items: list[object], scope: Scope) -> object:
    start = 0
    if len(node.arguments) > 2:
        total = evaluate_node(node.arguments[2], scope)
    elif items:
        total, start = items[0], 1
    else:
        raise failure(
            "reduce of empty array with no initial value",
            "give reduce a third argument to start with",
        )
    body = node.arguments[1]
    for index in range(start, len(items)):
        inner = replace(scope, element=items[index], index=index, accumulator=total)
        total = evaluate_node(body, inner)
    return total


def _first_index(found: tuple[int, object] | None) -> int:
    return -1 if found is None else found[0]


def _first_item(found: tuple[int, object] | None) -> object:
    return None if found is None else found[1]


_Handler = Callable[[Builtin, list[object], Scope], object]
_PREDICATES: dict[str, _Handler] = {
    "all": lambda node, items, scope: all(
        truth(value, "all") for _, _, value in _each(node, items, scope)
    ),
    "none": lambda node, items, scope: not any(True for _ in _matching(node, items, scope)),
    "any": lambda node, items, scope: any(True for _ in _matching(node, items, scope)),
    "one": lambda node, items, scope: sum(1 for _ in _matching(node, items, scope)) == 1,
    "filter": lambda node, items, scope: [item for _, item in _matching(node, items, scope)],
    "map": lambda node, items, scope: [value for _, _, value in _each(node, items, scope)],
    "count": lambda node, items, scope: sum(1 for _ in _matching(node, items, scope)),
    "sum": _sum,
    "find": lambda node, items, scope: _first_item(next(_matching(node, items, scope), None)),
    "findIndex": lambda node, items, scope: _first_index(next(_matching(node, items, scope), None)),
    "findLast": lambda node, items, scope: _first_item(_last(node, items, scope)),
    "findLastIndex": lambda node, items, scope: _first_index(_last(node, items, scope)),
    "groupBy": _group_by,
    "sortBy": _sort_by,
    "reduce": _reduce,
}
_HANDLERS: dict[type[Node], Callable[..., object]] = {
    Literal: lambda node, _: node.value,
    Name: _name,
    Pointer: _pointer,
    Unary: _unary,
    Binary: _binary,
    Conditional: _conditional,
    Member: _member,
    Chain: _chain,
    Slice: _slice,
    Call: _call,
    Builtin: _builtin,
    Predicate: lambda node, scope: evaluate_node(node.body, scope),
    Let: _let,
    Sequence: _sequence,
    Array: _array,
    Map: _map,
}
