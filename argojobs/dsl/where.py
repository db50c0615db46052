"""Where in the user's own files something happened, and errors that say so."""

from __future__ import annotations

import os
import sys

from ..errors import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType, FrameType

#: The folder of this package: frames below it are ours, all others the user's.
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def user_frame() -> FrameType | None:
    """Return the innermost frame that is not ours, or None if there is none."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - inspect.stack reads every file
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    return frame


def place(filename: str, line: int) -> str:
    """Return `file:line`, with the file relative to the working directory where it lies below."""
    try:
        short = os.path.relpath(filename)
    except ValueError:  # another drive
        short = filename
    return f"{filename if short.startswith('..') else short}:{line}"


def here() -> str:
    """Return `file:line` of the user's own frame, "" if there is none."""
    frame = user_frame()
    return place(frame.f_code.co_filename, frame.f_lineno) if frame else ""


def of_code(code: CodeType) -> str:
    """Return `file:line` of a function's definition."""
    return place(code.co_filename, code.co_firstlineno)


def mistake(what: str, hint: str, where: str | None = None) -> DefinitionError:
    """Return the error of a definition, at this place or where the user's code is now."""
    return DefinitionError(what, where=here() if where is None else where, hint=hint)


def nearest(name: str, known: Iterable[str], what: str = "known") -> str:
    """Return a hint that names the nearest of the known names, and all of them if they are few."""
    import difflib

    names = list(known)
    near = difflib.get_close_matches(name, names, 1)
    if near:
        return f"did you mean {near[0]!r}? {what}: {', '.join(names)}"
    return f"{what}: {', '.join(names)}" if names else f"{what}: none"
