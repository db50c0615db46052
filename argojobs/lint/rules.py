"""The table of all rules, by code: what `lint --explain` shows and what a finding's code means."""

from __future__ import annotations

from types import ModuleType

from argojobs.lint import (
    arguments,
    calls,
    conditions,
    cron,
    dags,
    fields,
    ignored,
    inputs_outputs,
    limits,
    loops,
    objects,
    pods,
    ports,
    references,
    resources,
    templates,
    texts,
    values,
)
from argojobs.lint.rule import Rule


def rules_in(*groups: ModuleType) -> dict[str, Rule[...]]:
    """Return the rules that stand in modules, by code; a code stands for one rule."""
    rules: dict[str, Rule[...]] = {}
    for group in groups:
        for one in vars(group).values():
            if isinstance(one, Rule) and one.check.__module__ == group.__name__:
                assert one.code not in rules, f"two rules are called {one.code}"
                rules[one.code] = one
    return rules


#: Every rule by its code, in the order of the page. Every code that `lint` emits is here.
RULES = rules_in(
    fields,
    objects,
    cron,
    ignored,
    templates,
    inputs_outputs,
    arguments,
    limits,
    calls,
    dags,
    loops,
    texts,
    references,
    conditions,
    pods,
    ports,
    resources,
    values,
)
