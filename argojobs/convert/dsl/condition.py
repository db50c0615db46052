"""A `when` text as a condition of the DSL: comparisons of references, joined by &, | and ~."""

from __future__ import annotations

import re
from dataclasses import dataclass

from argojobs.convert.dsl.tags import CannotSayError, Reference, pieces, single

_TOKEN = re.compile(
    r"\s*(\(|\)|&&|\|\||==|!=|<=|>=|<|>|!|'[^']*'|\"[^\"]*\"|\{\{.*?\}\}|[-\w.]+)\s*", re.DOTALL
)
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


@dataclass(frozen=True)
class Operand:
    """One side of a comparison: a reference or a constant; `quoted` in the manifest or not."""

    value: Reference | str
    quoted: bool

    @property
    def is_number(self) -> bool:
        """Whether it is a number without quotes."""
        return (
            not self.quoted and isinstance(self.value, str) and bool(_NUMBER.fullmatch(self.value))
        )


@dataclass(frozen=True)
class Comparison:
    """A reference compared with a constant, or with another reference."""

    operator: str
    left: Operand
    right: Operand

    @property
    def numeric(self) -> bool:
        """Whether numbers are compared."""
        return self.left.is_number or self.right.is_number or self.operator not in ("==", "!=")


@dataclass(frozen=True)
class Joined:
    """Conditions joined by `&` or `|`, or one turned round by `~`."""

    operator: str
    parts: tuple[Condition, ...]


Condition = Comparison | Joined


def condition(text: str) -> Condition:
    """Return the condition. Raises CannotSayError for a form that the DSL has no words for."""
    tokens, place = [], 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise CannotSayError(f"the condition {text!r}")
        tokens.append(match.group(1))
        place = match.end()
    reader = _Reader(tokens, text)
    found = reader.any_of()
    if reader.tokens:
        raise CannotSayError(f"the condition {text!r}")
    return found


def comparisons(found: Condition) -> list[Comparison]:
    """Return all comparisons in a condition."""
    if isinstance(found, Comparison):
        return [found]
    return [each for part in found.parts for each in comparisons(part)]


class _Reader:
    """Reads tokens from the left, the loosest operator first."""

    def __init__(self, tokens: list[str], text: str) -> None:
        self.tokens = tokens
        self.text = text

    def any_of(self) -> Condition:
        return self._joined("||", "|", self.all_of)

    def all_of(self) -> Condition:
        return self._joined("&&", "&", self.one)

    def _joined(self, token: str, operator: str, inner: object) -> Condition:
        assert callable(inner)
        parts = [inner()]
        while self.tokens[:1] == [token]:
            del self.tokens[0]
            parts.append(inner())
        return parts[0] if len(parts) == 1 else Joined(operator, tuple(parts))

    def one(self) -> Condition:
        head = self.tokens[:1]
        if head == ["!"]:
            del self.tokens[0]
            return Joined("~", (self.one(),))
        if head == ["("]:
            del self.tokens[0]
            found = self.any_of()
            self._take(")")
            return found
        left, operator, right = self._operand(), self._take(*_COMPARISONS), self._operand()
        if isinstance(left.value, str) and isinstance(right.value, str):
            raise CannotSayError(f"the condition {self.text!r}, which compares constants")
        return Comparison(operator, left, right)

    def _take(self, *allowed: str) -> str:
        token = self.tokens.pop(0) if self.tokens else ""
        if token not in allowed:
            raise CannotSayError(f"the condition {self.text!r}")
        return token

    def _operand(self) -> Operand:
        token = self.tokens.pop(0) if self.tokens else "("
        quoted = token[0] in "'\""
        found = pieces(token[1:-1] if quoted else token)
        reference = single(found)
        if reference is not None:
            return Operand(reference, quoted)
        if len(found) != 1 or (not quoted and not re.fullmatch(r"[\w.-]+", token)):
            raise CannotSayError(f"the condition {self.text!r}")
        return Operand(str(found[0]), quoted)
