"""What `sprig.semver(...)` gives: a version, and what an expression may ask of it.

Source: Masterminds/semver's docs, as sprig offers it: `sprig.semver('1.2.3').Minor()`.
"""

import re
from collections.abc import Callable
from dataclasses import replace

from argojobs.expressions.signature import Function
from argojobs.expressions.values import Version, failure

_NUMBER = r"(0|[1-9][0-9]*)"
_PART = r"(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
_VERSION = re.compile(
    rf"v?{_NUMBER}(?:\.{_NUMBER})?(?:\.{_NUMBER})?"
    rf"(?:-({_PART}(?:\.{_PART})*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?"
)
_LONGEST = 256


def parse(text: str) -> Version:
    """Read a version. Raises ExpressionError, with Go's words, for what is not one."""
    match = _VERSION.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise failure("Invalid Semantic Version", "write it as 1.2.3 or 1.2.3-rc.1")
    major, minor, patch = (int(number or 0) for number in match.groups()[:3])
    return Version(major, minor, patch, match[4] or "", match[5] or "", text)


def _next(version: Version, part: str) -> Version:
    """The next version: numbers below the part are 0, and a pre-release becomes its release."""
    bare = replace(version, prerelease="", metadata="")
    if part == "patch":
        made = bare if version.prerelease else replace(bare, patch=version.patch + 1)
    elif part == "minor":
        made = replace(bare, minor=version.minor + 1, patch=0)
    else:
        made = replace(bare, major=version.major + 1, minor=0, patch=0)
    prefix = "v" if version.original.startswith("v") else ""
    return replace(made, original=prefix + str(made))


_METHODS: dict[str, Callable[[Version], object]] = {
    "Major": lambda version: version.major,
    "Minor": lambda version: version.minor,
    "Patch": lambda version: version.patch,
    "Prerelease": lambda version: version.prerelease,
    "Metadata": lambda version: version.metadata,
    "Original": lambda version: version.original,
    "String": str,
    "IncPatch": lambda version: _next(version, "patch"),
    "IncMinor": lambda version: _next(version, "minor"),
    "IncMajor": lambda version: _next(version, "major"),
}


def method(version: Version, name: str) -> Function:
    """Find a method of a version. Raises ExpressionError naming those there are."""
    found = _METHODS.get(name)
    if found is None:
        raise failure(f"a version has no method {name}", "it has " + ", ".join(_METHODS))
    return Function(name, "", lambda: found(version))
