# travels with: foreign
"""What refuses to be used as a value while a pipeline is traced."""

from __future__ import annotations

from .where import helper, mistake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

IN_A_STEP = "do it inside a step, which gets the value as an argument"


class Placeholder:
    """Base of all: refuses to be used as a value."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{self._label()}, known only during the run>"

    def _label(self) -> str:
        return "a value"

    def _refuse(self, use: str, hint: str) -> NoReturn:
        what = f"{self._label()} is used as {use}, but its value exists only during the run"
        name = helper()
        if name:
            hint = f"{name} is an ordinary function: make it a step with @step, or call it in one"
        raise mistake(what, hint)

    def __bool__(self) -> NoReturn:  # noqa: PLE0304 - it never returns
        self._refuse(
            "a truth value (in `if`, `and`, `or`, `not`, `in`, or a chain like 0 < x < 1)",
            "write `with when(condition):`, and join conditions by &, | and ~",
        )

    def __iter__(self) -> NoReturn:
        self._refuse("a sequence", "fan out over it: each(values, lambda value: step(value))")

    def __getitem__(self, key: object) -> NoReturn:
        self._refuse(
            "a sequence or dict", "pass the whole value to a step, or fan out: each(values, ...)"
        )

    def __len__(self) -> NoReturn:  # noqa: PLE0303 - it never returns
        self._refuse("a sequence", IN_A_STEP)

    def __str__(self) -> NoReturn:  # noqa: PLE0307 - it never returns
        self._refuse("text", "pass it as an argument of its own, and make the text in the step")

    def __format__(self, specification: str) -> NoReturn:
        self._refuse("text", "pass it as an argument of its own, and make the text in the step")

    def __int__(self) -> NoReturn:
        self._refuse("a number", "pass it to an argument of the type it has")

    def __fspath__(self) -> NoReturn:
        self._refuse("a path", "pass it to a step; there its .path is a real one")

    def _arithmetic(self, *_: object) -> NoReturn:
        self._refuse("a number or text to calculate with", IN_A_STEP)

    __float__ = __index__ = __complex__ = __int__
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _arithmetic
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = _arithmetic
    __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _arithmetic
    __neg__ = __pos__ = __abs__ = __round__ = _arithmetic

    def __call__(self, *_: object, **__: object) -> NoReturn:
        """Refuse: it is not a function."""
        self._refuse("a function", IN_A_STEP)
