# travels with: foreign
"""What stands for a value while a pipeline is traced: the value exists only during the run.

It can be an argument of a step, be compared in a condition, be returned. Whatever else Python
could do with it (`if`, a loop, arithmetic, a text) is an error that names the remedy. Our own
attributes end in `_`, so that they hide no field of the user's.
"""

from __future__ import annotations

from .artifacts import Artifact
from .conditions import Condition, compare, truth
from .where import helper, mistake, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn

    from ..runtime.types import Schema
    from .fields import Field
    from .graph import Call, Graph, Items

    Source = Call | Graph | Items

_IN_A_STEP = "do it inside a step, which gets the value as an argument"


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
        self._refuse("a sequence", _IN_A_STEP)

    def __str__(self) -> NoReturn:  # noqa: PLE0307 - it never returns
        self._refuse("text", "pass it as an argument of its own, and make the text in the step")

    def __format__(self, specification: str) -> NoReturn:
        self._refuse("text", "pass it as an argument of its own, and make the text in the step")

    def __int__(self) -> NoReturn:
        self._refuse("a number", "pass it to an argument of the type it has")

    def __fspath__(self) -> NoReturn:
        self._refuse("a path", "pass it to a step; there its .path is a real one")

    def _arithmetic(self, *_: object) -> NoReturn:
        self._refuse("a number or text to calculate with", _IN_A_STEP)

    __float__ = __index__ = __complex__ = __int__
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _arithmetic
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = _arithmetic
    __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _arithmetic
    __neg__ = __pos__ = __abs__ = __round__ = _arithmetic

    def __call__(self, *_: object, **__: object) -> NoReturn:
        """Refuse: it is not a function."""
        self._refuse("a function", _IN_A_STEP)


class Parameter(Placeholder):
    """Stands for a parameter: of a call, an argument of the pipeline, or an item of a fan-out.

    gathered: a list, one element for each item of a fan-out, made of wire texts.
    """

    __slots__ = ("gathered_", "name_", "schema_", "source_")

    def __init__(self, source: Source, name: str, schema: Schema, gathered: bool = False) -> None:
        self.source_ = source
        self.name_ = name
        self.schema_: Any = schema  # None: an item that no argument has typed yet
        self.gathered_ = gathered

    def _label(self) -> str:
        return _label_of(self.source_, self.name_)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse(f"an object with .{name}", _IN_A_STEP)

    def __eq__(self, other: object) -> Any:
        return compare("==", self, other)

    def __ne__(self, other: object) -> Any:
        return compare("!=", self, other)

    def __lt__(self, other: object) -> Condition:
        return compare("<", self, other)

    def __le__(self, other: object) -> Condition:
        return compare("<=", self, other)

    def __gt__(self, other: object) -> Condition:
        return compare(">", self, other)

    def __ge__(self, other: object) -> Condition:
        return compare(">=", self, other)

    def __and__(self, other: object) -> Condition:
        return truth(self) & other

    def __or__(self, other: object) -> Condition:
        return truth(self) | other

    __rand__, __ror__ = __and__, __or__

    def __invert__(self) -> Condition:
        return ~truth(self)

    __hash__ = object.__hash__


class ArtifactReference(Placeholder):
    """Stands for an artifact; `gathered`: the folder with one entry for each item of a fan-out.

    optional: it may be left out (an argument `Model | None`). any_kind: its class is not known.
    """

    __slots__ = ("any_kind_", "cls_", "gathered_", "name_", "optional_", "source_")

    def __init__(
        self,
        source: Source,
        name: str,
        cls: type[Artifact],
        gathered: bool = False,
        optional: bool = False,
    ) -> None:
        self.source_ = source
        self.name_ = name
        self.cls_ = cls
        self.gathered_ = gathered
        self.optional_ = optional
        self.any_kind_ = False

    def _label(self) -> str:
        return _label_of(self.source_, self.name_)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "path":
            self._refuse("a path", "pass it to a step; there its .path is a real one")
        raise mistake(f"{self._label()} has no {name!r}", "an artifact has a path, inside a step")


