"""A manifest as a hera Workflow, to be changed and submitted with hera's own means.

hera's models are strict where Argo is not (a quantity `1` must be `"1"`) and drop what they do
not know. The first is put right, the second is an error: nothing is lost in silence.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from argojobs.compile.bundle import IMAGE_CODE
from argojobs.compile.hera_in import from_hera
from argojobs.compile.pipeline.workflow import compile_pipeline
from argojobs.errors import ManifestError, UnsupportedError
from argojobs.manifest.json_read import scalar_text, typed_tree
from argojobs.manifest.kinds import KINDS
from argojobs.manifest.places import path_text

if TYPE_CHECKING:
    from hera.workflows import Workflow
    from pydantic import ValidationError

_ROUNDS = 20
_SHOWN = 5


def to_hera(source: Any) -> Workflow:
    """Return the hera Workflow (WorkflowTemplate, ...) of a manifest, or of one of our pipelines.

    A pipeline is compiled with the code that the steps' image has; compile it first to say
    otherwise. Raises ManifestError for what hera's models refuse and UnsupportedError for fields
    that they do not have.
    """
    manifest = source if isinstance(source, Mapping) else _compiled(source)
    if manifest.get("kind", "Workflow") not in KINDS:
        raise ManifestError(
            f"a {manifest['kind']} is not a Workflow",
            hint=f"these are turned into hera's: {', '.join(KINDS)}.",
        )
    workflow, clean = _validated(typed_tree(dict(manifest)))
    lost = list(_lost(clean, from_hera(workflow), ()))
    if lost:
        raise UnsupportedError(
            "hera has no place for " + ", ".join(path_text(path) for path in lost[:_SHOWN]),
            hint="take these fields out, or stay with the manifest.",
        )
    return workflow


def _compiled(pipeline: Any) -> dict[str, Any]:
    return {**compile_pipeline(pipeline, code=IMAGE_CODE)}


def _validated(manifest: dict[str, Any]) -> tuple[Workflow, dict[str, Any]]:
    """Build the workflow, with numbers as text where hera wants text; return both."""
    import hera.workflows
    from pydantic import ValidationError

    clean = deepcopy(manifest)
    kind = getattr(hera.workflows, clean.get("kind", "Workflow"))
    for _ in range(_ROUNDS):
        try:
            return kind.from_dict(clean), clean
        except ValidationError as error:
            if not _mend(clean, error):
                first = error.errors()[0]
                raise ManifestError(
                    f"hera refuses the manifest: {first['msg']}",
                    where=path_text(tuple(first["loc"])),
                    hint="`argojobs lint` says what Argo itself thinks of it.",
                ) from error
    raise ManifestError("hera refuses the manifest", hint="`argojobs lint` may say why.")


def _mend(manifest: dict[str, Any], error: ValidationError) -> bool:
    """Turn the scalars into text that hera wants as text; False if there is none."""
    mended = False
    for each in error.errors():
        if each["type"] == "string_type":
            mended = _set_text(manifest, list(each["loc"])) or mended
    return mended


def _set_text(value: Any, path: list[Any]) -> bool:
    """Replace the number at a path by its text; steps of the path that are not keys are skipped."""
    holder, key = None, None
    for step in path:
        known = isinstance(value, dict) and step in value
        listed = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if known or listed:
            holder, key, value = value, step, value[step]
    if holder is None or value is None or isinstance(value, str):
        return False
    holder[key] = (
        json.dumps(value, separators=(",", ":"))
        if isinstance(value, dict | list)
        else scalar_text(value)
    )
    return True


def _lost(before: Any, after: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of what is in `before` and not, or not the same, in `after`."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            if value is None and after.get(key) is None:
                continue  # null is as good as absent
            if key not in after:
                yield (*path, key)
            else:
                yield from _lost(value, after[key], (*path, key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _lost(one, other, (*path, index))
    elif before != after:
        yield path
