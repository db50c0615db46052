"""sprig's functions on text: cutting, casing, quoting, patterns, hashes, paths and dates.

Source: Masterminds/sprig's docs, string, regex, crypto, path and date functions.
"""

import base64
import binascii
import hashlib
import posixpath
import re
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import islice

from argojobs.errors import ExpressionError
from argojobs.expressions import time as expr_time
from argojobs.expressions.budget import spend
from argojobs.expressions.functions import (
    decode_base64,
    encode_base64,
    joined,
    lower,
    repeat,
    replaced,
    split,
    upper,
)
from argojobs.expressions.regex import Match, compile_pattern
from argojobs.expressions.signature import Context
from argojobs.expressions.texts import to_json, to_text
from argojobs.expressions.values import MAX_SIZE, Duration, NotHereError, failure, text_of, utf8

_WORD = re.compile(r"(?<![^\W_])([^\W\d_])")
#: Go's strings.Title: all ASCII but letters, digits and `_` separates words, of the rest only spaces.
_BEHIND_SEPARATOR = re.compile(r"(?:^|(?<=[\x00-/:-@\[-^`{-\x7f\s]))[^\W_]")
_GO_TEMPLATE = re.compile(r"\$(?:\$|(\w+)|\{(\w+)\})", re.ASCII)


def strings(value: object) -> list[str]:
    """Give the texts of a list's elements, without nils; one value is a list of itself."""
    if value is None:
        return []
    if isinstance(value, list):
        return [to_text(item) for item in value if item is not None]
    return [to_text(value)]


def _trunc(length: int, text: str) -> str:
    data = utf8(text)
    if length < 0 < len(data) + length:
        return text_of(data[length:])
    return text_of(data[:length]) if 0 <= length < len(data) else text


def _substr(start: int, end: int, text: str) -> str:
    data = utf8(text)
    if start < 0:
        return text_of(data[: max(end, 0)])
    return text_of(data[start:] if end < 0 or end > len(data) else data[start:end])


def _abbrev(width: int, text: str) -> str:
    return text if width < 4 or len(text) <= width else text[: width - 3] + "..."


def _abbrev_both(left: int, right: int, text: str) -> str:
    """Cut a text at both ends: `left` bytes go at the start, and `right` is the width of what stays."""
    data = utf8(text)
    if right < 4 or (left > 0 and right < 7) or len(data) <= right:
        return text
    start = min(left, len(data) - (right - 3))
    if start <= 4:
        return text_of(data[: right - 3]) + "..."
    if start + right - 3 >= len(data):
        return "..." + text_of(data[-(right - 3) :])
    return "..." + text_of(data[start : start + right - 6]) + "..."


def _wrap(width: int, newline: str, text: str, *, cut: bool) -> str:
    """Break a line at spaces into lines of `width` bytes. cut: words that are longer, too."""
    width, data, position, lines = max(width, 1), utf8(text), 0, []
    while len(data) - position > width:
        if data[position] == ord(" "):
            position += 1
            continue
        end = data.rfind(b" ", position, position + width + 1)
        if end < 0 and cut:
            lines.append(data[position : position + width])
            position += width
            continue
        if end < 0:
            end = data.find(b" ", position + width)
        if end < 0:
            break
        lines.append(data[position:end])
        position = end + 1
    lines.append(data[position:])
    if len(lines) * len(newline) > MAX_SIZE:
        raise failure("the wrapped text is too long", f"keep it under {MAX_SIZE} characters")
    return (newline or "\n").join(map(text_of, lines))


def _title(text: str) -> str:
    return _BEHIND_SEPARATOR.sub(lambda match: upper(match[0]), text)


def _quote(*values: object) -> str:
    return " ".join(_go_quote(to_text(value)) for value in values if value is not None)


def _go_quote(text: str) -> str:
    spend(len(text))
    parts = []
    for character in text:
        escaped = {"\a": "\\a", "\v": "\\v"}.get(character)
        if escaped is None and (character < " " or character in '"\\'):
            escaped = to_json(character)[1:-1]
            escaped = f"\\x{ord(character):02x}" if escaped.startswith("\\u") else escaped
        parts.append(escaped or character)
    return '"' + "".join(parts) + '"'


def _indent(spaces: int, text: str) -> str:
    pad = repeat(" ", spaces)
    if len(pad) * (text.count("\n") + 1) > 1_000_000:
        raise failure("the indented text is too long", "indent by less")
    return pad + text.replace("\n", "\n" + pad)


def _words(text: str) -> list[str]:
    """Split `HTTPServer_error 2x` into its words."""
    text = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    text = re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])", " ", text)
    text = re.sub(r"([A-Za-z])(\d)", r"\1 \2", text)
    return re.split(r"[\s_\-]+", text)


def _camelcase(text: str) -> str:
    return re.sub(
        r"(^|(?<![_\-\s])[_\-\s]+)(\w)",
        lambda match: (match[1] if match.start() == 0 else match[1][1:]) + upper(match[2]),
        text,
    )


