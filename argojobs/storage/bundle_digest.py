"""The hash by which a code bundle is called: of names, contents, modes and links.

Whoever packs a bundle and whoever unpacks it compute the same, whatever archive was in between.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

DESCRIPTION = ".argojobs/bundle.json"  # holds the hash itself; hashed as if that were empty


class Part(NamedTuple):
    """An entry of a bundle: its name, its kind (file, program or link), content or link target."""

    name: bytes
    kind: Literal[b"f", b"x", b"l"]
    content: bytes


def digest_of(parts: Iterable[Part]) -> str:
    """The hash of a bundle's entries, in hexadecimal digits."""
    digest = hashlib.sha256()
    for part in sorted(parts):
        for field in (part.name, part.kind, hashlib.sha256(part.content).digest()):
            digest.update(len(field).to_bytes(8, "big") + field)
    return digest.hexdigest()


def digest_of_folder(folder: str) -> str:
    """The hash of an unpacked bundle. Raises OSError, ValueError for a spoilt description."""
    parts: list[Part] = []
    for here, folders, files in os.walk(folder):
        links = [name for name in folders if os.path.islink(f"{here}/{name}")]
        parts += [_part(f"{here}/{name}", folder) for name in (*links, *files)]
    return digest_of(parts)


def _part(path: str, folder: str) -> Part:
    name = os.path.relpath(path, folder)
    if os.path.islink(path):
        return Part(os.fsencode(name), b"l", os.fsencode(os.readlink(path)))
    with open(path, "rb") as file:
        content = file.read()
        is_program = os.fstat(file.fileno()).st_mode & 0o100
    if name == DESCRIPTION:
        content = json.dumps({**json.loads(content), "hash": ""}, sort_keys=True).encode() + b"\n"
    return Part(os.fsencode(name), b"x" if is_program else b"f", content)
