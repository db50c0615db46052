"""`argojobs logs`: the log lines of a run, of one step or of all."""

import sys
from collections.abc import Callable, Iterator
from typing import Annotated

import typer

from argojobs.cli import options
from argojobs.cli.completion import complete_step
from argojobs.cli.door import put_log
from argojobs.service import LogLine, Service, Workflow, phase_of


def command(
    run: options.RunName,
    step: Annotated[
        str,
        typer.Argument(
            metavar="[STEP]", help="Only this step's lines.", autocompletion=complete_step
        ),
    ] = "",
    follow: Annotated[
        bool, typer.Option("-f", "--follow", help="Go on until the run or step has ended.")
    ] = False,
    tail: Annotated[
        int, typer.Option("-n", "--tail", metavar="N", min=0, help="Only the last N lines; 0: all.")
    ] = 0,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Show the log lines of a run or of one step."""
    from argojobs.cli.connect import target
    from argojobs.cli.names import find_run

    place = target(context, server)
    service = place.service
    workflow = find_run(service, run, options=place.options)
    for text in log_texts(service, workflow, step, place.again, follow=follow, tail=tail):
        put_log(text)
        if follow:
            sys.stdout.flush()
    sys.stdout.flush()
    return 0


def log_texts(
    service: Service,
    workflow: Workflow,
    step: str,
    connect: Callable[[], Service],
    *,
    follow: bool,
    tail: int,
) -> Iterator[str]:
    """Yield the lines as shown: as they are for one pod, headed by `[step]` for several.

    connect: makes a service for a thread of its own. follow: until the run has ended, or the step
    that is meant.
    """
    from argojobs.cli.names import step_named
    from argojobs.cli.paths import localiser
    from argojobs.cli.phases import ENDED
    from argojobs.cli.picture import Picture
    from argojobs.cli.step_lines import step_lines
    from argojobs.cli.tree import walk

    name = str(workflow["metadata"]["name"])
    picture, local = Picture(workflow), localiser(service, name)
    wanted = step_named(workflow, step) if step else None
    pods = [pod for one in walk([wanted] if wanted else picture.steps) for pod in one.pods]
    if wanted is not None and len(pods) == 1 and (not follow or not wanted.attempts):
        if follow and wanted.phase not in ENDED:
            lines = step_lines(connect, workflow, wanted, tail)
        else:
            lines = service.logs(name, node_id=pods[0], tail=tail)
        yield from (local(line.text) for line in lines)
        return
    ended = phase_of(workflow) != "" and not follow
    single = wanted is None and ended and len(pods) == 1
    heads: dict[str, str] = {}  # by node; most lines are of a node that had one before
    if follow and wanted is not None and wanted.phase not in ENDED:
        found = step_lines(connect, workflow, wanted)
    else:
        found = service.logs(name, follow=follow and wanted is None, tail=0 if wanted else tail)
    for line in found:
        head = heads.get(line.node_id)
        if head is None:
            if not picture.step_name(line.node_id):
                picture.update(service.get(name))
                heads.clear()
            head = f"[{picture.step_name(line.node_id) or line.node_id}] "
            heads[line.node_id] = head
        if wanted is not None and not _belongs(picture, line, wanted.title):
            continue
        yield local(line.text) if single else f"{head}{local(line.text)}"


def _belongs(picture: object, line: LogLine, path: str) -> bool:
    """Tell whether a line is of the step with this path, one of its attempts, items or steps."""
    from argojobs.cli.picture import Picture

    assert isinstance(picture, Picture)
    title = picture.step_name(line.node_id)
    return title == path or title.startswith((path + ".", path + "("))
