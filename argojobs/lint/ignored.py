"""Findings that the author of a manifest has seen and lets pass.

    metadata:
      annotations:
        argojobs.dev/lint-ignore: item-outside-loop image-latest

Warnings, and errors about what Argo's own lint lets pass, too: it may be right for all we know. What
Argo refuses itself cannot be ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from argojobs.manifest.findings import Finding, warning
from argojobs.manifest.kinds import IGNORE
from argojobs.manifest.nearest import nearest
from argojobs.manifest.places import Path


def without_ignored(found: Iterable[Finding], metadata: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield findings but for those that the object's annotation names, and what is wrong with it."""
    text = (metadata.get("annotations") or {}).get(IGNORE)
    codes = set(re.findall(r"[^\s,]+", text)) if isinstance(text, str) else set()
    if codes:
        yield from _wrong(codes)
    for one in found:
        if one.code not in codes or not may_be_ignored(one):
            yield one


def may_be_ignored(finding: Finding) -> bool:
    """Whether a finding may be let pass."""
    from argojobs.lint.rules import BEYOND

    return finding.level == "warning" or finding.code in BEYOND


def _wrong(codes: Iterable[str]) -> Iterator[Finding]:
    from argojobs.lint.rules import BEYOND, RULES

    path: Path = ("metadata", "annotations", IGNORE)
    for code in sorted(codes):
        rule = RULES.get(code)
        if rule is None:
            near = nearest(code, RULES)
            hint = f"did you mean {near}?" if near else "argojobs lint shows the code of a finding"
            yield warning("lint-ignore", path, f"no finding has the code {code!r}", hint)
        elif rule.level == "error" and code not in BEYOND:
            what = f"{code} cannot be ignored: Argo refuses it itself"
            yield warning("lint-ignore", path, what, "put right what it finds")
