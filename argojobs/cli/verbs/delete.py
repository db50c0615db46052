"""`argojobs delete`: forget runs."""

from argojobs.cli import options
from argojobs.cli.door import put
from argojobs.cli.formats import Format
from argojobs.service import is_final


def command(
    runs: options.RunNames,
    force: options.Force = False,
    dry_run: options.DryRun = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Forget runs and delete their files.

    All names are looked up, and whose the runs are, before the first run is deleted. A run still
    going is ended first.
    """
    from argojobs.cli.formats import print_objects
    from argojobs.cli.place import target
    from argojobs.runs.names import find_runs
    from argojobs.runs.owners import check_owner

    place = target(context, server)
    service = place.service
    workflows = find_runs(service, runs, changes=True, options=place.options)
    whose = [check_owner(one, place, force=force, verb="delete") for one in workflows]
    for workflow, of_whom in zip(workflows, whose, strict=True):
        name = str(workflow["metadata"]["name"])
        going = "" if is_final(workflow) else " (still going: it is ended first)"
        if not dry_run:
            service.delete(name)
        if output is None:
            does = "would delete" if dry_run else "deleted"
            put(f"{does} {name}{of_whom}{going if dry_run else ''}\n")
    if output is not None:
        print_objects(workflows, Format(output))
    return 0
