"""Follow a run until it is final: drawn live on a terminal, line by line elsewhere, or silently."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TextIO

from argojobs.cli.picture import Picture
from argojobs.cli.plain_lines import PlainLines
from argojobs.cli.text import cut, screen_of, show, shown, wrapped
from argojobs.cli.view import tree_lines
from argojobs.errors import ArgojobsError
from argojobs.images.unwinding import unwinding
from argojobs.runs.following import Watch, to_end
from argojobs.runs.paths import localiser
from argojobs.runs.pending import Pending
from argojobs.service import LogLine, Service, Workflow, is_final

#: Shows some lines about a subject; none takes them back.
Tell = Callable[[str, Sequence[str]], None]

Mode = Literal["live", "plain", "quiet"]

#: So long the last log lines are waited for once a run is final, in seconds.
LOG_GRACE = 10.0


@dataclass(frozen=True, slots=True)
class Follow:
    """How to follow: the service, how the log thread gets its own, where to draw, and how.

    interrupted: called on Ctrl-C with the count of presses so far and a function that shows a
    note; it raises KeyboardInterrupt to end following. gone: set when a thread found that
    nobody reads the stream any more. options: what a command must say to get there. pending: tells
    of a run that waits for long, and gives it up. beside: what goes on as long as the run is
    followed, and may tell some lines about a subject. kept: ids of the nodes that ended before, in
    an earlier try of the run: nothing is told of them.
    """

    service: Service
    connect: Callable[[], Service]
    stream: TextIO
    mode: Mode
    interrupted: Callable[[int, Callable[[str], None]], None]
    now: Callable[[], float] = time.time
    gone: threading.Event = field(default_factory=threading.Event)
    options: str = ""
    pending: Pending | None = None
    beside: Callable[[Tell], AbstractContextManager[object]] | None = None
    kept: frozenset[str] = frozenset()


def goes_on(name: str, options: str = "") -> str:
    """Return what a reader is told who leaves a run that goes on.

    options: what a command must say to get there, with a blank in front.
    """
    return f"{name} goes on; argojobs watch {name}{options}, argojobs stop {name}{options}\n"


@contextmanager
def told_when_left(text: str) -> Iterator[None]:
    """Say what goes on where we end before it does: by a signal, or as nobody reads any more.

    Raises SystemExit for SIGTERM and SIGHUP.
    """
    try:
        with unwinding():
            yield
    except (SystemExit, BrokenPipeError):
        with suppress(OSError):  # nobody reads that either
            sys.stderr.write(text)
            sys.stderr.flush()
        raise


def leave(_: int, note: Callable[[str], None]) -> None:  # noqa: ARG001 - see Follow.interrupted
    """Leave at the first Ctrl-C: the run goes on."""
    raise KeyboardInterrupt


def mode_for(stream: TextIO, *, quiet: bool = False) -> Mode:
    """Choose how to follow on a stream."""
    if quiet:
        return "quiet"
    return "live" if screen_of(stream).live else "plain"


def follow(how: Follow, workflow: Workflow) -> Workflow:
    """Follow a run to its end and return the final object.

    Raises NotFoundError when the run is deleted meanwhile, ServerError when its state is not to
    be had, KeyboardInterrupt when the reader leaves, BrokenPipeError when nobody reads the stream,
    RunFailedError when it was pending for too long.
    """
    picture = Picture(workflow, how.options)
    beside = nullcontext() if how.beside is None else how.beside(partial(_tell, how, picture))
    watch = Watch(how.connect, str(workflow["metadata"]["name"]), how.options)
    with beside:
        return _follow(how, picture, watch)


def _notice(how: Follow, picture: Picture, pending: Pending) -> None:
    """Say for what a run has been waiting, and take it back when it no longer waits."""
    before, text = pending.said, pending.look(picture.workflow, how.now())
    if text and text != before:
        _set_note(how, picture, text)
    elif not text and before and picture.note == before:
        picture.note = ""


def _follow(how: Follow, picture: Picture, watch: Watch) -> Workflow:
    if how.mode == "quiet":
        return _to_end(how, picture, watch, lambda _: None, lambda: None)
    if how.mode == "plain":
        return _follow_plain(how, picture, watch)
    return _follow_live(how, picture, watch)


def _to_end(
    how: Follow,
    picture: Picture,
    watch: Watch,
    changed: Callable[[Workflow], None],
    before_last: Callable[[], None],
) -> Workflow:
    """Watch until the run is final; what Ctrl-C does is the reader's choice."""
    presses = 0

    def came(newest: Workflow) -> None:
        if is_final(newest):
            before_last()
        picture.update(newest)
        changed(newest)

    def look() -> None:
        if how.gone.is_set():
            raise BrokenPipeError
        if how.pending is not None:
            _notice(how, picture, how.pending)

    while True:
        try:
            return to_end(watch, came, look, how.pending)
        except KeyboardInterrupt:
            presses += 1
            how.interrupted(presses, lambda text: _set_note(how, picture, text))


