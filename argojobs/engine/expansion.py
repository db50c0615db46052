"""Kubernetes' `$(NAME)` references in environment values, commands and arguments.

`$(NAME)` is the value of a variable of the container, `$$` is a dollar sign; what names no
variable stays as it is. Source: Kubernetes documentation, "Define dependent environment
variables" and "Run a command with arguments".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from argojobs.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# A "$" takes the next character with it: "$$" is one dollar, "$(NAME)" a reference, and any
# other pair is kept, so that the second character of "$x" never begins something itself.
_REFERENCE = re.compile(r"\$(?:\$|\(([^)]*)\)|.)", re.DOTALL)


def expand(text: str, variables: Mapping[str, str]) -> str:
    """The text with its references replaced."""
    if "$" not in text:
        return text

    def value(match: re.Match[str]) -> str:
        if match[0] == "$$":
            return "$"
        if match[1] is None:
            return match[0]
        return variables.get(match[1], match[0])

    return _REFERENCE.sub(value, text)


def container_variables(
    entries: Iterable[Mapping[str, Any]], fields: Mapping[str, str]
) -> dict[str, str]:
    """The values of a container's `env`, each seeing those before it.

    fields: what `fieldRef` may name. Raises UnsupportedError for another source of a value.
    """
    variables: dict[str, str] = {}
    for entry in entries:
        source = entry.get("valueFrom")
        if source:
            variables[entry["name"]] = _from_field(entry["name"], source, fields)
        else:
            value = entry.get("value")
            variables[entry["name"]] = expand("" if value is None else str(value), variables)
    return variables


def _from_field(name: str, source: Mapping[str, Any], fields: Mapping[str, str]) -> str:
    path = source.get("fieldRef", {}).get("fieldPath")
    if path is None:
        raise UnsupportedError(
            f"the variable {name} takes its value from {', '.join(source)}",
            hint="On this machine a variable has a `value` or a `valueFrom.fieldRef`.",
        )
    if path not in fields:
        if path.startswith(("metadata.labels['", "metadata.annotations['")):
            return ""  # Kubernetes: a label that is not there is empty
        raise UnsupportedError(
            f"the variable {name} asks for the pod's field {path}",
            hint=f"Known on this machine: {', '.join(sorted(fields))}.",
        )
    return fields[path]
