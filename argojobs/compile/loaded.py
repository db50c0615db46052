"""What `load` found: one workflow, and what it was made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.compile.scripts import Command, Script
    from argojobs.dsl.pipelines import Pipeline


@dataclass(frozen=True, slots=True)
class Loaded:
    """One workflow, as it was found.

    kind: `dsl` or `script` (then `pipeline` is set), `hera`, `manifest` or `image` (then
    `manifest` is). root: the project's folder. name: the pipeline's or workflow's. warnings: one
    line each, for the user. entries: what was on `sys.path` before the file was imported, for
    `bundle.pack`. made_of: the script, or the command in an image, that it is made of.
    """

    kind: Literal["dsl", "hera", "manifest", "script", "image"]
    path: Path
    root: Path
    name: str
    pipeline: Pipeline[Any, Any] | None = None
    manifest: Workflow | None = None
    warnings: tuple[str, ...] = field(default=())
    entries: tuple[str, ...] = field(default=())
    made_of: Script | Command | None = None
