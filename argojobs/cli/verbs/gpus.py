"""`argojobs gpus`: how many GPUs are free, which are used and by whom."""

from argojobs.cli import options


def command(
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Show GPUs: how many are free, which are used and by whom.

    On a cluster it asks with the context's kubeconfig. A GPU is used by the user of a run, or by the
    namespace of something that is not an argojobs run.
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
