"""Types of parameters: from an annotation to a schema, and values to plain JSON and back.

A schema is a small JSON value, so that it can travel in a manifest's annotation and be checked
where the user's code is not imported:

    {"type": "str" | "int" | "float" | "bool" | "path" | "none" | "any"}
    {"type": "literal", "values": [...]}
    {"type": "enum", "name": "Optimizer", "members": {"ADAM": "adam"}}
                                                             "base": "str" for (str, Enum)
    {"type": "list", "items": SCHEMA}
    {"type": "dict", "values": SCHEMA}                       keys are str
    {"type": "dataclass", "name": "Config", "fields": {NAME: {"schema": SCHEMA, "required": bool}}}
    {"type": "union", "any": [SCHEMA, ...]}                  optional: a union with none

"Plain" means what `json` reads and writes. Heavy standard modules are imported only when an
annotation needs them: a step's start pays for nothing it does not use.
"""

from __future__ import annotations

from ..errors import DefinitionError, ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Schema = dict[str, Any]

_SIMPLE: dict[object, str] = {
    str: "str",
    int: "int",
    float: "float",
    bool: "bool",
    type(None): "none",
    None: "none",
}
_SIMPLE_NAMES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "path": "a path",
    "none": "nothing",
    "any": "any JSON value",
}
#: Fewer than the 4300 digits that Python turns into text and back (`sys.set_int_max_str_digits`).
_MOST_BITS = 14_280
_SUPPORTED = "str, int, float, bool, Path, Literal, Enum, list, dict, dataclass, or X | None"


def schema_of(annotation: Any, inside: tuple[type, ...] = ()) -> Schema:
    """Return the schema of an annotation (already resolved, not a string).

    inside: the dataclasses whose fields are being read. Raises DefinitionError, without a place,
    for a type that cannot be a parameter.
    """
    name = _SIMPLE.get(annotation) if _hashable(annotation) else None
    if name is not None:
        return {"type": name}
    if isinstance(annotation, type) and not hasattr(annotation, "__origin__"):
        return _schema_of_class(annotation, inside)
    return _schema_of_form(annotation, inside)


def _hashable(value: Any) -> bool:
    return getattr(value, "__hash__", None) is not None


def _schema_of_class(cls: type, inside: tuple[type, ...]) -> Schema:
    import pathlib

    if cls is list:
        return {"type": "list", "items": {"type": "any"}}
    if cls is dict:
        return {"type": "dict", "values": {"type": "any"}}
    if issubclass(cls, pathlib.PurePath):
        return {"type": "path"}
    if hasattr(cls, "__dataclass_fields__"):
        return _schema_of_dataclass(cls, inside)
    import enum

    if issubclass(cls, enum.Enum):
        members = {member.name: _enum_plain(member) for member in cls}
        _check_texts(cls, list(members.values()))
        schema = {"type": "enum", "name": cls.__name__, "members": members}
        base = next((kind.__name__ for kind in (str, int) if issubclass(cls, kind)), None)
        return schema if base is None else {**schema, "base": base}
    import typing

    if cls is typing.Any:  # a class since Python 3.11, a special form before
        return {"type": "any"}
    raise _unsupported(cls)


def _schema_of_form(annotation: Any, inside: tuple[type, ...]) -> Schema:
    import typing

    if annotation is typing.Any:
        return {"type": "any"}
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin is typing.Annotated:
        return schema_of(arguments[0], inside)
    if origin is typing.Literal:
        if not all(isinstance(value, (str, int, bool)) for value in arguments):
            raise _unsupported(annotation)
        _check_texts(annotation, arguments)
        return {"type": "literal", "values": list(arguments)}
    if origin is list:
        return {"type": "list", "items": schema_of(arguments[0], inside)}
    if origin is dict:
        if arguments[0] is not str:
            raise DefinitionError(
                f"the keys of {annotation!r} are not str", hint="use dict[str, ...]"
            )
        return {"type": "dict", "values": schema_of(arguments[1], inside)}
    if origin is typing.Union or type(annotation).__name__ == "UnionType":
        return _union(annotation, [schema_of(argument, inside) for argument in arguments])
    raise _unsupported(annotation)


def _union(annotation: Any, members: list[Schema]) -> Schema:
    """Return the schema of a union: all its literals are one, with the choices of each."""
    literals = [one for one in members if one["type"] == "literal"]
    if len(literals) > 1:
        choices = [value for one in literals for value in one["values"]]
        unique = list({(type(value), value): value for value in choices}.values())
        _check_texts(annotation, unique)
        merged = {"type": "literal", "values": unique}
        members = [merged if one is literals[0] else one for one in members]
        members = [one for one in members if all(one is not other for other in literals[1:])]
    return members[0] if len(members) == 1 else {"type": "union", "any": members}


