"""The tree of an expr-lang expression: plain frozen values, each with its place in the text."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Node:
    """What all nodes have: the offset in the text where a message about it points."""

    at: int = field(kw_only=True, default=0)


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """nil, a boolean, a number, a string or bytes."""

    value: object


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A variable: of the environment, of a `let`, or `$env`."""

    name: str


@dataclass(frozen=True, slots=True)
class Pointer(Node):
    """`#`, `#acc` or `#index` inside a predicate."""

    name: str


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """`not x`, `-x`, `+x`."""

    operator: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """`left operator right`."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Conditional(Node):
    """`condition ? yes : no`, or the same with if and else."""

    condition: Node
    yes: Node
    no: Node


@dataclass(frozen=True, slots=True)
class Member(Node):
    """`base.name`, `base[index]`; `optional` for `?.`."""

    base: Node
    key: Node
    optional: bool


@dataclass(frozen=True, slots=True)
class Chain(Node):
    """The extent to which a nil before a `?.` makes the whole nil."""

    body: Node


@dataclass(frozen=True, slots=True)
class Slice(Node):
    """`base[start:stop]`."""

    base: Node
    start: Node | None
    stop: Node | None


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A call of a function that is a value: of the environment, or a method."""

    function: Node
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Builtin(Node):
    """A call of a built-in function."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Predicate(Node):
    """The body that filter, map, ... evaluate for each element."""

    body: Node


@dataclass(frozen=True, slots=True)
class Let(Node):
    """`let name = value; body`."""

    name: str
    value: Node
    body: Node


@dataclass(frozen=True, slots=True)
class Sequence(Node):
    """`a; b; c`: the value of the last."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Array(Node):
    """`[a, b]`."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Map(Node):
    """`{key: value}`."""

    pairs: tuple[tuple[Node, Node], ...]


def children(node: Node) -> tuple[Node, ...]:
    """Give a node's direct parts, in the order in which expr-lang visits them."""
    match node:
        case Unary(operand=part) | Chain(body=part) | Predicate(body=part):
            return (part,)
        case Binary(left=left, right=right):
            return (left, right)
        case Conditional(condition=condition, yes=yes, no=no):
            return (condition, yes, no)
        case Member(base=base, key=key):
            return (base, key)
        case Slice(base=base, start=start, stop=stop):
            return tuple(part for part in (base, start, stop) if part is not None)
        case Call(function=function, arguments=arguments):
            return (function, *arguments)
        case Builtin(arguments=arguments):
            return arguments
        case Let(value=value, body=body):
            return (value, body)
        case Sequence(nodes=parts) | Array(items=parts):
            return parts
        case Map(pairs=pairs):
            return tuple(part for pair in pairs for part in pair)
        case _:
            return ()
