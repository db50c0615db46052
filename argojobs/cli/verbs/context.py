"""`argojobs context`: where runs live."""

import os
from pathlib import Path
from typing import Annotated, Any

import click

from argojobs.cli import options
from argojobs.cli.command import argument, group_of, option
from argojobs.cli.completion import complete_context
from argojobs.cli.door import put, put_data
from argojobs.cli.formats import Format
from argojobs.cli.verbs.context_add import ADD

Name = Annotated[str, argument(metavar="NAME", help="A context's name.", complete=complete_context)]
Replace = Annotated[bool, option("--replace", help="Replace contexts of the same names.")]


def contexts_listed(
    ctx: click.Context, output: options.Output = None, verbose: options.Verbose = False
) -> int:
    """List the contexts where no other command is given."""
    return show_list(output) if ctx.invoked_subcommand is None else 0


def list_contexts(output: options.Output = None, verbose: options.Verbose = False) -> int:
    """List the contexts; the one that is used here has a star."""
    return show_list(output)


def show_context(
    ctx: click.Context,
    name: Annotated[
        str,
        argument(
            metavar="NAME",
            help="A context's name; without one, the context that is used here.",
            complete=complete_context,
        ),
    ] = "",
    origin: Annotated[
        bool, option("--origin", help="Show the file and line of each value.")
    ] = False,
    output: options.Output = None,
    verbose: options.Verbose = False,
) -> int:
    """Show a context: every value, secrets by reference."""
    from argojobs.cli.config_change import tell
    from argojobs.cli.context_table import plain, value_lines, where
    from argojobs.cli.text import show
    from argojobs.config.contexts import table_of, warnings_of

    contexts = _contexts()
    before_the_verb = str((ctx.find_root().default_map or {}).get("context", {}).get("context", ""))
    context = contexts.get(name or _chosen(contexts, before_the_verb))
    tell(warnings_of(context))
    if output is not None:
        _print([plain(context)], output, one=True)
        return 0
    show([[(context.name, "bold"), ("  " + where(context), "dim")]])
    at = ("contexts", context.name)
    show(value_lines(table_of(context), contexts.origins, at, origin=origin))
    return 0


def use(name: Name, dry_run: options.DryRun = False, verbose: options.Verbose = False) -> int:
    """Make a context the one that is used where none is named."""
    from argojobs.cli.config_change import change_config, tell
    from argojobs.config.choosing import chosen_name
    from argojobs.config.editing import with_value

    _contexts().get(name)
    path = change_config(lambda text: with_value(text, ("current_context",), name), dry_run=dry_run)
    if not dry_run:
        put(f"{path}: runs now live in {name} where no other context is named\n")
        used, said_by = chosen_name(_contexts(), "", os.environ)
        if used != name:
            tell([f"here that is {used}: {said_by} says so"])
    return 0


def delete(name: Name, dry_run: options.DryRun = False, verbose: options.Verbose = False) -> int:
    """Take a context out of the config file; nothing on its server changes."""
    from argojobs.cli.config_change import change_config
    from argojobs.config.editing import without
    from argojobs.errors import UsageError

    contexts = _contexts()
    if contexts.get(name).built_in:
        raise UsageError("the context local is always there", hint="choose another one")

    def change(text: str) -> str:
        text = without(text, ("contexts", name))
        return without(text, ("current_context",)) if contexts.current == name else text

    path = change_config(change, dry_run=dry_run)
    if not dry_run:
        put(f"{path}: deleted the context {name}\n")
        if contexts.current == name:
            put("it was the current one; now that is local, this machine\n")
    return 0


def edit(
    name: Annotated[
        str,
        argument(
            metavar="NAME",
            help="Where in the file to begin: at this context.",
            complete=complete_context,
        ),
    ] = "",
    dry_run: options.DryRun = False,
    verbose: options.Verbose = False,
) -> int:
    """Edit the config file in $VISUAL or $EDITOR.

    The result is checked before it takes the file's place; what is wrong is kept beside it.
    """
    from argojobs.cli.config_edit import edit_config

    return edit_config(name, dry_run=dry_run)


