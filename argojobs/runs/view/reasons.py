"""Argo's messages about steps that broke, with what a reader has to know to understand them.

The text of the API stays as it is in JSON; this is what people see beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argojobs.manifest.objects import Template, WorkflowSpec

_EXIT_CODE = re.compile(r"\(exit code (\d+)\)$")

#: What exit codes mean: the shell's own, and 128 + N for a program that signal N ended.
_MEANINGS = {
    126: "the command cannot be executed",
    127: "the shell found no such command",
    130: "interrupted by SIGINT",
    132: "killed by SIGILL: an instruction that this CPU does not have",
    134: "killed by SIGABRT: the program gave up",
    135: "killed by SIGBUS, often a full /dev/shm",
    136: "killed by SIGFPE",
    137: "killed by SIGKILL, often out of memory",
    139: "killed by SIGSEGV: segmentation fault",
    143: "ended by SIGTERM",
}
#: The exit code of a step of ours that did not come to the user's first line (errors.StepError).
_BEFORE_FIRST_LINE = 78

#: Messages of limits, and the fields of a template that set them.
_LIMITS = {
    "Pod was active on the node longer than the specified deadline": (
        "timeout",
        "activeDeadlineSeconds",
    ),
    "timeout": ("timeout", "pendingTimeout"),
}
_LATE = "Step exceeded its deadline"


def explained(message: str, template: Template, spec: WorkflowSpec) -> str:
    """Return a node's message with the meaning of its exit code, or the limit that it names.

    Args:
        message: of the node.
        template: of the node.
        spec: of the run, which has a deadline of its own.
    """
    code = _EXIT_CODE.search(message)
    if code is not None:
        meaning = _meaning(int(code[1]), template)
        return f"{message}: {meaning}" if meaning else message
    if message == _LATE:
        return _with_limits(message, spec, ("activeDeadlineSeconds",))
    return _with_limits(message, template, _LIMITS.get(message, ()))


def _meaning(code: int, template: Template) -> str:
    if code == _BEFORE_FIRST_LINE and _is_ours(template):
        return "before the step's first line, see its log"
    return _MEANINGS.get(code, "")


def _with_limits(message: str, fields: Mapping[str, Any], names: tuple[str, ...]) -> str:
    found = [f"{name}, {fields[name]}" for name in names if fields.get(name) is not None]
    told = [text for text in found if "{{" not in text]
    return f"took longer than its {' or '.join(told)} ({message})" if told else message


def _is_ours(template: Template) -> bool:
    """Tell whether a template was compiled from a step of ours, which has these variables."""
    environment = (template.get("container") or {}).get("env") or ()
    return any(one.get("name") == "ARGOJOBS_RUN" for one in environment)
