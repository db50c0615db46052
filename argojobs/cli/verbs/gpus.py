"""`argojobs gpus`: how many GPUs are free, which are used and by whom."""

from argojobs.cli import options
from argojobs.cli.formats import Format


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
    from argojobs.cli.formats import print_json, print_text, print_yaml
    from argojobs.cli.gpu_table import as_data, gpu_lines
    from argojobs.cli.place import target
    from argojobs.cli.text import show

    place = target(context, server)
    with place.pods() as pods:
        found, waiting = pods.gpus()
    name = place.context.name
    if output is None:
        show(gpu_lines(found, waiting, name))
    elif output is Format.name:
        for gpus in found:
            print_text(gpus.machine)
    else:
        printing = print_json if output is Format.json else print_yaml
        printing(as_data(found, waiting, name))
    return 0
