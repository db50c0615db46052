"""sprig's urlParse and urlJoin: what Go's package net/url makes of a URL, and the way back.

Source: Masterminds/sprig's docs, URL functions; Go's docs, net/url; RFC 3986.
"""

import re
from urllib.parse import quote, unquote_to_bytes

from argojobs.errors import ExpressionError
from argojobs.expressions.values import failure, kind, shorten, text_of, utf8

_HINT = "sprig.urlParse takes a URL such as 'https://host:443/path?a=b'"
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_ESCAPE = re.compile(r"%(?:[0-9A-Fa-f]{2})?")
_PORT = re.compile(r"(?::[0-9]*)?", re.ASCII)
_USER = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
#: What Go leaves as it is in each part, beside letters, digits and `-_.~`.
_IN_PATH = "$&+,/:;=@"
_IN_HOST = "!$&'()*+,;=:[]<>\""
_IN_USER = "$&+,;="
_IN_FRAGMENT = "!$&()*+,/:;=?@"


def parse(text: str) -> dict[str, object]:
    """Take a URL apart. Raises ExpressionError, with Go's words, for one that is not valid."""
    try:
        return dict(_parts(text))
    except ExpressionError as error:
        raise failure(f"unable to parse url: parse {shorten(text)}: {error.what}", _HINT) from error


def _parts(text: str) -> dict[str, str]:
    if _CONTROL.search(text):
        raise failure("net/url: invalid control character in URL")
    rest, _, fragment = text.partition("#")
    scheme, rest = _scheme(rest)
    rest, _, query = rest.partition("?")
    found = dict.fromkeys(("host", "hostname", "path", "opaque", "userinfo"), "")
    found |= {"scheme": scheme, "query": query, "fragment": _plain(fragment)}
    if not rest.startswith("/"):
        if scheme:
            return found | {"opaque": rest}
        if ":" in rest.partition("/")[0]:
            raise failure("first path segment in URL cannot contain colon")
    if rest.startswith("//") and (scheme or not rest.startswith("///")):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        user, at, host = authority.rpartition("@")
        found["host"] = _host(host)
        found["hostname"] = _without_port(found["host"])
        found["userinfo"] = _user(user) if at else ""
    return found | {"path": _plain(rest)}


def _scheme(text: str) -> tuple[str, str]:
    if text.startswith(":"):
        raise failure("missing protocol scheme")
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", text)
    return (match[1].lower(), text[match.end() :]) if match else ("", text)


def _plain(text: str) -> str:
    """A part without its escapes."""
    for match in _ESCAPE.finditer(text):
        if len(match[0]) == 1:
            raise failure(f'invalid URL escape "{text[match.start() : match.start() + 3]}"')
    return text_of(unquote_to_bytes(utf8(text)))


def _host(text: str) -> str:
    if text.startswith("["):
        end = text.rfind("]")
        if end < 0:
            raise failure("missing ']' in host")
        port = text[end + 1 :]
    else:
        port = text[text.rindex(":") :] if ":" in text else ""
    if not _PORT.fullmatch(port):
        raise failure(f'invalid port "{port}" after host')
    for character in text:
        if character != "%" and character.isascii() and quote(character, _IN_HOST) != character:
            raise failure(f'invalid character "{character}" in host name')
    for match in _ESCAPE.finditer(text):  # only what is not ASCII may be escaped, and `%` itself
        if len(match[0]) == 3 and match[0][1] in "01234567" and match[0] != "%25":
            raise failure(f'invalid URL escape "{match[0]}"')
    return _plain(text)


def _without_port(host: str) -> str:
    head, colon, port = host.rpartition(":")
    name = head if colon and _PORT.fullmatch(colon + port) else host
    return name[1:-1] if name.startswith("[") and name.endswith("]") else name


def _user(text: str) -> str:
    if not _USER.fullmatch(text):
        raise failure("net/url: invalid userinfo")
    return ":".join(quote(utf8(_plain(part)), _IN_USER) for part in text.split(":", 1))


def join(parts: dict[str, object]) -> str:
    """Put a URL together from what `parse` gives. Raises ExpressionError for a part that is not text."""
    for key in ("scheme", "host", "path", "query", "opaque", "fragment", "userinfo"):
        if not isinstance(parts.get(key, ""), str):
            what = (
                f"unable to parse {key} key, must be of type string, but {kind(parts[key])} found"
            )
            raise failure(what, "make it a text with string(...)")
    part = {key: str(value) for key, value in parts.items()}
    scheme, host, path = part.get("scheme", ""), part.get("host", ""), part.get("path", "")
    user = ""
    if part.get("userinfo"):
        try:
            user = _user(part["userinfo"]) + "@"
        except ExpressionError as error:
            raise failure(f"unable to parse userinfo in dict: {error.what}", _HINT) from error
    made = f"{scheme}:" if scheme else ""
    if part.get("opaque"):
        made += part["opaque"]
    else:
        if host or user or (scheme and path):
            made += "//" + user + quote(utf8(host), _IN_HOST)
        escaped = path if path == "*" else quote(utf8(path), _IN_PATH)
        if path and not path.startswith("/") and host:
            made += "/"
        elif not made and ":" in escaped.partition("/")[0]:
            made = "./"
        made += escaped
    made += "?" + part["query"] if part.get("query") else ""
    return made + (
        "#" + quote(utf8(part["fragment"]), _IN_FRAGMENT) if part.get("fragment") else ""
    )
