"""A workflow with another name, more labels and annotations."""

from __future__ import annotations

from typing import Any

from argojobs.manifest.view import metadata_of
from argojobs.service import Workflow


def with_metadata(
    workflow: Workflow,
    *,
    name: str = "",
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
) -> Workflow:
    """Return the workflow with other metadata; the one given stays as it is.

    Args:
        workflow: the object.
        name: instead of its `name` or `generateName`; "" keeps them.
        labels: added; they win over those that are there.
        annotations: added in the same way.
    """
    metadata: Any = {**metadata_of(workflow)}
    if name:
        metadata.pop("generateName", None)
        metadata = {"name": name, **{k: v for k, v in metadata.items() if k != "name"}}
    if labels:
        metadata["labels"] = {**(metadata.get("labels") or {}), **labels}
    if annotations:
        metadata["annotations"] = {**(metadata.get("annotations") or {}), **annotations}
    return {**workflow, "metadata": metadata}
