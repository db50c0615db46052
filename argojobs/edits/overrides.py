"""Reads overrides of parameters: `--params` and `-p`, as the user typed them.

`--params` takes a JSON object, `@file.json` or `@file.yaml`, and an object in angle brackets
(`<"batch_size":2>`), as some shells and documents force. Numbers keep the digits they were
written with, nested values are compact JSON. What a shell broke on the way is recognised: cmd and
PowerShell take the double quotes away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn

from argojobs.errors import ManifestError, ParameterError
from argojobs.manifest.scalars import NumberText
from argojobs.manifest.source_text import read_text

_MAX_DEPTH = 100
_SNIPPET = 30


class Given(NamedTuple):
    """A value as it was given.

    kind: "text" is what somebody typed, of any type (`-p n=2`); "string" is a quoted string,
    "json" the compact JSON text of anything else (`2`, `true`, `[1,2]`, `null`).
    """

    text: str
    kind: Literal["text", "string", "json"] = "text"

    @property
    def is_null(self) -> bool:
        """Whether it is JSON's null: no value at all."""
        return self.kind == "json" and self.text == "null"


Overrides = dict[str, Given]


def parse_params(text: str) -> Overrides:
    """Return the overrides of a `--params` text: JSON object, `@file`, or `<...>`.

    Raises ParameterError showing the place, with a way round the shell.
    """
    stripped = text.strip()
    if stripped.startswith("@"):
        return _from_file(stripped[1:])
    if stripped.startswith("<") and stripped.endswith(">"):
        stripped = _with_braces(stripped)
    return _from_json(stripped, "--params")


def parse_assignment(text: str) -> tuple[str, Given]:
    """Return name and value of a `-p name=value`. ParameterError where there is no `=`."""
    name, equals, value = text.partition("=")
    name = name.strip()
    if not equals or not name:
        raise ParameterError(
            f"-p {text!r} is not an assignment", hint="write -p name=value, once for each parameter"
        )
    return name, Given(value)


def from_python(values: Mapping[str, Any]) -> Overrides:
    """Return Python values (`run(demo, batch_size=2)`) as overrides; plain JSON ones only."""
    given: Overrides = {}
    for name, value in values.items():
        if isinstance(value, str):
            given[name] = Given(str(str.__str__(value)), "string")
            continue
        try:
            text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        except (TypeError, ValueError, RecursionError) as error:
            raise ParameterError(
                f"the value of {name} is not a plain value: {error}",
                hint="give text, numbers, booleans, None, lists or dicts of them",
            ) from error
        given[name] = Given(text, "json")
    return given


def _from_file(name: str) -> Overrides:
    if not name:
        raise ParameterError(
            "--params @ names no file", hint="write --params @params.json (or .yaml)"
        )
    try:
        text = read_text(name)
        if Path(name).suffix.lower() == ".json" or text.lstrip()[:1] == "{":
            return _from_json(text, name)
        return _from_yaml(text, name)
    except ManifestError as error:
        raise ParameterError(
            f"--params: {error.what}", where=error.where, hint=error.hint
        ) from error


def _from_yaml(text: str, file: str) -> Overrides:
    from argojobs.manifest.yaml_read import read_values

    given: Overrides = {}
    for name, value, quoted in read_values(text, file):
        if value is None:
            given[name] = Given("null", "json")
        elif isinstance(value, str):
            given[name] = Given(value, "string" if quoted else "text")
        else:
            given[name] = Given(compact_json(value), "json")
    return given


