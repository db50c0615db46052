"""Amounts of Kubernetes as numbers, sizes, and durations of Go as nanoseconds."""

import pytest

from argojobs.units import nanoseconds, quantity, size, size_text


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
    assert quantity(text) == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{{inputs.parameters.cpu}}",
        "2Gb",
        "40GB",
        "1 1",
        " 1",
        "mi",
        None,
        True,
        "1ni",
        "1ki",
        "1e999999999",
    ],
)
def test_what_is_none_is_none(text):
    assert quantity(text) is None


@pytest.mark.parametrize(
    ("one", "same"), [("1000m", "1"), ("290m", "0.29"), ("1e3", "1k"), ("0.3Gi", "307.2Mi")]
)
def test_what_is_as_much_is_equal(one, same):
    assert quantity(one) == quantity(same)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1h30m", 5400 * 10**9),
        ("-1.5s", -1_500_000_000),
        ("0", 0),
        (".5ms", 500_000),
        ("3µs", 3000),
    ],
)
def test_a_duration_is_its_nanoseconds(text, value):
    assert nanoseconds(text) == value


@pytest.mark.parametrize("text", ["", "1", "1d", "h", ".s", "1h 2m", "1h2", "-", "9999999999h"])
def test_what_is_no_duration_is_none(text):
    assert nanoseconds(text) is None


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0, 0),
        ("7", 7),
        ("20MiB", 20 * 2**20),
        ("20 MiB", 20 * 2**20),
        ("1.5Gi", 3 * 2**29),
        ("3KB", 3000),
        ("2 GB", 2 * 10**9),
        ("1G", 10**9),
    ],
)
def test_a_size_is_its_bytes(value, number):
    assert size(value) == number


@pytest.mark.parametrize(
    "value", ["", "B", "MiB", "-1", -1, True, None, "100m", "1.5", "1e99", "5 mb"]
)
def test_what_is_no_size_is_none(value):
    assert size(value) is None


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (2**30, "1.0 GiB"), (2**52, "4096.0 TiB")],
)
def test_a_size_as_people_read_it(number, text):
    assert size_text(number) == text
