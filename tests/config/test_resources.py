"""Resources: mrunner's short text and tables, by Kubernetes' names."""

import pytest

from argojobs.config.resources import checked_resources, parse_resources
from argojobs.errors import UsageError


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cpu=4 tpu=1", {"cpu": "4", "google.com/tpu": "1"}),
        ("tpu=1 cpu=500m", {"google.com/tpu": "1", "cpu": "500m"}),
        ("gpu=2, memory=16Gi", {"nvidia.com/gpu": "2", "memory": "16Gi"}),
        ("disk=40Gi example.com/fpga=1", {"ephemeral-storage": "40Gi", "example.com/fpga": "1"}),
        ("", {}),
    ],
)
def test_the_short_text(text, found):
    assert parse_resources(text) == found


def test_a_table_with_numbers():
    assert checked_resources({"cpu": 4, "gpu": 1, "mem": "1.5Gi"}) == {
        "cpu": "4",
        "nvidia.com/gpu": "1",
        "memory": "1.5Gi",
    }


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("cpus=4", "there is no resource 'cpus'", "did you mean 'cpu'?"),
        ("cpu", "'cpu' says no quantity", "cpu=4"),
        ("cpu=", "says no quantity", "cpu=4"),
        ("cpu=four", "cpu=four is not a quantity", "500m"),
        ("memory=16GB", "is not a quantity", "16Gi"),
        ("gpu=1 nvidia.com/gpu=1", "given twice", "keep one"),
    ],
)
def test_mistakes(text, what, hint):
    with pytest.raises(UsageError) as caught:
        parse_resources(text)
    assert what in caught.value.what
    assert hint in caught.value.hint


def test_true_is_no_quantity():
    with pytest.raises(UsageError, match="not a quantity"):
        checked_resources({"cpu": True})