# travels with: mistakes
def _check_texts(annotation: Any, choices: Sequence[Any]) -> None:
    """Raise DefinitionError for choices that are the same as text: they travel as text."""
    seen: dict[str, Any] = {}
    for choice in choices:
        text = str(choice).lower() if isinstance(choice, bool) else str(choice)
        if text in seen:
            name = annotation.__name__ if isinstance(annotation, type) else repr(annotation)
            raise DefinitionError(
                f"{name} has the choices {seen[text]!r} and {choice!r}, whose texts are the same",
                hint="a parameter travels as text: give its choices different texts",
            )
        seen[text] = choice


def _schema_of_dataclass(cls: Any, inside: tuple[type, ...]) -> Schema:
    import dataclasses

    if cls in inside:
        raise DefinitionError(
            f"{cls.__name__} holds itself, and cannot be the type of a parameter",
            hint="use `dict` for that field, or pass it as an artifact",
        )
    hints = _hints(cls)
    fields: dict[str, Schema] = {}
    for field in dataclasses.fields(cls):
        if field.init:
            required = (
                field.default is dataclasses.MISSING
                and field.default_factory is dataclasses.MISSING
            )
            schema = schema_of(hints[field.name], (*inside, cls))
            fields[field.name] = {"schema": schema, "required": required}
    return {"type": "dataclass", "name": cls.__name__, "fields": fields}


def _hints(cls: Any) -> dict[str, Any]:
    """Return the annotations of a dataclass. Raises DefinitionError for one that is not a type."""
    import typing

    try:
        return typing.get_type_hints(cls)
    except (NameError, AttributeError, TypeError, SyntaxError) as error:
        raise DefinitionError(
            f"a field of {cls.__name__} has a type that cannot be read: {error}",
            hint="define or import the type at the top of the file that the dataclass is in",
        ) from error


def _unsupported(annotation: Any) -> DefinitionError:
    name = getattr(annotation, "__name__", None) or repr(annotation)
    return DefinitionError(
        f"{name} cannot be the type of a parameter",
        hint=f"use {_SUPPORTED}; pass larger things as artifacts (Model, File, Directory, ...)",
    )


def _enum_plain(member: Any) -> Any:
    value = member.value
    return value if isinstance(value, (str, int, float, bool)) else member.name


def describe(schema: Schema) -> str:
    """Say in plain words what a value must be: `a whole number`, `one of 'sgd', 'adam'`."""
    kind = schema["type"]
    if kind == "literal":
        return "one of " + ", ".join(repr(value) for value in schema["values"])
    if kind == "enum":
        return "one of " + ", ".join(repr(value) for value in schema["members"].values())
    if kind == "list":
        return f"a list ({describe(schema['items'])} each)"
    if kind == "dict":
        return f"an object ({describe(schema['values'])} each)"
    if kind == "dataclass":
        names = ", ".join(schema["fields"])
        return f"an object with {names} ({schema['name']})"
    if kind == "union":
        return " or ".join(describe(member) for member in schema["any"])
    return _SIMPLE_NAMES[kind]


def name_of(annotation: Any) -> str:
    """Return an annotation as a user writes it: `int`, `list[float]`, `Literal['a']`."""
    if isinstance(annotation, type) and not hasattr(annotation, "__origin__"):
        return annotation.__name__
    return repr(annotation).replace("typing.", "")


def plain_of(value: Any, schema: Schema) -> Any:
    """Check a Python value against a schema and return it as plain JSON.

    Raises ParameterError, without a place, saying what was expected and what came.
    """
    kind = schema["type"]
    if kind == "union":
        return _plain_of_union(value, schema)
    if kind == "literal":
        for allowed in schema["values"]:
            if allowed == value and type(allowed) is type(value):
                return value
        raise _mismatch(value, schema)
    if kind == "enum":
        return _plain_of_enum(value, schema)
    if kind == "list" and isinstance(value, (list, tuple)):
        return [plain_of(item, schema["items"]) for item in value]
    if kind == "dict" and isinstance(value, dict):
        return {_text_key(key): plain_of(item, schema["values"]) for key, item in value.items()}
    if kind == "dataclass":
        return _plain_of_object(value, schema)
    if kind == "any":
        return _plain_of_any(value)
    if kind == "path" and (isinstance(value, str) or hasattr(value, "__fspath__")):
        return str(value)
    if kind == "float" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return _float(value)
    wanted = {"str": str, "int": int, "bool": bool, "none": type(None)}.get(kind)
    if wanted is not None and isinstance(value, wanted):
        if kind == "int" and isinstance(value, bool):
            raise _mismatch(value, schema)
        if isinstance(value, int) and kind == "int":
            return _printable(value)
        return _as_text(value) if kind == "str" else value
    raise _mismatch(value, schema)


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError as error:
        raise ParameterError(
            "expected a number, got one that no float can hold", hint="use int, or inf itself"
        ) from error


