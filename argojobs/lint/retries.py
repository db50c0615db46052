"""Rules for retryStrategy. Source: Argo docs, fields, RetryStrategy, and retries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from argojobs.lint.durations import is_duration, remedy
from argojobs.lint.subject import Object, Subject
from argojobs.lint.texts import check_expression
from argojobs.manifest.findings import Finding, error, warning
from argojobs.manifest.places import Path

_POLICIES = ("Always", "OnFailure", "OnError", "OnTransientError")
_WHOLE = re.compile(r"\d+")
_NUMBER = re.compile(r"\d+(\.\d+)?")


def check_retries(subject: Subject) -> Iterator[Finding]:
    """The retryStrategy of the workflow, of templateDefaults and of each template."""
    found: list[tuple[Path, Any]] = [
        ((*subject.at, "retryStrategy"), subject.spec.get("retryStrategy")),
        ((*subject.at, "templateDefaults", "retryStrategy"), subject.defaults.get("retryStrategy")),
    ]
    found += [
        ((*place.path, "retryStrategy"), place.template.get("retryStrategy"))
        for place in subject.places
    ]
    for path, strategy in found:
        if strategy is not None:
            yield from _strategy(strategy, path)


def _strategy(strategy: Object, path: Path) -> Iterator[Finding]:
    policy = strategy.get("retryPolicy")
    if policy and policy not in _POLICIES:
        yield error(
            "retry-policy",
            (*path, "retryPolicy"),
            f"{policy!r} is not a retry policy",
            f"one of {', '.join(_POLICIES)}",
        )
    limit = strategy.get("limit")
    if limit is None:
        backoff = strategy.get("backoff") or {}
        if not strategy.get("expression") and not backoff.get("maxDuration"):
            yield warning(
                "retry-unlimited",
                path,
                "without a limit it is retried for ever",
                "add `limit:`, the number of further attempts",
            )
    elif "{{" not in str(limit) and not _WHOLE.fullmatch(str(limit)):
        yield error(
            "retry-limit",
            (*path, "limit"),
            f"{limit!r} is not a number of attempts",
            "write a whole number from 0",
        )
    if strategy.get("expression"):
        yield from check_expression(strategy["expression"], (*path, "expression"))
    backoff = strategy.get("backoff") or {}
    for field in ("duration", "maxDuration", "cap"):
        value = backoff.get(field)
        if value and "{{" not in value and not is_duration(value):
            yield error(
                "backoff",
                (*path, "backoff", field),
                f"{value!r} is not a duration",
                remedy(value, "write seconds, or a number with a unit: 10, 30s, 5m"),
            )
    if backoff and not backoff.get("duration"):
        yield error("backoff", (*path, "backoff"), "the backoff has no duration", "add `duration:`")
    factor = backoff.get("factor")
    if factor is not None and "{{" not in str(factor) and not _NUMBER.fullmatch(str(factor)):
        yield error(
            "backoff", (*path, "backoff", "factor"), f"{factor!r} is not a number", "write one"
        )
