"""`argojobs doctor`: is a context well from end to end, and what to do where it is not."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from argojobs.cli import options
from argojobs.cli.command import argument, option
from argojobs.cli.completion import complete_context
from argojobs.cli.door import put, put_data
from argojobs.errors import UsageError

if TYPE_CHECKING:
    from argojobs.config.contexts import Context


def command(
    name: Annotated[
        str,
        argument(metavar="CONTEXT", help="A context's name.", complete=complete_context),
    ] = "",
    run: Annotated[
        bool, option("--run", help="Make a small run too, and delete it again.")
    ] = False,
    write: Annotated[
        str,
        option(
            "--write",
            metavar="FOLDER|-",
            help="Write what the namespace needs as YAML: roles, accounts, claims, limits.",
        ),
    ] = "",
    apply: Annotated[
        bool, option("--apply", help="Make what the namespace needs, by the kubeconfig.")
    ] = False,
    dry_run: options.DryRun = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Check a context from end to end, and say for each failure what to do.

    Ends with 0 when all is well, 2 when something is to be fixed, 3 when only a server is out of
    reach. --write and --apply are for whoever may change the cluster.

    \b
      argojobs doctor lab --run
      argojobs doctor lab --write -
    """  # noqa: D301 - click reads the backspace as: keep these lines
    from argojobs.config.choosing import choose

    if name and context and name != context:
        raise UsageError(
            f"{name} and --context {context} both say where", hint="leave one of them out"
        )
    chosen = choose(name or context, server)
    if write or apply:
        return _set_up(chosen, write, apply=apply, dry_run=dry_run)
    return _examine(chosen, output, run=run and not dry_run)


def _examine(chosen: "Context", output: Any, *, run: bool) -> int:
    from argojobs.cli.doctor_text import as_data, ending, lines_of
    from argojobs.cli.formats import print_data
    from argojobs.cli.text import Screen, screen_of, show
    from argojobs.runs.doctor.checking import Check, exit_code
    from argojobs.runs.doctor.examine import examine

    seen = screen_of(sys.stdout)
    screen = Screen(seen.colour, seen.signs, width=0)
    checks: list[Check] = []
    for check in examine(chosen, run=run):
        checks.append(check)
        if output is None:
            show(lines_of(check, signs=seen.signs), screen=screen)
    code = exit_code(checks)
    if output is None:
        show([ending(checks, chosen.name)], screen=screen)
    else:
        wrong = (check.name for check in checks if check.state == "failed")
        print_data(as_data(chosen.name, checks, code), output, *wrong)
    return code


def _set_up(chosen: "Context", write: str, *, apply: bool, dry_run: bool) -> int:
    """Write or apply what a context's namespace needs."""
    from argojobs.runs.doctor.setup import as_text, namespace_of, objects_of

    if chosen.built_in:
        raise UsageError("this machine needs no set-up", hint="name a context of a cluster")
    namespace = namespace_of(chosen)
    objects = objects_of(chosen, namespace)
    text = as_text(objects, chosen.name, namespace)
    if write == "-":
        put_data(text)
    elif write:
        target = Path(write) / f"{chosen.name}.yaml"
        if dry_run:
            put(f"would write {target}\n")
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            put(f"{target}\n")
    return _apply(chosen, objects, namespace, dry_run=dry_run) if apply else 0


def _apply(
    chosen: "Context", objects: list[dict[str, Any]], namespace: str, *, dry_run: bool
) -> int:
    """Apply objects; what may not be made is printed, for whoever may."""
    from argojobs.runs.cluster import needed_kube
    from argojobs.runs.doctor.setup import applied, as_text

    if dry_run:
        for one in objects:
            put(f"would apply {one['kind']} {one['metadata']['name']}\n")
        return 0
    left = []
    with needed_kube(chosen) as kube:
        for one, problem in applied(kube, objects):
            called = f"{one['kind']} {one['metadata']['name']}"
            put(f"{called}: {problem or 'is there'}\n", sys.stderr)
            if problem:
                left.append(one)
    if not left:
        return 0
    put("somebody who may has to do the rest: kubectl apply -f - with this\n", sys.stderr)
    put_data(as_text(left, chosen.name, namespace))
    return 2
