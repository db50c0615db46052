# travels with: command
"""Run the program of a command step as a child and end as it ends."""

from __future__ import annotations

import errno
import os

from ..errors import StepError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType
    from typing import Any

    Handler = Callable[[int, FrameType | None], Any] | int | None

_FORWARDED = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCONT", "SIGWINCH")


def checked(argv: object, step: str) -> list[str]:
    """Return the argv that a command step's function gave; StepError if it is none."""
    if not isinstance(argv, (list, tuple)) or not argv:
        raise StepError(
            f"the command step {step} returned {argv!r:.80}, not a list of arguments",
            hint="return the program and its arguments: ['python3', 'train.py', f'--n={n}'].",
        )
    texts = []
    for position, argument in enumerate(argv):
        if not isinstance(argument, str) and not hasattr(argument, "__fspath__"):
            raise StepError(
                f"argument {position} of the command step {step} is {argument!r:.80},"
                f" a {type(argument).__name__}",
                hint="arguments are text: write str(...) or an f-string, so that you choose its form.",
            )
        texts.append(os.fspath(argument))
    return texts


def run(argv: Sequence[str]) -> int:
    """Run a program and return its exit status as a shell does: 128 + N for signal N.

    Signals that this process gets meanwhile go on to the child. Raises StepError where the
    program is missing or cannot be run.
    """
    import signal

    child = 0
    waiting: list[int] = []

    def forward(number: int, _: FrameType | None) -> None:
        if child:
            os.kill(child, number)
        else:
            waiting.append(number)

    before = dict(_set_handlers(signal, forward))
    try:
        child = _spawn(argv)
        for number in waiting:
            os.kill(child, number)
        _, status = os.waitpid(child, 0)
        child = 0
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _set_handlers(signal: Any, handler: Handler) -> Iterator[tuple[int, Any]]:
    """Set a handler for all forwarded signals that are not ignored; yield what was there."""
    for name in _FORWARDED:
        number = getattr(signal, name)
        if signal.getsignal(number) not in (signal.SIG_IGN, None):
            yield number, signal.signal(number, handler)


def _spawn(argv: Sequence[str]) -> int:
    import signal

    # Python ignores these two for itself, and a child would go on ignoring them.
    ignored = [signal.SIGPIPE, signal.SIGXFSZ]
    try:
        return os.posix_spawnp(argv[0], list(argv), os.environ, setsigdef=ignored)
    except OSError as error:
        raise _cannot_start(argv[0], error) from error


def _cannot_start(program: str, error: OSError) -> StepError:
    """Return the error of a program that cannot be started, with the cause that its file shows."""
    import shutil

    file = program if os.path.dirname(program) else shutil.which(program) or ""
    first = _first_line(file)
    if first.endswith(b"\r") and first.startswith(b"#!"):
        return StepError(
            f"the lines of {file} end with a carriage return, as on Windows: no system has the "
            f"program {os.fsdecode(first[2:]).strip(' ')!r}",
            hint=f"take them out: sed -i 's/\\r$//' {file}",
        )
    if first.startswith(b"\xef\xbb\xbf"):
        return StepError(
            f"{file} begins with a byte order mark, so no system sees its first line",
            hint="save it as UTF-8 without one.",
        )
    if isinstance(error, FileNotFoundError):
        return _not_found(program, file, os.fsdecode(first))
    if os.path.isdir(file):
        return StepError(f"the program {program!r} is a folder", hint="name a file in it.")
    if isinstance(error, PermissionError):
        return StepError(
            f"the program {program!r} may not be executed",
            hint="give it the x bit (chmod +x), or start it by its interpreter: ['python3', ...].",
        )
    hint = "arguments above 128 KiB must travel in a file."
    if error.errno == errno.ENOEXEC:
        hint = "a script needs a first line like #!/usr/bin/env python3."
        if first.startswith(b"\x7fELF"):
            hint = f"it is built for another processor than this one ({os.uname().machine})."
    return StepError(f"the program {program!r} cannot be started: {error.strerror}", hint=hint)


def _not_found(program: str, file: str, first: str) -> StepError:
    """Return the error of a program that is not there, or whose interpreter is not."""
    if os.path.exists(file):
        by = first[2:].strip() if first.startswith("#!") else "a loader of another system"
        return StepError(
            f"the program {program!r} is run by {by}, which is not in this image",
            hint="use an image that has it: @command(image=...), or name another in its first line.",
        )
    if os.path.dirname(program):
        return StepError(
            f"there is no file {program!r} in this step, whose folder is {os.getcwd()}",
            hint="what git ignores does not travel with the code, unless a line of "
            ".argojobsignore takes it along: !/name.",
        )
    if os.path.exists(program):
        return StepError(
            f"the program {program!r} is not on PATH, but a file of this name is here",
            hint=f"write './{program}'.",
        )
    return StepError(
        f"the program {program!r} is not in this image",
        hint="look at PATH and the spelling, or use an image that has it: @command(image=...).",
    )


def _first_line(file: str) -> bytes:
    """Return how a file begins, up to the end of its first line; nothing of what cannot be read."""
    try:
        with open(file, "rb") as stream:
            return stream.read(256).partition(b"\n")[0]
    except OSError:
        return b""
