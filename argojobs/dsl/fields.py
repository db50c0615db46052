"""One value that travels by itself, as an argument or an output declares it."""

from __future__ import annotations

from ..errors import DefinitionError, ParameterError
from .artifacts import Artifact
from .where import mistake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from ..runtime.types import Schema

    FieldKind = Literal["parameter", "artifact"]

#: Stands for: there is none.
MISSING: Any = object()


class Field:
    """One value that travels by itself: a parameter or an artifact.

    kind, annotation; `cls` is the artifact class, `schema` the schema of a parameter.
    """

    __slots__ = (
        "_schema",
        "annotation",
        "cls",
        "default",
        "has_default",
        "kind",
        "name",
        "optional",
        "texts",
        "where",
    )

    def __init__(
        self, name: str, annotation: Any, label: str, where: str, default: Any = MISSING
    ) -> None:
        self.name = name
        self.annotation = annotation
        self.where = where
        self.optional = False
        self.has_default = default is not MISSING
        self.default = default if self.has_default else None
        #: Wire texts of constants already seen, by their type and value.
        self.texts: dict[Any, str] = {}
        self._schema: Schema | None = None
        self.kind: FieldKind = "artifact" if is_artifact(annotation) else "parameter"
        self.cls: type[Artifact] = annotation if self.kind == "artifact" else Artifact
        if self.kind == "parameter":
            self._check(label)
        if self.has_default:
            self._check_default(label)

    # travels with: tracing foreign fanout
    @classmethod
    def of_schema(cls, name: str, schema: Schema | None) -> Field:
        """Return the field of a parameter whose schema is known, but no annotation of it."""
        field = cls(name, str, name, "")
        field.annotation, field._schema = None, schema
        return field

    # travels with: tracing foreign fanout
    @classmethod
    def of_artifact(cls, name: str, kind: type[Artifact]) -> Field:
        """Return the field of an artifact of this class."""
        return cls(name, kind, name, "")

    @property
    def schema(self) -> Schema:
        """The schema of the parameter (see `runtime.types`)."""
        assert self._schema is not None
        return self._schema

    def _check(self, label: str) -> None:
        from ..runtime.types import schema_of

        try:
            self._schema = schema_of(self.annotation)
        except DefinitionError as error:
            raise mistake(f"{label}: {error.what}", error.hint, self.where) from error

    # travels with: mistakes
    def _check_default(self, label: str) -> None:
        if self.kind == "artifact":
            raise mistake(
                f"{label} is an artifact with a default ({self.default!r}), which Argo cannot give",
                f"leave the default out, or make it optional: {self.name}: "
                f"{self.cls.__name__} | None = None",
                self.where,
            )
        from ..runtime.wire import encode

        try:
            encode(self.default, self.schema)
        except ParameterError as error:
            hint = error.hint or "write a default of the declared type"
            if self.default is None:
                wanted = getattr(self.annotation, "__name__", None) or repr(self.annotation)
                hint = f"declare it as {self.name}: {wanted} | None = None"
            raise mistake(f"the default of {label}: {error.what}", hint, self.where) from error


def is_artifact(annotation: Any) -> bool:
    """Whether an annotation is an artifact class."""
    return isinstance(annotation, type) and issubclass(annotation, Artifact)
