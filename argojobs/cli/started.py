"""A run that was just started: said, or followed to its end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from argojobs.cli.debug.beside import beside_of
from argojobs.cli.door import put
from argojobs.cli.follow import Follow, follow, goes_on, leave, mode_for, told_when_left
from argojobs.cli.formats import Format, print_object
from argojobs.cli.main import INTERRUPTED
from argojobs.cli.summary import show_end
from argojobs.cli.text import Line, more_lines, screen_of, show, warn
from argojobs.config.contexts import Context
from argojobs.errors import ConflictError, RunFailedError
from argojobs.runs.debug_steps import to_attach
from argojobs.runs.links import storage_link, ui_link
from argojobs.runs.pending import Pending
from argojobs.runs.target import Target
from argojobs.service import Service, Workflow


def say_started(created: Workflow, place: Target, output: Format | None) -> None:
    """Say that a run has started, where it is to be seen, and how to follow or stop it.

    Args:
        created: the run.
        place: where it runs.
        output: prints the run in place of that.
    """
    if output is not None:
        print_object(created, output)
        return
    name, options = str(created["metadata"]["name"]), place.options
    more = [f"argojobs {verb} {name}{options}" for verb in ("watch", "stop")]
    show(
        [
            [(name, "bold"), (" started", "")],
            *link_lines(created, place.context),
            *more_lines(more, screen_of(sys.stdout).width),
        ]
    )


def follow_new(
    place: Target,
    created: Workflow,
    output: Format | None,
    *,
    quiet: bool = False,
    pending: Pending | None = None,
    folder: Path | None = None,
) -> int:
    """Say where a new run is to be seen, and follow it to its end: see `follow_run`.

    Args:
        place: where it runs.
        created: the run.
        output: prints the run in the end; what is shown of it goes to standard error then.
        quiet: whether its steps are not shown.
        pending: tells of waiting; a run that it gives up is ended.
        folder: of the user's project, that of the current one unless given.
    """
    with told_when_left(goes_on(str(created["metadata"]["name"]), place.options)):
        show(link_lines(created, place.context), stream=_stream(output))
    return follow_run(place, created, output, quiet=quiet, pending=pending, folder=folder)


def follow_run(
    place: Target,
    created: Workflow,
    output: Format | None,
    *,
    quiet: bool = False,
    pending: Pending | None = None,
    folder: Path | None = None,
    kept: frozenset[str] = frozenset(),
) -> int:
    """Follow a run that was just started to its end, and return the exit code.

    Ctrl-C stops a run of this machine, and leaves one of a server to go on; where we are ended
    otherwise it goes on, and that is said.

    Args:
        place: where it runs.
        created: the run.
        output: prints the run in the end; what is shown of it goes to standard error then.
        quiet: whether its steps are not shown.
        pending: tells of waiting; a run that it gives up is ended.
        folder: of the user's project, that of the current one unless given; ways to debuggers are
            noted there.
        kept: ids of the nodes that had ended before, of which nothing is told.

    Raises:
        RunFailedError: it was pending for too long.
    """
    name = str(created["metadata"]["name"])
    stream = _stream(output)
    pressed: list[int] = []
    stop = stopper(place.service, name, pressed) if not place.detaches_on_interrupt else leave
    mode = mode_for(stream, quiet=quiet)
    how = Follow(
        place.service,
        place.again,
        stream,
        mode,
        stop,
        options=place.options,
        pending=pending,
        beside=beside_of(place, created, folder),
        kept=kept,
    )
    try:
        with told_when_left(goes_on(name, place.options)):
            final = follow(how, created)
        code = show_end(place, final, stream, time.time(), streamed=how.mode == "plain")
    except RunFailedError as error:
        with suppress(ConflictError):  # it ended just now
            place.service.terminate(name, error.what)
        raise
    except KeyboardInterrupt:
        if pressed:
            put(f"{name} is being stopped; argojobs get {name}{place.options}\n", sys.stderr)
        else:
            put(goes_on(name, place.options), sys.stderr)
            warn(to_attach(created, place.options), "note")
        return INTERRUPTED
    if output is not None:
        print_object(final, output)
    return INTERRUPTED if pressed else code


def _stream(output: Format | None) -> TextIO:
    """Where people read: standard output, unless that is for a program."""
    return sys.stdout if output is None else sys.stderr


def stopper(
    service: Service, name: str, pressed: list[int]
) -> Callable[[int, Callable[[str], None]], None]:
    """Return what Ctrl-C does: stop the run, then end its steps, then leave.

    Args:
        service: of the run.
        name: of the run.
        pressed: gets the count of presses so far, with each press.

    Returns:
        A function as `Follow.interrupted` takes it.
    """

    def on_interrupt(count: int, note: Callable[[str], None]) -> None:
        pressed.append(count)
        with suppress(ConflictError):  # it ended just now: following will see it
            if count == 1:
                note("stopping; Ctrl-C again ends the steps at once")
                service.stop(name, "interrupted")
            elif count == 2:
                note("ending the steps; Ctrl-C again leaves them to it")
                service.terminate(name)
            else:
                raise KeyboardInterrupt

    return on_interrupt


def link_lines(workflow: Workflow, context: Context) -> list[Line]:
    """Return both links as lines; none for this machine."""
    links = (("ui", ui_link(workflow, context)), ("storage", storage_link(workflow, context)))
    return [[(f"  {title:<8}", "dim"), (link, "")] for title, link in links if link]
