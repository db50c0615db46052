"""What may be logged: whatever is one number, read at once; the rest is left out with its reason."""

import decimal
import enum
import fractions
import math
from typing import Any

import numpy as np
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
        (np.float32(0.5), 0.5),
        (np.float64(0.5), 0.5),
        (np.longdouble(0.5), 0.5),
        (np.int64(7), 7),
        (np.bool_(True), 1),
        (np.array([[2.5]]), 2.5),
        (Tensor(1.5), 1.5),
        (decimal.Decimal("0.25"), 0.25),
        (fractions.Fraction(1, 4), 0.25),
    ],
)
def test_a_scalar_of_any_kind_is_read_as_a_plain_number(given: Any, read: float) -> None:
    found = number(given)
    assert found == read
    assert type(found) is type(read)


@pytest.mark.parametrize("given", [math.nan, math.inf, -math.inf, np.float32("nan")])
def test_what_is_not_finite_is_a_number_and_a_text_in_the_file(given: Any) -> None:
    assert json_number(number(given)) in ("NaN", "Infinity", "-Infinity")


def test_an_integer_that_no_double_is_near_is_infinite_in_the_file() -> None:
    assert json_number(2**1000) == 2**1000
    assert [json_number(10**5000), json_number(-(10**5000))] == ["Infinity", "-Infinity"]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (1j, "it is a complex number"),
        (np.complex64(1j), "it is a complex number"),
        ("0.5", "it is a text"),
        (np.str_("0.5"), "it is a text"),
        (b"5", "it is a text"),
        (None, "it is None"),
        (np.zeros((2, 3)), "it is a ndarray of shape (2, 3)"),
        (np.zeros(0), "it is a ndarray of shape (0,)"),
        (Tensor(1.0, 2.0), "it is a Tensor of shape (2,)"),
        ([1.0], "a list is not one number"),
        ({"a": 1}, "a dict is not one number"),
        (np.datetime64("2020-01-01"), "a datetime64 is not one number"),
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
        "text": "ä", "none": None, "yes": True, 3: np.float32(0.5), "nan": math.nan,
        "list": (1, [2]), "array": np.arange(4).reshape(2, 2), "dict": {"a": np.int8(1)},
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
