"""The names an expression uses, in the two ways Argo asks for them.

Source: Argo docs, variables; `util/template` of Argo 4.1.2 for which names must be there in strict replacement.
"""

from collections.abc import Iterator

from argojobs.expressions.nodes import Binary, Literal, Member, Name, Node, children


def walk(root: Node) -> Iterator[Node]:
    """Walk through a tree, parts before the whole, without recursion."""
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, seen = stack.pop()
        parts = () if seen else children(node)
        if not parts:
            yield node
            continue
        stack.append((node, True))
        stack.extend((part, False) for part in reversed(parts))


def path(node: Node, *, through_optional: bool = False) -> str | None:
    """Give `a.b.c` for a member access made of constant names only, else None."""
    parts: list[str] = []
    while isinstance(node, Member):
        if node.optional and not through_optional:
            return None
        if not (isinstance(node.key, Literal) and isinstance(node.key.value, str)):
            return None
        parts.append(node.key.value)
        node = node.base
    if not isinstance(node, Name):
        return None
    return ".".join([node.name, *reversed(parts)])


def required(root: Node) -> tuple[str, ...]:
    """Give every name and path that must be in the environment for strict replacement, in Argo's order.

    The variables of a `let` count too (so a `let` cannot be used there, as in Argo); what stands left of `??` or before
    `?.` does not.
    """
    guarded = _guarded(root)
    found: dict[str, None] = {}
    for node in walk(root):
        if id(node) in guarded:
            continue
        if isinstance(node, Name):
            found[node.name] = None
        elif isinstance(node, Member):
            full = path(node)
            if full is not None:
                found[full] = None
    return tuple(found)


def _guarded(root: Node) -> set[int]:
    """Give the ids of the member accesses that may be missing."""
    guarded: set[int] = set()
    covered: set[int] = set()
    for node in reversed(list(walk(root))):  # wholes first, so that a row of ?? is walked once
        if isinstance(node, Binary) and node.operator == "??" and id(node) not in covered:
            parts = list(walk(node.left))
            covered.update(map(id, parts))
            guarded.update(id(part) for part in parts if isinstance(part, Member))
        elif isinstance(node, Member) and node.optional and isinstance(node.base, Member):
            guarded.add(id(node.base))
    return guarded


def used(root: Node) -> tuple[str, ...]:
    """Give the longest constant paths that the expression mentions, guarded or not, in their order."""
    found: dict[str, None] = {}
    inner: set[int] = set()
    for node in reversed(list(walk(root))):  # wholes before their parts
        if isinstance(node, Member):
            if id(node) in inner:
                inner.add(id(node.base))
                continue
            full = path(node, through_optional=True)
            if full is not None:
                inner.add(id(node.base))
                found[full] = None
        elif isinstance(node, Name) and id(node) not in inner:
            found[node.name] = None
    return tuple(reversed(found))
