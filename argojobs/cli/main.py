"""The program `argojobs`: run one verb, and turn every error into a few lines and an exit code.

Exit codes: 0 done; 1 the run failed; 2 wrong usage or input; 3 out of reach or state unknown (the
only one worth a retry); 130 interrupted.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from argojobs.errors import ArgojobsError, HostError, UserCodeError

if TYPE_CHECKING:
    from click import ClickException

INTERRUPTED = 130
BROKEN_PIPE = 141
USAGE = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line (the program's own arguments unless given) and return the exit code."""
    try:
        return _run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(arguments: list[str]) -> int:
    from click import Abort, ClickException

    from argojobs.cli.group import NAMES, ReaderGoneError, root
    from argojobs.cli.words import before_words, verb_first

    arguments = verb_first(arguments, NAMES)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what an encoding lacks should not fail a command
            stream.reconfigure(errors="backslashreplace")
    verbose = "--verbose" in before_words(arguments)
    try:
        result = root().main(
            arguments, prog_name="argojobs", standalone_mode=False, obj=tuple(arguments)
        )
    except ArgojobsError as error:
        return _say(error, verbose=verbose)
    except ClickException as error:
        return _say_usage(error)
    except (KeyboardInterrupt, Abort):
        return INTERRUPTED
    except ReaderGoneError:
        # The reader of our output has gone (`| head`): nothing to say, nobody to say it to. What
        # is still buffered goes nowhere, so that Python does not complain when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        return _say(_host_error(error), verbose=verbose)
    except Exception as error:  # noqa: BLE001 - the rim: a bug of ours, shown as one
        return _say_bug(error, verbose=verbose)
    return result if isinstance(result, int) else 0


def _say(error: ArgojobsError, *, verbose: bool) -> int:
    """Write an error: a user's own traceback first, then what, where and what to do."""
    if isinstance(error, UserCodeError) and error.traceback:
        _write(error.traceback.rstrip())
    _write_error(error.what)
    if error.where:
        _write(f"  at {error.where}")
    for line in hint_text(error.hint).splitlines():
        _write(f"  {line}")
    if verbose:
        _write_traceback(error)
    return error.exit_code


def hint_text(hint: str) -> str:
    """Return a hint as it is shown: one clause has no full stop."""
    one_clause = hint.endswith(".") and not hint.endswith("..") and ". " not in hint
    return hint.removesuffix(".") if one_clause else hint


def _say_usage(error: ClickException) -> int:
    """Write an error of the command line itself, with the nearest option and where help is."""
    from click import MissingParameter, NoSuchOption
    from click.exceptions import NoArgsIsHelpError

    from argojobs.manifest.nearest import nearest

    context = getattr(error, "ctx", None)
    if isinstance(error, NoArgsIsHelpError):
        _write(error.message)
        return USAGE
    message, hint = error.format_message(), getattr(error, "hint", "")
    if hint:
        message = error.message
    elif isinstance(error, NoSuchOption):
        option = error.option_name
        known = [name for param in context.command.params for name in param.opts] if context else []
        message = f"there is no option {option}"
        close = nearest(option.lstrip("-"), [one.lstrip("-") for one in known if one[1:2] == "-"])
        own = _of_their_own(context, option)
        hint = "\n  ".join(filter(None, [f"did you mean --{close}?" if close else "", own]))
    elif isinstance(error, MissingParameter) and getattr(error.param, "name", "") in (
        "run",
        "runs",
    ):
        hint = "@latest is your newest run; argojobs list shows all"
    message = message.removesuffix(".")
    _write_error(f"{message[:1].lower()}{message[1:]}")
    if hint:
        _write(f"  {hint}")
    if context is not None:
        _write(f"  {context.command_path} --help shows how it is used")
    return USAGE


def _of_their_own(context: Any, option: str) -> str:
    """Say where an option of the user's own program goes, for a verb that runs one; else ""."""
    from argojobs.cli.words import TakesWords, before_words

    if context is None or not isinstance(context.command, TakesWords):
        return ""
    words = list(before_words(context.obj or ()))
    following = words[words.index(option) + 1 :][:1] if option in words else []
    value = "".join(f" {word}" for word in following if not word.startswith("-"))
    return (
        "an option of your own program comes after --: "
        f"{context.command_path} ... -- {option}{value}"
    )


def _say_bug(error: Exception, *, verbose: bool) -> int:
    """Write that something went wrong that nobody thought of."""
    _write_error(f"this is a bug in argojobs: {type(error).__name__}: {error}")
    if verbose:
        _write_traceback(error)
        _write("  please report it with the traceback above and: argojobs version")
    else:
        _write("  please report it with what this adds: the same command with --verbose")
    return USAGE


def _host_error(error: OSError) -> HostError:
    """Say an operating system's error as one of this machine."""
    path = str(error.filename or "")
    return HostError(
        (error.strerror or str(error)).lower() + (f": {path}" if path else ""),
        hint="see that the path exists, can be written, and that its disk has room",
    )


def _write_error(what: str) -> None:
    """Write what is wrong, after a word in red where the error stream wants colours."""
    from argojobs.cli.text import Screen, screen_of, show

    seen = screen_of(sys.stderr)
    line = [("error", "bold red"), (f": {what}", "")]
    show([line], stream=sys.stderr, screen=Screen(seen.colour, seen.signs, width=0))


def _write_traceback(error: BaseException) -> None:
    import traceback

    _write("".join(traceback.format_exception(error)).rstrip())


def _write(text: str) -> None:
    from argojobs.cli.door import put

    put(text + "\n", sys.stderr)
