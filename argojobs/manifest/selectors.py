r"""Argo's node field selectors: `displayName=approve,phase!=Succeeded`.

Source: Argo docs, `argo resume --node-field-selector`; Kubernetes field selectors: terms of `=`,
`==` or `!=`, joined by commas that mean "and"; a backslash before `,`, `=` or `\` keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import UsageError
from .names import template_of_node
from .view import parameters_of

_PIECE = re.compile(r"\\[\\,=]|!=|==|=|,|[^\\,=!]+|.", re.DOTALL)


class Term(NamedTuple):
    """One condition: the field has the value, or (`equal` False) has another one or none."""

    field: str
    equal: bool
    value: str


def parse(text: str) -> list[Term]:
    """Return the terms of a selector. Raises UsageError for one that is none."""
    terms: list[Term] = []
    parts: list[str] = ["", "", ""]
    for piece in [*_PIECE.findall(text), ","]:
        if piece == ",":
            if parts != ["", "", ""]:
                terms.append(_term(parts, text))
            parts = ["", "", ""]
        elif piece in ("=", "==", "!=") and not parts[1]:
            parts[1] = piece
        elif piece in ("=", "==", "!=", "\\"):
            raise _invalid(text)
        else:
            parts[2 if parts[1] else 0] += piece[1:] if piece[0] == "\\" else piece
    return terms


def _term(parts: list[str], text: str) -> Term:
    field, operator, value = parts
    if not field or not operator:
        raise _invalid(text)
    return Term(field, operator != "!=", value)


def _invalid(text: str) -> UsageError:
    return UsageError(
        f"invalid selector: {text!r}",
        hint="write field=value, more with commas: displayName=approve,phase=Running; fields are "
        "displayName, templateName, phase, name, id, inputs.parameters.NAME.value",
    )


def matches(terms: list[Term], node: Mapping[str, Any]) -> bool:
    """Whether a node has all that the terms ask for; a field it lacks is empty."""
    fields = _fields(node)
    return all((fields.get(field, "") == value) == equal for field, equal, value in terms)


def _fields(node: Mapping[str, Any]) -> dict[str, str]:
    fields = {
        "displayName": str(node.get("displayName", "")),
        "templateName": template_of_node(node),
        "phase": str(node.get("phase", "")),
        "name": str(node.get("name", "")),
        "id": str(node.get("id", "")),
    }
    reference = node.get("templateRef")
    if reference:
        fields["templateRef.name"] = str(reference.get("name", ""))
        fields["templateRef.template"] = str(reference.get("template", ""))
    for parameter in parameters_of(node.get("inputs")):
        value = parameter.get("value")
        fields[f"inputs.parameters.{parameter['name']}.value"] = "" if value is None else str(value)
    return fields
