"""A context's folder under its `.dockerignore`: what is there and is not left out."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from argojobs.config.image_lock import LOCK_FILE
from argojobs.images.context.file import cannot_read
from argojobs.images.dockerfiles.ignore import Hits, Ignore, Pattern, judge, may_return

#: What Python leaves beside modules that it imported: another one after each run.
_COMPILED = "__pycache__"


@dataclass(slots=True)
class Tree:
    """A folder and the rules for what of it counts; asked for one path after the other."""

    root: Path
    ignore: Ignore
    _hits: dict[str, Hits] = field(default_factory=dict)

    def left_out(self, path: str) -> Pattern | None:
        """Return the pattern that leaves a path out, None if it stays."""
        return self._judged(path)[0]

    def below(self, folder: str, depth: int | None = None) -> Iterator[tuple[str, int]]:
        """Yield path and mode of all that stays below a folder ("" for the root), unsorted.

        depth: at most so many levels. A folder that is left out is gone through where an
        exception may bring back something in it. Raises HostError for what cannot be read.
        Python's compiled modules never stay, and a deploy's own lock file does not: with it, what
        an image is made of would change by each deploy.
        """
        patterns = self.ignore.patterns
        todo = [(folder, 1)]
        while todo:
            here, level = todo.pop()
            above = self._above(f"{here}/") if here else ()
            for entry in self._entries(here):
                if entry.name == _COMPILED or (not here and entry.name == LOCK_FILE):
                    continue
                path = f"{here}/{entry.name}" if here else entry.name
                out, hits = judge(patterns, path, above)
                mode = entry.stat(follow_symlinks=False).st_mode
                if stat.S_ISDIR(mode) and (out is None or may_return(patterns, path)):
                    self._hits[path] = hits
                    if depth is None or level < depth:
                        todo.append((path, level + 1))
                if out is None:
                    yield path, mode

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        place = self.root / folder
        try:
            with os.scandir(place) as entries:
                return list(entries)
        except OSError as error:
            raise cannot_read(place, error) from error

    def _judged(self, path: str) -> tuple[Pattern | None, Hits]:
        return judge(self.ignore.patterns, path, self._above(path))

    def _above(self, path: str) -> Hits:
        """Return the hits of the folder that holds a path."""
        folder = path.rpartition("/")[0]
        if not folder:
            return ()
        if folder not in self._hits:
            self._hits[folder] = self._judged(folder)[1]
        return self._hits[folder]
