"""The version of the engine: two of them on one home agree by it which one serves."""

from __future__ import annotations

from argojobs import __version__

VERSION: str = __version__


def is_newer(one: str, other: str) -> bool:
    """Whether version `one` is later than `other`, by their numbers (`0.10.0` after `0.9.1`)."""
    return _numbers(one) > _numbers(other)


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.split("+", maxsplit=1)[0].replace("-", ".").split(".")
    return tuple(int(part) for part in parts if part.isdigit())
