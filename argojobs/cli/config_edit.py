"""`argojobs context edit`: the config file in the user's editor."""

from __future__ import annotations

import tomllib

from argojobs.cli.door import put
from argojobs.cli.editor import edited, forget
from argojobs.config import editing
from argojobs.config.checking import check_config
from argojobs.config.context_files import Contexts
from argojobs.config.contexts import Context
from argojobs.config.files import config_file
from argojobs.config.toml_lines import lines_of
from argojobs.errors import ArgojobsError


def edit_config(name: str = "", *, dry_run: bool = False) -> int:
    """Let the user edit the config file, and put the result in its place if it is right.

    name: the context to begin at. Raises UsageError with the place of a mistake in the edited
    text, which is kept.
    """
    path = config_file()
    before = editing.read(path)
    kept = edited(before, path.name, line=_line(before, name))
    try:
        after = kept.read_text(encoding="utf-8")
        check_config(after, kept)
        if dry_run:
            put(editing.difference(path, before, after) or "nothing would change\n")
        elif after != before:
            editing.replace(path, before, after)
    except ArgojobsError as error:
        hint = f"{path} is as it was; correct {kept}, then: cp {kept} {path}"
        error.hint = f"{error.hint}\n{hint}" if error.hint else hint
        raise
    forget(kept)
    if not dry_run:
        put(f"{path}: {'changed' if after != before else 'nothing was changed'}\n")
    return 0


def _line(text: str, name: str) -> int:
    """Return the line of a context. Raises UsageError for one that is not in the text."""
    if not name:
        return 1
    try:
        lines = lines_of(text) if tomllib.loads(text) else {}
    except tomllib.TOMLDecodeError:  # it is being edited because it is broken
        return 1
    names = [at[1] for at in lines if at[0] == "contexts" and len(at) == 2]
    if name not in names:
        Contexts({one: Context(one) for one in names}).get(name)
    return lines.get(("contexts", name), 1)
