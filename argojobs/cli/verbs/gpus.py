"""`argojobs gpus`: how many GPUs are free, which are used and by whom."""

from argojobs.cli import options


def command(
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Show GPUs: how many are free, which are used and by whom.

    Of a cluster they are asked for by the context's kubeconfig. Who uses them is the user of the
    run, or the namespace of what is not a run of ours.
    """
    from argojobs.cli.formats import print_data
    from argojobs.cli.gpu_table import as_data, gpu_lines
    from argojobs.cli.place import target
    from argojobs.cli.text import show

    place = target(context, server)
    with place.pods() as pods:
        found, waiting = pods.gpus()
    name = place.context.name
    if output is None:
        show(gpu_lines(found, waiting, name))
    else:
        print_data(as_data(found, waiting, name), output, *(gpus.machine for gpus in found))
    return 0
