# travels with: job
"""Influx line protocol: one point a line, `measurement,tag=value field=1 TIMESTAMP`.

Its escapes cannot say everything (InfluxDB 1.6 was asked). What they cannot is written as a sign
that looks like it: a line feed as ␊, a carriage return as ␍, a zero as ␀; a backslash at the end,
or before a comma, space, equals sign or quote, as ＼; a # or tabulator at the beginning, where the
one makes a comment and the other is skipped, as ＃ and ␉; an empty name as ␢.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final

#: What a number, text or truth value of a field may be.
Value = float | int | bool | str

_UNSAYABLE: Final = str.maketrans("\n\r\0", "␊␍␀")
_LOST_BACKSLASH: Final = re.compile(r'\\(?=[, ="]|\Z)')
_FIRST: Final = {"#": "＃", "\t": "␉"}
_MEASUREMENT: Final = str.maketrans({",": r"\,", " ": r"\ "})
_KEY: Final = str.maketrans({",": r"\,", " ": r"\ ", "=": r"\="})
#: Of the fields that are whole numbers, what 64 bits hold.
_LARGEST: Final = 2**63


def measurement(name: str) -> str:
    """Return the name of a measurement as it stands in a line."""
    text = _sayable(name) or "␢"
    return (_FIRST.get(text[0], text[0]) + text[1:]).translate(_MEASUREMENT)


def key(name: str) -> str:
    """Return the key of a tag or field, or the value of a tag, as it stands in a line."""
    return _sayable(name).translate(_KEY)


def tags(of: Mapping[str, str]) -> str:
    """Return tags as they follow a measurement, sorted; one that is empty is left out."""
    return "".join(f",{key(name)}={key(value)}" for name, value in sorted(of.items()) if value)


def field(value: Value) -> str:
    """Return a field's value as it stands in a line; "" for what Influx does not have.

    That is: NaN, infinities, and whole numbers of more than 64 bits.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{int(value)}i" if -_LARGEST <= value < _LARGEST else ""
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else ""
    text = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def _sayable(name: str) -> str:
    return _LOST_BACKSLASH.sub("＼", name.translate(_UNSAYABLE))
