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

from argojobs.lint.rule import Fault, Faults, Rule, warning
from argojobs.lint.subject import NOTHING, Object
from argojobs.manifest.findings import Finding
from argojobs.manifest.kinds import IGNORE
from argojobs.manifest.nearest import nearest
from argojobs.manifest.places import Path


@warning("workflow-concepts/")
def lint_ignore(codes: Iterable[str], rules: Mapping[str, Rule[...]]) -> Faults:
    """What is to be ignored is not a finding, or cannot be.

    `argojobs.dev/lint-ignore` names codes that lint, run and compile let pass: warnings, and errors
    about what Argo's own lint lets pass. Any other code in it means nothing.
    Remedy: Correct the code, or put right what it finds.
    Wrong:
        kind: Workflow
        metadata: {generateName: a-, annotations: {argojobs.dev/lint-ignore: item-outside-lop}}
    Right:
        kind: Workflow
        metadata: {generateName: a-, annotations: {argojobs.dev/lint-ignore: item-outside-loop}}
    """
    path: Path = ("metadata", "annotations", IGNORE)
    for code in sorted(codes):
        rule = rules.get(code)
        if rule is None:
            near = nearest(code, rules)
            hint = f"did you mean {near}?" if near else "argojobs lint shows the code of a finding"
            yield Fault(path, f"no finding has the code {code!r}", hint)
        elif rule.level == "error" and not rule.beyond:
            what = f"{code} cannot be ignored: Argo refuses it itself"
            yield Fault(path, what, "put right what it finds")


def without_ignored(
    found: Iterable[Finding], metadata: Object, rules: Mapping[str, Rule[...]]
) -> Iterator[Finding]:
    """Yield findings but for those that the object's annotation names, and what is wrong with it.

    Args:
        found: all findings of the object.
        metadata: of the object.
        rules: all there are, by their codes.
    """
    text = (metadata.get("annotations") or NOTHING).get(IGNORE)
    codes = set(re.findall(r"[^\s,]+", text)) if isinstance(text, str) else set()
    yield from lint_ignore(codes, rules)
    for one in found:
        if one.code not in codes or not may_be_ignored(one, rules):
            yield one


def may_be_ignored(finding: Finding, rules: Mapping[str, Rule[...]]) -> bool:
    """Whether a finding may be let pass."""
    return finding.level == "warning" or rules[finding.code].beyond
