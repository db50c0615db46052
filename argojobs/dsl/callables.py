"""What steps and pipelines share: a function, its name, its signature, its options."""

from __future__ import annotations

from .names import check_name, label
from .where import mistake, of_code, shown, unwrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from typing_extensions import Self

    from .fields import Field
    from .signature import Input, Signature


class Declared:
    """A function with a name, a place, options and a signature that is read when first needed.

    function: the user's own. full_name: as it was given, or the function's. name: its DNS label.
    where: `file:line`. settings: checked options. `call_name` (in full) and `call_after` belong to
    one call (see `options`).
    """

    #: What it is, for messages.
    kind = "step"
    call_name: str | None = None
    call_after: tuple[Any, ...] = ()
    __name__: str
    __qualname__: str

    def __init__(self, function: Any, name: str | None, settings: dict[str, Any]) -> None:
        code = getattr(function, "__code__", None)
        if code is None:
            raise mistake(
                f"{shown(function)} is not a function",
                f"put @{self.kind} right above a `def`; a class or a finished object cannot be one",
            )
        code = unwrapped(function).__code__
        self.where = of_code(code)
        if code.co_flags & 0x2A0:  # generator, coroutine, asynchronous generator
            raise mistake(
                f"{function.__name__} is a generator or coroutine",
                f"a {self.kind} is an ordinary function that returns its outputs",
                self.where,
            )
        self.function = function
        self.full_name = check_name(name, self.where) if name else function.__name__
        self.name = label(self.full_name)
        self.settings = settings
        self._signature: list[Signature] = []
        self._local = _local_names(function)
        self.__wrapped__ = function
        for attribute in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(self, attribute, getattr(function, attribute))

    @property
    def signature(self) -> Signature:
        """What the function declares. Raises DefinitionError if it cannot be a step or pipeline."""
        if not self._signature:
            self._signature.append(self._read())
        return self._signature[0]

    def _read(self) -> Signature:
        from .signature import read_signature

        return read_signature(self.function, self._local)

    @property
    def inputs(self) -> Mapping[str, Input]:
        """The arguments by name, in order, each with its kind."""
        return self.signature.inputs

    @property
    def outputs(self) -> Any:
        """The Outputs class, the annotation of a single return value, or None."""
        return self.signature.returns

    @property
    def output_fields(self) -> Mapping[str, Field]:
        """The outputs by name; a single return value is `result`."""
        return self.signature.fields

    def changed(self, options: Mapping[str, Any]) -> Self:
        """Return the same with these options for one call."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        rest = dict(options)
        if "name" in rest:
            twin.call_name = check_name(rest.pop("name"))
        if "after" in rest:
            twin.call_after = _several(rest.pop("after"))
        if rest:
            from .options import checked, merged

            twin.settings = merged(self.settings, checked(rest, ("name", "after")))
        return twin

    def __get__(self, owner: object, kind: object = None) -> Self:
        """Return itself, also as an attribute of a class; `help()` takes it for a function so."""
        return self

    def __reduce__(self) -> str:
        """Pickle it by its name, as functions are: a pool may map it."""
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name} of {self.where}>"


def _several(after: Any) -> tuple[Any, ...]:
    if isinstance(after, (list, tuple, set)):
        return tuple(after)
    raise mistake(
        "after= takes a list of what earlier calls returned", "write after=[first, second]"
    )


def _local_names(function: Any) -> dict[str, Any] | None:
    """Return the local names around a function defined in another one: its annotations use them."""
    if "<locals>" not in function.__qualname__:
        return None
    from .where import defining_frame

    frame = defining_frame()
    return dict(frame.f_locals) if frame else None
