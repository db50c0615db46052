"""The table of all rules, by code: what `lint --explain` shows and what a finding's code means."""

from __future__ import annotations

from argojobs.lint.rules import beyond, calls, fields, limits, objects, pods, references, templates
from argojobs.lint.rules.rule import Rule, table

__all__ = ["BEYOND", "RULES", "Rule"]

#: Every rule by its code. Every code that `lint` emits is here.
RULES: dict[str, Rule] = table(
    fields.RULES,
    objects.RULES,
    templates.RULES,
    limits.RULES,
    calls.RULES,
    references.RULES,
    pods.RULES,
    beyond.RULES,
)

#: Errors of ours where Argo's own lint is silent, of some cases at least: the pod, node or object fails
#: later, or the author knows better (see `ignored`).
BEYOND = frozenset(
    {
        "api-version",
        "backoff",
        "depends-syntax",
        "env-name",
        "expression-syntax",
        "gathered-artifact",
        "gpu-request",
        "http-url",
        "inline-loop",
        "item-outside-loop",
        "label",
        "list-value",
        "loop-parameter",
        "memoize",
        "parallelism",
        "pod-spec-patch",
        "port",
        "reference-not-before",
        "request-above-limit",
        "retry-limit",
        "semaphore",
        "sequence",
        "suspend-duration",
        "timeout",
        "ttl",
        "unresolved-reference",
        "volume-name",
        "volume-undeclared",
        "when-in",
        "when-syntax",
        "workflow-name",
    }
)