def _set_note(how: Follow, picture: Picture, text: str) -> None:
    picture.note = text
    if how.mode != "live":
        show([[(text, "yellow")]], stream=sys.stderr)


def _tell(how: Follow, picture: Picture, subject: str, lines: Sequence[str]) -> None:
    """Show lines about a subject: in the drawing, or once where there is none."""
    picture.tell(subject, lines)
    if how.mode != "live":
        tell_whole(lines)


def tell_whole(lines: Sequence[str]) -> None:
    """Write lines to standard error, wrapped to its width: none is cut."""
    width = screen_of(sys.stderr).width
    parts = [part for line in lines for part in wrapped(line, width)]
    if parts:
        show([[(part, "yellow")] for part in parts], stream=sys.stderr)


def _start_logs(
    how: Follow, picture: Picture, watch: Watch, take: Callable[[LogLine], None]
) -> threading.Thread:
    """Read the run's log lines in a thread of its own, with a service of its own."""
    name = str(picture.workflow["metadata"]["name"])

    def read() -> None:
        try:
            service = how.connect()
            for line in service.logs(name, follow=True):
                if line.node_id in how.kept:
                    continue
                if not picture.step_name(line.node_id):
                    picture.update(service.get(name))
                take(line)
        except ArgojobsError as error:
            _set_note(how, picture, f"no more log lines here: {error.what}")
        except BrokenPipeError:
            # Nobody reads: following is to end now, not at the run's next change.
            how.gone.set()
            watch.wake()

    thread = threading.Thread(target=read, name="logs", daemon=True)
    thread.start()
    return thread


def _follow_plain(how: Follow, picture: Picture, watch: Watch) -> Workflow:
    """Follow with one line a change and one a log line."""
    local = localiser(how.service, str(picture.workflow["metadata"]["name"]))
    lines = PlainLines(how.service, picture, how.stream, local, how.now, how.kept)
    lines.changed(picture.workflow)
    logs = _start_logs(how, picture, watch, lines.take)
    return _to_end(how, picture, watch, lines.changed, lambda: logs.join(LOG_GRACE))


def _follow_live(how: Follow, picture: Picture, watch: Watch) -> Workflow:
    """Follow with a tree that is redrawn in place, and leave its last state on the screen."""
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    def draw() -> Group:
        screen = screen_of(how.stream)
        lines = picture.lines(how.now(), screen)
        cut_lines = [cut(shown(line), screen.width - 1, signs=screen.signs) for line in lines]
        return Group(*(Text.assemble(*line, no_wrap=True, end="\n") for line in cut_lines))

    local = localiser(how.service, str(picture.workflow["metadata"]["name"]))

    def take(line: LogLine) -> None:
        if line.text.strip():
            picture.add_line(line.node_id, local(line.text), unfinished=line.unfinished)

    screen = screen_of(how.stream)
    console = Console(file=how.stream, highlight=False, no_color=not screen.colour)
    logs = _start_logs(how, picture, watch, take)
    with Live(
        get_renderable=draw,
        console=console,
        refresh_per_second=8,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ):
        final = _to_end(how, picture, watch, lambda _: None, lambda: logs.join(LOG_GRACE))
    kept = tree_lines(picture.steps, how.now(), screen, logs=picture.logs(), keep=True)
    show([*kept, []], stream=how.stream, screen=screen)
    return final
