"""Rules for `when`: that it parses, and that it still does with the values that will stand in it.

Source: Argo docs, fields, `when`; govaluate's MANUAL. Argo puts values in as text, so a value
with a hyphen, a space or a `#` breaks a condition where it is not in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from argojobs.errors import ExpressionError
from argojobs.expressions.tags import raw_tags, unclosed
from argojobs.lint.rule import Fault, Faults, Rule, error, warning
from argojobs.lint.subject import Object, Subject, callers, items
from argojobs.lint.texts import unclosed_tag
from argojobs.lint.when_quotes import STATUS
from argojobs.manifest.findings import Finding
from argojobs.manifest.places import Path

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
#: A longer value is not tried in a condition.
_LONGEST_VALUE = 256

_OfCondition = Rule[[Path, str, str]]


@error("walk-through/conditionals/", beyond=True)
def when_syntax(path: Path, message: str, hint: str) -> Faults:
    """A condition that does not parse.

    Words with hyphens, several words and `#` are not text without quotes, and the step errors.
    Remedy: Put both sides in quotes.
    Wrong:
        steps:
        - - {name: a, template: work, when: '{{workflow.name}} == not-this'}
    Right:
        steps:
        - - {name: a, template: work, when: "'{{workflow.name}}' == 'not-this'"}
    """
    yield Fault(path, message, hint)


@error("walk-through/conditionals/", beyond=True)
def when_in(path: Path, message: str, hint: str) -> Faults:
    """`in` with one item.

    In parentheses, one item is not a list, and the step errors.
    Remedy: Compare with ==.
    Wrong:
        steps:
        - - {name: a, template: work, when: '''{{workflow.name}}'' in (''x'')'}
    Right:
        steps:
        - - {name: a, template: work, when: "'{{workflow.name}}' == 'x'"}
    """
    yield Fault(path, message, hint)


@warning("walk-through/conditionals/")
def when_unquoted(path: Path, message: str, hint: str) -> Faults:
    """A condition that depends on what its values look like.

    Values are put in as text: one with a hyphen, a space or a `#` breaks the condition.
    Remedy: Put both sides in quotes.
    Wrong:
        steps:
        - - {name: a, template: work, when: '{{workflow.name}} == heads'}
    Right:
        steps:
        - - {name: a, template: work, when: "'{{workflow.name}}' == 'heads'"}
    """
    yield Fault(path, message, hint)


def check_conditions(subject: Subject) -> Iterator[Finding]:
    """The `when` of every task and step."""
    shared = _values(subject.spec.get("arguments"), "workflow.parameters.")
    for place in subject.places:
        found = [
            (caller.path, caller.value["when"])
            for caller in callers(place.template, place.path)
            if caller.value.get("when")
        ]
        if not found:
            continue
        values = {**shared, **_values(place.template.get("inputs"), "inputs.parameters.")}
        for path, text in found:
            faults = list(check_condition(text, (*path, "when")))
            yield from faults or _with_values(text, values, (*path, "when"))
            yield from _check_values(text, values, (*path, "when"))


def _values(holder: Object | None, prefix: str) -> dict[str, str]:
    """Return the values that parameters have unless others are given, by what tags call them."""
    found: dict[str, str] = {}
    for _, one in items(holder, "parameters"):
        value = one.get("value", one.get("default"))
        if isinstance(value, str) and len(value) <= _LONGEST_VALUE:
            found[f"{prefix}{one.get('name')}"] = value
    return found


def _with_values(text: str, values: Mapping[str, str], path: Path) -> Iterator[Finding]:
    """What breaks a condition that is right by itself: a value that is there already."""
    if len(text) > _LONGEST_JUDGED:
        return
    values = {name: value for name, value in values.items() if "{{" not in value}
    known = [name for tag in _TAG.findall(text) if (name := tag[2:-2].strip()) in values]
    if not known:
        return
    filled = _TAG.sub(lambda match: values.get(match[0][2:-2].strip(), match[0]), text)
    fault = _syntax(filled)
    if fault:
        shown = ", ".join(f"{name} = {values[name]!r}" for name in dict.fromkeys(known))
        what = f"the condition breaks with {shown[:200]}: {fault}"
        hint = f"write {quoted(text)}"
        if quoted(text) == text:
            hint = "compare texts by == and !=, in quotes; give what is compared by < a number"
        yield from when_unquoted(path, what, hint)


def _check_values(text: str, values: Mapping[str, str], path: Path) -> Iterator[Finding]:
    """That no value which Argo puts in by then opens a tag that nothing closes."""
    for tag in raw_tags(text):
        if unclosed(values.get(tag.strip(), "")) is not None:
            what = f"the value of {{{{{tag.strip()}}}}} has a `{{{{` without `}}}}`, which Argo refuses in a `when`"
            yield from unclosed_tag(path, what, "compare a value without `{{`")


def quoted(text: str) -> str:
    """Return a condition with both sides of each `==` and `!=` in quotes."""
    return _EQUAL.sub(lambda m: f"{_quote(m[1])} {m[2]} {_quote(m[3])}", text)


def _quote(side: str) -> str:
    side = side.strip()
    if side[:1] in "'\"":
        return side
    return "'" + side.replace("'", "\\'") + "'"


@lru_cache(maxsize=1024)
def _fault(text: str) -> tuple[_OfCondition, str, str] | None:
    """Return the rule, the message and the hint of what is wrong with a condition."""
    if text.lstrip().startswith("{{=") and text.rstrip().endswith("}}") and text.count("{{") == 1:
        return None
    if len(text) > _LONGEST_JUDGED:
        fault = _syntax(text)
        return (when_syntax, fault, "write a shorter one") if fault else None
    hint = f"write {quoted(text)}"
    outside = _without_tags(text, lambda m: "x" * len(m[0]))
    plain = _QUOTED.sub("''", outside)
    if _SINGLE_IN.search(plain):
        hint = f"write == and the item: {quoted(_equal(text))}"
        return when_in, "`in` with one item is not a list", hint
    if bare := _BARE.search(plain):
        return when_syntax, f"{bare[0]!r} without quotes is not text here", hint
    fault = _syntax(text)
    if "Cannot transition token types from VARIABLE" in fault and "to VARIABLE" in fault:
        fault = "several words without quotes are not text here"
    if fault:
        if hint == f"write {text}":
            hint = "write == where two values are to be equal" if "'='" in fault else ""
        return when_syntax, fault, hint
    for side in _EQUAL.finditer(text):
        if any(_is_bare_tag(side[one]) for one in (1, 3)) and not any(
            _NUMBER.fullmatch(side[one]) for one in (1, 3)
        ):
            what = "a value with a hyphen, a space or a `#` breaks this condition"
            return when_unquoted, what, hint
    return None


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
    from argojobs.expressions.condition import check  # few manifests have conditions

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
    if fault := _fault(text):
        rule, message, hint = fault
        yield from rule(path, message, hint)
