"""`argojobs server`: the controller of this machine, which runs the steps of all runs."""

from typing import Annotated, Any

from argojobs.cli import options
from argojobs.cli.command import group_of, option
from argojobs.cli.door import put


def status(output: options.Output = None, verbose: options.Verbose = False) -> int:
    """Show the controller, its home, and the runs that are not ended."""
    from argojobs.cli.formats import print_data
    from argojobs.cli.text import columns, show
    from argojobs.runs.target import local

    facts = local().status()
    if output is not None:
        print_data(facts, output, str(facts["pid"] or ""))
    else:
        rows = {"controller": _controller(facts), "home": facts["home"], "runs": _runs(facts)}
        show(columns([(name, "dim"), (text, "")] for name, text in rows.items()))
    return 0


def stop(
    force: Annotated[
        bool, option("--force", help="Even while runs are not ended; their steps go on.")
    ] = False,
    dry_run: options.DryRun = False,
    verbose: options.Verbose = False,
) -> int:
    """End the controller; the next verb that needs one starts it again."""
    from argojobs.runs.target import local

    service = local()
    facts = service.status()
    if not facts["running"]:
        put("no controller runs\n")
    elif dry_run:
        put(f"would stop the controller (process {facts['pid']})\n")
    else:
        service.shutdown(force=force)
        put(f"stopped the controller (process {facts['pid']})\n")
    return 0


def _controller(facts: dict[str, Any]) -> str:
    import time

    from argojobs.runs.view.times import elapsed

    if not facts["running"]:
        return "none; a verb that needs one starts it"
    up = elapsed(max(0.0, time.time() - facts["started"]))
    return f"process {facts['pid']}, version {facts['version']}, up {up}"


def _runs(facts: dict[str, Any]) -> str:
    going = facts["unfinished"]
    if not going:
        return "none is going on"
    return f"{len(going)} not ended: {', '.join(going[:5])}{' ...' if len(going) > 5 else ''}"


GROUP = group_of(
    "server",
    "Show or stop the controller of this machine.\n\n"
    "Any verb that needs a controller starts it; it ends by itself when it has nothing to do.",
    {"status": status, "stop": stop},
)
