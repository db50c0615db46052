"""`argojobs list`: the runs, newest first.

What lays them out is imported while the server works on its answer.
"""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from argojobs.cli import options

if TYPE_CHECKING:
    from argojobs.cli.connect import Target
    from argojobs.service import Workflow


def command(
    failed: Annotated[bool, typer.Option("--failed", help="Only runs that failed.")] = False,
    running: Annotated[bool, typer.Option("--running", help="Only runs not yet ended.")] = False,
    since: Annotated[
        str, typer.Option("--since", metavar="TIME", help="Only younger ones: 30m, 2h, 2026-01-31.")
    ] = "",
    experiment: Annotated[
        str, typer.Option("--experiment", metavar="NAME", help="Only runs of one experiment.")
    ] = "",
    last: Annotated[
        int,
        typer.Option("--last", "--nlast", "-n", metavar="N", min=0, help="At most N runs; 0: all."),
    ] = 0,
    all_users: Annotated[
        bool, typer.Option("--all-users", "--all_users", help="Other users' runs too.")
    ] = False,
    extended: Annotated[
        bool, typer.Option("--extended", help="With user, parameters, image, commit, command.")
    ] = False,
    all_contexts: Annotated[
        bool, typer.Option("--all-contexts", help="The runs of every context.")
    ] = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """List runs, newest first.

    Of a server the runs of others are left out. A run that waits shows its place among those that
    wait for the same lock, or what its pods cannot get.
    """
    short = output is None and not extended
    place, runs = (None, []) if all_contexts else _asked(context, server, short=short)

    from argojobs.cli import listing
    from argojobs.cli.run_table import Shown, table
    from argojobs.cli.text import screen_of, show

    wish = listing.Wish(failed, running, since, experiment, last, all_users)
    if place is not None:
        found = listing.listed(runs, place, wish)
    else:
        found = listing.everywhere(wish, context, server, short=short)
    if output is not None:
        listing.print_for_programs(found, output, contexts=all_contexts)
        return 0
    screen = screen_of(sys.stdout)
    shown = Shown(users=all_users, contexts=all_contexts, extended=extended)
    show(table(found, wish.now, shown, signs=screen.signs), screen=screen)
    if not found:
        hint = "no such runs" if failed or running or since or experiment else "no runs yet"
        said = f" --context {context}" if context else f" --server {server}" if server else ""
        show([[(f"{hint}; start one: argojobs run FILE{said}", "dim")]], stream=sys.stderr)
    return 0


def _asked(context: str, server: str, *, short: bool) -> "tuple[Target, list[Workflow]]":
    """Return where to look, and all runs that there are."""
    from argojobs.cli import ahead, connect

    asked = ahead.take(context, server) if short else None
    if asked is not None:
        return asked
    place = connect.target(context, server)
    return place, connect.runs_of(place, short=short, meanwhile=prepare)


def prepare() -> None:
    """Import what lays runs out."""
    from argojobs.cli import listing, owners, phases, run_table, text, times, waiting

    del listing, owners, phases, run_table, text, times, waiting
