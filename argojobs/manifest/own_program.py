"""Whether a container runs argojobs' own program: a step of the DSL, or of a plain script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Where a code bundle has our own code.
PLACE = "/argojobs/code/.argojobs"
#: Where our own program leaves what a step hands on.
OUTPUTS = "/argojobs/out/"

#: What a step's variable JOB_UUID is: the whole path to its node, through nested graphs and items,
#: the same in each attempt.
JOB_UUID = "{{workflow.uid}}-{{node.name}}"


def is_own_program(container: Mapping[str, Any]) -> bool:
    """Tell whether a container runs our own program, which finds its places by itself.

    Its code is a bundle, inline, or a module of the image: see `compile.pipeline.step`.
    """
    words = [
        str(word) for word in (*(container.get("command") or ()), *(container.get("args") or ()))
    ]
    names = {entry.get("name") for entry in container.get("env") or ()}
    bundled = any(word.startswith(PLACE) for word in words)
    return bundled or "argojobs.runtime" in words or "ARGOJOBS_CODE" in names