def import_contexts(
    file: Annotated[
        Path,
        argument(
            metavar="FILE", help="A creds.yaml, an exported context, or a context of mrunner's."
        ),
    ],
    store: Annotated[
        str, option("--store", metavar="NAME", help="Which store of a creds.yaml is theirs.")
    ] = "",
    registry: Annotated[
        str, option("--registry", metavar="NAME", help="Which registry of it is theirs.")
    ] = "",
    insecure: Annotated[
        bool, option("--insecure", help="Do not check the servers' certificates.")
    ] = False,
    replace: Replace = False,
    dry_run: options.DryRun = False,
    output: options.Output = None,
    verbose: options.Verbose = False,
) -> int:
    """Make contexts of the servers, stores and registries in a file.

    Secrets stay where they are: a context refers to them.
    """
    from argojobs.cli.config_change import change_config, tell
    from argojobs.cli.context_table import plain
    from argojobs.cli.verbs.context_add import with_contexts
    from argojobs.config.contexts import warnings_of
    from argojobs.config.importing import read_import
    from argojobs.runs.wording import plural

    found = read_import(file.expanduser().absolute(), store=store, registry=registry)
    contexts = list(found.contexts)
    if insecure:
        import dataclasses

        contexts = [dataclasses.replace(one, insecure=True) for one in contexts]
    warnings = [warning for one in contexts for warning in warnings_of(one)]
    tell([*found.notes, *dict.fromkeys(warnings)])
    path = change_config(
        lambda text: with_contexts(text, contexts, replace=replace), dry_run=dry_run
    )
    if output is not None and not dry_run:
        _print([plain(one) for one in contexts], output)
    elif not dry_run:
        names = ", ".join(one.name for one in contexts)
        put(f"{path}: {plural(len(contexts), 'context')} imported: {names}\n")
        if contexts:
            put(f"  argojobs context use {contexts[0].name}\n")
    return 0


def export(
    name: Name,
    output: Annotated[
        Path | None,
        option("-o", "--output", metavar="FILE", help="Write to this file.", show_default=False),
    ] = None,
    replace: Annotated[bool, option("--replace", help="Write over a file that is there.")] = False,
    dry_run: options.DryRun = False,
    verbose: options.Verbose = False,
) -> int:
    """Print a context for somebody else: no secrets, no files of this machine."""
    from argojobs.config.exporting import exported
    from argojobs.errors import ConflictError, UsageError

    context = _contexts().get(name)
    if context.built_in:
        raise UsageError("the context local is on every machine", hint="export another one")
    text = exported(context)
    if output is None or dry_run:
        put_data(text)
        return 0
    if output.exists() and not replace:
        raise ConflictError(f"{output} is there already", hint="add --replace to write over it")
    output.write_text(text, encoding="utf-8")
    put(f"wrote {output}; for others: argojobs context import {output}\n")
    return 0


def show_list(output: Format | None) -> int:
    """Print all contexts."""
    from argojobs.cli.context_table import context_lines, plain
    from argojobs.cli.text import show

    contexts = _contexts()
    chosen = _chosen(contexts)
    if output is None:
        show(context_lines(contexts, chosen))
    else:
        every = [plain(contexts.get(name)) for name in contexts.names()]
        _print([{**one, "chosen": one["name"] == chosen} for one in every], output)
    return 0


def _contexts() -> Any:
    from argojobs.config.choosing import project_of
    from argojobs.config.context_files import load_contexts

    return load_contexts(project_of(Path.cwd()))


def _chosen(contexts: Any, option: str = "") -> str:
    from argojobs.config.choosing import chosen_name

    return chosen_name(contexts, option, os.environ)[0]


def _print(values: list[dict[str, Any]], output: Format, *, one: bool = False) -> None:
    from argojobs.cli.formats import print_data

    print_data(values[0] if one else values, output, *(str(value["name"]) for value in values))


GROUP = group_of(
    "context",
    "List contexts, which say where runs live, or change them.\n\n"
    "`local` is this machine. The others are in your config file (ARGOJOBS_CONFIG names another one).",
    {
        "list": list_contexts,
        "show": show_context,
        "use": use,
        "delete": delete,
        "edit": edit,
        "import": import_contexts,
        "export": export,
        "add": ADD,
    },
    contexts_listed,
)
