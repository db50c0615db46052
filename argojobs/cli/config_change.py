"""Changes the user's config file: the new text is checked before it takes the old one's place."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from argojobs.cli.door import put
from argojobs.cli.text import show
from argojobs.config import editing
from argojobs.config.checking import check_change
from argojobs.config.contexts import FILES
from argojobs.config.files import config_file
from argojobs.config.reading import Reader
from argojobs.config.secret_references import CREDS, FILE


def change_config(change: Callable[[str], str], *, dry_run: bool) -> Path:
    """Put `change(text)` in the place of the config file's text, and return the file.

    dry_run: print what would change, as `diff -u` shows it, and do nothing. Raises UsageError
    with file and line for a file that is or would be wrong, and ConflictError if somebody else
    changed it meanwhile.
    """
    path = config_file()
    before = editing.read(path)
    Reader(before, path)  # a text that is not TOML is told with its line, and left alone
    after = change(before)
    check_change(before, after, path)
    if dry_run:
        shown = editing.difference(path, before, after)
        put(shown or f"nothing would change in {path}\n")
    elif after != before:
        editing.replace(path, before, after)
    return path


def from_here(key: str, value: str) -> str:
    """Return a value of a context as a config file must have it: its files with whole paths.

    In the file a path is relative to the file; on the command line to the working folder.
    """
    if key in FILES:
        return _whole(value)
    kind, colon, place = value.partition(":")
    if colon and kind == FILE and place:
        return f"{kind}:{_whole(place)}"
    if colon and kind == CREDS:
        file, _, pointer = place.partition("#")
        return f"{kind}:{_whole(file)}#{pointer}"
    return value


def _whole(path: str) -> str:
    return str(Path(path).expanduser().absolute())


def tell(lines: list[str]) -> None:
    """Write notes and warnings to the error stream, one a line."""
    show([[("! " + line, "yellow")] for line in lines], stream=sys.stderr)
