"""A cause: a stable code and how to see it in a subject; most are a pattern with words for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from argojobs.diagnosis.evidence import Subject
from argojobs.diagnosis.finding import Answer

Look = Callable[[Subject], Answer | None]


class Cause(NamedTuple):
    """A cause. look: returns what to say of a subject that has it, None for another."""

    code: str
    look: Look


def told(
    code: str,
    pattern: str,
    what: str,
    remedy: str = "",
    command: str = "",
    *,
    where: Literal["texts", "message", "log"] = "texts",
) -> Cause:
    """Return a cause that a pattern shows.

    The words may name the pattern's groups, and what `words_of` knows, in braces.

    Args:
        code: stable, for programs.
        pattern: what is searched for.
        what: is wrong.
        remedy: what to do about it.
        command: which does it, or shows more.
        where: it is searched: what Argo and Kubernetes say, the node's message, or the log.
    """
    compiled = re.compile(pattern)

    def look(subject: Subject) -> Answer | None:
        if where == "log":
            found = subject.search_log(compiled)
        elif where == "message":
            found = compiled.search(subject.message)
        else:
            found = subject.search(compiled)
        if found is None:
            return None
        words = {**words_of(subject), **{k: v or "" for k, v in found.groupdict().items()}}
        return Answer(what.format(**words), remedy.format(**words), command.format(**words))

    return Cause(code, look)


def words_of(subject: Subject) -> dict[str, str]:
    """Return the words that every cause may say: the run, its namespace, how to get there."""
    evidence, image = subject.evidence, str(subject.container.get("image") or "")
    return {
        "run": evidence.run,
        "namespace": evidence.namespace,
        "options": evidence.options,
        "kubectl": f"{evidence.kubectl} -n {evidence.namespace}",
        "step": subject.title,
        "pod": subject.pod_name,
        "image": image or "of the step",
        "place": "this machine" if evidence.local else f"the image {image or 'of the step'}",
    }
