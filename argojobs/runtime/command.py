# travels with: command
"""Run the program of a command step as a child and end as it ends."""

from __future__ import annotations

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
    except FileNotFoundError as error:
        raise StepError(
            f"the program {argv[0]!r} is not in this image",
            hint="look at PATH and the spelling, or use an image that has it: @command(image=...).",
        ) from error
    except PermissionError as error:
        raise StepError(
            f"the program {argv[0]!r} may not be executed",
            hint="give it the x bit (chmod +x), or start it by its interpreter: ['python3', ...].",
        ) from error
    except OSError as error:
        raise StepError(
            f"the program {argv[0]!r} cannot be started: {error.strerror}",
            hint="a script needs a first line like #!/usr/bin/env python3; arguments above 128 KiB "
            "must travel in a file.",
        ) from error
