"""YAML that people keep by hand: keys in any spelling, and scalars that are the texts which stand there.

A password may be `007` or `yes`, a version `1.10`.
"""

from __future__ import annotations

import re
from typing import Any

from argojobs.manifest.reading import read

_NOTHING = frozenset({"", "~", "null"})


def texts_in(text: str, file: str) -> dict[str, Any] | None:
    """Return a file's mapping with every scalar as its text; None where it is not one mapping.

    Raises ManifestError for what is not YAML, with the place in `file`.
    """
    import yaml

    documents = [one for one in read(text, file) if one is not None]
    if len(documents) != 1 or not isinstance(documents[0], dict):
        return None
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    return dict(yaml.load(text, Loader=loader))  # noqa: S506 - makes nothing but text


def plain_key(key: object) -> str:
    """Return a key without case, blanks, `_` and `-`."""
    return re.sub(r"[\s_-]+", "", str(key)).casefold()


def is_nothing(value: Any) -> bool:
    """Whether a text says that there is no value."""
    return value is None or (isinstance(value, str) and value.casefold() in _NOTHING)


def line_of(text: str, place: tuple[str | int, ...]) -> int:
    """Return the line of a place in a file, by its keys and positions from the top."""
    from argojobs.manifest.locate import locate

    return locate(text, place)[0]
