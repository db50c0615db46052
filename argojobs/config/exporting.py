"""A context as a text for somebody else: no secrets, nothing that is only on this machine."""

from __future__ import annotations

from typing import Any

from argojobs.config.contexts import FILES, Context, table_of
from argojobs.config.editing import with_value
from argojobs.config.secret_references import ENV, KEYRING

#: References that mean something on another machine.
PORTABLE = (ENV, KEYRING)


def exported(context: Context) -> str:
    """Return a context as TOML that `context import` takes.

    Of secrets only references to the environment and to a keyring are in it; what was left out
    is named in comments.
    """
    table: dict[str, Any] = table_of(context)
    left = [key for key in FILES if table.pop(key, "")]
    for key, reference in context.references().items():
        if reference.partition(":")[0] not in PORTABLE:
            left.append(key)
            _take(table, key.split("."))
    lines = [f"# {key}: only on the machine of its author; set yours" for key in left]
    body = with_value("", ("contexts", context.name), table)
    return "\n".join([*lines, body])


def _take(table: dict[str, Any], keys: list[str]) -> None:
    for key in keys[:-1]:
        table = table[key]
    table.pop(keys[-1], None)
