"""How a parameter's value travels: as text that Argo and Kubernetes cannot alter.

Most values travel as what a reader expects: `32`, `0.5`, `true`, `adam`, `["a",1]`. Argo
replaces `{{...}}` in text more than once, Kubernetes expands `$(X)` and `$$` in env and args, and
characters that Go quotes in its own way break Argo's JSON (see docs: `simple_template.go`,
`strconv.Quote`). A text with any of these travels as `argojobs:base64:...`; `None`, which is not
"", as `argojobs:none`; and a text that begins with `argojobs:` is itself encoded, so nothing is
ambiguous. So is a text that looks like a JSON list or object: where Argo gathers the texts of a
fan-out it would read and write it anew (Argo docs: loops, aggregation). A list stays a list that
Argo can fan out over: where one of its items needs an encoding, it travels as `argojobs:texts:`
and the JSON list of its items' own texts. Encoding is canonical: two values are equal exactly
when their texts are.
"""

from __future__ import annotations

from ..errors import ParameterError
from .types import describe, plain_of, schema_of, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .types import Schema

MARK = "argojobs:"
NONE = MARK + "none"
_ENCODED = MARK + "base64:"
_JSON = MARK + "json:"  # an encoded object in a list of texts
#: In front of a JSON list of wire texts: what Argo gathers of a fan-out, or an expression lists.
TEXTS = MARK + "texts:"

#: Linux's limit of one environment string (MAX_ARG_STRLEN), less room for the variable's name.
LARGEST = 128 * 1024 - 256

#: Items of several types, over which nothing fans out: such a list is encoded as a whole.
_NO_ITEMS = frozenset({"any", "union", "none"})
_INFINITY = float("inf")
_TRUE = frozenset({"true", "True", "TRUE", "yes", "on", "1"})
_FALSE = frozenset({"false", "False", "FALSE", "no", "off", "0"})


def encode(value: Any, schema: Schema) -> str:
    """Return the wire text of a Python value; ParameterError if it does not fit the schema."""
    return wire(plain_of(value, schema), schema)


def wire(plain: Any, schema: Schema) -> str:
    """Return the wire text of a plain value that fits the schema."""
    if plain is None and schema["type"] != "any":
        return NONE
    text = text_of(plain, schema)
    if schema["type"] == "list" and isinstance(plain, list):
        return _list_text(plain, text, schema["items"])
    if isinstance(plain, str) and text.lstrip(" \t\r\n")[:1] in ("[", "{"):
        return _checked_size(_encoded(text))
    return guard(text)


def wire_as_text(plain: Any, schema: Schema) -> str:
    """Return the wire text for who reads plain text: of a text that is JSON, the text itself."""
    return guard(text_of(plain, schema)) if isinstance(plain, str) else wire(plain, schema)


def decode(text: str, annotation: Any) -> Any:
    """Return the Python value of a wire text, typed as the annotation says."""
    if annotation is str:
        return _unguard(text)
    return value_of(plain_from_text(text, schema_of(annotation)), annotation)


def text_of(plain: Any, schema: Schema) -> str:
    """Return the readable text of a plain value of this schema (None: `null`)."""
    kind = schema["type"]
    if kind == "union" and plain is not None:
        members = [member for member in schema["any"] if member["type"] != "none"]
        return text_of(plain, members[0]) if len(members) == 1 else _json(plain)
    if kind == "any" or plain is None:
        return _json(plain)
    if isinstance(plain, str):
        return plain
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, float):
        return float.__repr__(plain)
    if isinstance(plain, int):  # an IntEnum's `str` is its name before Python 3.11
        return int.__repr__(plain)
    return _json(plain)


def _json(plain: Any) -> str:
    import json

    try:
        return json.dumps(
            plain, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False
        )
    except ValueError as error:
        raise ParameterError(
            "a list or object holds NaN or infinity, which JSON has no text for",
            hint="pass None, a string, or a parameter of its own",
        ) from error


def guard(text: str) -> str:
    """Return the text itself, or its encoded form where something on its way would alter it."""
    return _checked_size(text if _is_safe(text) else _encoded(text))


def _list_text(plain: list[Any], text: str, schema: Schema) -> str:
    """Return the text of a list: its JSON, or that of its items' texts where one needs encoding."""
    if schema["type"] in _NO_ITEMS:
        return guard(text)
    texts = [_item_text(item, schema) for item in plain]
    if _is_safe(text) and all(
        each == item for each, item in zip(texts, plain, strict=True) if isinstance(item, str)
    ):
        return _checked_size(text)
    return _checked_size(TEXTS + _json(texts))


def _item_text(item: Any, schema: Schema) -> Any:
    """Return an item as it stands in a list of texts; one that needs no encoding stays JSON."""
    if isinstance(item, (str, list)):
        text = wire(item, schema)
        return text if isinstance(item, str) or text.startswith(MARK) else item
    if isinstance(item, dict):
        text = _json(item)
        return item if _is_safe(text) else _JSON + _encoded(text)[len(_ENCODED) :]
    return item


def _encoded(text: str) -> str:
    import base64

    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ParameterError(
            f"the text holds a lone surrogate at position {error.start}",
            hint="it is not valid Unicode text; pass the bytes as an artifact",
        ) from error
    return _ENCODED + base64.urlsafe_b64encode(data).decode("ascii")


def _checked_size(text: str) -> str:
    if len(text) > LARGEST // 4 and len(text.encode("utf-8")) > LARGEST:
        raise ParameterError(
            f"the value has {len(text.encode('utf-8'))} bytes, an environment variable holds "
            f"{LARGEST} (128 KiB with its name)",
            hint="pass it as an artifact: a File or Directory argument",
        )
    return text


