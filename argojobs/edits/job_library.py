"""A workflow whose hand-written steps have the job library that they ask for.

A step asks for it by what it runs, where the manifest shows that: a script's source, or the text of
`python3 -c`, that imports `argojobs.job`. One whose program lies in its image asks by an input
artifact `argojobs-job` that says no source. Only Python can ask, as only Python can wait for a
debugger. Nobody else gets it, for it sets `PYTHONPATH`, and so replaces one that the image sets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from argojobs.edits.debug_defaults import whole_container
from argojobs.edits.debug_program import can_wait, kind_of
from argojobs.edits.parts import Object, copied, members, templates_in
from argojobs.manifest.own_program import is_own_program
from argojobs.manifest.view import spec_of
from argojobs.runtime.debugger import PACKED, python_words
from argojobs.service import Workflow

#: The input artifact with the library, and where it lies in a step that asks for it by importing.
ARTIFACT = "argojobs-job"
PLACE = "/argojobs/job"
_PATH = "PYTHONPATH"
_IMPORTS = re.compile(
    r"(?:^|;)[ \t]*(?:from\s+argojobs\s+import\s*(?:\([^)]*|[^\n;]*)\bjob\b"
    r"|(?:from|import)\s+argojobs\.job\b)",
    re.MULTILINE,
)
#: What says where an input artifact is from.
_ASKED = frozenset({"name", "path", "mode", "optional", "archive", "recurseMode"})


def asks_for_library(workflow: Workflow, *, by_import: bool = True) -> bool:
    """Tell whether a step of a workflow asks for the library.

    by_import: whether an import does, or only an artifact.
    """
    return any(True for _ in _asking(spec_of(workflow), by_import=by_import))


def with_job_library(workflow: Workflow, key: str, *, by_import: bool = True) -> Workflow:
    """Return a workflow whose steps have the library where they ask for it.

    key: of its archive in the artifact repository. by_import: as `asks_for_library` has it. The
    given workflow is not changed.
    """
    spec: Any = copied(spec_of(workflow))
    for template, whole in [*_asking(spec, by_import=by_import)]:
        inputs = template["inputs"] = template.get("inputs") or {}
        asked = next((one for one in members(inputs, "artifacts") if _is_ours(one)), None)
        if asked is None:
            asked = {"name": ARTIFACT, "path": PLACE}
            inputs["artifacts"] = [*(inputs.get("artifacts") or ()), asked]
        asked["s3"] = {"key": key}
        _find_in(str(asked.get("path") or PLACE), template[kind_of(template)], whole)
    return {**workflow, "spec": spec}


def _asking(spec: Any, *, by_import: bool) -> Iterator[tuple[Object, Object]]:
    """Yield the templates that ask, with their programs and what the defaults add to these."""
    defaults = spec.get("templateDefaults") or {}
    for template in templates_in(spec):
        kind = kind_of(template)
        whole = whole_container(defaults, template) if kind else {}
        if not kind or is_own_program(whole) or not can_wait(kind, whole):
            continue
        artifacts = [*members(template.get("inputs"), "artifacts")]
        named = [one for one in artifacts if one.get("name") == ARTIFACT]
        imports = by_import and not named and _IMPORTS.search(_source(kind, whole))
        if imports or any(map(_is_ours, named)):
            yield template, whole


def _is_ours(artifact: Mapping[str, Any]) -> bool:
    return artifact.get("name") == ARTIFACT and artifact.keys() <= _ASKED


def _source(kind: str, container: Mapping[str, Any]) -> str:
    """Return what of a Python program's source a manifest shows."""
    if kind == "script":
        return str(container.get("source") or "")
    words = [*(container.get("command") or ()), *(container.get("args") or ())]
    _, target = python_words([str(word) for word in words])
    if target[:1] == [PACKED]:  # it waits for a debugger
        target = target[1:]
    return target[1] if target[:1] == ["-c"] and len(target) > 1 else ""


def _find_in(folder: str, container: Object, whole: Mapping[str, Any]) -> None:
    """Have Python look for modules in a folder, after those that the manifest names.

    One whose value is known only in the pod stays as it is.
    """
    given = next((one for one in members(whole, "env") if one.get("name") == _PATH), {})
    if given.get("valueFrom"):
        return
    before = str(given.get("value") or "")
    path = f"{before}:{folder}" if before else folder
    others = [one for one in container.get("env") or () if one.get("name") != _PATH]
    container["env"] = [*others, {"name": _PATH, "value": path}]
