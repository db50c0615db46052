"""ETags as checksums, and parts within S3's limits."""

import hashlib

import pytest

from argojobs.storage.s3_checksums import (
    MEBIBYTE,
    MOST_PARTS,
    etag_of_parts,
    is_checksum,
    likely_parts,
    part_size,
    parts_of,
    same_content,
)


@pytest.mark.parametrize("size", [0, 1, 8 * MEBIBYTE, 2**30, 80 * 2**30 + 1, 5 * 2**40])
def test_every_size_fits_into_the_parts_that_s3_allows(size):
    each = part_size(size)
    assert each >= 5 * MEBIBYTE  # S3's limit, but for the last one
    assert parts_of(size, each) <= MOST_PARTS
    assert parts_of(size, each) >= 1


def test_the_etag_of_parts_is_that_of_s3():
    """As AWS' documentation has it: the MD5 of the parts' MD5s, and their number."""
    parts = [hashlib.md5(b"a").hexdigest(), hashlib.md5(b"b").hexdigest()]
    whole = hashlib.md5(hashlib.md5(b"a").digest() + hashlib.md5(b"b").digest()).hexdigest()
    assert etag_of_parts(parts) == f"{whole}-2"


@pytest.mark.parametrize(
    ("etag", "answer"),
    [("0" * 32, True), ("0" * 32 + "-12", True), ("0" * 16, False), ("x" * 32, False), ("", False)],
)
def test_what_looks_like_a_checksum(etag, answer):
    assert is_checksum(etag) is answer


def test_ours_is_the_first_of_the_likely_part_sizes():
    size = 40 * MEBIBYTE
    assert likely_parts(size, "0" * 32 + "-5")[0] == part_size(size)
    assert likely_parts(size, "0" * 32 + "-8") == [5 * MEBIBYTE]
    assert likely_parts(size, "0" * 32) == []


def test_content_is_told_by_either_kind_of_etag(tmp_path):
    path = tmp_path / "f"
    data = bytes(range(256)) * 4096 * 12  # 12 MiB
    path.write_bytes(data)
    whole = hashlib.md5(data).hexdigest()
    parts = [hashlib.md5(data[start : start + 5 * MEBIBYTE]).hexdigest() for start in
             range(0, len(data), 5 * MEBIBYTE)]  # fmt: skip
    assert same_content(str(path), len(data), whole)
    assert same_content(str(path), len(data), etag_of_parts(parts))
    assert not same_content(str(path), len(data), "0" * 32)
    assert not same_content(str(path), len(data), "of-no-use")


def test_an_empty_file_has_the_checksum_of_nothing(tmp_path):
    (tmp_path / "f").touch()
    assert same_content(str(tmp_path / "f"), 0, hashlib.md5(b"").hexdigest())
