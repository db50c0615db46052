"""A command in a step that runs, with the streams and the terminal of whoever is here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from argojobs.cli import terminal
from argojobs.runs.entering import Entered, shell_of

if TYPE_CHECKING:
    from argojobs.client.kube.pods import KubePods
    from argojobs.engine.pods import LocalPods


def enter(
    pods: LocalPods | KubePods,
    entered: Entered,
    command: Sequence[str],
    container: str,
    within: Callable[[Sequence[str]], list[str]] = list,
) -> int:
    """Run a command, or a shell, in a step with our own streams, and return its exit code.

    With a terminal it gets that, and all keys. within: makes the command line that starts it.
    Raises UsageError where it cannot be started.
    """
    from argojobs.client.kube.attached import Streams
    from argojobs.engine.pods import LocalPods

    shown = terminal.is_terminal()
    words = within(list(command) or [shell_of(pods, entered.pod, container)])
    if isinstance(pods, LocalPods):
        with terminal.lent() if shown else nullcontext():
            return pods.attach(entered.pod, words, container)
    source = sys.stdin.fileno()
    if not shown:
        return pods.attach(entered.pod, words, Streams(source, _out, _err), container)
    with terminal.raw() as resized:
        streams = Streams(source, _out, _err, terminal.size, resized)
        return pods.attach(entered.pod, words, streams, container)


def _out(content: bytes) -> None:
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _err(content: bytes) -> None:
    sys.stderr.buffer.write(content)
    sys.stderr.buffer.flush()
