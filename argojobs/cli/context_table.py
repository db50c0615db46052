"""How contexts look on a screen."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from argojobs.cli.text import Line, Span, columns
from argojobs.config.context_files import Contexts
from argojobs.config.contexts import Context, table_of
from argojobs.config.reading import dotted
from argojobs.config.toml_lines import At


def context_lines(contexts: Contexts, chosen: str) -> list[list[Span]]:
    """Lay all contexts out: the chosen one marked, where it is, its namespace, what it has."""
    rows: list[list[Span]] = [
        [(head, "dim") for head in ("  CONTEXT", "SERVER", "NAMESPACE", "STORE")]
    ]
    for name in contexts.names():
        context = contexts.get(name)
        mark = "* " if name == chosen else "  "
        rows.append(
            [
                (mark + name, "bold" if name == chosen else ""),
                (where(context), ""),
                (context.namespace, ""),
                (store(context), "dim"),
            ]
        )
    return columns(rows)


def where(context: Context) -> str:
    """Say where a context's server is."""
    if context.built_in:
        return "this machine"
    if context.server:
        return context.server
    return f"through the kubeconfig{f' ({context.kube_context})' if context.kube_context else ''}"


def store(context: Context) -> str:
    """Say where a context's artifacts are."""
    if context.s3 is None:
        return ""
    return "/".join(filter(None, (context.s3.endpoint, context.s3.bucket, context.s3.prefix)))


def value_lines(
    table: Mapping[str, Any], origins: Mapping[At, str], above: At = (), *, origin: bool
) -> list[list[Span]]:
    """Lay the values of a table out, one a line.

    Args:
        table: plain data; tables in it are gone through.
        origins: `file:line` by place in the config file.
        above: the place of the table in the file.
        origin: whether each line ends with its `file:line`, or `default`.
    """
    rows: list[Line] = []
    for at, value in leaves(table):
        row: list[Span] = [(dotted(at), "dim"), (_text(value), "")]
        if origin:
            row.append((origins.get((*above, *at), "default"), "dim"))
        rows.append(row)
    return columns(rows)


def leaves(table: Mapping[str, Any], above: At = ()) -> Iterator[tuple[At, Any]]:
    """Yield each value of a tree of tables with its keys."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from leaves(value, (*above, key))
        else:
            yield (*above, key), value


def plain(context: Context) -> dict[str, Any]:
    """Return a context for programs: its name and all that is said of it, secrets by reference."""
    return {"name": context.name, **table_of(context)}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
