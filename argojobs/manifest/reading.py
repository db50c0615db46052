"""Reads manifests, in YAML or JSON; the library for YAML is loaded where there is any."""

from __future__ import annotations

from typing import Any

from .json_read import NotPlainJsonError, read_json
from .source_text import check_text


def read(text: str, file: str = "") -> list[Any]:
    """Return the documents of a YAML or JSON text; an empty one is None.

    file: its name, for messages. Raises ManifestError with its place for anything malformed.
    """
    check_text(text, file)
    if text.lstrip()[:1] == "{":
        try:
            return [read_json(text, file)]
        except NotPlainJsonError:
            pass  # flow style YAML, or broken: then the YAML reader says where
    from .yaml_read import read_yaml

    return read_yaml(text, file)
