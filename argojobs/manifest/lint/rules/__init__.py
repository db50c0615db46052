"""The table of all rules, by code: what `lint --explain` shows and what a finding's code means."""

from __future__ import annotations

from . import beyond, calls, fields, limits, objects, pods, references, templates
from .rule import Rule, table

__all__ = ["RULES", "Rule"]

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
