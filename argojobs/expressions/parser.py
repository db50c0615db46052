"""Expression tokens to a tree: a precedence-climbing parser with expr-lang's grammar.

Bounded: an expression has at most MAX_NODES nodes and nests at most MAX_DEPTH deep; more is an ExpressionError.
Source: expr-lang's docs, language definition.
"""

from argojobs.errors import ExpressionError
from argojobs.expressions.functions import BUILTINS
from argojobs.expressions.lexer import KEYWORDS, Kind, Token, reject, tokenize
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

MAX_NODES = 10_000
MAX_DEPTH = 60
MAX_CHAIN = 100
"""The most `.name`, `[index]` and `| call()` after one another."""

PREDICATES: dict[str, tuple[int, int]] = {
    "all": (2, 2),
    "none": (2, 2),
    "any": (2, 2),
    "one": (2, 2),
    "filter": (2, 2),
    "map": (2, 2),
    "count": (1, 2),
    "sum": (1, 2),
    "find": (2, 2),
    "findIndex": (2, 2),
    "findLast": (2, 2),
    "findLastIndex": (2, 2),
    "groupBy": (2, 2),
    "sortBy": (2, 3),
    "reduce": (2, 3),
}
"""Built-ins whose second argument is a predicate: the fewest and the most arguments."""

COMPARISONS = frozenset(["<", ">", "<=", ">="])
_NEGATABLE = frozenset(["in", "matches", "contains", "startsWith", "endsWith"])
_UNARY = {"not": 50, "!": 50, "-": 90, "+": 90}
_BINARY = {
    "|": 0,
    "or": 10,
    "||": 10,
    "and": 15,
    "&&": 15,
    "==": 20,
    "!=": 20,
    "<": 20,
    ">": 20,
    ">=": 20,
    "<=": 20,
    "in": 20,
    "matches": 20,
    "contains": 20,
    "startsWith": 20,
    "endsWith": 20,
    "..": 25,
    "+": 30,
    "-": 30,
    "*": 60,
    "/": 60,
    "%": 60,
    "**": 100,
    "^": 100,
    "??": 500,
}
_RIGHT_ASSOCIATIVE = frozenset(["**", "^"])
_CANONICAL = {"||": "or", "&&": "and", "!": "not", "^": "**"}
_LITERALS: dict[str, bool | None] = {"true": True, "false": False, "nil": None}


def parse(source: str) -> Node:
    """Parse an expression. Raises ExpressionError, and nothing else, for text that is none."""
    return _Parser(source).parse()


