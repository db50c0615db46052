"""Where a step's code comes from: the value that `compile_pipeline` writes into a manifest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

#: The program of a step whose code is stored, as a path in its container (Python would run the
#: folder as well, by way of runpy, whose import costs 6 ms).
PROGRAM = "/argojobs/code/.argojobs/__main__.py"
#: The workflow parameter and the variable of a step that carry inline code.
INLINE_PARAMETER = "argojobs-code"
INLINE_VARIABLE = "ARGOJOBS_CODE"
#: The annotation of a manifest with the version of argojobs that compiled it.
VERSION = "argojobs.dev/version"


@dataclass(frozen=True, slots=True)
class Code:
    """A bundle as a manifest refers to it.

    kind: `stored` in the artifact repository under `key`; `inline`, with `data` (base64) as one
    workflow parameter; `image`, the code that the image has. labels and annotations: where the
    code comes from (commit, branch, whether files were changed), for the workflow's metadata.
    """

    kind: Literal["stored", "inline", "image"]
    hash: str = ""
    key: str = ""
    data: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
