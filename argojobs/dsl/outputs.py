"""`Outputs`: what a step hands on, one annotated field each.

    class Trained(Outputs):
        model: Model
        board: TensorBoard
        accuracy: float

Inside a step `Trained()` has a place for each artifact, and `Trained.continuing(before)` starts
from the logs and checkpoints of the step before. Parameters are assigned: `out.accuracy = 0.9`;
one with a default (`accuracy: float = 0.0`) may be left at it.
"""

# pathlib costs a step a third of its start

from __future__ import annotations

import os

from ..errors import OutputError
from . import annotations as types_of
from .artifacts import Artifact, prepare
from .current import recorder
from .names import check_field
from .where import defining_frame, mistake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, ClassVar

    from typing_extensions import Self

    from .fields import Field

#: Names that would hide a method here, or an attribute of a placeholder.
_RESERVED = frozenset({"continuing", "path_of"}) | {
    f"{name}_"
    for name in ("cls", "fields", "gathered", "name", "prefix", "schema", "source", "values")
}


class Outputs:
    """Base class: the annotations of a class derived from it are a step's outputs."""

    #: The fields, bases' first, found when first needed (see `fields_of`).
    _declared: ClassVar[dict[str, Field] | None] = None
    _defined_in: ClassVar[dict[str, Any] | None] = None
    _where: ClassVar[str] = ""

    # travels with: outputs
    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls._declared = None
        frame = defining_frame()
        if frame is not None:
            cls._where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
            if "<locals>" in cls.__qualname__:
                cls._defined_in = dict(frame.f_locals)

    def __new__(cls, **values: Any) -> Any:
        """Inside a pipeline, outputs of several steps put together: `Tested(model=a.model, ...)`."""
        now = recorder.get()
        return object.__new__(cls) if now is None else now.compose(cls, values)

    # travels with: outputs
    def __init__(self, **values: Any) -> None:
        for name, field in fields_of(type(self)).items():
            if field.kind == "artifact" and name not in values:
                from ..runtime import places

                path = places.output_path(name)
                prepare(field.cls, path)
                self.__dict__[name] = field.cls(path)
            elif field.has_default:
                self.__dict__[name] = _fresh(field.default)
        for name, value in values.items():
            setattr(self, name, value)

    # travels with: .continuing
    @classmethod
    def continuing(cls, previous: Outputs, **values: Any) -> Self:
        """Return outputs to write to that start with the logs and checkpoints of `previous`.

        Only what can be continued (TensorBoard, Checkpoint) is copied: if the step forgets to
        write a model, that should be noticed, and not be hidden by the old one.
        """
        if recorder.get() is not None:
            raise mistake(
                f"{cls.__name__}.continuing copies folders, which exist only inside a step",
                "hand `before` to a step and continue it there",
            )
        out = cls(**values)
        for name, field in fields_of(cls).items():
            if field.kind == "artifact" and field.cls.continues and name not in values:
                before = previous.__dict__.get(name)
                if isinstance(before, Artifact) and os.path.isdir(before):
                    import shutil

                    shutil.copytree(before, out.__dict__[name], symlinks=True, dirs_exist_ok=True)
        return out

    # travels with: .path_of
    def path_of(self, field: str) -> Path:
        """Return the file to which a command writes the text of an output parameter."""
        from pathlib import Path

        from ..runtime import places

        if field not in fields_of(type(self)):
            raise self._unknown(field)
        path = Path(places.parameter_path(field))
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    if not TYPE_CHECKING:  # else any name would be right for a type checker
        # travels with: outputs
        def __setattr__(self, name: str, value: Any) -> None:
            field = fields_of(type(self)).get(name)
            if field is None:
                raise self._unknown(name)
            if field.kind == "artifact" and not isinstance(value, Artifact):
                value = field.cls(value)
            self.__dict__[name] = value

        # travels with: outputs
        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            if name in fields_of(type(self)):
                raise OutputError(
                    f"the field {name!r} of {type(self).__name__} is not set yet",
                    hint=f"assign it first: out.{name} = ...",
                )
            raise self._unknown(name)

    # travels with: outputs
    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({values})"

    # travels with: outputs
    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    __hash__ = None  # type: ignore[assignment]

    # travels with: outputs
    def _unknown(self, name: str) -> OutputError:
        from .where import nearest

        cls = type(self)
        return OutputError(
            f"{cls.__name__} has no field {name!r}",
            hint=nearest(name, fields_of(cls), "its fields"),
        )


def fields_of(cls: type[Outputs]) -> dict[str, Field]:
    """Return the fields of an Outputs class, its bases' first. Raises DefinitionError."""
    known = cls.__dict__.get("_declared")
    if known is not None:
        return known  # type: ignore[no-any-return]
    from .fields import MISSING, Field

    fields: dict[str, Field] = {}
    for base in reversed(cls.__mro__):
        if not issubclass(base, Outputs) or base is Outputs:
            continue
        where = base._where  # noqa: SLF001 - our own class
        for name, annotation in types_of.of_class(base, where).items():
            if name.startswith("_") and name in vars(Outputs):
                continue
            if getattr(annotation, "__name__", "") == "ClassVar" or "ClassVar[" in repr(annotation):
                continue
            if name in _RESERVED:
                raise mistake(
                    f"the field {name!r} of {base.__name__} is a name of argojobs itself",
                    "choose another name",
                    where,
                )
            check_field(name, f"field of {base.__name__}", where)
            default = vars(base).get(name, MISSING)
            fields[name] = Field(name, annotation, f"{base.__name__}.{name}", where, default)
    cls._declared = fields
    return fields


# travels with: outputs
def _fresh(default: Any) -> Any:
    """Return a default for one instance alone: a list or dict is copied."""
    if isinstance(default, (list, dict)):
        from copy import deepcopy

        return deepcopy(default)
    return default


def takes_fields(cls: Any) -> bool:
    """Whether an annotation is an Outputs class."""
    return isinstance(cls, type) and issubclass(cls, Outputs)
