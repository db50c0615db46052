"""Writes manifests as YAML or JSON text.

The YAML is block style in the order of the dict, and the same for every reader: a string that
any YAML 1.1 or 1.2 reader could take for something else (`yes`, `1e-4`, `0o7`, `12:30`, a date)
is double-quoted, and so is one with characters that a reader could alter. Texts of several lines
are literal blocks where that is exact. A small emitter of its own: manifests are plain dicts,
and PyYAML's costs more than building them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import ManifestError

_quote_json = json.encoder.encode_basestring

# A word that starts with a letter and holds nothing that means something in YAML. Numbers and
# dates of every reader begin with a digit, a sign or a point, so only words are left to list.
_SAFE = re.compile(r"[A-Za-z/][A-Za-z0-9_./-]*").fullmatch
_WORDS = frozenset(
    {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf", "infinity"}
)
# What JSON leaves as it is and YAML readers fold, drop or refuse.
_ESCAPED = re.compile("[\x7f-\xa0\xad\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
# What a literal block cannot hold exactly (a tab is exact, but only inside a line).
_NOT_LITERAL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_KEY = 120  # YAML allows 1024 characters before the colon; longer ones take the long form


def write_yaml(value: Mapping[str, Any]) -> str:
    """Return a manifest as YAML text that ends with a newline.

    Raises ManifestError for what is not JSON: a lone surrogate, an infinity, another type.
    """
    writer = _Writer()
    try:
        writer.collection(value, "", "")
    except RecursionError as error:
        raise ManifestError("nested too deep to be written", hint="nest it less deep") from error
    return "\n".join([*writer.lines, ""])


def write_json(value: Any) -> str:
    """Return a manifest as JSON text, indented by two, that ends with a newline."""
    try:
        text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    except (ValueError, TypeError, RecursionError) as error:
        raise ManifestError(
            f"cannot be written as JSON: {error}",
            hint="a manifest holds dicts, lists, text, finite numbers, booleans and None",
        ) from error
    surrogate = _SURROGATE.search(text)
    if surrogate is not None:
        raise _lone_surrogate(surrogate.group())
    return text


class _Writer:
    """Collects the lines of a document; remembers how strings are written."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.written: dict[str, str] = {}

    def collection(self, value: Any, indent: str, first: str) -> None:
        """Write a mapping or a list.

        Args:
            value: the mapping or list.
            indent: the spaces in front of its entries.
            first: what stands in front of the first entry; "" for `indent`.
        """
        if isinstance(value, Mapping):
            if value:
                self._mapping(value, indent, first)
            else:
                self.lines.append(first + "{}")
        elif value:
            self._list(value, indent, first)
        else:
            self.lines.append(first + "[]")

    def _mapping(self, value: Mapping[str, Any], indent: str, first: str) -> None:
        add = self.lines.append
        deeper = indent + "  "
        prefix = first or indent
        written = self.written
        for key, item in value.items():
            head = written.get(key) or self.string(key)
            if len(head) > _LONGEST_KEY:
                add(f"{prefix}? {head}")
                prefix = indent
                head = ""
            kind = type(item)
            if kind is str:
                text = written.get(item)
                if text is None:
                    text = self.text(item, deeper)
                add(f"{prefix}{head}: {text}")
            elif kind is dict and item:
                add(f"{prefix}{head}:")
                self._mapping(item, deeper, "")
            elif kind is list and item:
                add(f"{prefix}{head}:")
                self._list(item, indent, "")
            else:
                self._other(item, f"{prefix}{head}: ", f"{prefix}{head}:", indent)
            prefix = indent

    def _list(self, value: Iterable[Any], indent: str, first: str) -> None:
        add = self.lines.append
        deeper = indent + "  "
        prefix = (first or indent) + "- "
        written = self.written
        for item in value:
            kind = type(item)
            if kind is str:
                text = written.get(item)
                if text is None:
                    text = self.text(item, deeper)
                add(prefix + text)
            elif kind is dict and item:
                self._mapping(item, deeper, prefix)
            elif isinstance(item, (Mapping, list, tuple)):
                self.collection(item, deeper, prefix)
            else:
                add(prefix + self.scalar(item, deeper))
            prefix = indent + "- "

    def _other(self, item: Any, head: str, bare: str, indent: str) -> None:
        """Write what is none of the common cases: empty collections, numbers, subclasses."""
        if isinstance(item, (Mapping, list, tuple)) and not item:
            self.lines.append(head + ("{}" if isinstance(item, Mapping) else "[]"))
        elif isinstance(item, (Mapping, list, tuple)):
            self.lines.append(bare)
            self.collection(item, indent + ("  " if isinstance(item, Mapping) else ""), "")
        else:
            self.lines.append(head + self.scalar(item, indent + "  "))

    def scalar(self, value: Any, indent: str) -> str:
        if value is None:
            return "null"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str):
            return self.text(str.__str__(value), indent)
        if isinstance(value, int):
            return int.__repr__(value)
        if isinstance(value, float) and math.isfinite(value):
            return _float_text(value)
        raise ManifestError(
            f"{value!r} ({type(value).__name__}) cannot stand in a manifest",
            hint="a manifest holds dicts, lists, text, finite numbers, booleans and None",
        )

    def text(self, text: str, indent: str) -> str:
        if "\n" in text and _fits_literal(text):
            return _literal(text, indent)
        return self.string(text)

    def string(self, text: Any) -> str:
        """Return a string on one line, and remember it."""
        if not isinstance(text, str):
            raise ManifestError(f"the key {text!r} is not text", hint="keys of a manifest are text")
        made = text if _SAFE(text) and text.lower() not in _WORDS else _quoted(text)
        if len(text) <= 100:  # names repeat, long texts do not
            self.written[text] = made
        return made


def _quoted(text: str) -> str:
    made = _quote_json(text)
    return made if text.isascii() and "\x7f" not in text else _ESCAPED.sub(_escape, made)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if "\ud800" <= character <= "\udfff":
        raise _lone_surrogate(character)
    return f"\\u{ord(character):04x}"


def _lone_surrogate(character: str) -> ManifestError:
    return ManifestError(
        f"the text holds a lone surrogate (U+{ord(character):04X}), which no file can",
        hint="it is not valid Unicode text; pass the bytes as an artifact",
    )


def _fits_literal(text: str) -> bool:
    # The first line sets the indentation, and the last one must not look like an empty one.
    if text[0] in " \t\n" or not text.strip() or _NOT_LITERAL.search(text):
        return False
    last = text.rstrip("\n").rpartition("\n")[2]
    return bool(last.strip(" \t"))


def _literal(text: str, indent: str) -> str:
    body = text.rstrip("\n")
    ending = len(text) - len(body)
    mark = "|-" if ending == 0 else "|" if ending == 1 else "|+"
    lines = [f"{indent}{line}" if line else "" for line in body.split("\n")]
    lines.extend([""] * (ending - 1))
    return "\n".join([mark, *lines])


def _float_text(value: float) -> str:
    text = float.__repr__(value)
    mantissa, mark, exponent = text.partition("e")
    # YAML 1.1 readers want a point before the exponent.
    return f"{mantissa}.0e{exponent}" if mark and "." not in mantissa else text
