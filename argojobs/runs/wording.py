"""Texts for people: counts, and what others wrote without what a terminal obeys.

A terminal obeys what it is sent: escape sequences move the cursor, set titles, write the clipboard,
hide text. Source of the sequences: ECMA-48; xterm, control sequences.
"""

from __future__ import annotations

import re
from typing import Any

from argojobs.net.known_secrets import masked
from argojobs.runtime.wire import readable

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


def plural(count: int, thing: str) -> str:
    """Say how many there are of a thing: `1 step`, `2 steps`."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def plain(text: str) -> str:
    """Return a text of one line as it may be shown.

    A progress bar overwrites its line with carriage returns: its last state is kept.
    """
    if "\r" in text:
        text = text.rstrip("\r").rpartition("\r")[2]
    text = clean(text)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c == "\t" else "" for c in text.expandtabs(4))


def one_line(value: Any) -> str:
    """Say a parameter's value in one line, cut to what a reader takes in."""
    text = readable(str(value))
    first, newline, _ = text.partition("\n")
    shown = plain(first)
    return shown[:200] + " ..." if newline or len(shown) > 200 else shown
