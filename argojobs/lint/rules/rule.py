"""What is known of a rule beside the code that finds it."""

from __future__ import annotations

from dataclasses import dataclass

from argojobs.manifest.findings import Level

ARGO = "https://argo-workflows.readthedocs.io/en/latest/"
KUBERNETES = "https://kubernetes.io/docs/"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its stable code, and what to tell a user who asks for it.

    title: one line. explanation: what goes wrong, and why. remedy: what to do. page: a page of
    Argo's or Kubernetes' documentation. wrong and right: a small manifest (YAML) that has the
    fault, and one that has not; both are shortened to the template or spec that they are about.
    """

    code: str
    level: Level
    title: str
    explanation: str
    remedy: str
    page: str
    wrong: str
    right: str

    @property
    def own_page(self) -> str:
        """Where our own documentation tells of it."""
        return f"docs/reference/lint.md#{self.code}"


def table(*groups: tuple[Rule, ...]) -> dict[str, Rule]:
    """Return rules by code; a code stands for one rule."""
    rules: dict[str, Rule] = {}
    for rule in (rule for group in groups for rule in group):
        assert rule.code not in rules, f"two rules are called {rule.code}"
        rules[rule.code] = rule
    return rules
