"""What a compiled workflow says of its own parameters and artifacts: one annotation, as JSON.

    {"parameters": {NAME: {"schema": SCHEMA, "required": bool, "plain": bool}},
     "artifacts": {NAME: {"kind": "Model", "required": bool}}}

SCHEMA is that of `runtime/types.py`. plain (left out: false): the value must not travel encoded,
as a template from elsewhere reads it. Compile writes it, overrides are checked against it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..errors import ParameterError
from .view import annotations_of

if TYPE_CHECKING:
    from .objects import Workflow

SIGNATURE = "argojobs.dev/signature"


def signature_of(workflow: Workflow) -> dict[str, Any] | None:
    """Return the signature that compile wrote into a workflow, or None."""
    annotations = annotations_of(workflow)
    text = annotations.get(SIGNATURE)
    if not isinstance(text, str):
        return None
    try:
        signature = json.loads(text)
    except ValueError as error:
        raise ParameterError(
            f"the annotation {SIGNATURE} is not JSON", hint="compile the pipeline again"
        ) from error
    return signature if isinstance(signature, dict) else None
