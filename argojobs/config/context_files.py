"""The contexts of the user's config file, with what a project's `argojobs.toml` puts over them.

The project's file may choose one of the user's contexts (`context = "NAME"`) and adapt it
(`[contexts.NAME]`); it cannot make one: its author does not decide where our credentials go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from argojobs.config.contexts import LOCAL, LOCAL_NAME, Context
from argojobs.config.files import PROJECT_FILE, TOP, config_file
from argojobs.config.reading import Reader, text_of
from argojobs.config.toml_lines import At
from argojobs.errors import UsageError


@dataclass(frozen=True, slots=True)
class Contexts:
    """All that the files say of contexts.

    by_name: the user's, in the file's order, with the project's values; without `local`. current:
    the user's `current_context`; project: the project's `context`; "" where not said. origins:
    `file:line` of each value by its keys from the top.
    """

    by_name: Mapping[str, Context] = field(default_factory=dict)
    current: str = ""
    project: str = ""
    origins: Mapping[At, str] = field(default_factory=dict)

    def names(self) -> list[str]:
        """Return the names of all contexts, `local` first."""
        return [LOCAL_NAME, *self.by_name]

    def get(self, name: str, *, said_by: str = "") -> Context:
        """Return the context of a name. Raises UsageError that lists the known and the nearest.

        said_by: who named it (`--context`, `argojobs.toml:1`), for the message.
        """
        if name == LOCAL_NAME:
            return LOCAL
        if name in self.by_name:
            return self.by_name[name]
        from argojobs.manifest.nearest import suggestion

        hint = suggestion(name, self.names(), what="the contexts are")
        raise UsageError(
            f"there is no context {name!r}",
            where=said_by,
            hint=f"{hint}; argojobs context add NAME",
        )


def load_contexts(project: Path | None = None, config: Path | None = None) -> Contexts:
    """Return the contexts of the user's config file (`config`, else the usual one) and a project.

    Raises UsageError with file and line for whatever is wrong in either. A missing file says
    nothing.
    """
    user = _reader(config or config_file())
    own = None if project is None else _reader(project / PROJECT_FILE)
    return contexts_of(user, own)


def contexts_of(user: Reader | None, project: Reader | None = None) -> Contexts:
    """Return what two parsed files say. Raises UsageError with file and line."""
    if user is None and project is None:
        return Contexts()
    from argojobs.config.context_reading import make_context, read_values, values_over

    values: dict[str, dict[str, Any]] = {}
    origins: dict[At, str] = {}
    for reader in (user, project):
        if reader is None:
            continue
        for name, table in _tables(reader, project=reader is project).items():
            read = read_values(reader, table, ("contexts", name))
            if reader is project and name not in values:
                continue
            values[name] = values_over(values.get(name, {}), read)
            _note(origins, reader, {name: table}, ("contexts",))
        for key, value in reader.document.items():
            if key != "contexts":
                _note(origins, reader, {key: value})
    by_name = {name: make_context(name, given, origins) for name, given in values.items()}
    current = _name(user, "current_context", "context", PROJECT_FILE)
    chosen = _name(project, "context", "current_context", "your own config file")
    return Contexts(by_name, current, chosen, origins)


def _tables(reader: Reader, *, project: bool) -> dict[str, dict[str, Any]]:
    from argojobs.config.context_reading import check_table

    document = reader.table(reader.document, (), TOP)
    tables = reader.table(document.get("contexts", {}), ("contexts",), None)
    return {
        name: check_table(reader, table, name, ("contexts", name), project=project)
        for name, table in tables.items()
    }


def _reader(path: Path) -> Reader | None:
    text = text_of(path)
    return None if text is None else Reader(text, path)


def _name(reader: Reader | None, key: str, other: str, other_file: str) -> str:
    """Return the context that a file chooses; the key of the other file is refused in it."""
    if reader is None:
        return ""
    if other in reader.document:
        raise reader.error(
            f"{other} stands in {other_file}; here the key is {key}",
            (other,),
            f'write {key} = "NAME"',
        )
    value = reader.document.get(key)
    return "" if value is None else reader.text(value, (key,))


def _note(origins: dict[At, str], reader: Reader, table: Mapping[str, Any], at: At = ()) -> None:
    """Note where each value below a table stands."""
    for key, value in table.items():
        origins[(*at, key)] = reader.where((*at, key))
        if isinstance(value, Mapping):
            _note(origins, reader, value, (*at, key))
