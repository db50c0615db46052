"""A `when` whose values stand without quotes, and the same with quotes.

Argo pastes values into the text before it reads it: `{{x}} == foo` breaks as soon as x holds a
hyphen, a blank or a `#`. In single quotes any text without a single quote is safe. Numbers and
booleans keep their meaning: what is compared with one is left alone, as is a status. Source: Argo docs, fields,
`when`; govaluate's MANUAL.
"""

from __future__ import annotations

import re

_TAG = r"\{\{[^{}=][^{}]*\}\}"
#: `'` and `"` around anything, a tag with text around it or text with spaces, or one operator.
_TOKENS = re.compile(
    rf"""(?P<quoted>'[^']*'|"[^"]*")|(?P<operator>&&|\|\||==|!=|<=|>=|=~|!~|[<>()!,])"""
    rf"""|(?P<blank>\s+)|(?P<word>(?:{_TAG}|[\w.\#@/:+-])+)|(?P<other>.)""",
    re.DOTALL,
)
_TAG_ONLY = re.compile(rf"\s*{_TAG}\s*")
#: The status of a workflow, task or step: one plain word, which is safe without quotes.
STATUS = re.compile(r"\s*\{\{\s*(workflow|(tasks|steps)\.[\w.-]+)\.status\s*\}\}\s*")
_PARENTHESES = ("(", ")", "!", ",")
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?|0[xX][0-9a-fA-F]+")


def quoted_when(text: str) -> str | None:
    """Return a `when` with its words and tags in quotes, or None where none lacks them.

    None also for a text that is not a plain chain of comparisons, which is left as it is.
    """
    parts = _parts(text)
    if parts is None:
        return None
    changed = False
    for index in range(1, len(parts) - 1):
        if parts[index].strip() not in ("==", "!="):
            continue
        left, right = parts[index - 1], parts[index + 1]
        if left.strip() in _PARENTHESES or right.strip() in _PARENTHESES:
            continue
        if STATUS.fullmatch(left) or STATUS.fullmatch(right):
            continue
        if _is_number(left) or _is_number(right) or not (_is_text(left) or _is_text(right)):
            continue
        for place in (index - 1, index + 1):
            if not _is_quoted(parts[place]):
                if "'" in parts[place]:
                    return None
                parts[place] = _in_quotes(parts[place])
                changed = True
    return "".join(parts) if changed else None


def _parts(text: str) -> list[str] | None:
    """Split a `when` into operands (several words are one) and operators."""
    parts: list[str] = []
    joins = False  # the last part is an operand that more words may follow
    for found in _TOKENS.finditer(text):
        kind, token = found.lastgroup, found.group()
        if kind == "other" or token in ("+", "-", "/"):
            return None
        if kind == "operator":
            parts.append(token)
            joins = False
        elif joins:
            if kind == "quoted" or (kind == "word" and _is_quoted(parts[-1])):
                return None
            parts[-1] += token
        elif kind == "blank" and parts:
            parts[-1] += token
        elif kind == "blank":
            parts.append(token)
            joins = True
        else:
            parts.append(token)
            joins = True
    return parts


def _is_quoted(operand: str) -> bool:
    stripped = operand.strip()
    return len(stripped) > 1 and stripped[0] == stripped[-1] and stripped[0] in "'\""


def _is_number(operand: str) -> bool:
    """Whether an operand is a number or boolean, compared as such."""
    stripped = operand.strip()
    return stripped in ("true", "false") or _NUMBER.fullmatch(stripped) is not None


def _is_text(operand: str) -> bool:
    """Whether an operand is a word or a quoted text, not a tag alone and not nothing."""
    stripped = operand.strip()
    return bool(stripped) and not _TAG_ONLY.fullmatch(operand)


def _in_quotes(operand: str) -> str:
    stripped = operand.strip()
    start = operand.index(stripped)
    return f"{operand[:start]}'{stripped}'{operand[start + len(stripped) :]}"
