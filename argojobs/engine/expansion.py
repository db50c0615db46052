"""Kubernetes' `$(NAME)` references in environment values, commands and arguments.

`$(NAME)` is the value of a variable of the container, `$$` is a dollar sign; what names no
variable stays as it is. Source: Kubernetes documentation, "Define dependent environment
variables" and "Run a command with arguments".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from argojobs.errors import HostError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterable

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


Secrets = Mapping[str, Mapping[str, str]]


def container_variables(
    entries: Iterable[Mapping[str, Any]], fields: Mapping[str, str], secrets: Secrets
) -> dict[str, str]:
    """The values of a container's `env`, each seeing those before it.

    Args:
        entries: of `env`.
        fields: values of what `fieldRef` may name.
        secrets: values by name and key; an optional one that is not there leaves its variable
            out.

    Raises:
        HostError: a secret is not there.
        UnsupportedError: a value has another source.
    """
    variables: dict[str, str] = {}
    for entry in entries:
        source = entry.get("valueFrom")
        if source and source.get("secretKeyRef"):
            value = secret_value(entry["name"], source["secretKeyRef"], secrets)
            if value is not None:
                variables[entry["name"]] = value
        elif source:
            variables[entry["name"]] = _from_field(entry["name"], source, fields)
        else:
            value = entry.get("value")
            variables[entry["name"]] = expand("" if value is None else str(value), variables)
    return variables


def secret_value(variable: str, reference: Mapping[str, Any], secrets: Secrets) -> str | None:
    """The value of a key of a secret; None for an optional one that is not there.

    Args:
        variable: which gets the value.
        reference: the `secretKeyRef`.
        secrets: values by name and key.

    Raises:
        HostError: the key is not there, and not optional.
    """
    name, key = str(reference.get("name", "")), str(reference.get("key", ""))
    found = secrets.get(name, {}).get(key)
    if found is None and not reference.get("optional"):
        raise HostError(
            f"the variable {variable} is the key {key!r} of the secret {name!r}, which is not "
            "known on this machine",
            hint=f"say where it is, in argojobs.toml:  [local.secrets.{name}]  "
            f'{key} = "env:{variable}"  (or "file:PATH")',
        )
    return found


def _from_field(name: str, source: Mapping[str, Any], fields: Mapping[str, str]) -> str:
    path = source.get("fieldRef", {}).get("fieldPath")
    if path is None:
        raise UnsupportedError(
            f"the variable {name} takes its value from {', '.join(source)}",
            hint="on this machine a variable has a `value`, a `valueFrom.fieldRef` or a secretKeyRef.",
        )
    if path not in fields:
        if path.startswith(("metadata.labels['", "metadata.annotations['")):
            return ""  # Kubernetes: a label that is not there is empty
        raise UnsupportedError(
            f"the variable {name} asks for the pod's field {path}",
            hint=f"known on this machine: {', '.join(sorted(fields))}.",
        )
    return fields[path]
