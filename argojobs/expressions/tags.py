"""Argo's tags: `{{name}}` and `{{=expression}}` in text, replaced as Argo does on the JSON of a template.

Argo encodes an object as JSON, puts Go-quoted values in, and decodes it again. On the decoded text that means: a value
arrives as it is, except that one with certain control characters breaks the whole (it is an error here, too), and that
lists and maps arrive as Go's JSON. What does not resolve stays as it is, unless it must resolve (`strict`).
Sources: Argo docs, variables; `util/template` of Argo 4.1.2.
"""

import difflib
import re
from collections.abc import Mapping
from datetime import datetime

from argojobs.errors import ExpressionError, TagError
from argojobs.expressions.budget import bounded
from argojobs.expressions.texts import to_json, valid_text
from argojobs.expressions.values import NotHereError, shorten

OPEN = "{{"
CLOSE = "}}"
LATE_NAMES = frozenset([
    "item", "retries", "lastRetry.exitCode", "lastRetry.status", "lastRetry.duration",
    "lastRetry.message", "workflow.status", "workflow.failures",
])  # fmt: skip
"""Names that are known later than others: an expression with one of them waits for it."""

Strict = bool | tuple[str, ...]
"""True: every tag must resolve. False: none must. ("steps", "tasks"): those with these first names must."""

# What Go's strconv.Quote writes as \a, \v, \x.. or \U........, which JSON does not have.
_BREAKS_JSON = re.compile("[\x00-\x07\x0b\x0e-\x1f\x7f\ud800-\udfff]|[\U00010000-\U0010ffff]")
_SPACES = " \x85\xa0"  # line ends and tabs are escapes in JSON, and no spaces there


def replace(
    text: str, env: Mapping[str, object], *, strict: Strict, now: datetime | None = None
) -> str:
    """Replace the tags of a text.

    Args:
        text: with tags or without.
        env: flat dotted names to values; `{{name}}` takes strings only.
        strict: which tags must resolve; the others stay in the text.
        now: what `now()` gives in expressions; None for the clock's time.

    Raises:
        TagError: a tag that must resolve does not, names something that is not a string, is not
            closed, or its value would break the JSON around it; its hint names the nearest name
            there is. An expression that does not parse is one whatever `strict` says.
    """
    start = text.find(OPEN)
    if start < 0:
        return text
    return _replace(text, start, env, strict, now, unclosed_stays=False)


def replace_tree(
    value: object, env: Mapping[str, object], *, strict: Strict, now: datetime | None = None
) -> object:
    """Replace the tags in every string of nested lists and maps, keys too.

    What has none is returned as it is. A tag that is not closed stays unless all tags must resolve:
    in a template's JSON, Argo finds some other `}}` behind it and leaves all of that as it was.

    Args:
        value: lists, maps and strings, as JSON has them.
        env: flat dotted names to values; `{{name}}` takes strings only.
        strict: which tags must resolve; the others stay.
        now: what `now()` gives in expressions; None for the clock's time.

    Raises:
        TagError: as `replace` does.
    """
    if isinstance(value, str):
        start = value.find(OPEN)
        if start < 0:
            return value
        return _replace(value, start, env, strict, now, unclosed_stays=strict is not True)
    if isinstance(value, dict):
        return _replace_map(value, env, strict, now)
    if isinstance(value, list):
        replaced = [replace_tree(item, env, strict=strict, now=now) for item in value]
        same = all(new is old for new, old in zip(replaced, value, strict=True))
        return value if same else replaced
    return value


def _replace_map(
    value: dict[str, object], env: Mapping[str, object], strict: Strict, now: datetime | None
) -> dict[str, object]:
    changed = False
    replaced: dict[str, object] = {}
    for key, old in value.items():
        new_key = replace_tree(key, env, strict=strict, now=now)
        new = replace_tree(old, env, strict=strict, now=now)
        changed = changed or new is not old or new_key is not key
        replaced[new_key if isinstance(new_key, str) else key] = new
    return replaced if changed else value


def raw_tags(text: str) -> list[str]:
    """Give what stands between each `{{` and the next `}}`, as it is; an expression keeps its `=`."""
    tags: list[str] = []
    start = text.find(OPEN)
    while start >= 0:
        end = text.find(CLOSE, start + 2)
        if end < 0:
            break
        tags.append(text[start + 2 : end])
        start = text.find(OPEN, end + 2)
    return tags


def unclosed(text: str) -> str | None:
    """Give what stands behind a `{{` that has no `}}`, None where each has its end."""
    start = text.find(OPEN)
    while start >= 0:
        end = text.find(CLOSE, start + 2)
        if end < 0:
            return text[start + 2 :]
        start = text.find(OPEN, end + 2)
    return None