def _is_safe(text: str) -> bool:
    if "$" in text or "{{" in text or text.startswith(MARK):
        return False
    plain = text.replace("\n", "") if "\n" in text else text
    if plain.isascii():
        return plain.isprintable()
    # Go prints runes above U+FFFF that its own tables do not know as \U000..., which no JSON is.
    return plain.isprintable() and max(plain) <= "\uffff"


def _unguard(text: str) -> str:
    """Return the readable text of a wire text. Raises ParameterError for a damaged one."""
    if not text.startswith((_ENCODED, _JSON)):
        return text
    import base64
    import binascii

    try:
        data = base64.b64decode(text.split(":", 2)[2], altchars=b"-_", validate=True)
        return data.decode("utf-8")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise ParameterError(
            f"{text[:40]!r} is not a value that argojobs encoded",
            hint="a text that begins with 'argojobs:' must be passed through --params or -p",
        ) from error


# travels with: foreign
def readable(text: str) -> str:
    """Return what a person reads for a wire text; a damaged one is shown as it is."""
    if text == NONE:
        return "None"
    if text.startswith(TEXTS):
        return _readable_list(text)
    try:
        return _unguard(text)
    except ParameterError:
        return text


def _readable_list(text: str) -> str:
    try:
        return _json(_plain_from_texts(text[len(TEXTS) :], {"type": "any"}))
    except (ParameterError, ValueError):
        return text


def plain_from_text(text: str, schema: Schema) -> Any:
    """Return the plain value of a text (wire or as a user typed it), as the schema says.

    Raises ParameterError, without a place, saying what was expected and what came.
    """
    kind = schema["type"]
    if kind == "union":
        return _plain_from_union(text, schema)
    if text == NONE:
        if kind in ("none", "any"):
            return None
        raise ParameterError(f"expected {describe(schema)}, got None")
    if text.startswith(TEXTS):
        return _plain_from_texts(text[len(TEXTS) :], schema)
    text = _unguard(text)
    if kind in ("str", "path"):
        return text
    if kind == "bool":
        if text in _TRUE:
            return True
        if text in _FALSE:
            return False
    elif kind == "int":
        number = _number(text, int)
        if number is not None:
            return number
    elif kind == "float":
        number = _number(text, float)
        if number is not None:
            return number
    elif kind in ("literal", "enum"):
        return _plain_from_choices(text, schema)
    else:
        return _plain_from_json(text, schema)
    raise ParameterError(f"expected {describe(schema)}, got {_shown(text)}")


def _number(text: str, kind: type[int | float]) -> float | None:
    """Read a number in ASCII digits; None for what Python alone takes, and for one too large."""
    if "_" in text or not text.isascii():
        return None
    try:
        number = kind(text)
    except ValueError:
        return None
    # `1e400` is not infinity: nobody wrote `inf`.
    is_overflow = number in (_INFINITY, -_INFINITY) and "inf" not in text.lower()
    return None if is_overflow else number


def _plain_from_texts(text: str, schema: Schema) -> list[Any]:
    """Return the list of values whose wire texts a JSON list holds.

    Texts that are JSON lists or objects stand in it as such if all of them are (Argo docs: loops,
    aggregation).
    """
    import json

    items = json.loads(text)
    if schema["type"] == "any":
        return [_plain_from_item(item) for item in items]
    if schema["type"] != "list":
        raise ParameterError(f"expected {describe(schema)}, got a list")
    texts = [item if isinstance(item, str) else _json(item) for item in items]
    return [plain_from_text(item, schema["items"]) for item in texts]


def _plain_from_item(item: Any) -> Any:
    """Return the value of an item of a list of texts, without knowing its type."""
    if not isinstance(item, str):
        return item
    if item.startswith((TEXTS, _JSON)):
        return plain_from_text(item, {"type": "any"})
    return _unguard(item)


def _plain_from_union(text: str, schema: Schema) -> Any:
    members = schema["any"]
    others = [member for member in members if member["type"] != "none"]
    if len(others) < len(members) and text in (NONE, "null") and not _has_text(others):
        return None
    if len(others) < len(members) and text == NONE:
        return None
    if len(others) == 1:
        return plain_from_text(text, others[0])
    import json

    try:
        return plain_of(json.loads(_unguard(text)), schema)
    except (ValueError, ParameterError):
        pass
    for member in others:
        try:
            return plain_from_text(text, member)
        except ParameterError:
            continue
    raise ParameterError(f"expected {describe(schema)}, got {_shown(text)}")


def _has_text(members: list[Schema]) -> bool:
    return any(member["type"] in ("str", "path", "any") for member in members)


def _plain_from_choices(text: str, schema: Schema) -> Any:
    choices = schema["values"] if schema["type"] == "literal" else schema["members"].values()
    for choice in choices:
        if text == text_of(choice, {"type": "str"}):
            return choice
    if schema["type"] == "enum" and text in schema["members"]:
        return schema["members"][text]
    import difflib

    known = [text_of(choice, {"type": "str"}) for choice in choices]
    near = difflib.get_close_matches(text, known, 1)
    raise ParameterError(
        f"expected {describe(schema)}, got {_shown(text)}",
        hint=f"did you mean {near[0]!r}?" if near else "",
    )


def _plain_from_json(text: str, schema: Schema) -> Any:
    import json

    try:
        plain = json.loads(text)
    except ValueError as error:
        raise ParameterError(
            f"expected {describe(schema)} as JSON, got {_shown(text)}", hint=str(error)
        ) from error
    return plain_of(plain, schema)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
