"""After main: read output parameters, save output artifacts (fields.md 8; gotchas 20 and 22).

Everything is collected whatever main's exit code was, and one missing output does not keep the
others from being saved.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from argojobs.engine.artifacts import FAST, save_tar, save_zip
from argojobs.errors import ArgojobsError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from argojobs.storage.repository import Repository

RESULT_LIMIT = 256 * 1024  # bytes of standard output that become `outputs.result`


def result_text(output: bytes) -> str:
    """`outputs.result` of a standard output: one newline at the end less, the last 256 kB."""
    if output.endswith(b"\n"):
        output = output[:-1]
    return output[-RESULT_LIMIT:].decode("utf-8", "replace")


def collect(
    outputs: Mapping[str, Any],
    locate: Callable[[str], str],
    repository: Callable[[], Repository],
    *,
    staging: str,
    own: Callable[[str], bool],
) -> tuple[dict[str, Any], list[str]]:
    """Collect the outputs of a pod.

    outputs: of the request. locate: container path -> host path. staging: a folder for archives
    under way. own: whether a host path is the pod's alone and may be moved. Returns Argo's
    outputs object (without result and exitCode) and what went wrong, a text each.
    """
    found: dict[str, Any] = {}
    problems: list[str] = []
    parameters = [_parameter(parameter, locate, problems) for parameter in outputs["parameters"]]
    if parameters:
        found["parameters"] = [parameter for parameter in parameters if parameter is not None]
    saved = []
    for artifact in outputs["artifacts"]:
        try:
            source = locate(artifact["path"])
            if artifact["optional"] and not os.path.lexists(source):
                continue
            if artifact["archive"] == "none":
                alone = own(source) and not _shares(artifact, outputs)
                repository().put(source, artifact["key"], move=alone)
            else:
                packed = _pack(artifact, source, staging)
                repository().put(packed, artifact["key"], move=True)
        except (ArgojobsError, OSError) as error:
            name = artifact["declared"]["name"]
            problems.append(f"cannot save artifact {name!r}: {_reason(artifact, error)}")
        else:
            declared = artifact["declared"]
            saved.append({**declared, "s3": {**declared.get("s3", {}), "key": artifact["key"]}})
    if saved:
        found["artifacts"] = saved
    return found, problems


def _parameter(
    parameter: Mapping[str, Any], locate: Callable[[str], str], problems: list[str]
) -> dict[str, Any] | None:
    """The declared parameter with its value: the file's text, less one newline at its end."""
    declared, default = parameter["declared"], parameter["default"]
    try:
        with open(locate(parameter["path"]), "rb") as file:
            value = file.read().decode("utf-8", "replace")
    except FileNotFoundError as error:
        if default is None:
            problems.append(
                f"cannot save parameter {declared['name']!r}: {_reason(parameter, error)}"
            )
            return None
        value = str(default)
    except OSError as error:
        problems.append(f"cannot save parameter {declared['name']!r}: {_reason(parameter, error)}")
        return None
    return {**declared, "value": value.removesuffix("\n")}


def _pack(artifact: Mapping[str, Any], source: str, staging: str) -> str:
    """Make the artifact's archive; returns its path."""
    packed = f"{staging}/saving-{artifact['declared']['name']}"
    root = os.path.basename(artifact["path"].rstrip("/"))
    if artifact["archive"] == "zip":
        save_zip(source, packed, root)
    else:
        level = artifact["level"]
        save_tar(source, packed, root, FAST if level is None else int(level))
    return packed


def _shares(artifact: Mapping[str, Any], outputs: Mapping[str, Any]) -> bool:
    """Whether another output lies in, above or at the artifact's path."""
    path = artifact["path"].rstrip("/") + "/"
    for other in outputs["artifacts"]:
        if other is not artifact:
            beside = other["path"].rstrip("/") + "/"
            if path.startswith(beside) or beside.startswith(path):
                return True
    return False


def _reason(item: Mapping[str, Any], error: ArgojobsError | OSError) -> str:
    if isinstance(error, ArgojobsError):
        return error.what
    return f"{item['path']}: {(error.strerror or str(error)).lower()}"
