"""Rules for what ends, repeats or holds back a template: deadlines, retries, pauses, parallelism.

Sources: Argo `workflow/validate/validate.go`; its docs, fields, RetryStrategy, and retries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from argojobs.lint.durations import is_duration, is_go_duration, remedy
from argojobs.lint.rule import Fault, Faults, error, warning
from argojobs.lint.subject import NOTHING, Object, Place, Subject
from argojobs.lint.texts import check_expression
from argojobs.manifest.findings import Finding
from argojobs.manifest.places import Path

_POLICIES = ("Always", "OnFailure", "OnError", "OnTransientError")
_WHOLE = re.compile(r"\d+")
_NUMBER = re.compile(r"\d+(\.\d+)?")


@error("walk-through/suspending/", beyond=True)
def suspend_duration(place: Place) -> Faults:
    """A pause whose duration cannot be read.

    Argo cannot read how long, and the node errors.
    Remedy: Seconds, or a number with a unit: 20, 5m.
    Wrong:
        suspend: {duration: soon}
    Right:
        suspend: {duration: 5m}
    """
    duration = (place.template.get("suspend") or NOTHING).get("duration")
    if duration and "{{" not in duration and not is_duration(duration):
        hint = remedy(duration, "write seconds, or a number with a unit: 20, 30s, 5m, 2h")
        where = (*place.path, "suspend", "duration")
        yield Fault(where, f"{duration!r} is not a duration", hint)


@error("fields/#template")
def deadline(value: Any, path: Path, *, of: str) -> Faults:
    """A deadline that cannot be kept.

    activeDeadlineSeconds is a whole number above 0, for templates that run pods and for the whole
    workflow.
    Remedy: Write seconds, or move it.
    Wrong:
        container: {image: 'busybox:1.36'}
        activeDeadlineSeconds: -5
    Right:
        container: {image: 'busybox:1.36'}
        activeDeadlineSeconds: 3600
    """
    text = str(value)
    if of == "workflow":
        yield from _not_above_zero(value, path)
    elif of == "steps":
        what = "steps and dags cannot have activeDeadlineSeconds"
        yield Fault(path, what, "set it on the templates that they call, or on the workflow")
    elif "{{" not in text and not (text.isdecimal() and text.strip("0")):
        yield Fault(path, f"{text} is not a number of seconds above 0", "write one")


@error("parallelism/", beyond=True)
def parallelism(value: int, path: Path) -> Faults:
    """A parallelism of 0 or less.

    Nothing would ever run.
    Remedy: Write a number above 0, or leave it out.
    Wrong:
        {parallelism: 0}
    Right:
        {parallelism: 4}
    """
    yield from _not_above_zero(value, path)


def _not_above_zero(value: int, path: Path) -> Faults:
    if value <= 0:
        hint = "write a number above 0, or leave the field out"
        yield Fault(path, f"{value} is not above 0", hint)


@error("walk-through/timeouts/", beyond=True)
def timeout(place: Place) -> Faults:
    """A timeout that cannot be kept.

    A timeout is a number with a unit, for templates other than steps and dags.
    Remedy: Write 30s, 5m or 2h, or move it.
    Wrong:
        container: {image: 'busybox:1.36'}
        timeout: soon
    Right:
        container: {image: 'busybox:1.36'}
        timeout: 2h
    """
    for field, is_one in (("timeout", is_go_duration), ("pendingTimeout", is_duration)):
        value = place.template.get(field)
        where: Path = (*place.path, field)
        if not value:
            continue
        if not place.is_leaf:
            hint = (
                "set it on the templates that they call, or activeDeadlineSeconds on the workflow"
            )
            yield Fault(where, f"steps and dags cannot have {field}", hint)
        elif "{{" not in value and not is_one(value):
            hint = remedy(value, "write a number with a unit: 30s, 5m, 2h")
            yield Fault(where, f"{value!r} is not a duration", hint)


@error("parallelism/")
def template_parallelism(place: Place) -> Faults:
    """A parallelism on a template without tasks.

    It limits how many tasks or steps of a template run at once.
    Remedy: Move it to the steps or dag.
    Wrong:
        container: {image: 'busybox:1.36'}
        parallelism: 2
    Right:
        steps:
        - - {name: a, template: work}
          - {name: b, template: work}
        parallelism: 1
    """
    if place.is_leaf and place.template.get("parallelism") is not None:
        hint = "move it to the template that calls this one"
        yield Fault((*place.path, "parallelism"), "parallelism is for steps and dags", hint)


@error("retries/")
def retry_policy(strategy: Object, path: Path) -> Faults:
    """An unknown retry policy.

    Argo refuses the template.
    Remedy: Always, OnFailure, OnError or OnTransientError.
    Wrong:
        container: {image: 'busybox:1.36'}
        retryStrategy: {limit: 2, retryPolicy: Sometimes}
    Right:
        container: {image: 'busybox:1.36'}
        retryStrategy: {limit: 2, retryPolicy: Always}
    """
    policy = strategy.get("retryPolicy")
    if policy and policy not in _POLICIES:
        hint = f"one of {', '.join(_POLICIES)}"
        yield Fault((*path, "retryPolicy"), f"{policy!r} is not a retry policy", hint)


@warning("retries/")
def retry_unlimited(strategy: Object, path: Path) -> Faults:
    """Retries without end.

    A retryStrategy without limit, expression or maxDuration retries for ever.
    Remedy: Add `limit:`.
    Wrong:
        container: {image: 'busybox:1.36'}
        retryStrategy: {retryPolicy: Always}
    Right:
        container: {image: 'busybox:1.36'}
        retryStrategy: {retryPolicy: Always, limit: 3}
    """
    ends = strategy.get("expression") or (strategy.get("backoff") or NOTHING).get("maxDuration")
    if strategy.get("limit") is None and not ends:
        hint = "add `limit:`, the number of further attempts"
        yield Fault(path, "without a limit it is retried for ever", hint)


@error("retries/", beyond=True)
def retry_limit(strategy: Object, path: Path) -> Faults:
    """A retry limit that is not a number.

    The step errors when Argo reads it.
    Remedy: A whole number from 0: how many further attempts.
    Wrong:
        container: {image: 'busybox:1.36'}
        retryStrategy: {limit: many}
    Right:
        container: {image: 'busybox:1.36'}
        retryStrategy: {limit: 3}
    """
    limit = strategy.get("limit")
    if limit is not None and "{{" not in str(limit) and not _WHOLE.fullmatch(str(limit)):
        hint = "write a whole number from 0"
        yield Fault((*path, "limit"), f"{limit!r} is not a number of attempts", hint)


@error("retries/", beyond=True)
def backoff(settings: Object, path: Path) -> Faults:
    """A backoff that Argo cannot read.

    duration, maxDuration and cap are durations, factor is a number.
    Remedy: Write 10, 30s or 5m.
    Wrong:
        container: {image: 'busybox:1.36'}
        retryStrategy:
          limit: 2
          backoff: {duration: soon}
    Right:
        container: {image: 'busybox:1.36'}
        retryStrategy:
          limit: 2
          backoff: {duration: 30s, factor: 2}
    """
    for field in ("duration", "maxDuration", "cap"):
        value = settings.get(field)
        if value and "{{" not in value and not is_duration(value):
            hint = remedy(value, "write seconds, or a number with a unit: 10, 30s, 5m")
            yield Fault((*path, field), f"{value!r} is not a duration", hint)
    if settings and not settings.get("duration"):
        yield Fault(path, "the backoff has no duration", "add `duration:`")
    factor = settings.get("factor")
    if factor is not None and "{{" not in str(factor) and not _NUMBER.fullmatch(str(factor)):
        yield Fault((*path, "factor"), f"{factor!r} is not a number", "write one")


def check_limits(subject: Subject) -> Iterator[Finding]:
    """The limits of the workflow and of each template."""
    for place in subject.places:
        yield from suspend_duration(place)
        if (value := place.template.get("activeDeadlineSeconds")) is not None:
            path = (*place.path, "activeDeadlineSeconds")
            yield from deadline(value, path, of="template" if place.is_leaf else "steps")
        yield from timeout(place)
        yield from template_parallelism(place)
    if (value := subject.spec.get("activeDeadlineSeconds")) is not None:
        yield from deadline(value, (*subject.at, "activeDeadlineSeconds"), of="workflow")
    if (value := subject.spec.get("parallelism")) is not None:
        yield from parallelism(value, (*subject.at, "parallelism"))


def check_retries(subject: Subject) -> Iterator[Finding]:
    """The retryStrategy of the workflow, of templateDefaults and of each template."""
    holders: list[tuple[Path, Object]] = [
        (subject.at, subject.spec),
        ((*subject.at, "templateDefaults"), subject.defaults),
    ]
    holders += [(place.path, place.template) for place in subject.places]
    for holder, value in holders:
        strategy, path = value.get("retryStrategy"), (*holder, "retryStrategy")
        if strategy is None:
            continue
        yield from retry_policy(strategy, path)
        yield from retry_unlimited(strategy, path)
        yield from retry_limit(strategy, path)
        if strategy.get("expression"):
            yield from check_expression(strategy["expression"], (*path, "expression"))
        yield from backoff(strategy.get("backoff") or NOTHING, (*path, "backoff"))
