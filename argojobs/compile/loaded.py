"""What `load` found: one workflow, and the script or command that it was made of, if any."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from argojobs.edits.pins import split
from argojobs.manifest.words import SHELL
from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.dsl.pipelines import Pipeline


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """What a script or command is run with.

    words: what it gets. retry: further attempts. keeps: whether its results can be stored. shm:
    whether it needs more shared memory than a container has, as with a GPU. idle: None unless a
    shell is waited for in place of it; then after how many seconds without use that ends, 0 never.
    """

    words: tuple[str, ...] = ()
    retry: int | None = None
    keeps: bool = True
    shm: bool = False
    idle: int | None = None


@dataclass(frozen=True, slots=True)
class Script(_Given):
    """A script; file: None for a command beside the project's code, whose words are all of it."""

    file: Path | None
    root: Path

    @property
    def name(self) -> str:
        """What its run and its step are called."""
        program = self.file or Path(self.words[0])
        own = program.stem or program.name
        return own if self.idle is None else f"{own}-{SHELL}"

    @property
    def runs(self) -> str:
        """What the annotation `RUNS` says of it."""
        return "script" if self.idle is None else SHELL


@dataclass(frozen=True, slots=True)
class Command(_Given):
    """A command in an image."""

    image: str

    @property
    def name(self) -> str:
        """The image's last name, without its registry, tag and digest; of a shell: that."""
        if self.idle is not None:
            return SHELL
        return split(self.image)[0].rpartition("/")[2] or "command"

    @property
    def runs(self) -> str:
        """What the annotation `RUNS` says of it."""
        return "image" if self.idle is None else SHELL


@dataclass(frozen=True, slots=True)
class Loaded:
    """One workflow, as it was found.

    kind: `dsl` or `script` (then `pipeline` is set), `hera`, `manifest` or `image` (then
    `manifest` is). root: the project's folder. name: the pipeline's or workflow's. warnings: one
    line each, for the user. entries: what was on `sys.path` before the file was imported, for
    `bundle.pack`. source: the script, or the command in an image, that it is made of.
    """

    kind: Literal["dsl", "hera", "manifest", "script", "image"]
    path: Path
    root: Path
    name: str
    pipeline: Pipeline[Any, Any] | None = None
    manifest: Workflow | None = None
    warnings: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    source: Script | Command | None = None