def _replace(
    text: str,
    start: int,
    env: Mapping[str, object],
    strict: Strict,
    now: datetime | None,
    *,
    unclosed_stays: bool,
) -> str:
    parts: list[str] = []
    position = 0
    while start >= 0:
        end = text.find(CLOSE, start + 2)
        if end < 0:
            if unclosed_stays:
                break
            raise TagError(
                f"cannot find the end }}}} of the tag that starts with {shorten(text[start : start + 40])}",
                hint="close it, or write {{ in another way if it is not a tag",
            )
        parts.append(text[position:start])
        tag = text[start + 2 : end]
        if tag.startswith("="):
            parts.append(_expression(tag[1:], env, strict, now))
        else:
            parts.append(_simple(tag, env, strict))
        position = end + 2
        start = text.find(OPEN, position)
    parts.append(text[position:])
    return "".join(parts)


def _simple(tag: str, env: Mapping[str, object], strict: Strict) -> str:
    name = tag.strip(_SPACES)
    if name in env:
        value = env[name]
        if isinstance(value, str):
            return value if value.isprintable() else _fit(value, name)
        raise _no_string(tag, value)
    nested = tag.rfind(OPEN)
    if (
        nested > 0
    ):  # {{a.{{b}}}}: the inner tag is replaced, what is around it stays for the next time
        inner = tag[nested + 2 :]
        if inner in env:
            value = env[inner]
            if value is None:
                raise _no_string(tag, value)
            if isinstance(value, str):
                return OPEN + tag[:nested] + _fit(value, inner)
    if _must(name, strict) and (strict is True or ".outputs.artifacts." not in name):
        raise TagError(f"failed to resolve {{{{{tag}}}}}", hint=_nearest(name, env))
    return OPEN + tag + CLOSE


def _must(name: str, strict: Strict) -> bool:
    if isinstance(strict, bool):
        return strict
    return any(name == prefix or name.startswith(prefix + ".") for prefix in strict)


def _no_string(tag: str, value: object) -> TagError:
    if value is None:
        return TagError(
            f"unable to substitute {{{{{tag}}}}}: output is an absent optional (skipped/omitted node with no default)",
            hint="give the output a valueFrom.default, the input a default, or write {{=... ?? 'default'}}",
        )
    return TagError(
        f"failed to resolve {{{{{tag}}}}} to string",
        hint=f"it is a {type(value).__name__}; pass a string, or use an expression: {{{{=toJson(...)}}}}",
    )


def _nearest(name: str, env: Mapping[str, object]) -> str:
    first = name.partition(".")[0]
    candidates = [known for known in env if known.partition(".")[0] == first]
    # Comparing is slow, and a step that waits for another asks again and again.
    near = difflib.get_close_matches(name[:200], candidates[:100] or list(env)[:100], n=1)
    if near:
        return f"did you mean {{{{{near[0]}}}}}?"
    return (
        "nothing of this name is known here: check its spelling, and that what it names runs before"
    )


def _fit(value: str, name: str) -> str:
    """Give back a value that survives Go's quoting inside JSON. Raises TagError for one that does not."""
    if value.isprintable():
        return value
    for match in _BREAKS_JSON.finditer(value):
        character = match.group()
        if character < "\U00010000" or not character.isprintable():
            raise TagError(
                "cannot finish template replacement because the result was invalid JSON:"
                f" the value of {name} has the character U+{ord(character):04X}",
                hint="Argo cannot substitute such a value: encode it, or pass it as an artifact",
            )
    return value


def _expression(
    source: str, env: Mapping[str, object], strict: Strict, now: datetime | None
) -> str:
    from argojobs.expressions import expr  # only expressions need it, and it is large

    unresolved = OPEN + "=" + source + CLOSE
    try:
        nested = expr.environment(source, env)
        missing = [name for name in expr.required_names(source) if not _exists(name, nested)]
    except ExpressionError as error:
        raise TagError(
            f"failed to evaluate {{{{={source}}}}}: {error.what}", hint=error.hint
        ) from error
    for name in missing:
        if _must(name, strict):
            raise TagError(
                f"failed to evaluate {{{{={source}}}}}: {name} is missing", hint=_nearest(name, env)
            )
    may_stay = bool(missing) or not strict
    if may_stay and not LATE_NAMES.isdisjoint(missing):
        return unresolved
    try:
        with bounded():
            value = expr.evaluate_nested(source, nested, now=now)
            if value is None:
                raise ExpressionError(
                    f"{shorten(source)} gives nil", hint="give it another value with ?? 'default'"
                )
            text = valid_text(value) if isinstance(value, str) else to_json(value)
    except ExpressionError as error:
        if may_stay and not isinstance(error, NotHereError):
            return unresolved
        raise TagError(
            f"failed to evaluate {{{{={source}}}}}: {error.what}", hint=error.hint
        ) from error
    if isinstance(value, str):
        return text
    if text.startswith('"'):  # a time or bytes: a JSON string, which loses its quotes
        return text[1:-1]
    return _fit(text, shorten(source))


def _exists(name: str, nested: Mapping[str, object]) -> bool:
    current: object = nested
    for part in name.split("."):
        if not isinstance(current, dict) or part not in current:
            return False
        current = current[part]
    return True