class _Parser:
    """The state of one parse: the tokens, the place in them, and how deep it is."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = tokenize(source)
        self.index = 0
        self.depth = 0
        self.predicates = 0
        if len(self.tokens) > MAX_NODES:
            raise reject(
                source, 0, f"the expression has more than {MAX_NODES} parts", "split it up"
            )

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    def advance(self) -> Token:
        token = self.tokens[self.index]
        if token.kind is not Kind.END:
            self.index += 1
        return token

    def at_operator(self, *texts: str) -> bool:
        return self.token.kind is Kind.OPERATOR and self.token.text in texts

    def at_bracket(self, text: str) -> bool:
        return self.token.kind is Kind.BRACKET and self.token.text == text

    def unexpected(self, hint: str = "check quotes, brackets and operators") -> ExpressionError:
        token = self.token
        what = token.text if token.kind is Kind.END else f"{token.kind.value} {token.text!r}"
        return reject(self.source, token.at, f"unexpected {what}", hint)

    def expect_bracket(self, text: str) -> None:
        if not self.at_bracket(text):
            raise self.unexpected(f"a {text} is missing here")
        self.advance()

    def expect_operator(self, text: str) -> None:
        if not self.at_operator(text):
            raise self.unexpected(f"a {text} is missing here")
        self.advance()

    def expect_name(self) -> Token:
        if self.token.kind is not Kind.NAME:
            raise self.unexpected("a name is missing here")
        return self.advance()

    def parse(self) -> Node:
        node = self.sequence()
        if self.token.kind is not Kind.END:
            raise self.unexpected()
        return node

    def sequence(self) -> Node:
        nodes = [self.expression()]
        while self.at_operator(";"):
            self.advance()
            if self.token.kind is Kind.END:
                break
            nodes.append(self.expression())
        return nodes[0] if len(nodes) == 1 else Sequence(tuple(nodes), at=nodes[0].at)

    def expression(self, precedence: int = 0) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise reject(
                self.source,
                self.token.at,
                "the expression is nested too deeply",
                "split it up, with let for instance",
            )
        try:
            return self.expression_within(precedence)
        finally:
            self.depth -= 1

    def expression_within(self, precedence: int) -> Node:
        if precedence == 0 and self.at_operator("let"):
            return self.let()
        if precedence == 0 and self.at_operator("if"):
            return self.if_else()
        left = self.operators(self.primary(), precedence)
        return self.ternary(left) if precedence == 0 else left

    def operators(self, left: Node, precedence: int) -> Node:
        """Take the binary operators that bind at least as strongly as `precedence`."""
        previous = ""
        pipes = 0
        while self.token.kind is Kind.OPERATOR:
            token = self.token
            negated = token.text == "not"
            if negated:
                token = self.tokens[self.index + 1]
                if token.kind is not Kind.OPERATOR or token.text not in _NEGATABLE:
                    self.advance()
                    raise self.unexpected(
                        "after a value, not stands before in, matches, contains, startsWith, endsWith"
                    )
            strength = _BINARY.get(token.text)
            if strength is None or strength < precedence:
                break
            self.index += 2 if negated else 1
            if token.text == "|":
                pipes += 1
                if pipes > MAX_CHAIN:
                    raise reject(
                        self.source, token.at, f"more than {MAX_CHAIN} pipes in a row", "use let"
                    )
                left = self.postfix(self.call(self.expect_name(), (left,)))
            elif previous == "??" and token.text != "??":
                raise reject(
                    self.source,
                    token.at,
                    f"operator {token.text} and ?? cannot be mixed",
                    "wrap either in parentheses",
                )
            elif token.text in COMPARISONS:
                left = self._comparison(left, token, strength)
            else:
                right = self.expression(strength + (token.text not in _RIGHT_ASSOCIATIVE))
                left = Binary(_CANONICAL.get(token.text, token.text), left, right, at=token.at)
                if negated:
                    left = Unary("not", left, at=token.at)
            previous = token.text
        return left

    def _comparison(self, left: Node, token: Token, strength: int) -> Node:
        """Read `a < b <= c` as `a < b && b <= c`."""
        root: Node | None = None
        while True:
            right = self.expression(strength + 1)
            compared = Binary(token.text, left, right, at=token.at)
            root = compared if root is None else Binary("and", root, compared, at=token.at)
            if not self.at_operator(*COMPARISONS):
                return root
            left, token = right, self.advance()

    def let(self) -> Node:
        self.advance()
        name = self.expect_name()
        self.expect_operator("=")
        value = self.expression()
        self.expect_operator(";")
        self.depth += 1  # a row of lets nests, though no bracket shows it
        body = self.sequence()
        self.depth -= 1
        return Let(name.text, value, body, at=name.at)

    def if_else(self) -> Node:
        token = self.advance()
        condition = self.expression()
        yes = self.block()
        if not self.at_operator("else"):
            raise self.unexpected("an if needs an else")
        self.advance()
        no = self.expression() if self.at_operator("if") else self.block()
        return Conditional(condition, yes, no, at=token.at)

    def block(self) -> Node:
        self.expect_bracket("{")
        body = self.sequence()
        self.expect_bracket("}")
        return body

    def ternary(self, condition: Node) -> Node:
        while self.at_operator("?"):
            token = self.advance()
            if self.at_operator(":"):
                self.advance()
                yes = condition
            else:
                yes = self.expression()
                self.expect_operator(":")
            condition = Conditional(condition, yes, self.expression(), at=token.at)
        return condition

    def primary(self) -> Node:
        token = self.token
        if token.kind is Kind.OPERATOR and token.text in _UNARY:
            self.advance()
            operand = self.expression(_UNARY[token.text])
            operator = _CANONICAL.get(token.text, token.text)
            return self.postfix(Unary(operator, operand, at=token.at))
        if self.at_bracket("("):
            self.advance()
            inner = self.sequence()
            self.expect_bracket(")")
            return self.postfix(inner)
        if self.predicates and self.at_operator("#", "."):
            name = ""
            if token.text == "#":
                self.advance()
                if self.token.kind is Kind.NAME:
                    name = self.advance().text
            return self.postfix(Pointer(name, at=token.at))
        if self.at_operator("::"):
            self.advance()
            return self.postfix(self.call(self.expect_name(), ()))
        return self.value()

    def value(self) -> Node:
        token = self.token
        if token.kind is Kind.NAME:
            self.advance()
            if token.text in _LITERALS:
                return Literal(_LITERALS[token.text], at=token.at)
            if self.at_bracket("("):
                return self.postfix(self.call(token, ()))
            return self.postfix(Name(token.text, at=token.at))
        if token.kind is Kind.NUMBER:
            self.advance()
            return Literal(self.number(token), at=token.at)
        if token.kind is Kind.STRING:
            self.advance()
            return self.postfix(Literal(token.text, at=token.at))
        if token.kind is Kind.BYTES:
            self.advance()
            return self.postfix(Literal(token.text.encode("latin-1", "replace"), at=token.at))
        if self.at_bracket("["):
            return self.postfix(self.array())
        if self.at_bracket("{"):
            return self.postfix(self.map())
        raise self.unexpected(
            "a value is missing here" if token.kind is Kind.END else "put text into quotes"
        )

    def number(self, token: Token) -> int | float:
        digits = token.text.replace("_", "").lower()
        try:
            if digits.startswith(("0x", "0b", "0o")):
                number: int | float = int(digits, 0)
            elif "." in digits or "e" in digits:
                number = float(digits)
            else:
                number = int(digits[:25])
        except ValueError as error:
            raise reject(
                self.source,
                token.at,
                f"invalid number {token.text!r}",
                "write it as 1, 1.5, 1e3 or 0x10",
            ) from error
        if number >= 1 << 63 and isinstance(number, int):
            raise reject(
                self.source,
                token.at,
                "integer literal is too large",
                "write it with a decimal point",
            )
        if number == float("inf"):
            raise reject(
                self.source, token.at, "float literal is too large", "the largest is about 1.8e308"
            )
        return number

    def call(self, name: Token, before: tuple[Node, ...]) -> Node:
        if name.text in PREDICATES:
            return self.predicate_call(name, before)
        arguments = before + self.arguments()
        if name.text in BUILTINS:
            return Builtin(name.text, arguments, at=name.at)
        return Call(Name(name.text, at=name.at), arguments, at=name.at)

    def arguments(self) -> tuple[Node, ...]:
        self.expect_bracket("(")
        return self.items(")")

    def items(self, closing: str) -> tuple[Node, ...]:
        """Read expressions between commas up to `closing`; a comma may stand before it."""
        nodes: list[Node] = []
        while not self.at_bracket(closing):
            if nodes:
                self.expect_operator(",")
                if self.at_bracket(closing):
                    break
            nodes.append(self.expression())
        self.advance()
        return tuple(nodes)

    def predicate_call(self, name: Token, before: tuple[Node, ...]) -> Node:
        fewest, most = PREDICATES[name.text]
        arguments = list(before)
        self.expect_bracket("(")
        while len(arguments) < most and not self.at_bracket(")"):
            if len(arguments) > len(before):
                self.expect_operator(",")
                if self.at_bracket(")"):
                    break
            arguments.append(self.predicate() if len(arguments) == 1 else self.expression())
        if self.at_operator(","):
            self.advance()
        if len(arguments) < fewest:
            raise self.unexpected(
                f"{name.text} takes a list and a predicate, such as {name.text}(list, # != '')"
            )
        self.expect_bracket(")")
        return Builtin(name.text, tuple(arguments), at=name.at)

    def predicate(self) -> Node:
        at = self.token.at
        self.predicates += 1
        body = self.block() if self.at_bracket("{") else self.expression()
        self.predicates -= 1
        return Predicate(body, at=at)

    def array(self) -> Node:
        at = self.advance().at
        return Array(self.items("]"), at=at)

    def map(self) -> Node:
        at = self.advance().at
        pairs: list[tuple[Node, Node]] = []
        while not self.at_bracket("}"):
            if pairs:
                self.expect_operator(",")
                if self.at_bracket("}"):
                    break
            if self.token.kind in {Kind.NUMBER, Kind.STRING, Kind.NAME}:
                key_token = self.advance()
                key: Node = Literal(key_token.text, at=key_token.at)
            elif self.at_bracket("("):
                key = self.expression()
            else:
                raise self.unexpected(
                    "a map's key is a string, a number, a name, or an expression in parentheses"
                )
            self.expect_operator(":")
            pairs.append((key, self.expression()))
        self.advance()
        return Map(tuple(pairs), at=at)

    def postfix(self, node: Node) -> Node:
        """Take the `.name`, `?.name`, `[index]` and `[a:b]` that follow a value."""
        length = 0
        while True:
            optional = self.at_operator("?.")
            if not optional and not self.at_operator(".") and not self.at_bracket("["):
                return node
            length += 1
            if length > MAX_CHAIN:
                raise reject(
                    self.source,
                    self.token.at,
                    f"more than {MAX_CHAIN} accesses in a row",
                    "use let",
                )
            if self.at_bracket("["):
                node = self.subscript(node, optional=False)
                continue
            self.advance()
            if optional and self.at_bracket("["):
                node = self.subscript(node, optional=True)
            else:
                node = self.field(node, optional)

    def field(self, node: Node, optional: bool) -> Node:
        token = self.token
        if token.kind is not Kind.NAME and not (
            token.kind is Kind.OPERATOR and token.text in KEYWORDS
        ):
            raise self.unexpected(
                "a field's name is missing here; write other names as ['the-name']"
            )
        self.advance()
        chained = isinstance(node, Chain)
        base = node.body if isinstance(node, Chain) else node
        member: Node = Member(base, Literal(token.text, at=token.at), optional, at=token.at)
        if self.at_bracket("("):
            member = Call(member, self.arguments(), at=token.at)
        return Chain(member, at=token.at) if chained or optional else member

    def subscript(self, node: Node, *, optional: bool) -> Node:
        at = self.advance().at
        start = None if self.at_operator(":") else self.expression()
        if not self.at_operator(":"):
            self.expect_bracket("]")
            assert start is not None
            member = Member(node, start, optional, at=at)
            return Chain(member, at=at) if optional else member
        self.advance()
        stop = None if self.at_bracket("]") else self.expression()
        self.expect_bracket("]")
        return Slice(node, start, stop, at=at)
