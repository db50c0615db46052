"""Command lines and parameters without what looks like a secret: everyone reads a run's object."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from typing import Any

from argojobs.dsl.tokens import token_in

MASK = "***"

#: Names of what is secret, as lint knows them, and what a web address may hold.
_NAME = re.compile(
    r"(^|[-_.])(password|passwd|passphrase|secret|token|api[-_]?key|access[-_]?key(?![-_]?id)"
    r"|secret[-_]?access[-_]?key|private[-_]?key|credentials?|pwd|auth)$",
    re.IGNORECASE,
)
#: Between the scheme and the host of an address: `user:password@`.
_USER = re.compile(r"(?<=://)[^/\s@]+@")
_ASSIGNMENTS = ("-p", "--parameter")
#: The longest command line that is kept: annotations share 256 KiB.
LONGEST = 8192


def masked_value(name: str, value: str) -> str:
    """Return a parameter's value, or a mask where its name or the value looks like a secret."""
    if value and (_NAME.search(name) or token_in(value)):
        return MASK
    return _USER.sub(f"{MASK}@", value)


def command_line(arguments: Sequence[str]) -> str:
    """Return a command line of ours as a shell takes it, what looks like a secret masked."""
    words: list[str] = []
    before, masked = "", _masked_word
    for word in arguments:
        words.append(masked(word, before))
        before = word
        if word == "--":
            masked = _masked_foreign
    text = shlex.join(("argojobs", *words))
    return text if len(text) <= LONGEST else text[: LONGEST - 4] + " ..."


def _masked_word(word: str, before: str) -> str:
    if before in _ASSIGNMENTS:
        return _masked_assignment(word)
    if before == "--params":
        return _masked_json(word)
    if before == "--notify":
        return _masked_notify(word)
    if before == "--message":
        return word
    if word.startswith("-p") and not word.startswith("--"):
        return f"-p{_masked_assignment(word[2:])}"
    option, equals, value = word.partition("=")
    if equals and option.startswith("-"):
        return f"{option}={_masked_word(value, option)}"
    return masked_value("", word)


def _masked_foreign(word: str, before: str) -> str:
    """Mask a word of another program: the value of an option that has the name of a secret."""
    option, equals, value = word.partition("=")
    if equals and option.startswith("-"):
        return f"{option}={masked_value(option.lstrip('-'), value)}"
    name = before.lstrip("-") if before.startswith("-") and "=" not in before else ""
    return masked_value("" if word.startswith("-") else name, word)


def _masked_notify(text: str) -> str:
    """Return where a run tells of its end without what may be a token: of an address the host."""
    found = re.match(r"(https?://)([^/\s@]*@)?([^/\s?#]+)", text)
    return f"{found[1]}{found[3]}/{MASK}" if found else masked_value("", text)


def _masked_assignment(text: str) -> str:
    name, equals, value = text.partition("=")
    return f"{name}={masked_value(name, value)}" if equals else text


def _masked_json(text: str) -> str:
    """Mask the values of `--params`; a text that cannot be read is masked whole."""
    if text.startswith("@"):
        return text
    bare = text.strip()
    if bare.startswith("<") and bare.endswith(">"):
        bare = f"{{{bare[1:-1]}}}"
    try:
        read = json.loads(bare)
    except ValueError:
        return MASK
    return json.dumps(_masked_tree("", read), ensure_ascii=False)


def _masked_tree(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _masked_tree(str(key), one) for key, one in value.items()}
    if isinstance(value, list):
        return [_masked_tree(name, one) for one in value]
    if isinstance(value, str):
        return masked_value(name, value)
    return MASK if value is not None and _NAME.search(name) else value
