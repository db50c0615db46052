r"""JSON as Go's encoding/json keeps and judges it: a value's own text, and Go's words for a fault.

Argo's items are such texts: keys stay in the order in which they were written, `1.50` stays
`1.50` and `\u00e9` stays `\u00e9`. Source: Argo's Item; Go's docs, encoding/json.
"""

from __future__ import annotations

import json
import re

_SPACE = re.compile(r"[ \t\r\n]*")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[-+.\w]+|[\[\]{}:,]', re.DOTALL)
_EDGE = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]', re.DOTALL)
_KEY = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_IN_STRING = re.compile(r'(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*')
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_BEGUN_NUMBER = re.compile(r"(-?)(?:(0|[1-9][0-9]*)(?:(\.)([0-9]+)?)?(?:[eE][-+]?)?)?")
_WORDS = {"t": "true", "f": "false", "n": "null"}
_KINDS = {'"': "string", "{": "object", "[": "array", "t": "bool", "f": "bool", "n": "null"}
_HTML = {"&": "\\u0026", "<": "\\u003c", ">": "\\u003e", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_ESCAPED = str.maketrans(_HTML)
_END = "unexpected end of JSON input"
_DEEPEST = 10_000


def kind(text: str) -> str:
    """What kind of value a compact text is: string, object, array, bool, null or number."""
    return _KINDS.get(text[:1], "number")


def compact(text: str) -> str:
    """A JSON text without the spaces between its parts."""
    return "".join(_TOKEN.findall(text))


def parts(text: str) -> list[str]:
    """The texts of a compact list's elements, or of a compact map's `"key":value` pairs."""
    found, depth, start = [], 0, 1
    for edge in _EDGE.finditer(text):
        if edge[0] in "[{":
            depth += 1
        elif edge[0] in "]}":
            depth -= 1
        if (depth == 1 and edge[0] == ",") or (depth == 0 and edge.start() > start):
            found.append(text[start : edge.start()])
            start = edge.end()
    return found


def members(text: str) -> dict[str, str]:
    """A compact map's keys with the texts of their values; of a key twice the last one."""
    found = {}
    for pair in parts(text):
        key = _KEY.match(pair)
        assert key is not None, pair
        found[decoded(key[0])] = pair[key.end() + 1 :]
    return found


def decoded(text: str) -> str:
    """The string that a JSON string means; half of a surrogate pair becomes U+FFFD, as in Go."""
    value: str = json.loads(text)
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def escaped(text: str) -> str:
    """A compact text as Go's encoder passes it on: `<`, `>` and `&` escaped."""
    return text.translate(_ESCAPED)


def spoken(text: str) -> str:
    """A compact text as Argo's names have it: a string without quotes, `<`, `>`, `&` as they are."""
    inner = text[1:-1] if text.startswith('"') else text
    for character in "<>&":
        inner = inner.replace(_HTML[character], character)
    return inner


def fault(text: str) -> str:
    """Why a text is not one JSON value, in Go's words; "" when it is."""
    data = text.encode("utf-8", "surrogatepass").decode("latin-1")  # Go looks at bytes
    position, stack, wanted = 0, [""], "value"
    while True:
        position = _SPACE.match(data, position).end()  # type: ignore[union-attr]
        if position == len(data):
            return "" if wanted == "end" and len(stack) == 1 else _END
        character = data[position]
        if wanted == "end":
            if not stack[-1]:
                return _invalid(character, "after top-level value")
            inside = stack[-1]
            if character == ",":
                wanted = "value" if inside == "[" else "key"
            elif character == ("]" if inside == "[" else "}"):
                stack.pop()
            else:
                place = "array element" if inside == "[" else "object key:value pair"
                return _invalid(character, f"after {place}")
            position += 1
        elif wanted == "colon":
            if character != ":":
                return _invalid(character, "after object key")
            position, wanted = position + 1, "value"
        elif wanted.endswith("or end") and character == ("]" if stack[-1] == "[" else "}"):
            stack.pop()
            position, wanted = position + 1, "end"
        elif wanted.startswith("key") and character != '"':
            return _invalid(character, "looking for beginning of object key string")
        elif character in "[{":
            stack.append(character)
            if len(stack) > _DEEPEST + 1:
                return "exceeded max depth"
            position, wanted = position + 1, "value or end" if character == "[" else "key or end"
        else:
            position, problem = _scalar(data, position)
            if problem:
                return problem
            wanted = "colon" if wanted.startswith("key") else "end"


def _scalar(data: str, start: int) -> tuple[int, str]:
    """Where a string, number or word ends, and what is wrong with it."""
    character = data[start]
    if character == '"':
        return _string(data, start)
    if word := _WORDS.get(character):
        for offset, letter in enumerate(word):
            where = f"in literal {word} (expecting {letter!r})"
            if data[start + offset : start + offset + 1] != letter:
                return start, _at(data, start + offset, where)
        return start + len(word), ""
    if character != "-" and not character.isdecimal():
        return start, _invalid(character, "looking for beginning of value")
    number = _NUMBER.match(data, start)
    end = number.end() if number else start
    begun = _BEGUN_NUMBER.match(data, start)
    assert begun is not None
    if begun.end() <= end:
        return end, ""
    if begun[2] is None:
        return end, _at(data, begun.end(), "in numeric literal")
    if begun[3] and not begun[4]:
        return end, _at(data, begun.end(3), "after decimal point in numeric literal")
    return end, _at(data, begun.end(), "in exponent of numeric literal")


def _string(data: str, start: int) -> tuple[int, str]:
    end = _IN_STRING.match(data, start + 1).end()  # type: ignore[union-attr]
    if data[end : end + 1] == '"':
        return end + 1, ""
    begun = _ESCAPE.match(data, end)
    if begun is None:
        return end, _END if end == len(data) else _at(data, end, "in string literal")
    if begun[0] == "\\":
        return end, _at(data, begun.end(), "in string escape code")
    return end, _at(data, begun.end(), "in \\u hexadecimal character escape")


def _at(data: str, position: int, where: str) -> str:
    return _invalid(data[position : position + 1] or " ", where)  # Go ends a text with a space


#: Bytes that Go writes with a letter in a message, where Python has a number.
_LETTERS = {"\a": "\\a", "\b": "\\b", "\v": "\\v", "\f": "\\f", "'": "\\'", '"': '"'}


def _invalid(character: str, where: str) -> str:
    shown = _LETTERS.get(character) or repr(character)[1:-1]
    return f"invalid character '{shown}' {where}"
