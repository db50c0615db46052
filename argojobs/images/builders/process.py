"""Runs a builder's command: its lines as they come, the last of them kept, its end.

Whatever it starts is in a process group of its own, which an interrupt ends as a whole.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from argojobs.errors import HostError

#: Lines of output that are kept for the case that it fails.
KEPT = 200

#: Seconds from an interrupt to the end by force.
GRACE = 10

_PIECE = 1 << 16
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended: its exit code (negative: the signal), and the last of its lines."""

    code: int
    output: tuple[str, ...]


def run(
    argv: list[str],
    *,
    say: Say,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Done:
    """Run a command and give its lines, of both outputs, to `say` as they come.

    KeyboardInterrupt, or whatever `say` raises, ends the command first.

    Args:
        argv: the program and its arguments.
        say: gets each line, without its end.
        environment: variables beside this process's own.
        folder: where it runs, None for the current one.

    Raises:
        HostError: the program is not there.
    """
    try:
        child = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
            cwd=folder,
            start_new_session=True,
        )
    except OSError as error:
        raise HostError(
            f"{argv[0]} cannot be run: {error.strerror}", hint="is it installed?"
        ) from error
    assert child.stdout is not None
    kept: deque[str] = deque(maxlen=KEPT)
    try:
        with child.stdout:
            for line in lines(child.stdout):
                kept.append(line)
                say(line)
        return Done(child.wait(), tuple(kept))
    except BaseException:
        end(child)
        raise


def lines(stream: IO[bytes]) -> Iterator[str]:
    """Give a stream's lines as they come, without colours; a bar drawn over itself gives its last."""
    decode = codecs.getincrementaldecoder("utf-8")("replace")
    rest = ""
    while piece := os.read(stream.fileno(), _PIECE):
        *whole, rest = (rest + decode.decode(piece)).split("\n")
        yield from map(_clean, whole)
        if "\r" in rest:  # keeps a long bar from filling the memory
            rest = rest[rest.rstrip("\r").rfind("\r") + 1 :]
    if rest + decode.decode(b"", final=True):
        yield _clean(rest)


def end(child: subprocess.Popen[bytes]) -> None:
    """End a command and all that it started: asked first, then by force."""
    _signal(child, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(GRACE)
    _signal(child, signal.SIGKILL)  # those of its group that did not listen
    child.wait()


def _signal(child: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS: PermissionError
        os.killpg(child.pid, number)


def _clean(line: str) -> str:
    return _ESCAPES.sub("", line.rstrip("\r").rpartition("\r")[2])
