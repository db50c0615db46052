"""Functions of expressions with the kinds of their arguments, checked before each call as Go would.

A signature is one letter an argument: s string, i int, f float, n number, b bool, l list, m map, t time, a anything;
after "?" they may be left out, and a "*" lets the letter before it repeat. "ss?i" is two strings and perhaps an int.
The kind of the result may follow: "ss -> int".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from random import Random

from argojobs.expressions.budget import size, spend
from argojobs.expressions.values import failure, is_integer, is_number, kind

_KINDS: dict[str, tuple[str, Callable[[object], bool]]] = {
    "s": ("string", lambda value: isinstance(value, str)),
    "i": ("int", is_integer),
    "f": ("float", lambda value: isinstance(value, float)),
    "n": ("number", is_number),
    "b": ("bool", lambda value: isinstance(value, bool)),
    "l": ("array", lambda value: isinstance(value, list)),
    "m": ("map", lambda value: isinstance(value, dict)),
    "t": ("time.Time", lambda value: isinstance(value, datetime)),
    "a": ("any", lambda _: True),
}


@dataclass(frozen=True, slots=True)
class Context:
    """What an evaluation takes from outside: the time, and where random values come from."""

    now: datetime
    random: Random


@dataclass(frozen=True)
class Function:
    """A function: its name, its signature, what it does, and whether it takes the Context first."""

    name: str
    signature: str
    implementation: Callable[..., object]
    takes_context: bool = False

    @property
    def result(self) -> str:
        """The kind of what it returns, "" where that depends on its arguments."""
        return self.signature.partition(" -> ")[2]

    @cached_property
    def _shape(self) -> tuple[str, int, bool]:
        """The letters, how many are needed, and whether the last repeats."""
        arguments = self.signature.partition(" -> ")[0]
        required, _, optional = arguments.partition("?")
        repeats = arguments.endswith("*")
        letters = (required + optional).rstrip("*")
        needed = len(required.rstrip("*")) - (1 if repeats and not optional else 0)
        return letters, needed, repeats

    def __call__(self, context: Context, *arguments: object) -> object:
        """Call it. Raises ExpressionError for a wrong number or kind of arguments."""
        letters, needed, repeats = self._shape
        count = len(arguments)
        if count < needed or (count > len(letters) and not repeats):
            few = count < needed
            raise failure(
                f"{'not enough' if few else 'too many'} arguments to call {self.name}",
                f"it takes {needed if few else len(letters)}",
            )
        for index, argument in enumerate(arguments):
            name, is_kind = _KINDS[letters[min(index, len(letters) - 1)]]
            if not is_kind(argument):
                raise failure(
                    f"cannot use {kind(argument)} as argument (type {name}) to call {self.name}",
                    f"argument {index + 1} must be of type {name}; convert it first",
                )
        spend(1 + sum(map(size, arguments)))
        if self.takes_context:
            made = self.implementation(context, *arguments)
        else:
            made = self.implementation(*arguments)
        spend(size(made))
        return made


def table(
    functions: Mapping[str, tuple[str, Callable[..., object]]],
    with_context: Mapping[str, tuple[str, Callable[..., object]]],
) -> dict[str, Function]:
    """Make a table of functions out of name -> (signature, implementation)."""
    made = {name: Function(name, *parts) for name, parts in functions.items()}
    made |= {
        name: Function(name, *parts, takes_context=True) for name, parts in with_context.items()
    }
    return made
