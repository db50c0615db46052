"""Lets the user edit a text in their own editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from argojobs.errors import HostError, UsageError

#: Editors that take `+LINE` before the file.
_TAKE_A_LINE = frozenset({"vi", "vim", "nvim", "nano", "emacs", "ed", "joe", "mg"})


def edited(text: str, name: str, *, line: int = 0) -> Path:
    """Let the user edit a text, and return the file that holds the result.

    The file is private, and the caller's to remove (`forget`).

    Args:
        text: what to begin with.
        name: of the file; its ending tells an editor what it is.
        line: where to begin, counted from 1; 0 where that does not matter.

    Raises:
        HostError: there is no editor.
        UsageError: the editor failed; the file is kept.
    """
    command = editor(os.environ)
    folder = Path(tempfile.mkdtemp(prefix="argojobs-edit-"))
    path = folder / name
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")
    place = [f"+{line}"] if line > 1 and Path(command[0]).name in _TAKE_A_LINE else []
    try:
        done = subprocess.run([*command, *place, str(path)], check=False)
    except OSError as error:
        forget(path)
        raise HostError(
            f"the editor {command[0]} cannot be run: {error.strerror}",
            hint="set VISUAL or EDITOR to one that is installed",
        ) from error
    if done.returncode:
        raise UsageError(
            f"the editor {command[0]} ended with exit code {done.returncode}; nothing was changed",
            where=str(path),
            hint="what you wrote is kept there",
        )
    return path


def forget(path: Path) -> None:
    """Remove a file that `edited` returned."""
    path.unlink(missing_ok=True)
    path.parent.rmdir()


def editor(environ: Mapping[str, str]) -> list[str]:
    """Return the user's editor as an argument list: $VISUAL, else $EDITOR, else vi or nano."""
    for name in ("VISUAL", "EDITOR"):
        try:
            words = shlex.split(environ.get(name, ""))
        except ValueError as error:
            raise UsageError(f"{name} cannot be split into arguments: {error}") from error
        if words:
            return words
    found = next((program for program in ("vi", "nano") if shutil.which(program)), None)
    if found is None:
        raise HostError("there is no editor", hint="set EDITOR to the one you use")
    return [found]
