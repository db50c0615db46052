"""Where in the user's own files something happened, and errors that say so."""

from __future__ import annotations

import os
import sys

from ..errors import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType, FrameType
    from typing import Any

#: The folder of this package: frames below it are ours, all others the user's.
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
#: Where files begin that are ours or belong to Python (contextlib's frames stand in a `with`).
_NOT_THE_USERS = (_OURS, os.path.dirname(os.__file__) + os.sep, "<frozen ")


def user_frame() -> FrameType | None:
    """Return the innermost frame of the user's own files, or None if there is none."""
    frame = defining_frame()
    while frame is not None and not _is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def defining_frame() -> FrameType | None:
    """Return the innermost frame that is not ours: where a class or function is being defined.

    It may be that of an installed package.
    """
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - inspect.stack reads every file
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    return frame


def _is_users(filename: str) -> bool:
    """Whether a file is the user's own: not ours, of Python itself, or of an installed package."""
    return not (
        filename.startswith(_NOT_THE_USERS)
        or "site-packages" in filename
        or "dist-packages" in filename
    )


# travels with: foreign
def helper() -> str:
    """Return the name of the user's ordinary function in which we are; "" in what we called.

    A pipeline's function is called by us, while it is read; what it calls in turn is not.
    """
    frame = user_frame()
    if frame is None or frame.f_back is None or frame.f_code.co_name.startswith("<"):
        return ""
    return frame.f_code.co_name if _is_users(frame.f_back.f_code.co_filename) else ""


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


# travels with: tracing
def of_error(error: BaseException) -> str:
    """Return `file:line` of the innermost frame of the user's that an exception passed, or ""."""
    found = ""
    traceback = error.__traceback__
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        if _is_users(name):
            found = place(name, traceback.tb_lineno)
        traceback = traceback.tb_next
    return found


def of_code(code: CodeType) -> str:
    """Return `file:line` of a function's definition."""
    return place(code.co_filename, code.co_firstlineno)


def unwrapped(function: Any) -> Any:
    """Return the function below decorators that say what they wrap (functools.wraps)."""
    seen = {id(function)}
    while id(inner := getattr(function, "__wrapped__", function)) not in seen:
        function = inner
        seen.add(id(function))
    return function


def mistake(what: str, hint: str, where: str | None = None) -> DefinitionError:
    """Return the error of a definition.

    Args:
        what: What is wrong, in one line.
        hint: What to write instead.
        where: `file:line`; where the user's code is now if left out.
    """
    return DefinitionError(what, where=here() if where is None else where, hint=hint)


def shown(value: object) -> str:
    """Return a value as a message shows it: a function or class by its name."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if hasattr(value, "__code__"):
        return f"the function {getattr(value, '__name__', '')}"
    return repr(value)


# travels with: tracing foreign artifacts outputs gathered fanout options
def nearest(name: str, known: Iterable[str], what: str = "known") -> str:
    """Return a hint that names the nearest of the known names, and all of them.

    Args:
        name: What was written.
        known: What there is.
        what: Says what these are.
    """
    import difflib

    names = list(known)
    near = difflib.get_close_matches(name, names, 1)
    if near:
        return f"did you mean {near[0]!r}? {what}: {', '.join(names)}"
    return f"{what}: {', '.join(names)}" if names else f"{what}: none"
