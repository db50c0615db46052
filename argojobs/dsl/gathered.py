# travels with: gathered fanout artifacts outputs
"""What a fan-out gathers, as a step gets it: everything in the order of the items."""

from __future__ import annotations

import os

from .artifacts import Artifact, Directory
from .where import mistake, nearest

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from .generic import Generic

    O_co = None
else:
    from collections.abc import Iterator
    from typing import Any, Generic, TypeVar

    from .outputs import Outputs

    O_co = TypeVar("O_co", bound=Outputs, covariant=True)


class Gathered(Generic[O_co]):
    """The outputs of all items of a fan-out, as a step gets them: `results: Gathered[Trained]`.

    Each field is a list in the order of the items: of values for a parameter, of artifacts for an
    artifact (`results.model[0].path`); the list's own `.path` is the folder that contains them.
    """

    _gathered: Any = None

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise mistake(
            f"what was gathered has no field {name!r}", nearest(name, self.__dict__, "its fields")
        )

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({values})"

    if not TYPE_CHECKING:

        def __class_getitem__(cls, item: Any) -> type:
            """Remember the Outputs class, for `Gathered[Trained]` as an annotation."""
            name = getattr(item, "__name__", repr(item))
            return type(f"Gathered[{name}]", (cls,), {"_gathered": item})


class GatheredArtifacts(Directory):
    """The artifacts of all items: a list in their order, and the folder that they lie in.

    Entries of the folder are the numbers of the items in six digits, `000000` the first.
    """

    __slots__ = ("_kind",)

    def __init__(
        self, path: str | os.PathLike[str] | None = None, kind: type[Artifact] = Artifact
    ) -> None:
        super().__init__(path)
        self._kind = kind

    def _all(self) -> list[Artifact]:
        names = [name for name in os.listdir(self._path) if name.isdigit()]
        return [self._kind(os.path.join(self._path, name)) for name in sorted(names, key=int)]

    def __len__(self) -> int:
        return len(self._all())

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Artifact]:
        return iter(self._all())

    def __getitem__(self, index: Any) -> Any:
        return self._all()[index]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._path!r}, {self._kind.__name__})"


class NothingGathered(list):  # type: ignore[type-arg]
    """What a fan-out over nothing gathers outside of a pipeline: no value of any field."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    @property
    def path(self) -> Any:
        """An empty folder."""
        return empty_folder().path

    def __fspath__(self) -> str:
        return os.fspath(empty_folder())


def entry_of(number: int) -> str:
    """Return the name of an item's entry in the folder: what compiled manifests number, too."""
    return f"{number:06}"


def empty_folder(kind: type[Artifact] = Artifact) -> GatheredArtifacts:
    """Return what a fan-out over nothing gathers of an artifact."""
    from ..runtime import places

    return GatheredArtifacts(places.fresh_outputs(), kind)
