"""What may be logged: whatever is one number, read at once; the rest is left out with its reason."""

import decimal
import enum
import fractions
import math
from typing import Any

import numpy
import pytest

from argojobs.job.numbers import NotLogged, json_number, number, plain


class Level(enum.IntEnum):
    HIGH = 3


class Tensor:
    """As torch's: one value is read by `item()`, of more than one it cannot be."""

    def __init__(self, *values: float) -> None:
        self.values, self.shape = list(values), (len(values),) if len(values) > 1 else ()

    def item(self) -> float:
        if len(self.values) != 1:
            raise RuntimeError(f"a Tensor with {len(self.values)} elements cannot be converted")
        return self.values[0]


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (3, 3),
        (0.5, 0.5),
        (True, 1),
        (Level.HIGH, 3),
        (10**400, 10**400),
        (numpy.float32(0.5), 0.5),
        (numpy.float64(0.5), 0.5),
        (numpy.longdouble(0.5), 0.5),
        (numpy.int64(7), 7),
        (numpy.bool_(True), 1),
        (numpy.array([[2.5]]), 2.5),
        (Tensor(1.5), 1.5),
        (decimal.Decimal("0.25"), 0.25),
        (fractions.Fraction(1, 4), 0.25),
    ],
)
def test_a_scalar_of_any_kind_is_read_as_a_plain_number(given: Any, read: float) -> None:
    found = number(given)
    assert found == read
    assert type(found) is type(read)


@pytest.mark.parametrize("given", [math.nan, math.inf, -math.inf, numpy.float32("nan")])
def test_what_is_not_finite_is_a_number_and_a_text_in_the_file(given: Any) -> None:
    assert json_number(number(given)) in ("NaN", "Infinity", "-Infinity")


def test_an_integer_that_no_double_is_near_is_infinite_in_the_file() -> None:
    assert json_number(2**1000) == 2**1000
    assert [json_number(10**5000), json_number(-(10**5000))] == ["Infinity", "-Infinity"]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (1j, "it is a complex number"),
        (numpy.complex64(1j), "it is a complex number"),
        ("0.5", "it is a text"),
        (numpy.str_("0.5"), "it is a text"),
        (b"5", "it is a text"),
        (None, "it is None"),
        (numpy.zeros((2, 3)), "it is a ndarray of shape (2, 3)"),
        (numpy.zeros(0), "it is a ndarray of shape (0,)"),
        (Tensor(1.0, 2.0), "it is a Tensor of shape (2,)"),
        ([1.0], "a list is not one number"),
        ({"a": 1}, "a dict is not one number"),
        (numpy.datetime64("2020-01-01"), "a datetime64 is not one number"),
        (decimal.Decimal("sNaN"), "a Decimal is not one number"),
        (fractions.Fraction(10**400), "this Fraction is too large"),
    ],
)
def test_what_is_not_one_number_says_what_it_is(given: Any, why: str) -> None:
    with pytest.raises(NotLogged) as said:
        number(given)
    assert str(said.value) == why


def test_a_summary_may_hold_all_that_json_has() -> None:
    given = {
        "text": "ä", "none": None, "yes": True, 3: numpy.float32(0.5), "nan": math.nan,
        "list": (1, [2]), "array": numpy.arange(4).reshape(2, 2), "dict": {"a": numpy.int8(1)},
    }  # fmt: skip
    assert plain(given) == {
        "text": "ä", "none": None, "yes": True, "3": 0.5, "nan": "NaN",
        "list": [1, [2]], "array": [[0, 1], [2, 3]], "dict": {"a": 1},
    }  # fmt: skip


def test_what_has_no_end_is_not_followed() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(NotLogged, match="it is too deep"):
        plain(endless)