def _replace_pattern(pattern: str, text: str, replacement: str) -> str:
    compiled = compile_pattern(pattern)

    def expand(match: Match) -> str:
        def group(reference: re.Match[str]) -> str:
            name = reference[1] or reference[2]
            if name is None:
                return "$"
            number = int(name[:9]) if name.isdecimal() else compiled.names.get(name, -1)
            return (match.groups[number] or "") if 0 <= number < len(match.groups) else ""

        return _GO_TEMPLATE.sub(group, replacement)

    return compiled.replace(text, expand)


def _match(pattern: str, text: str) -> bool:
    return compile_pattern(pattern).search(text) is not None


def _soft_match(pattern: str, text: str) -> bool:
    try:
        compile_pattern(pattern)
    except NotHereError:
        raise
    except ExpressionError:
        return False  # as sprig; mustRegexMatch is the one that fails
    return _match(pattern, text)


def _find(pattern: str, text: str) -> str:
    match = compile_pattern(pattern).search(text)
    return (match.groups[0] or "") if match else ""


def _find_all(pattern: str, text: str, count: int) -> list[object]:
    found = (match.groups[0] for match in compile_pattern(pattern).finditer(text))
    return list(found if count < 0 else islice(found, count))


def _soft_base64(text: str) -> str:
    try:
        return decode_base64(text)
    except ExpressionError as error:
        return error.what  # sprig gives the error as the text


def _soft_base32(text: str) -> str:
    try:
        return text_of(base64.b32decode(text))
    except (binascii.Error, ValueError) as error:
        return f"illegal base32 data: {error}"


def _hash(name: str) -> Callable[[str], str]:
    return lambda text: hashlib.new(name, utf8(text), usedforsecurity=False).hexdigest()


def _numbered(parts: list[object]) -> dict[str, object]:
    return {f"_{index}": part for index, part in enumerate(parts)}


def _clean(path: str) -> str:
    cleaned = posixpath.normpath(path) if path else "."
    return cleaned.replace("//", "/", 1) if cleaned.startswith("//") else cleaned


def _base(path: str) -> str:
    return (posixpath.basename(path.rstrip("/")) or "/") if path else "."


def _ext(path: str) -> str:
    name = path.rpartition("/")[2]
    return "." + name.rpartition(".")[2] if "." in name else ""


def _as_time(context: Context, value: object) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        seconds = Duration(value * 10**9)
        return expr_time.add(datetime(1970, 1, 1, tzinfo=UTC), seconds)
    return context.now


def _date_in_zone(context: Context, layout: str, value: object, zone: str = "UTC") -> str:
    try:
        found = expr_time.load_zone(zone)
    except ExpressionError:
        found = UTC  # sprig falls back to UTC for a zone it does not know
    return expr_time.format_time(_as_time(context, value).astimezone(found), layout)


def _date_modify(text: str, time: datetime) -> datetime:
    try:
        return expr_time.add(time, expr_time.parse_duration(text))
    except ExpressionError:
        return time  # sprig leaves the time as it is; mustDateModify is the one that fails


def _to_date(layout: str, text: str) -> datetime:
    try:
        return expr_time.parse_time(layout, text)
    except ExpressionError:
        return datetime(1, 1, 1, tzinfo=UTC)  # Go's zero time; mustToDate is the one that fails


def _ago(context: Context, value: object) -> str:
    elapsed = expr_time.since(context.now, _as_time(context, value)).nanoseconds
    return expr_time.duration_text(Duration(round(elapsed / 10**9) * 10**9))


def _seconds(value: object) -> str:
    text = value if isinstance(value, str) else ""
    seconds = int(text) if re.fullmatch(r"[+-]?\d{1,18}", text, re.ASCII) else 0
    return expr_time.duration_text(Duration(seconds * 10**9))


def _round_duration(context: Context, value: object) -> str:
    if isinstance(value, str):
        try:
            elapsed = expr_time.parse_duration(value)
        except ExpressionError:
            elapsed = Duration(0)  # as sprig
    else:
        elapsed = (
            expr_time.since(context.now, value) if isinstance(value, datetime) else Duration(0)
        )
    size = abs(elapsed.nanoseconds) / 10**9
    for unit, seconds in (
        ("y", 31536000),
        ("mo", 2592000),
        ("d", 86400),
        ("h", 3600),
        ("m", 60),
        ("s", 1),
    ):
        if size > seconds:
            return f"{int(size // seconds)}{unit}"
    return "0s"