class _DuplicateError(ValueError):
    """A key stands twice in a JSON object."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise _DuplicateError(key)
        made[key] = value
    return made


def refuse_duplicates(text: str) -> None:
    """Raise ParameterError for JSON that holds a key twice; any other text is judged elsewhere."""
    try:
        json.loads(text, object_pairs_hook=_unique, parse_int=str, parse_float=str)
    except _DuplicateError as error:
        raise ParameterError(f"{str(error)!r} stands twice", hint="keep one of them") from error
    except (ValueError, RecursionError):
        return


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _from_json(text: str, where: str) -> Overrides:
    try:
        value = json.loads(
            text,
            parse_int=NumberText,
            parse_float=NumberText,
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique,
        )
        if isinstance(value, dict):
            return {name: _given(item) for name, item in value.items()}
    except _DuplicateError as error:
        raise ParameterError(
            f"{where}: {str(error)!r} stands twice", hint="keep one of them"
        ) from error
    except json.JSONDecodeError as error:
        raise _malformed(text, error, where) from error
    except ValueError as error:
        raise ParameterError(
            f"{where}: {error}", hint='put it in quotes: "NaN" and "inf" are taken for a float'
        ) from error
    except RecursionError as error:
        raise ParameterError(
            f"{where}: nested deeper than {_MAX_DEPTH} levels", hint="pass it as an artifact"
        ) from error
    raise ParameterError(
        f"{where} is {'a list' if isinstance(value, list) else 'one value'}, no object",
        hint="""write --params '{"name": value}', or -p name=value""",
    )


def _given(value: Any) -> Given:
    if isinstance(value, str) and not isinstance(value, NumberText):
        return Given(value, "string")
    return Given(compact_json(value), "json")


def compact_json(value: Any, depth: int = 0) -> str:
    """Return a JSON value as compact text, numbers (`NumberText`) with the digits they came with."""
    if depth > _MAX_DEPTH:
        raise RecursionError
    if isinstance(value, NumberText):
        return str(value)
    if isinstance(value, dict):
        items = (
            f"{json.dumps(key, ensure_ascii=False)}:{compact_json(item, depth + 1)}"
            for key, item in value.items()
        )
        return "{" + ",".join(items) + "}"
    if isinstance(value, list):
        return "[" + ",".join(compact_json(item, depth + 1) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _with_braces(text: str) -> str:
    """Return the text with braces for the angle brackets outside its strings."""
    parts = re.split(r'("(?:[^"\\]|\\.)*")', text)
    for index in range(0, len(parts), 2):
        parts[index] = parts[index].replace("<", "{").replace(">", "}")
    return "".join(parts)


_STRIPPED = re.compile(r"""^'?\s*\{\s*[^\s"'{}:,\\]+\s*:""")
_PAIR = re.compile(r"""([A-Za-z_][A-Za-z0-9_-]*)\s*:\s*([^\s,{}\[\]'"]+)""")


def _malformed(text: str, error: json.JSONDecodeError, where: str) -> ParameterError:
    """Say where JSON is broken, and what most probably broke it."""
    line = text.splitlines()[error.lineno - 1] if text.splitlines() else ""
    start = max(0, error.colno - 1 - _SNIPPET)
    shown = line[start : error.colno - 1 + _SNIPPET]
    caret = " " * (error.colno - 1 - start) + "^"
    place = f"{where}:{error.lineno}:{error.colno}" if error.lineno > 1 else where
    what = f"{place}: not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}"
    return ParameterError(f"{what}\n    {shown}\n    {caret}", hint=_way_round(text, error.pos))


def _way_round(text: str, position: int) -> str:
    if not text:
        return "the text is empty; write -p name=value, or --params @file.json"
    if text[position : position + 1] in tuple("“”„‘’"):
        return "these are typographic quotes; JSON wants plain double quotes"
    if _STRIPPED.match(text):
        pairs = " ".join(f"-p {name}={value}" for name, value in _PAIR.findall(text)[:3])
        return (
            "the shell took the double quotes away (cmd and PowerShell do): "
            f"write {pairs or '-p name=value'}, or --params @file.json"
        )
    if re.match(r"\{\s*'", text):
        return "JSON wants double quotes, and single ones around the whole: '{\"name\": 1}'"
    return "write -p name=value for each parameter, or put it in a file: --params @file.json"
