"""What a template starts, and the same with the program in front of it that waits for a debugger.

Argo puts the file with a script's source after its command and its arguments. Source: Argo docs,
fields (ScriptTemplate).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Literal

from argojobs.manifest.own_program import is_own_program
from argojobs.runtime import debugger

#: Stands for the file that Argo puts after the words of a script.
_SOURCE = "SOURCE"
_IMAGES_OWN = "its image's own program"


def kind_of(template: Mapping[str, Any]) -> Literal["script", "container", ""]:
    """Return whether a template is a `container` or a `script`, "" for any other."""
    if _is_given(template, "script"):
        return "script"
    return "container" if _is_given(template, "container") else ""


def is_pod(template: Mapping[str, Any]) -> bool:
    """Whether steps of a template start a program of the user's."""
    return bool(kind_of(template)) or _is_given(template, "containerSet")


def told_when(template: Mapping[str, Any]) -> str:
    """Return when steps of a template were told to wait for a debugger; "" where they were not."""
    container = template.get(kind_of(template)) or {}
    variables = container.get("env") or ()
    return next(
        (str(one.get("value")) for one in variables if one.get("name") == debugger.WANTED), ""
    )


def can_wait(kind: str, container: Mapping[str, Any]) -> bool:
    """Whether a container or script can wait for a debugger.

    container: with what the defaults of templates add to it.
    """
    if kind == "container" and is_own_program(container):
        return True
    return bool(_parted(kind, container)[1])


def waiting_words(kind: str, container: Mapping[str, Any]) -> list[str]:
    """Return the words that start a Python program so that it waits.

    Those of a script lack the file, as Argo adds it. There are none for our own program, which
    waits by itself. Arguments as `can_wait` has them, for what can.
    """
    if kind == "container" and is_own_program(container):
        return []
    flags, target = _parted(kind, container)
    if target[0] == debugger.PACKED:  # it was told before
        target = target[1:]
    return [*flags, debugger.PACKED, *(target[:-1] if kind == "script" else target)]


def started(kind: str, container: Mapping[str, Any]) -> str:
    """Return what a container or script starts that cannot wait, for people.

    kind: "" for a set of containers.
    """
    if not kind:
        return "a set of containers"
    words = _words(kind, container)
    if not words:
        return _IMAGES_OWN
    name = PurePosixPath(words[0]).name
    is_python = bool(debugger.python_words([words[0], _SOURCE])[1])
    return f"{name} with nothing to run" if is_python else name


def _is_given(template: Mapping[str, Any], kind: str) -> bool:
    return isinstance(template.get(kind), Mapping)


def _words(kind: str, container: Mapping[str, Any]) -> list[str]:
    """Return the words of a program; none where only the image has it."""
    command = [str(word) for word in container.get("command") or ()]
    if not command:
        return []
    after = [_SOURCE] if kind == "script" else []
    return [*command, *(str(word) for word in container.get("args") or ()), *after]


def _parted(kind: str, container: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    return debugger.python_words(_words(kind, container))
