"""`-o json|yaml|name`: what programs read from standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from enum import Enum
from typing import Any

from argojobs.cli.door import put_data
from argojobs.manifest.yaml_write import write_yaml


class Format(str, Enum):
    """How a verb prints its answer for a program."""

    json = "json"
    yaml = "yaml"
    name = "name"


def print_object(value: Any, form: Format) -> None:
    """Print one workflow object: whole, or its name."""
    print_data(value, form, _name(value))


def print_data(value: Any, form: Format, *names: str) -> None:
    """Print plain data.

    Args:
        value: what is printed as JSON or YAML.
        form: which of them, or `name`.
        names: what is printed of it as `name`, one a line.
    """
    if form is Format.name:
        for name in names:
            print_text(name)
    elif form is Format.json:
        print_json(value)
    else:
        print_yaml(value)


def print_objects(values: Sequence[Any], form: Format) -> None:
    """Print several workflow objects: a JSON list, YAML documents, or a name a line."""
    if form is not Format.yaml:
        print_data(values, form, *map(_name, values))
        return
    for position, value in enumerate(values):
        if position:
            print_text("---")
        print_yaml(value)


def print_json(value: Any) -> None:
    """Print a value as JSON, two blanks a level, text as it is."""
    print_text(json.dumps(value, indent=2, ensure_ascii=False))


def print_yaml(value: Any) -> None:
    """Print a value as YAML whose strings stay strings."""
    put_data(write_yaml(value))
    sys.stdout.flush()


def print_text(text: str) -> None:
    """Print one line; what the stream's encoding lacks is written as escapes."""
    put_data(text + "\n")
    sys.stdout.flush()


def _name(value: Any) -> str:
    return str(value.get("metadata", {}).get("name", ""))
