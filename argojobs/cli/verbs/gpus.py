"""`argojobs gpus`: how many GPUs are free, which are used and by whom."""

from typing import Any

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
    from argojobs.cli.text import show

    name, found, waiting = _found(context, server)
    if output is None:
        show(gpu_lines(found, waiting, name))
    elif output is Format.name:
        for gpus in found:
            print_text(gpus.machine)
    else:
        printing = print_json if output is Format.json else print_yaml
        printing(as_data(found, waiting, name))
    return 0


def _found(context: str, server: str) -> tuple[str, Any, Any]:
    """Return the context's name, its GPUs, and the pods that wait for some."""
    from argojobs.config.choosing import choose
    from argojobs.runs.cluster import namespace_in, needed_kube

    chosen = choose(context, server)
    if chosen.is_local:
        from argojobs.engine.devices import host_gpus
        from argojobs.engine.pods import local_gpus

        return chosen.name, local_gpus(host_gpus()), []
    from argojobs.client.kube.gpus import gpus_of, waiting_for
    from argojobs.client.kube.objects import list_all
    from argojobs.client.kube.pods import KubePods

    with needed_kube(chosen) as kube:
        pods = KubePods(kube, namespace_in(chosen, kube)).everybodys()
        return chosen.name, gpus_of(list_all(kube, "Node"), pods), waiting_for(pods)
