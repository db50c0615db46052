"""A command in a step that runs, with the streams and the terminal of whoever is here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from argojobs.cli import terminal
from argojobs.runs.entering import Entered, shell_of
from argojobs.service import Pods, Streams


def enter(
    pods: Pods,
    entered: Entered,
    command: Sequence[str],
    container: str,
    within: Callable[[Sequence[str]], list[str]] = list,
) -> int:
    """Run a command, or a shell, in a step with our own streams, and return its exit code.

    Where our streams are a terminal it gets that, and all keys.

    Args:
        pods: of the run.
        entered: the step.
        command: the program and its arguments; empty for a shell.
        container: of the pod.
        within: makes of these words the command line that is run.

    Raises:
        UsageError: it cannot be started.
    """
    words = within(list(command) or [shell_of(pods, entered.pod, container)])
    sys.stdout.flush()
    source, out, err = (stream.fileno() for stream in (sys.stdin, sys.stdout, sys.stderr))
    streams = Streams(source, out, err, terminal if terminal.is_terminal() else None)
    return pods.attach(entered.pod, words, streams, container)