def _printable(value: int) -> int:
    """Return a whole number that Python writes and reads as text, which it limits in length."""
    if value.bit_length() > _MOST_BITS:
        raise ParameterError(
            "the whole number has too many digits: Python reads and writes 4300",
            hint="pass it as text (str) in another base, or as an artifact",
        )
    return int(value)


def _as_text(value: Any) -> str:
    # A str subclass (an enum's mixin, a number kept as text) is its text.
    return str.__str__(value)


def _text_key(key: Any) -> str:
    if not isinstance(key, str):
        raise ParameterError(f"the key {key!r} is not text", hint="keys of objects are strings")
    return key


def _plain_of_union(value: Any, schema: Schema) -> Any:
    # The exact type first: 1 is an int in `float | int`, and only then a float.
    for exact in (True, False):
        for member in schema["any"]:
            if exact and member["type"] == "float" and isinstance(value, int):
                continue
            try:
                return plain_of(value, member)
            except ParameterError:
                continue
    raise _mismatch(value, schema)


def _plain_of_enum(value: Any, schema: Schema) -> Any:
    members = schema["members"]
    name = getattr(value, "name", None)
    if name in members and type(value).__name__ == schema["name"]:
        return members[name]
    for plain in members.values():
        if plain == value and type(plain) is type(value):
            return plain
    if isinstance(value, str) and value in members:
        return members[value]
    raise _mismatch(value, schema)


def _plain_of_object(value: Any, schema: Schema) -> Any:
    fields = schema["fields"]
    if hasattr(type(value), "__dataclass_fields__"):
        value = {name: getattr(value, name) for name in fields if hasattr(value, name)}
    if not isinstance(value, dict):
        raise _mismatch(value, schema)
    for name in value:
        if name not in fields:
            raise ParameterError(
                f"{schema['name']} has no field {name!r}", hint="its fields: " + ", ".join(fields)
            )
    for name, field in fields.items():
        if field["required"] and name not in value:
            raise ParameterError(
                f"the field {name!r} of {schema['name']} is missing",
                hint=f"give it: {describe(field['schema'])}",
            )
    return {
        name: plain_of(value[name], field["schema"])
        for name, field in fields.items()
        if name in value
    }


def _plain_of_any(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return _printable(value)
    if value is None or isinstance(value, (str, float, bool)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain_of_any(item) for item in value]
    if isinstance(value, dict):
        return {_text_key(key): _plain_of_any(item) for key, item in value.items()}
    raise _mismatch(value, {"type": "any"})


def _mismatch(value: Any, schema: Schema) -> ParameterError:
    try:
        shown = repr(value)
    except ValueError:  # a whole number of more digits than Python writes
        shown = f"a {type(value).__name__} too large to show"
    if len(shown) > 60:
        shown = shown[:57] + "..."
    return ParameterError(f"expected {describe(schema)}, got {shown}")


def value_of(plain: Any, annotation: Any) -> Any:
    """Build the Python value of an annotation from plain JSON: the inverse of `plain_of`."""
    if annotation is float:
        return float(plain)
    name = _SIMPLE.get(annotation) if _hashable(annotation) else None
    if name is not None or plain is None:
        return plain
    if isinstance(annotation, type) and not hasattr(annotation, "__origin__"):
        return _value_of_class(plain, annotation)
    import typing

    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin is typing.Annotated:
        return value_of(plain, arguments[0])
    if origin is list:
        return [value_of(item, arguments[0]) for item in plain]
    if origin is dict:
        return {key: value_of(item, arguments[1]) for key, item in plain.items()}
    if origin is typing.Union or type(annotation).__name__ == "UnionType":
        return _value_of_union(plain, arguments)
    return plain


def _value_of_class(plain: Any, cls: type) -> Any:
    if hasattr(cls, "__dataclass_fields__"):
        hints = _hints(cls)
        return cls(**{name: value_of(item, hints[name]) for name, item in plain.items()})
    import pathlib

    if issubclass(cls, pathlib.PurePath):
        return cls(plain)
    import enum

    if issubclass(cls, enum.Enum):
        return next(member for member in cls if _enum_plain(member) == plain)
    return plain


def _value_of_union(plain: Any, members: tuple[Any, ...]) -> Any:
    for exact in (True, False):
        for member in members:
            schema = schema_of(member)
            if exact and schema["type"] == "float" and isinstance(plain, int):
                continue
            try:
                plain_of(plain, schema)
            except ParameterError:
                continue
            return value_of(plain, member)
    raise ParameterError(f"{plain!r} fits no member of {members!r}")