FUNCTIONS: dict[str, tuple[str, Callable[..., object]]] = {
    "hello": ("", lambda: "Hello!"),
    "abbrev": ("is", _abbrev),
    "abbrevboth": ("iis", _abbrev_both),
    "wrap": ("is", lambda width, text: _wrap(width, "", text, cut=False)),
    "wrapWith": ("iss", lambda width, newline, text: _wrap(width, newline, text, cut=True)),
    "trunc": ("is", _trunc),
    "trim": ("s", str.strip),
    "upper": ("s", upper),
    "lower": ("s", lower),
    "title": ("s", _title),
    "untitle": (
        "s",
        lambda text: re.sub(r"(^|\s)(\S)", lambda match: match[1] + lower(match[2]), text),
    ),
    "substr": ("iis", _substr),
    "repeat": ("is", lambda count, text: repeat(text, count)),
    "trimall": ("ss", lambda cut, text: text.strip(cut)),
    "trimAll": ("ss", lambda cut, text: text.strip(cut)),
    "trimSuffix": ("ss", lambda suffix, text: text.removesuffix(suffix)),
    "trimPrefix": ("ss", lambda prefix, text: text.removeprefix(prefix)),
    "nospace": ("s", lambda text: "".join(text.split())),
    "initials": ("s", lambda text: "".join(word[0] for word in text.split())),
    "swapcase": ("s", str.swapcase),
    "snakecase": ("s", lambda text: "_".join(_words(text)).lower()),
    "kebabcase": ("s", lambda text: "-".join(_words(text)).lower()),
    "camelcase": ("s", _camelcase),
    "contains": ("ss", lambda part, text: part in text),
    "hasPrefix": ("ss", lambda prefix, text: text.startswith(prefix)),
    "hasSuffix": ("ss", lambda suffix, text: text.endswith(suffix)),
    "quote": ("a*", _quote),
    "squote": ("a*", lambda *values: " ".join(f"'{to_text(v)}'" for v in values if v is not None)),
    "cat": (
        "a*",
        lambda *values: " ".join(to_text(value) for value in values if value is not None),
    ),
    "indent": ("is", _indent),
    "nindent": ("is", lambda spaces, text: "\n" + _indent(spaces, text)),
    "replace": ("sss", lambda old, new, text: replaced(text, old, new)),
    "plural": ("ssi", lambda one, many, count: one if count == 1 else many),
    "sha1sum": ("s", _hash("sha1")),
    "sha256sum": ("s", _hash("sha256")),
    "sha512sum": ("s", _hash("sha512")),
    "adler32sum": ("s", lambda text: str(zlib.adler32(utf8(text)))),
    "toString": ("a", to_text),
    "toStrings": ("a", strings),
    "join": ("sa", lambda glue, items: joined(strings(items), glue)),
    "sortAlpha": ("a", lambda items: sorted(strings(items))),
    "split": ("ss", lambda separator, text: _numbered(split(text, separator))),
    "splitn": ("sis", lambda separator, count, text: _numbered(split(text, separator, count))),
    "splitList": ("ss", lambda separator, text: split(text, separator)),
    "b64enc": ("s", encode_base64),
    "b64dec": ("s", _soft_base64),
    "b32enc": ("s", lambda text: base64.b32encode(utf8(text)).decode()),
    "b32dec": ("s", _soft_base32),
    "regexMatch": ("ss", _soft_match),
    "mustRegexMatch": ("ss", _match),
    "regexFind": ("ss", _find),
    "regexFindAll": ("ssi", _find_all),
    "regexReplaceAll": ("sss", _replace_pattern),
    "regexReplaceAllLiteral": (
        "sss",
        lambda pattern, text, new: compile_pattern(pattern).replace(text, lambda _: new),
    ),
    "regexSplit": (
        "ssi",
        lambda pattern, text, count: compile_pattern(pattern).split(text, count),
    ),
    "regexQuoteMeta": ("s", lambda text: re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", text)),
    "base": ("s", _base),
    "dir": ("s", lambda path: _clean(path.rpartition("/")[0] + "/" if "/" in path else ".")),
    "clean": ("s", _clean),
    "ext": ("s", _ext),
    "isAbs": ("s", lambda path: path.startswith("/")),
    "unixEpoch": ("t", lambda time: str(expr_time.unix(time))),
    "dateModify": ("st", _date_modify),
    "mustDateModify": (
        "st",
        lambda text, time: expr_time.add(time, expr_time.parse_duration(text)),
    ),
    "toDate": ("ss", _to_date),
    "mustToDate": ("ss", expr_time.parse_time),
    "duration": ("a", _seconds),
}
"""Name -> (signature, implementation)."""

FUNCTIONS |= {
    "date_modify": FUNCTIONS["dateModify"],
    "must_date_modify": FUNCTIONS["mustDateModify"],
    **{
        f"must{name[0].upper()}{name[1:]}": FUNCTIONS[name]
        for name in (
            "regexFind",
            "regexFindAll",
            "regexReplaceAll",
            "regexReplaceAllLiteral",
            "regexSplit",
        )
    },
    **{
        f"os{name[0].upper()}{name[1:]}": FUNCTIONS[name]
        for name in ("base", "dir", "clean", "ext", "isAbs")
    },
}

WITH_CONTEXT: dict[str, tuple[str, Callable[..., object]]] = {
    "now": ("", lambda context: context.now),
    "date": ("sa", _date_in_zone),
    "dateInZone": ("sas", _date_in_zone),
    "date_in_zone": ("sas", _date_in_zone),
    "htmlDate": ("a", lambda context, value: _date_in_zone(context, "2006-01-02", value)),
    "htmlDateInZone": (
        "as",
        lambda context, value, zone: _date_in_zone(context, "2006-01-02", value, zone),
    ),
    "ago": ("a", _ago),
    "durationRound": ("a", _round_duration),
}
"""The same for functions that take the Context first."""
