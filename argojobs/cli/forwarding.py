"""A port of a step, as the user reaches it: which, where, and until when."""

from __future__ import annotations

import re
import sys

from argojobs.cli.formats import print_text
from argojobs.cli.text import warn
from argojobs.errors import UsageError
from argojobs.runs.entering import Entered, until_ended
from argojobs.service import Pods

_PORTS = re.compile(r"(?:(?P<here>[0-9]{1,5}):)?(?P<there>[0-9]{1,5})")
_LAST = 65535


def ports_of(text: str) -> tuple[int, int]:
    """Return the port of this machine and that of the step. Raises UsageError for other words."""
    found = _PORTS.fullmatch(text)
    here, there = (int(found["here"] or found["there"]), int(found["there"])) if found else (0, 0)
    if not (0 < there <= _LAST and here <= _LAST):
        raise UsageError(
            f"{text!r} is not a port",
            hint=f"write the step's port, 1 to {_LAST}, or this machine's before it: 8080:80",
        )
    return here, there


def tell_here(port: int) -> None:
    """Say where a step of this machine listens."""
    print_text(f"127.0.0.1:{port}")
    warn(["a step of this machine listens there itself: nothing is to be forwarded"], "note")


def forward(pods: Pods, entered: Entered, here: int, there: int) -> None:
    """Keep a way to a port of a step open until Ctrl-C or the step's end, and say where it is.

    Args:
        pods: of the run.
        entered: the step.
        here: the port of this machine, or the next one that is free; 0 means any.
        there: the port of the step.

    Raises:
        UsageError: it is not allowed.
        ServerError: the pod cannot be reached.
    """
    with pods.forward(entered.pod, there, here) as got:
        if here and got != here:
            warn([f"the port {here} of this machine is in use: it is {got}"], "note")
        print_text(f"127.0.0.1:{got}")
        sys.stdout.flush()
        warn([f"leads to the port {there} of {entered.step}, until Ctrl-C"], "note")
        try:
            until_ended(pods, entered.pod)
        except KeyboardInterrupt:
            return
    warn([f"the step {entered.step} has ended, and the way to it"], "note")
