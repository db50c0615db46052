# travels with: foreign
"""What stands for a value while a pipeline is traced: the value exists only during the run.

It can be an argument of a step, be compared in a condition, be returned. Whatever else Python
could do with it (`if`, a loop, arithmetic, a text) is an error that names the remedy. Our own
attributes end in `_`, so that they hide no field of the user's.
"""

from __future__ import annotations

from .artifacts import Artifact, Directory
from .conditions import Comparable
from .refusing import IN_A_STEP, Placeholder
from .where import mistake, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn

    from ..runtime.types import Schema
    from .fields import Field
    from .graph import Call, Graph, Items

    Source = Call | Graph | Items


class Parameter(Comparable, Placeholder):
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
        self._refuse(f"an object with .{name}", IN_A_STEP)


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
    """Return what stands for one field of a call's outputs or of a pipeline's inputs.

    Args:
        source: The call, or the pipeline's graph.
        name: Of the output or input.
        field: What is declared.
    """
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


# travels with: tracing
def gathered_field(call: Call, field: Field) -> Parameter | ArtifactReference:
    """Return what stands for one output of all items. Raises DefinitionError if none can."""
    if field.kind == "parameter":
        schema = {"type": "list", "items": field.schema}
        return Parameter(call, field.name, schema, gathered=True)
    producer, name = _producer(call, field.name)
    if producer is None:
        raise mistake(
            f"the artifact {field.name!r} of a fan-out over {call.base} is gathered",
            "fan out over the step that makes it: only a step's own artifacts lie side by side",
        )
    producer.gathered.add(name)
    call.gathered.add(field.name)
    return ArtifactReference(call, field.name, Directory, gathered=True)


# travels with: tracing
def _producer(call: Call, name: str) -> tuple[Call | None, str]:
    """Return the call of the step that makes an artifact of a fan-out, and its name there."""
    from .graph import Graph
    from .steps import Step

    if isinstance(call.callee, Step):
        return call, name
    if not isinstance(call.callee, Graph) or call.callee.kind != "body":
        return None, name
    result = call.callee.result
    if isinstance(result, OutputsReference):
        result = field_of(result, name)
    inner = call_of(result) if isinstance(result, ArtifactReference) else None
    if inner is None or inner.items is not None or not isinstance(inner.callee, Step):
        return None, name
    return inner, result.name_
