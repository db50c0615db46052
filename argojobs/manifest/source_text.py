"""The text of a manifest file: decoded, bounded, and without characters no manifest can hold."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import ManifestError
from .places import place_text

#: The largest file read, and the most that its aliases may expand to.
MAX_BYTES = 16 * 1024 * 1024

_UNREADABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]"
)
_BYTE_ORDER_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def read_text(path: Path | str) -> str:
    """Return the text of a manifest file. ManifestError where it is none, says why and where."""
    path = Path(path)
    file = str(path)
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise _too_large(size, file)
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise ManifestError(
            f"there is no file {file}", hint="check the path; it is relative to the current folder"
        ) from error
    except IsADirectoryError as error:
        raise ManifestError(f"{file} is a folder", hint="name a manifest in it") from error
    except OSError as error:
        raise ManifestError(f"{file} cannot be read: {error.strerror}") from error
    return decode(data, file)


def _too_large(size: int, file: str) -> ManifestError:
    return ManifestError(
        f"the manifest has {size / 1048576:.0f} MiB, at most {MAX_BYTES // 1048576} are read",
        where=file,
        hint="a Workflow object holds 1 MiB on a cluster: loop with withItems, pass data as artifacts",
    )


def decode(data: bytes, file: str = "") -> str:
    """Return the bytes of a manifest as text (UTF-8, a byte order mark is dropped)."""
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            raise ManifestError(
                f"the file is {name}, manifests are UTF-8",
                where=place_text(file, 1, 1),
                hint="save it as UTF-8 (in PowerShell: Out-File -Encoding utf8)",
            )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        start = before.rfind(b"\n") + 1
        column = len(before[start:].decode("utf-8", "replace")) + 1
        raise ManifestError(
            f"the byte 0x{data[error.start]:02x} is not UTF-8",
            where=place_text(file, line, column),
            hint="save the file as UTF-8",
        ) from error


def check_text(text: str, file: str = "") -> None:
    """Raise ManifestError, with the place, for a text too large or with an unreadable character."""
    if len(text) > MAX_BYTES:
        raise _too_large(len(text), file)
    bad = _UNREADABLE.search(text)
    if bad is not None:
        line, column = _line_and_column(text, bad.start())
        raise ManifestError(
            f"the character U+{ord(bad.group()):04X} cannot stand in a manifest",
            where=place_text(file, line, column),
            hint='remove it, or write it in double quotes as an escape such as "\\u001b"',
        )


def _line_and_column(text: str, position: int) -> tuple[int, int]:
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
