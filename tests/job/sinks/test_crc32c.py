"""The checksum of TFRecord files."""

from __future__ import annotations

import random

import pytest

from argojobs.job.sinks.crc32c import crc32c, crc32c_each


@pytest.mark.parametrize(
    ("data", "checksum"),
    [  # RFC 3720, B.4
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
)
def test_it_is_castagnolis(data: bytes, checksum: int) -> None:
    assert crc32c(data) == checksum
    assert crc32c_each([data] * 20) == [checksum] * 20


def test_texts_side_by_side_have_the_checksums_they_have_alone() -> None:
    chance = random.Random(1)
    texts = [chance.randbytes(chance.choice([0, 1, 7, 40, 41, 300])) for _ in range(2_000)]
    assert crc32c_each(texts) == [crc32c(text) for text in texts]


def test_none_have_none() -> None:
    assert crc32c_each([]) == []
