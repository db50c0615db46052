"""Influx line protocol, as text; what a real InfluxDB makes of it is in `test_influx_for_real`."""

from __future__ import annotations

import math

import pytest

from argojobs.job.sinks.line_protocol import field, key, measurement, tags


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("loss", "loss"),
        ("val/loss", "val/loss"),
        ("a b,c=d", r"a\ b\,c=d"),
        ('"a"', '"a"'),
        (r"a\b", r"a\b"),
        (r"a\,b", r"a＼\,b"),
        (r"a\"b", 'a＼"b'),
        (r"a\\", r"a\＼"),
        ("a\nb\r\0", "a␊b␍␀"),
        ("#a#", "＃a#"),
        ("\ta\t", "␉a\t"),
        ("", "␢"),
    ],
)
def test_a_measurement_may_have_any_name(name: str, text: str) -> None:
    assert measurement(name) == text


def test_keys_and_tags_escape_equal_signs_too() -> None:
    assert key("a=b c,d") == r"a\=b\ c\,d"
    assert (
        tags({"user": "a b", "host": "n\\", "run": "", "a=": "1"}) == r",a\==1,host=n＼,user=a\ b"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.5"),
        (1e-07, "1e-07"),
        (3, "3i"),
        (-(2**63), "-9223372036854775808i"),
        (2**63, ""),
        (True, "true"),
        (False, "false"),
        ('a "b" \\ c', r'"a \"b\" \\ c"'),
        (math.nan, ""),
        (-math.inf, ""),
    ],
)
def test_a_field_has_its_type(value: float | str, text: str) -> None:
    assert field(value) == text
