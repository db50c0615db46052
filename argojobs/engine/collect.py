"""After main: read output parameters, save output artifacts (fields.md 8; gotchas 20 and 22).

Everything is collected whatever main's exit code was, and one missing artifact does not keep the
others from being saved. Of parameters all that are declared are there; the first that is missing
has no value, and none after it has one that would be read from a file (seen with Argo 4.0.5).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from argojobs.engine.artifacts import DEFAULT_LEVEL, save_tar, save_zip
from argojobs.errors import ArgojobsError, OutputError
from argojobs.manifest.own_program import OUTPUTS
from argojobs.storage.copying import open_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from argojobs.storage.repository import Repository

RESULT_LIMIT = 256 * 1024  # bytes of standard output that become `outputs.result`

#: Bytes of an output parameter, and of all of a pod: they travel in Kubernetes' objects, of which
#: an annotation may have 256 KiB and a whole object, in etcd, 1.5 MiB.
VALUE_LIMIT = 256 * 1024
VALUES_LIMIT = 1024 * 1024


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
    working_directory: str = "/",
) -> tuple[dict[str, Any], list[str]]:
    """Collect the outputs of a pod.

    Args:
        outputs: of the request.
        locate: container path -> host path.
        repository: opens the place for artifacts; called where there are any.
        staging: a folder for archives under way.
        own: whether a host path is the pod's alone and may be moved.
        working_directory: where the step ran, as a container path.

    Returns:
        Argo's outputs object (without result and exitCode), and what went wrong, a text each.
    """
    found: dict[str, Any] = {}
    problems: list[str] = []

    def blame(
        kind: str, name: str, item: Mapping[str, Any], error: ArgojobsError | OSError
    ) -> None:
        """Note what went wrong with an output, in the container's own paths."""
        reason = _reason(item, error)
        if isinstance(error, FileNotFoundError) and item["path"].startswith(OUTPUTS):
            # Our program writes each of them before it ends well; other endings have their code.
            reason = f"{item['path']}: the step ended (exit code 0) before it returned"
        elif isinstance(error, FileNotFoundError):
            reason += _elsewhere(item["path"], working_directory, locate)
        problems.append(f"cannot save {kind} {name!r}: {reason}")

    values: dict[str, str] = {}
    total = 0
    for parameter in outputs["parameters"]:
        try:
            value = _value(parameter, locate)
        except (ArgojobsError, OSError) as error:
            blame("parameter", parameter["name"], parameter, error)
        else:
            total += len(value)
            if total > VALUES_LIMIT:
                too_much = OutputError(
                    f"the output parameters have more than {VALUES_LIMIT // 1024} KiB together"
                )
                blame("parameter", parameter["name"], parameter, too_much)
            if not problems:
                values[parameter["name"]] = value
    if outputs["declared"]:
        found["parameters"] = with_values(outputs["declared"], values)
    saved = []
    for number, artifact in enumerate(outputs["artifacts"]):
        try:
            source = locate(artifact["path"])
            if artifact["optional"] and not os.path.lexists(source):
                continue
            resolve = _resolving(artifact["path"], source, locate)
            if artifact["archive"] == "none":
                alone = own(source) and not _shares(artifact, outputs)
                repository().put(source, artifact["key"], move=alone, resolve=resolve)
            else:
                packed = f"{staging}/saving-{number}"
                _pack(artifact, source, packed, resolve)
                repository().put(packed, artifact["key"], move=True)
        except (ArgojobsError, OSError) as error:
            blame("artifact", artifact["declared"]["name"], artifact, error)
        else:
            declared = artifact["declared"]
            saved.append({**declared, "s3": {**declared.get("s3", {}), "key": artifact["key"]}})
    if saved:
        found["artifacts"] = saved
    return found, problems


def with_values(
    declared: Sequence[Mapping[str, Any]], values: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The declared parameters, each with its value if it has one."""
    return [
        {**one, "value": values[one["name"]]} if one["name"] in values else dict(one)
        for one in declared
    ]


def _value(parameter: Mapping[str, Any], locate: Callable[[str], str]) -> str:
    """The value of a parameter: the file's text, less one newline at its end."""
    try:
        with open_regular(locate(parameter["path"])) as file:
            data = file.read(VALUE_LIMIT + 1)
        if len(data) > VALUE_LIMIT:
            raise OutputError(
                f"an output parameter may have {VALUE_LIMIT // 1024} KiB, as in a cluster, and this"
                " file has more",
                hint="make it an output artifact",
            )
        value = data.decode("utf-8", "replace")
    except FileNotFoundError:
        if parameter["default"] is None:
            raise
        value = str(parameter["default"])
    return value.removesuffix("\n")


def _resolving(path: str, source: str, locate: Callable[[str], str]) -> Callable[[str], str]:
    """What a link in the output at `path` stands for, as the pod sees it, not as the host would."""
    return lambda link: locate(path + link[len(source) :])


def _elsewhere(path: str, working_directory: str, locate: Callable[[str], str]) -> str:
    """The remedy when a missing output lies where the step ran: in an image that is often "/"."""
    folder, name = os.path.split(path)
    beside = os.path.join(working_directory, name)
    if folder == working_directory or not os.path.lexists(locate(beside)):
        return ""
    return f" (the step runs in {working_directory}, where {name} is: set workingDir: {folder})"


def _pack(
    artifact: Mapping[str, Any], source: str, packed: str, resolve: Callable[[str], str]
) -> None:
    """Make the artifact's archive at the path `packed`."""
    root = os.path.basename(artifact["path"])
    if artifact["archive"] == "zip":
        save_zip(source, packed, root, resolve)
    else:
        level = artifact["level"]
        save_tar(source, packed, root, DEFAULT_LEVEL if level is None else int(level))


def _shares(artifact: Mapping[str, Any], outputs: Mapping[str, Any]) -> bool:
    """Whether another output lies in, above or at the artifact's path."""
    path = artifact["path"] + "/"
    for other in outputs["artifacts"]:
        if other is not artifact:
            beside = other["path"] + "/"
            if path.startswith(beside) or beside.startswith(path):
                return True
    return False


def _reason(item: Mapping[str, Any], error: ArgojobsError | OSError) -> str:
    if isinstance(error, ArgojobsError):
        return f"{item['path']}: {error.what}"
    return f"{item['path']}: {(error.strerror or str(error)).lower()}"
