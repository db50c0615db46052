"""Checksums that S3 keeps anyway: ETags, and the sizes of the parts that a large file is sent in.

The ETag of an object sent in one piece is the MD5 of its bytes; of one sent in N parts, the MD5
of the parts' MD5s and `-N` (so AWS, MinIO and SeaweedFS; not for objects that the service itself
encrypts with keys of its own, and not everywhere on AIStore). MD5 guards against accidents here,
nothing else.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MEBIBYTE = 1 << 20
PART = 8 * MEBIBYTE  # the most that is sent or fetched in one piece
MOST_PARTS = 10_000  # of one object (S3's limit)

_MD5 = re.compile(r"[0-9a-f]{32}(-[1-9][0-9]*)?")
#: Part sizes of other programs, in MiB: Argo's own client, rclone, the AWS command line, ...
_USUAL = (5, 8, 10, 15, 16, 20, 25, 32, 50, 64, 100, 128)


def md5(data: bytes) -> str:
    """The MD5 in hexadecimal digits."""
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def part_size(size: int) -> int:
    """The size of the parts in which a file of this size is sent; the same each time."""
    mebibytes = -(-size // (MOST_PARTS * MEBIBYTE))
    return max(PART, mebibytes * MEBIBYTE)


def parts_of(size: int, each: int) -> int:
    """How many parts a file has; an empty one has one."""
    return max(1, -(-size // each))


def etag_of_parts(digests: Sequence[str]) -> str:
    """The ETag of an object whose parts have these MD5s."""
    joined = b"".join(bytes.fromhex(digest) for digest in digests)
    return f"{md5(joined)}-{len(digests)}"


def is_checksum(etag: str) -> bool:
    """Whether an ETag looks like one that says something about the content."""
    return _MD5.fullmatch(etag) is not None


def likely_parts(size: int, etag: str) -> list[int]:
    """The part sizes that an object may have been sent in; ours first, [] for "in one piece"."""
    _, dash, count = etag.partition("-")
    if not dash:
        return []
    likely = [part_size(size), *(number * MEBIBYTE for number in _USUAL)]
    return [each for each in dict.fromkeys(likely) if parts_of(size, each) == int(count)]


def same_content(path: str, size: int, etag: str) -> bool:
    """Whether a file has the content that an ETag tells of; False when that cannot be known.

    Args:
        path: of the file.
        size: bytes of the file and of the object alike.
        etag: of the object, without quotes.

    Raises:
        OSError: the file cannot be read.
    """
    if not is_checksum(etag):
        return False
    if "-" not in etag:
        return _digests(path, max(size, 1)) == [etag]
    return any(etag_of_parts(_digests(path, each)) == etag for each in likely_parts(size, etag))


def _digests(path: str, each: int) -> list[str]:
    """The MD5s of a file's parts, read a little at a time."""
    digests: list[str] = []
    with open(path, "rb", buffering=0) as file:
        while True:
            digest, left = hashlib.md5(usedforsecurity=False), each
            while left and (data := file.read(min(left, MEBIBYTE))):
                digest.update(data)
                left -= len(data)
            if left == each and digests:
                return digests
            digests.append(digest.hexdigest())
            if left:
                return digests
