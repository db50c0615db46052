"""What this host has and lacks for a workflow, found before anything starts: programs, claims.

Only what is certain is refused: a name with a tag or a path inside the pod's own places is left
to the pod.
"""

from __future__ import annotations

import posixpath
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from argojobs.engine.coverage import reachable
from argojobs.engine.expansion import secret_value
from argojobs.engine.pod import PYTHON, missing_command
from argojobs.errors import HostError


def refuse_missing(workflow: Mapping[str, Any], submitter: Mapping[str, Any]) -> None:
    """Raise `HostError` for the first program that this host has no answer for.

    submitter: as `submitter.capture` recorded it.
    """
    spec = workflow["spec"]
    for index, template in reachable(spec):
        for kind in ("container", "script"):
            container = template.get(kind)
            if container is not None:
                where = f"spec.templates[{index}].{kind}"
                _check_program(template, container, submitter, where)
                _check_secrets(container, submitter, where)


def _check_program(
    template: Mapping[str, Any],
    container: Mapping[str, Any],
    submitter: Mapping[str, Any],
    where: str,
) -> None:
    image = str(container.get("image", ""))
    if "{{" in image and submitter["images"]:
        return  # it may turn out to be any of them
    known = submitter["images"].get(image, {"entrypoint": [], "command": [], "root": ""})
    words = list(container.get("command") or known["entrypoint"])
    words += container.get("args") or ()
    words += [] if container.get("command") or container.get("args") else known["command"]
    if not words:
        raise HostError(
            f"the image {image!r} is not known on this machine, and the template gives no command",
            where=where,
            hint=f'Say what stands for it:  [local.images."{image}"]  command = [...]',
        )
    program = str(words[0])
    if known["root"] or "{{" in program or "$(" in program or PYTHON.fullmatch(program):
        return
    if _is_missing(program, template, container, submitter):
        error = missing_command(program, image)
        raise HostError(error.what, where=f"{where}.command", hint=error.hint)


def _check_secrets(
    container: Mapping[str, Any], submitter: Mapping[str, Any], where: str
) -> None:
    for index, variable in enumerate(container.get("env") or ()):
        reference = (variable.get("valueFrom") or {}).get("secretKeyRef")
        if reference and "{{" not in f"{reference}":
            try:
                secret_value(variable["name"], reference, submitter.get("secrets", {}))
            except HostError as error:
                raise HostError(error.what, where=f"{where}.env[{index}]", hint=error.hint) from error


def _is_missing(
    program: str,
    template: Mapping[str, Any],
    container: Mapping[str, Any],
    submitter: Mapping[str, Any],
) -> bool:
    if program.startswith("/"):
        inside = any(
            posixpath.commonpath([program, place]) == place.rstrip("/")
            for place in _own_places(template, container)
        )
        return not inside and not Path(program).exists()
    if "/" in program or any(entry["name"] == "PATH" for entry in container.get("env") or ()):
        return False  # relative to a working directory, or looked up where only the pod knows
    interpreters = str(Path(submitter["interpreter"]).parent)
    path = f"{interpreters}:{submitter['environment'].get('PATH', '/usr/bin:/bin')}"
    return shutil.which(program, path=path) is None


def _own_places(template: Mapping[str, Any], container: Mapping[str, Any]) -> Iterator[str]:
    """Yield the absolute paths below which a pod has files that this host does not show."""
    yield "/argojobs"
    yield "/argo"
    for artifact in (template.get("inputs") or {}).get("artifacts") or ():
        if str(artifact.get("path", "")).startswith("/"):
            yield artifact["path"]
    for mount in container.get("volumeMounts") or ():
        if str(mount.get("mountPath", "")).startswith("/"):
            yield mount["mountPath"]


def claim_notes(
    workflow: Mapping[str, Any], submitter: Mapping[str, Any], claims: Path
) -> list[str]:
    """Return one note for each claim that no setting names a folder for: where it is here.

    claims: the folder of the home that holds such claims, made when a pod first mounts one.
    """
    spec = workflow["spec"]
    unnamed: dict[str, None] = {}
    for _, template in reachable(spec):
        container = template.get("container") or template.get("script") or {}
        mounted = {mount.get("name") for mount in container.get("volumeMounts") or ()}
        for volume in (*(spec.get("volumes") or ()), *(template.get("volumes") or ())):
            claim = (volume.get("persistentVolumeClaim") or {}).get("claimName", "")
            if volume["name"] in mounted and claim and claim not in submitter["claims"]:
                unnamed[claim] = None
    return [
        f"the claim {claim!r} is the folder {claims / claim} on this machine; "
        f"[local.claims] in argojobs.toml names another"
        for claim in unnamed
        if "{{" not in claim
    ]
