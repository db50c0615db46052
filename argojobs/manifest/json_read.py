"""Reads a JSON manifest, by the same rules as the YAML reader.

Values of parameters keep the digits they were written with, all other numbers are typed.
Also used for objects that came as JSON values already (a REST body, a hera object): `typed_tree`.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from ..errors import ManifestError
from .places import Path
from .scalars import NumberText, as_json_number, json_number_text, typed

_MAX_DEPTH = 100


class NotPlainJsonError(Exception):
    """The text is not JSON, or repeats a key: the YAML reader says what and where."""


def read_json(text: str, file: str = "") -> Any:
    """Return the manifest of a JSON text. NotPlainJsonError where it is none."""
    try:
        value = json.loads(
            text,
            parse_int=NumberText,
            parse_float=NumberText,
            parse_constant=_refuse,
            object_pairs_hook=_unique,
        )
    except (ValueError, RecursionError) as error:
        raise NotPlainJsonError(str(error)) from error
    return typed_tree(value, file)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice")
    return made


def typed_tree(value: Any, file: str = "") -> Any:
    """Return a copy of a JSON value in the form that the readers give.

    `value` and `default` of parameters become text, null ones are left out, and lists and mappings
    stay what they are, for the check; numbers elsewhere are typed. Raises ManifestError for what is
    nested too deep.
    """
    return _Typer(file).tree(value, ())


class _Typer:
    """Walks a value and knows which of its parts are values of parameters."""

    def __init__(self, file: str) -> None:
        self.file = file

    def tree(self, value: Any, path: Path) -> Any:
        if isinstance(value, dict):
            self._bound(path)
            return {
                key: self.parameters(item, (*path, key))
                if key == "parameters" and isinstance(item, list)
                else (_data(item) if key == "withItems" else self.tree(item, (*path, key)))
                for key, item in value.items()
            }
        if isinstance(value, list):
            self._bound(path)
            return [self.tree(item, (*path, index)) for index, item in enumerate(value)]
        return _typed_scalar(value)

    def parameters(self, items: list[Any], path: Path) -> list[Any]:
        return [
            self.parameter(item, (*path, index))
            if isinstance(item, dict)
            else self.tree(item, (*path, index))
            for index, item in enumerate(items)
        ]

    def parameter(self, parameter: dict[str, Any], path: Path) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, item in parameter.items():
            if key in ("value", "default"):
                text = _text(item)
                if text is not None:
                    made[key] = text
            elif key == "enum" and isinstance(item, list):
                made[key] = [_text(one) for one in item]
            elif key == "valueFrom" and isinstance(item, dict) and "default" in item:
                rest = self.tree({k: v for k, v in item.items() if k != "default"}, (*path, key))
                text = _text(item["default"])
                made[key] = rest if text is None else {**rest, "default": text}
            else:
                made[key] = self.tree(item, (*path, key))
        return made

    def _bound(self, path: Path) -> None:
        if len(path) > _MAX_DEPTH:
            raise ManifestError(
                f"nested deeper than {_MAX_DEPTH} levels",
                where=self.file,
                hint="nest it less deep",
            )


def _text(value: Any) -> Any:
    """Return a parameter's value as text; a list or mapping stays one."""
    if value is None or isinstance(value, (dict, list)):
        return _data(value)
    return scalar_text(value)


def _data(value: Any) -> Any:
    """Type the items of a loop: plain data, whatever its keys are called."""
    if isinstance(value, dict):
        return {key: _data(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_data(item) for item in value]
    return _typed_scalar(value)


def _typed_scalar(value: Any) -> Any:
    if isinstance(value, NumberText):
        return typed(value)
    return as_json_number(value) if isinstance(value, float) else value


def scalar_text(value: str | float | bool) -> str:
    """Return the text of a scalar as a parameter's value: `true`, `2`, `0.5`."""
    if isinstance(value, str):
        return str(str.__str__(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return json_number_text(value)
