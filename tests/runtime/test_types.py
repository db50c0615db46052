"""Annotations that can be parameters, and what their values must be."""

from __future__ import annotations

import dataclasses
import enum
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, Union

import pytest

from argojobs.errors import DefinitionError, ParameterError
from argojobs.runtime.types import describe, plain_of, schema_of, value_of


class Level(enum.Enum):
    LOW = 1
    HIGH = 2


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, {"type": "str"}),
        (None, {"type": "none"}),
        (Path, {"type": "path"}),
        (Any, {"type": "any"}),
        (list, {"type": "list", "items": {"type": "any"}}),
        (dict, {"type": "dict", "values": {"type": "any"}}),
        (list[float], {"type": "list", "items": {"type": "float"}}),
        (dict[str, int], {"type": "dict", "values": {"type": "int"}}),
        (Literal["a", 1], {"type": "literal", "values": ["a", 1]}),
        (Level, {"type": "enum", "name": "Level", "members": {"LOW": 1, "HIGH": 2}}),
        (int | None, {"type": "union", "any": [{"type": "int"}, {"type": "none"}]}),
        (Optional[int], {"type": "union", "any": [{"type": "int"}, {"type": "none"}]}),  # noqa: UP045
        (Union[int, str], {"type": "union", "any": [{"type": "int"}, {"type": "str"}]}),  # noqa: UP007
        (Annotated[int, "steps"], {"type": "int"}),
        (
            Point,
            {
                "type": "dataclass",
                "name": "Point",
                "fields": {
                    "x": {"schema": {"type": "int"}, "required": True},
                    "y": {"schema": {"type": "int"}, "required": False},
                },
            },
        ),
    ],
)
def test_each_supported_annotation_has_a_schema(annotation: Any, schema: dict[str, Any]) -> None:
    assert schema_of(annotation) == schema


@pytest.mark.parametrize(
    "annotation", [set, tuple[int, int], bytes, object, dict[int, str], complex]
)
def test_an_unsupported_annotation_is_refused_with_what_to_use(annotation: Any) -> None:
    with pytest.raises(DefinitionError) as caught:
        schema_of(annotation)
    assert caught.value.hint


@dataclasses.dataclass
class Node:
    value: int
    children: list[Node]


@dataclasses.dataclass
class Unreadable:
    value: NotDefinedHere  # type: ignore[name-defined] # noqa: F821


class SameText(enum.Enum):
    ONE = 1
    ALSO = "1"


@pytest.mark.parametrize(
    ("annotation", "what"),
    [
        (Node, "Node holds itself"),
        (list[Node], "Node holds itself"),
        (Unreadable, "a field of Unreadable has a type that cannot be read: .*NotDefinedHere"),
        (Literal[1, "1"], "choices 1 and '1'"),
        (Literal[True, "true"], "choices True and 'true'"),
        (Literal[1] | Literal["1"], "choices 1 and '1'"),  # noqa: PYI030
        (SameText, "SameText has the choices 1 and '1'"),
    ],
)
def test_what_cannot_be_read_or_told_apart_is_refused_by_name(annotation: Any, what: str) -> None:
    with pytest.raises(DefinitionError, match=what):
        schema_of(annotation)


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (Literal["a"] | Literal["b", "a"], {"type": "literal", "values": ["a", "b"]}),  # noqa: PYI030
        (
            Literal["a"] | None | Literal[2],  # noqa: PYI030
            {"type": "union", "any": [{"type": "literal", "values": ["a", 2]}, {"type": "none"}]},
        ),
    ],
)
def test_a_union_of_literals_is_one_literal(annotation: Any, schema: dict[str, Any]) -> None:
    assert schema_of(annotation) == schema
    assert value_of("a", annotation) == "a"


@pytest.mark.parametrize(
    ("value", "annotation", "plain"),
    [
        (True, bool, True),
        (Path("a"), Path, "a"),
        (Level.HIGH, Level, 2),
        (2, Level, 2),
        (Point(1), Point, {"x": 1, "y": 0}),
        ({"x": 1}, Point, {"x": 1}),
        ((1, 2), list[int], [1, 2]),
        (1, float | int, 1),
        (1.0, float | int, 1.0),
    ],
)
def test_values_become_plain_json_and_come_back(value: Any, annotation: Any, plain: Any) -> None:
    made = plain_of(value, schema_of(annotation))
    assert made == plain
    assert type(made) is type(plain)


def test_plain_json_becomes_typed_values() -> None:
    assert value_of({"x": 1}, Point) == Point(1)
    assert value_of([1, 2], list[Level]) == [Level.LOW, Level.HIGH]
    assert value_of({"a": {"x": 3}}, dict[str, Point]) == {"a": Point(3)}
    assert value_of(None, Point | None) is None
    assert value_of("a/b", Path | None) == Path("a/b")


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        (True, int), (1, bool), ("1", int), (1.5, int), (None, str), ("c", Literal["a", "b"]),
        (True, Literal[1]), ([1, "a"], list[int]), ({1: 2}, dict[str, int]), (b"x", Any), ({"z": 1}, Point),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_refused(value: Any, annotation: Any) -> None:
    with pytest.raises(ParameterError):
        plain_of(value, schema_of(annotation))


def test_a_schema_is_described_in_plain_words() -> None:
    assert describe(schema_of(int | None)) == "a whole number or nothing"
    assert describe(schema_of(list[float])) == "a list (a number each)"
