"""Rules for `when`: that it parses, and that it still does with the values that will stand in it.

Source: Argo docs, fields, `when`; govaluate's MANUAL. Argo puts values in as text, so a value
with a hyphen, a space or a `#` breaks a condition where it is not in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from ...errors import ExpressionError
from ..expressions.tags import raw_tags, unclosed
from ..findings import Finding, error, warning
from ..places import Path
from ..when_quotes import STATUS
from .subject import Place, Subject, callers, items

_TAG = re.compile(r"\{\{(?:(?!\{\{|\}\}).)*\}\}", re.DOTALL)
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_SIDE = r"(?:\{\{(?:(?!\}\}).)*\}\}|'[^']*'|\"[^\"]*\"|[^\s()!=<>&|'\"]+)"
_EQUAL = re.compile(rf"({_SIDE})\s*(==|!=)\s*({_SIDE}(?:[ \t]+[^\s()!=<>&|'\"]+)*)", re.DOTALL)
_SINGLE_IN = re.compile(r"\bin\s*\(\s*(?:'[^',]*'|\"[^\",]*\"|[^\s,'\"()]+)\s*\)")
_BARE = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*(?:-[\w.]+)+|#\w+")
_NUMBER = re.compile(r"-?\d+(\.\d+)?|true|false")
#: A longer text is judged by its grammar alone.
_LONGEST_JUDGED = 4096
_DEEPEST_TAG = 2


def check_conditions(subject: Subject) -> Iterator[Finding]:
    """The `when` of every task and step."""
    given = {
        f"workflow.parameters.{one.get('name')}": one.get("value")
        for _, one in items(subject.spec.get("arguments"), "parameters")
    }
    for place in subject.places:
        for caller in callers(place.template, place.path):
            text = caller.value.get("when")
            if text:
                yield from check_condition(text, (*caller.path, "when"))
                yield from _check_values(text, (*caller.path, "when"), given | _inputs(place))


def _inputs(place: Place) -> dict[str, Any]:
    """What the inputs of a template are when nothing is given for them."""
    return {
        f"inputs.parameters.{one.get('name')}": one.get("value", one.get("default"))
        for _, one in items(place.template.get("inputs"), "parameters")
    }


def _check_values(text: str, path: Path, given: Mapping[str, Any]) -> Iterator[Finding]:
    """That no value which Argo puts in by then opens a tag that nothing closes."""
    for tag in raw_tags(text):
        value = given.get(tag.strip())
        if type(value) is str and unclosed(value) is not None:
            yield error(
                "unclosed-tag",
                path,
                f"the value of {{{{{tag.strip()}}}}} has a `{{{{` without `}}}}`, which Argo refuses in a `when`",
                "compare a value without `{{`",
            )


def quoted(text: str) -> str:
    """Return a condition with both sides of each `==` and `!=` in quotes."""
    return _EQUAL.sub(lambda m: f"{_quote(m[1])} {m[2]} {_quote(m[3])}", text)


def _quote(side: str) -> str:
    side = side.strip()
    if side[:1] in "'\"":
        return side
    return "'" + side.replace("'", "\\'") + "'"


@lru_cache(maxsize=1024)
def _faults(text: str) -> tuple[tuple[str, str, str, str], ...]:
    """Return level, code, message and hint of what is wrong with a condition."""
    if text.lstrip().startswith("{{=") and text.rstrip().endswith("}}") and text.count("{{") == 1:
        return ()
    if len(text) > _LONGEST_JUDGED:
        fault = _syntax(text)
        return (("error", "when-syntax", fault, "write a shorter one"),) if fault else ()
    hint = f"write {quoted(text)}"
    outside = _without_tags(text, lambda m: "x" * len(m[0]))
    plain = _QUOTED.sub("''", outside)
    single = _SINGLE_IN.search(plain)
    if single:
        return (
            (
                "error",
                "when-in",
                "`in` with one item is no list",
                f"write == and the item: {quoted(_equal(text))}",
            ),
        )
    bare = _BARE.search(plain)
    if bare:
        return (("error", "when-syntax", f"{bare[0]!r} without quotes is no text here", hint),)
    fault = _syntax(text)
    if "Cannot transition token types from VARIABLE" in fault and "to VARIABLE" in fault:
        fault = "several words without quotes are no text here"
    if fault:
        if hint == f"write {text}":
            hint = "write == where two values are to be equal" if "'='" in fault else ""
        return (("error", "when-syntax", fault, hint),)
    for side in _EQUAL.finditer(text):
        if any(_is_bare_tag(side[one]) for one in (1, 3)) and not any(
            _NUMBER.fullmatch(side[one]) for one in (1, 3)
        ):
            what = "a value with a hyphen, a space or a `#` breaks this condition"
            return (("warning", "when-unquoted", what, hint),)
    return ()


def _without_tags(text: str, made: str | Callable[[re.Match[str]], str]) -> str:
    """Return a condition with something else for each tag, and for a tag around a tag."""
    for _ in range(_DEEPEST_TAG):
        text = _TAG.sub(made, text)
    return text


def _equal(text: str) -> str:
    return re.sub(r"\s+in\s*\(\s*([^()]*?)\s*\)", r" == \1", text)


def _is_bare_tag(side: str) -> bool:
    """Whether a side is a tag without quotes whose value may be any text."""
    return side.lstrip().startswith("{{") and not STATUS.fullmatch(side)


def _syntax(text: str) -> str:
    """Return what is wrong with the grammar whatever the values are."""
    from ..expressions.condition import check

    message = ""
    for sample in ("x", "1"):
        try:
            check(_without_tags(text, sample))
        except ExpressionError as fault:
            message = message or fault.what
        else:
            return ""
    return message


def check_condition(text: str, path: Path) -> Iterator[Finding]:
    """One condition."""
    for level, code, message, hint in _faults(text):
        make = error if level == "error" else warning
        yield make(code, path, message, hint)
