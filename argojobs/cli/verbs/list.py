"""`argojobs list`: the runs, newest first."""

import sys
from typing import Annotated

from argojobs.cli import options
from argojobs.cli.command import option
from argojobs.errors import UsageError


def command(
    failed: Annotated[bool, option("--failed", help="Only runs that failed.")] = False,
    running: Annotated[bool, option("--running", help="Only runs not yet ended.")] = False,
    since: Annotated[
        str, option("--since", metavar="TIME", help="Only younger ones: 30m, 2h, 2026-01-31.")
    ] = "",
    experiment: Annotated[
        str, option("--experiment", metavar="NAME", help="Only runs of one experiment.")
    ] = "",
    last: Annotated[
        int,
        option("--last", "--nlast", "-n", metavar="N", minimum=0, help="At most N runs; 0: all."),
    ] = 0,
    all_users: Annotated[
        bool, option("--all-users", "--all_users", help="Other users' runs too.")
    ] = False,
    extended: Annotated[
        bool, option("--extended", help="With user, parameters, image, commit, command.")
    ] = False,
    all_contexts: Annotated[
        bool, option("--all-contexts", help="The runs of every context.")
    ] = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """List runs, newest first.

    On a server, other users' runs are left out. A waiting run shows its place in the queue for its
    lock, or what its pods cannot get.
    """
    from argojobs.cli.place import target
    from argojobs.cli.run_table import Shown, print_for_programs, table
    from argojobs.cli.text import screen_of, show, tell
    from argojobs.runs.listing import Wanted, everywhere, listed

    short = output is None and not extended
    wanted = Wanted(failed, running, since, experiment, last, all_users)
    if all_contexts:
        if context or server:
            raise UsageError(
                "--all-contexts and a context exclude each other", hint="leave one of them out"
            )
        found = everywhere(wanted, target, tell, short=short)
    else:
        found = listed(target(context, server), wanted, short=short)
    if output is not None:
        print_for_programs(found, output, contexts=all_contexts)
        return 0
    screen = screen_of(sys.stdout)
    shown = Shown(users=all_users, contexts=all_contexts, extended=extended)
    show(table(found, wanted.now, shown, signs=screen.signs), screen=screen)
    if not found:
        hint = "no such runs" if failed or running or since or experiment else "no runs yet"
        said = f" --context {context}" if context else f" --server {server}" if server else ""
        show([[(f"{hint}; start one: argojobs run FILE{said}", "dim")]], stream=sys.stderr)
    return 0
