"""`--where`: how a condition is read, and which cells fit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.errors import UsageError
from argojobs.results.conditions import Condition, condition

KNOWN = {"lr", "p<0.05", "a=b", "loss"}.__contains__


def fits(text: str, cell: object) -> bool:
    return condition(text, KNOWN).fits(cell)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("lr<0.1", ("lr", "<", "0.1")),
        (" lr >= 1e-3 ", ("lr", ">=", "1e-3")),
        ("lr==2", ("lr", "==", "2")),
        ("lr!=", ("lr", "!=", "")),
        ("p<0.05=1", ("p<0.05", "=", "1")),
        ("a=b<2", ("a=b", "<", "2")),
        ("loss='a<b'", ("loss", "=", "a<b")),
        ("loss=\"\"", ("loss", "=", "")),
        ("nobody>1", ("nobody", ">", "1")),
    ],
)  # fmt: skip
def test_the_first_known_part_before_an_operator_is_the_name(text, read) -> None:
    assert condition(text, KNOWN) == read


@pytest.mark.parametrize(
    "text", ["", "lr", "<1", "lr<", "lr=<1", "lr<1 and loss<2", "nobody>1<2", "= 3"]
)
def test_what_is_no_condition_is_said(text) -> None:
    with pytest.raises(UsageError, match="--where"):
        condition(text, KNOWN)


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("lr<0.1", "0.01"), ("lr<0.1", 0.01), ("lr=0.1", "1e-1"), ("lr=1", 1.0), ("lr!=1", 2),
        ("lr>=9007199254740993", "9007199254740993"), ("lr=nan", float("nan")), ("lr<inf", 1e308),
        ("lr=resnet", "resnet"), ("lr!=resnet", "vgg"), ("lr<b", "a"), ("lr=", None), ("lr!=", 0), ("lr=", ""),
        ("lr=true", "true"),
    ],
)  # fmt: skip
def test_cells_that_fit(text, cell) -> None:
    assert fits(text, cell)


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("lr<0.1", "auto"), ("lr>0.1", "auto"), ("lr<auto", 1), ("lr<1", None), ("lr=1", None), ("lr!=1", None),
        ("lr<1", float("nan")), ("lr>1", float("nan")), ("lr!=nan", float("nan")), ("lr=", 0), ("lr!=", None),
        ("lr<9007199254740993", 9007199254740993), ("lr=Resnet", "resnet"),
    ],
)  # fmt: skip
def test_cells_that_do_not(text, cell) -> None:
    assert not fits(text, cell)


@given(st.text(), st.one_of(st.none(), st.text(), st.floats(), st.integers()))
def test_any_text_is_read_or_refused(text, cell) -> None:
    try:
        found = condition(text, KNOWN)
    except UsageError:
        return
    assert isinstance(found, Condition)
    assert found.fits(cell) in (True, False)