class OutputsReference(Placeholder):
    """Stands for all outputs of a call, or for an Outputs argument of the pipeline.

    prefix: in front of the fields' names (`before-`). values: what stands for each field where
    outputs of several calls were put together.
    """

    __slots__ = ("cls_", "fields_", "prefix_", "source_", "values_")

    def __init__(
        self,
        source: Source | None,
        cls: Any,
        fields: Mapping[str, Field],
        prefix: str = "",
        values: dict[str, Any] | None = None,
    ) -> None:
        self.source_ = source
        self.cls_ = cls
        self.fields_ = fields
        self.prefix_ = prefix
        self.values_ = values

    def _label(self) -> str:
        if self.source_ is None:
            return f"what was put together as {getattr(self.cls_, '__name__', 'outputs')}"
        return _label_of(self.source_, self.prefix_.rstrip("-"))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return field_of(self, name)


class GatheredReference(Placeholder):
    """Stands for the outputs of a whole fan-out: lists of parameters, folders of artifacts."""

    __slots__ = ("cls_", "fields_", "source_")

    def __init__(self, call: Call, cls: Any, fields: Mapping[str, Field]) -> None:
        self.source_ = call
        self.cls_ = cls
        self.fields_ = fields

    def _label(self) -> str:
        return f"what each() gathers of {self.source_.base}"

    def __getitem__(self, key: object) -> NoReturn:
        self._refuse(
            "a sequence",
            "Argo gathers no single items: take a field of all (.accuracy is a list, .model a "
            "folder with one entry an item), or unroll with an ordinary Python loop",
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return field_of(self, name)


class NothingReference(Placeholder):
    """Stands for a call without outputs; good for `after=` alone."""

    __slots__ = ("source_",)

    def __init__(self, source: Call) -> None:
        self.source_ = source

    def _label(self) -> str:
        return f"the result of {self.source_.base}, which returns nothing"


class Texts:
    """A list argument that is put together from placeholders and constants."""

    __slots__ = ("members",)

    def __init__(self, members: tuple[Any, ...]) -> None:
        self.members = members


def reference(source: Source, name: str, field: Field) -> Parameter | ArtifactReference:
    """Return what stands for one field of a call's outputs or of a pipeline's inputs."""
    if field.kind == "artifact":
        return ArtifactReference(source, name, field.cls)
    return Parameter(source, name, field.schema)


def field_of(outputs: OutputsReference | GatheredReference, name: str) -> Any:
    """Return what stands for one field of outputs. Raises DefinitionError for an unknown one."""
    if isinstance(outputs, OutputsReference) and outputs.values_ is not None:
        if name in outputs.values_:
            return outputs.values_[name]
    elif name in outputs.fields_:
        field = outputs.fields_[name]
        if isinstance(outputs, OutputsReference):
            assert outputs.source_ is not None
            return reference(outputs.source_, outputs.prefix_ + name, field)
        from .fanout import gathered_field

        return gathered_field(outputs.source_, field)
    raise mistake(
        f"{outputs._label()} has no field {name!r}",  # noqa: SLF001
        nearest(name, outputs.fields_, "its fields"),
    )


def _label_of(source: Any, name: str) -> str:
    """Say in words what a placeholder stands for."""
    if hasattr(source, "callee"):
        return f"the output {name!r} of {source.base}" if name else f"the outputs of {source.base}"
    if hasattr(source, "calls"):
        return f"the argument {name!r} of {source.name}"
    return "the item of a fan-out"


def call_of(value: Any) -> Call | None:
    """Return the call that a placeholder comes from, None for arguments, items and constants."""
    source = getattr(value, "source_", None) if isinstance(value, Placeholder) else None
    return source if hasattr(source, "callee") else None
