"""Artifacts: files and folders that steps hand on.

`Model("weights")` is an artifact at a path. `Model()` inside a step is the step's single output,
at the place it is collected from. The class says what it is: a step that declares a `Dataset`
takes no `Model`.

Before a step begins, the place of an output that can only be a folder (Directory, TensorBoard,
Checkpoint) is an empty folder. Of one that may be a file (File, Model, Dataset) only the folder
above is there.
"""

# pathlib costs a step a third of its start

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import ClassVar

#: The field of a single return value that has no name of its own.
SINGLE = "result"


class Artifact:
    """A file or folder; a parameter of this class accepts any kind of artifact."""

    __slots__ = ("_path",)

    #: A folder that is made before the step begins, so that what it holds is there if it fails.
    is_directory: ClassVar[bool] = False
    #: `Outputs.continuing` copies what the step before left in it.
    continues: ClassVar[bool] = False

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        if path is None:
            from ..runtime import places

            path = places.output_path(SINGLE)
            prepare(type(self), path)
        self._path = os.fspath(path)

    @property
    def path(self) -> Path:
        """Where it lies."""
        from pathlib import Path

        return Path(self._path)

    def __fspath__(self) -> str:
        return self._path

    def __str__(self) -> str:
        return self._path

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._path!r})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and os.fspath(self) == os.fspath(other)

    def __hash__(self) -> int:
        return hash((type(self), self._path))


class File(Artifact):
    """One file."""

    __slots__ = ()


class Directory(Artifact):
    """A folder."""

    __slots__ = ()
    is_directory = True


class Model(Artifact):
    """A trained model, a file or a folder; stored unpacked, so that an S3 browser can show it."""

    __slots__ = ()


class TensorBoard(Directory):
    """A folder of TensorBoard logs, which a later step can continue."""

    __slots__ = ()
    continues = True


class Dataset(Artifact):
    """Data to train or test on, a file or a folder."""

    __slots__ = ()


class Checkpoint(Directory):
    """A folder of checkpoints, under one key for all attempts of a step or item."""

    __slots__ = ()
    continues = True


def prepare(kind: type[Artifact], path: str | os.PathLike[str]) -> None:
    """Make the folder that an output is written to (the parent's, for what may be a file)."""
    folder = os.fspath(path) if kind.is_directory else os.path.dirname(os.fspath(path))
    if folder:
        os.makedirs(folder, exist_ok=True)
