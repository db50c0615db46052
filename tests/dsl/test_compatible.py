"""Whether a value of one type may be an argument of another, so that its text means the same."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any, Literal

import pytest

from argojobs.dsl.compatible import accepts
from argojobs.errors import ParameterError
from argojobs.runtime.types import plain_of, schema_of
from argojobs.runtime.wire import TEXTS, decode, encode


class Size(Enum):
    SMALL = "small"


class Mode(str, Enum):
    FAST = "fast"


class Level(IntEnum):
    LOW = 1


@dataclass
class Point:
    x: int


@dataclass
class Other:
    x: int


EXAMPLES: dict[Any, list[Any]] = {
    str: ["", "a", "3", "true", "null", "[1]", "{{x}}", "$"],
    int: [0, -3],
    float: [0.5, -1e-7],
    bool: [True, False],
    Path: [Path("a")],
    Any: [None, 1, "a", [1]],
    Literal["a", "b"]: ["a"],
    Literal["a", "b", "c"]: ["c"],
    Literal[1, 2]: [1],
    Size: [Size.SMALL],
    Mode: [Mode.FAST],
    Level: [Level.LOW],
    list[int]: [[], [1]],
    list[float]: [[0.5]],
    list[str]: [["a", "$"]],
    dict[str, int]: [{}, {"a": 1}],
    dict[str, float]: [{"a": 0.5}],
    Point: [Point(1)],
    Other: [Other(1)],
    int | None: [None, 3],
    str | None: [None, "", "3", "null"],
    float | None: [None, 0.5],
    int | str: [1, "1", "a"],
    list[int] | None: [None, [1]],
}


PAIRS = [
    (target, source)
    for target in EXAMPLES
    for source in EXAMPLES
    if accepts(schema_of(target), schema_of(source))
]


@pytest.mark.parametrize(("target", "source"), PAIRS, ids=repr)
def test_what_is_accepted_decodes_to_the_same_value(target, source):
    for value in EXAMPLES[source]:
        found = decode(encode(value, schema_of(source)), target)
        assert plain_of(found, schema_of(target)) == plain_of(value, schema_of(source))


def test_every_type_accepts_itself():
    assert {(each, each) for each in EXAMPLES} <= set(PAIRS)


ACCEPTED = [
    (float, int), (str, Literal["a", "b"]), (Literal["a", "b", "c"], Literal["a", "b"]),
    (int | None, int), (float | None, int), (str | None, str), (Any, int),
    (list[float], list[int]), (dict[str, float], dict[str, int]), (int | str, int),
    (float | None, int | None), (int, Literal[1, 2]), (float, Literal[1, 2]), (str, Mode), (int, Level),
    (int | str, Literal[1, 2]), (bool, Literal[True]),
]  # fmt: skip
REFUSED = [
    (int, float), (int, str), (str, int), (bool, int), (int, bool), (int, int | None), (str, Path), (Path, str),
    (Literal["a", "b"], str), (Size, str), (str, Size), (Any, str), (str, Any), (int | str, str),
    (int, Literal[1, "a"]), (str, Level), (Mode, str), (int | str, Mode),
    (list[int], list[float]), (Point, Other), (list[str], str),
]  # fmt: skip


@pytest.mark.parametrize(("target", "source"), ACCEPTED, ids=repr)
def test_wider_types_accept(target, source):
    assert accepts(schema_of(target), schema_of(source))


@pytest.mark.parametrize(("target", "source"), REFUSED, ids=repr)
def test_others_refuse(target, source):
    assert not accepts(schema_of(target), schema_of(source))


def test_a_list_of_texts_is_a_list_again():
    assert decode(TEXTS + '["0.5","1"]', list[float]) == [0.5, 1.0]
    assert decode(TEXTS + '["argojobs:base64:JA==","a"]', list[str]) == ["$", "a"]
    assert decode(TEXTS + "[[1,2],[]]", list[list[int]]) == [[1, 2], []]
    assert decode(TEXTS + "[]", list[int]) == []
    with pytest.raises(ParameterError, match="got a list"):
        decode(TEXTS + "[]", int)
