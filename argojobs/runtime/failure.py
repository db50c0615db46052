"""What a user sees of an exception in their own code: their own frames, no others.

Frames of argojobs and of Python's import machinery say nothing about the user's mistake, so they
are taken out of the traceback and of those of its causes.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

#: The folder of this package, whether it is installed or lies in a bundle.
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _is_ours(filename: str) -> bool:
    return filename.startswith((_OURS, "<frozen importlib", "<frozen runpy"))


def _pruned(traceback: TracebackType | None) -> TracebackType | None:
    """Return the chain of frames without ours."""
    kept: list[TracebackType] = []
    while traceback is not None:
        if not _is_ours(traceback.tb_frame.f_code.co_filename):
            kept.append(traceback)
        traceback = traceback.tb_next
    following: TracebackType | None = None
    for frame in reversed(kept):
        frame.tb_next = following
        following = frame
    return following


def prune(error: BaseException) -> BaseException:
    """Take our frames out of an exception, its causes and (in a group) its members."""
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        each.__traceback__ = _pruned(each.__traceback__)
        waiting += [each.__cause__, each.__context__, *getattr(each, "exceptions", ())]
    return error


def user_traceback(error: BaseException) -> str:
    """Return the traceback of an exception as text, with the user's frames only."""
    import traceback

    prune(error)
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))


def show(error: BaseException) -> None:
    """Print this text on stderr."""
    sys.stderr.write(user_traceback(error))


def missing_module(error: BaseException, project: str) -> str:
    """Return the name of the third-party package that an import failed for, else "".

    A module that lies in the project (a typing mistake, say) is none.
    """
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return ""
    top = error.name.partition(".")[0]
    lies_here = any(
        os.path.exists(os.path.join(folder, top + end))
        for folder in (project, *sys.path)
        for end in ("", ".py")
    )
    return "" if lies_here or top in sys.stdlib_module_names else top
