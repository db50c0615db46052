"""Kubernetes quantities as numbers."""

import pytest

from argojobs.manifest.quantities import number_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        ("500m", 0.5),
        ("512Ki", 2**19),
        ("2Gi", 2 * 2**30),
        ("1.5G", 1.5e9),
        ("1e3", 1000.0),
        (".5", 0.5),
        (2, 2.0),
        ("12E", 12e18),
        ("100u", 1e-4),
    ],
)
def test_a_quantity_is_its_number(text, value):
    assert number_of(text) == pytest.approx(value)


@pytest.mark.parametrize(
    "text", ["", "{{inputs.parameters.cpu}}", "2Gb", "1 1", "mi", None, True, "1ni", "1ki"]
)
def test_what_is_none_is_none(text):
    assert number_of(text) is None
