"""The door to the terminal: whatever this command shows goes through here, cleaned and masked.

Titles, messages and logs come from servers, steps, manifests and file names. A terminal obeys what
it is sent: escape sequences move the cursor, set titles, write the clipboard, hide text. So `put`
and `show` take all of that out; `put_log` leaves colours and the carriage returns of progress bars;
what programs read (`put_data`, and logs that go to a file) is left as it is.
"""

from __future__ import annotations

import sys
from typing import TextIO

from argojobs.runs.wording import clean, coloured


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
