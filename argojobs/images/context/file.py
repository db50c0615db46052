"""One entry of a build's context: a file, a folder or a link, with what it holds."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from argojobs.errors import HostError


@dataclass(frozen=True, slots=True)
class ContextFile:
    """path: relative to the context, with `/`. source: where it lies.

    Of a file: whether its owner may run it, its size, and the sha256 of its content. Of a link:
    target, as it is written.
    """

    path: str
    source: Path
    kind: Literal["file", "folder", "link"]
    executable: bool = False
    size: int = 0
    digest: str = ""
    target: str = ""

    @property
    def line(self) -> str:
        """What of it decides what a build makes, as one line."""
        executable = "x" if self.executable else "-"
        return f"{self.kind} {executable} {self.digest or ascii(self.target)} {self.path!a}"


def sort_key(file: ContextFile) -> bytes:
    """The order of a context: by the bytes of the paths, so that no locale decides it."""
    return os.fsencode(file.path)


def cannot_read(path: Path, error: OSError) -> HostError:
    """Return the error for what the user may not read."""
    return HostError(
        f"this cannot be read, and the build takes it: {error.strerror or error}",
        where=str(path),
        hint="make it readable, or list it in .dockerignore",
    )
