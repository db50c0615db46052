"""`argojobs config`: the settings of the config file and of the project."""

import sys
from pathlib import Path
from typing import Annotated, Any

import click

from argojobs.cli import options
from argojobs.cli.command import argument, group_of, option
from argojobs.cli.completion import complete_setting
from argojobs.cli.door import put
from argojobs.cli.formats import Format

Origin = Annotated[bool, option("--origin", help="Show the file and line of each value.")]
Key = Annotated[
    str,
    argument(
        metavar="KEY",
        help="A setting, such as current_context, local.max_pods or contexts.NAME.image.",
        complete=complete_setting,
    ),
]


def settings_shown(
    ctx: click.Context,
    origin: Origin = False,
    output: options.Output = None,
    verbose: options.Verbose = False,
) -> int:
    """Show the settings where no other command is given."""
    return show_settings(output, origin=origin) if ctx.invoked_subcommand is None else 0


def show_command(
    origin: Origin = False, output: options.Output = None, verbose: options.Verbose = False
) -> int:
    """Show the settings that hold here: yours, with the project's over them."""
    return show_settings(output, origin=origin)


def set_value(
    key: Key,
    value: Annotated[str, argument(metavar="VALUE", help='Text, or TOML: 3, true, ["a"].')],
    dry_run: options.DryRun = False,
    verbose: options.Verbose = False,
) -> int:
    """Set one value in your config file."""
    from argojobs.cli.config_change import change_config
    from argojobs.cli.settings_keys import split_key, with_setting

    path = change_config(lambda text: with_setting(text, key, value), dry_run=dry_run)
    if not dry_run:
        put(f"{path}: set {'.'.join(split_key(key, {}))}\n")
    return 0


def unset(key: Key, dry_run: options.DryRun = False, verbose: options.Verbose = False) -> int:
    """Take one value, or a whole table, out of your config file."""
    from argojobs.cli.config_change import change_config
    from argojobs.cli.settings_keys import without_setting

    path = change_config(lambda text: without_setting(text, key), dry_run=dry_run)
    if not dry_run:
        put(f"{path}: {key} is no longer set\n")
    return 0


def show_settings(output: Format | None, *, origin: bool) -> int:
    """Print the settings of both files."""
    from argojobs.cli.formats import print_data
    from argojobs.cli.settings_keys import effective
    from argojobs.cli.text import columns, show
    from argojobs.config.choosing import project_of
    from argojobs.config.files import config_file
    from argojobs.config.reading import dotted

    values = effective(project_of(Path.cwd()))
    if output is not None:
        flat: dict[str, Any] = {
            dotted(at): {"value": value, "origin": place} if origin else value
            for at, (value, place) in values.items()
        }
        print_data(flat, output, *flat)
    else:
        rows = [
            [(dotted(at), "dim"), (_text(value), ""), *([(place, "dim")] if origin else [])]
            for at, (value, place) in values.items()
        ]
        show(columns(rows))
        if not values:
            said = f"nothing is set in {config_file()}: argojobs config set KEY VALUE"
            show([[(said, "dim")]], stream=sys.stderr)
    return 0


def _text(value: Any) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


GROUP = group_of(
    "config",
    "Show settings, or change those of your config file.\n\n"
    "A project's own stand in its argojobs.toml, which you edit yourself.",
    {"show": show_command, "set": set_value, "unset": unset},
    settings_shown,
)
