"""Checks the text of a config file as a whole, before it takes the place of the old one."""

from __future__ import annotations

from pathlib import Path

from argojobs.config.context_files import Contexts, contexts_of
from argojobs.config.reading import Reader
from argojobs.config.settings import parse_settings
from argojobs.errors import UsageError


def check_config(text: str, path: Path) -> Contexts:
    """Return the contexts of a user's config file in which everything is right.

    path: its name in errors. Raises UsageError with file and line.
    """
    parse_settings(text, path)
    contexts = contexts_of(Reader(text, path))
    if contexts.current:
        contexts.get(contexts.current, said_by=contexts.origins["current_context",])
    return contexts


def check_change(before: str, after: str, path: Path) -> None:
    """Check a file's new text.

    Args:
        before: the text that the file has; a mistake that is in it already is told with its line
            there.
        after: the new one.
        path: of the file: its name in messages, and the base of the folders in it.

    Raises:
        UsageError: a mistake, with its file and line.
    """
    try:
        check_config(after, path)
    except UsageError:
        check_config(before, path)
        raise
