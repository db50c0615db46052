"""Types of parameters: from an annotation to a schema, and values to plain JSON and back.

A schema is a small JSON value, so that it can travel in a manifest's annotation and be checked
where the user's code is not imported:

    {"type": "str" | "int" | "float" | "bool" | "path" | "none" | "any"}
    {"type": "literal", "values": [...]}
    {"type": "enum", "name": "Optimizer", "members": {"ADAM": "adam"}}
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
_SUPPORTED = "str, int, float, bool, Path, Literal, Enum, list, dict, dataclass, or X | None"


def schema_of(annotation: Any) -> Schema:
    """Return the schema of an annotation (already resolved, not a string).

    Raises DefinitionError, without a place, for a type that cannot be a parameter.
    """
    name = _SIMPLE.get(annotation) if _hashable(annotation) else None
    if name is not None:
        return {"type": name}
    if isinstance(annotation, type) and not hasattr(annotation, "__origin__"):
        return _schema_of_class(annotation)
    return _schema_of_form(annotation)


def _hashable(value: Any) -> bool:
    return getattr(value, "__hash__", None) is not None


def _schema_of_class(cls: type) -> Schema:
    import pathlib

    if cls is list:
        return {"type": "list", "items": {"type": "any"}}
    if cls is dict:
        return {"type": "dict", "values": {"type": "any"}}
    if issubclass(cls, pathlib.PurePath):
        return {"type": "path"}
    if hasattr(cls, "__dataclass_fields__"):
        return _schema_of_dataclass(cls)
    import enum

    if issubclass(cls, enum.Enum):
        members = {member.name: _enum_plain(member) for member in cls}
        return {"type": "enum", "name": cls.__name__, "members": members}
    import typing

    if cls is typing.Any:  # a class since Python 3.11, a special form before
        return {"type": "any"}
    raise _unsupported(cls)


def _schema_of_form(annotation: Any) -> Schema:
    import typing

    if annotation is typing.Any:
        return {"type": "any"}
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin is typing.Annotated:
        return schema_of(arguments[0])
    if origin is typing.Literal:
        if not all(isinstance(value, (str, int, bool)) for value in arguments):
            raise _unsupported(annotation)
        return {"type": "literal", "values": list(arguments)}
    if origin is list:
        return {"type": "list", "items": schema_of(arguments[0])}
    if origin is dict:
        if arguments[0] is not str:
            raise DefinitionError(
                f"the keys of {annotation!r} are not str", hint="use dict[str, ...]"
            )
        return {"type": "dict", "values": schema_of(arguments[1])}
    if origin is typing.Union or type(annotation).__name__ == "UnionType":
        members = [schema_of(argument) for argument in arguments]
        return {"type": "union", "any": members}
    raise _unsupported(annotation)


def _schema_of_dataclass(cls: Any) -> Schema:
    import dataclasses
    import typing

    hints = typing.get_type_hints(cls)
    fields: dict[str, Schema] = {}
    for field in dataclasses.fields(cls):
        if field.init:
            required = (
                field.default is dataclasses.MISSING
                and field.default_factory is dataclasses.MISSING
            )
            fields[field.name] = {"schema": schema_of(hints[field.name]), "required": required}
    return {"type": "dataclass", "name": cls.__name__, "fields": fields}


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
        return float(value)
    wanted = {"str": str, "int": int, "bool": bool, "none": type(None)}.get(kind)
    if wanted is not None and isinstance(value, wanted):
        if kind == "int" and isinstance(value, bool):
            raise _mismatch(value, schema)
        return _as_text(value) if kind == "str" else value
    raise _mismatch(value, schema)


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
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain_of_any(item) for item in value]
    if isinstance(value, dict):
        return {_text_key(key): _plain_of_any(item) for key, item in value.items()}
    raise _mismatch(value, {"type": "any"})


def _mismatch(value: Any, schema: Schema) -> ParameterError:
    shown = repr(value)
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
        import typing

        hints = typing.get_type_hints(cls)
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
