"""The door to the terminal: whatever this command shows goes through here, cleaned and masked.

Titles, messages and logs come from servers, steps, manifests and file names. A terminal obeys what
it is sent: escape sequences move the cursor, set titles, write the clipboard, hide text. So `put`
and `show` take all of that out; `put_log` leaves colours and the carriage returns of progress bars;
what programs read (`put_data`, and logs that go to a file) is left as it is.
Source of the sequences: ECMA-48; xterm, control sequences.
"""

from __future__ import annotations

import re
import sys
from typing import TextIO

from argojobs.net.known_secrets import masked

_SGR = re.compile(r"(\x1b\[[0-9;:]*m)")
_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # control sequences
    r"|(?:\x1b[PX\]^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"  # strings
    r"|\x1b[ -/]*[0-~]?"  # others
)
#: What a terminal obeys, and what makes a text look like another one: directions, invisible signs.
_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\U000e0000-\U000e007f]"
)


def clean(text: str) -> str:
    """Return a text without secrets and without what a terminal obeys; lines and tabs stay."""
    text = masked(text)
    if _OBEYED.search(text) is None:
        return text
    return _OBEYED.sub("", _SEQUENCES.sub("", text))


def coloured(text: str) -> str:
    """Return a text that is clean but for its colours, which end with it, and carriage returns."""
    text = masked(text)
    if _OBEYED.search(text) is None:
        return text
    parts = _SGR.split(text)  # text and colours in turn
    parts[::2] = ["\r".join(map(clean, part.split("\r"))) for part in parts[::2]]
    return "".join(parts) + ("\x1b[0m" if len(parts) > 1 else "")


def put(text: str, stream: TextIO | None = None) -> None:
    """Write a text of ours to a stream, standard output unless told."""
    _write(clean(text), stream or sys.stdout)


def put_data(text: str) -> None:
    """Write what programs read (JSON, YAML, a manifest) to standard output."""
    _write(clean(text) if sys.stdout.isatty() else text, sys.stdout)


def put_log(text: str) -> None:
    """Write a line of a step's log to standard output."""
    _write((coloured(text) if sys.stdout.isatty() else text) + "\n", sys.stdout)


def put_lines(lines: list[str], stream: TextIO) -> None:
    """Write lines whose foreign parts are clean, in colours of ours."""
    for line in lines:
        _write(line + "\n", stream)
    stream.flush()


def writable(text: str, stream: TextIO) -> str:
    """Return a text as a stream's encoding can have it, the rest as escapes."""
    encoding = stream.encoding or "utf-8"
    try:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    except LookupError:  # a stream whose encoding Python does not know
        return text.encode("ascii", "backslashreplace").decode("ascii")


def _write(text: str, stream: TextIO) -> None:
    stream.write(text if text.isascii() else writable(text, stream))
