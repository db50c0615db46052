"""Retries: after each attempt, whether there is another one, and when.

Source: Argo docs, retries; fields, retryStrategy. The order of the checks is Argo's: shutdown or
deadline, maxDuration, backoff, policy, limit, expression.
"""

from __future__ import annotations

from typing import Any, Literal

from argojobs.engine import clock
from argojobs.engine.model import Node, Template, WakeAt
from argojobs.engine.operator import execute, pods
from argojobs.engine.operator.agenda import NodeBroke
from argojobs.engine.operator.phases import COMPLETED, fulfilled, is_attempt, unsuccessful
from argojobs.engine.operator.turn import Turn
from argojobs.errors import ExpressionError, ManifestError
from argojobs.expressions import expr
from argojobs.expressions.regex import compile_pattern

_Verdict = Literal["again", "wait", "end"]

#: Seconds of the longest duration that Go can say: a pause that has grown further stays there.
_LONGEST = (2**63 - 1) // 10**9


def _attempts_of(turn: Turn, retry: Node) -> list[Node]:
    """The attempts of a Retry node, in order; its hooks are left out."""
    children = (turn.must(child) for child in retry.get("children", ()))
    return [child for child in children if is_attempt(child)]


def advance(turn: Turn, retry: Node) -> None:
    """Go on with a Retry node whose last attempt is over: end it, wait, or try again."""
    attempts = _attempts_of(turn, retry)
    if fulfilled(retry) or not attempts or not fulfilled(attempts[-1]):
        return
    last = attempts[-1]
    if not unsuccessful(last):
        _end(turn, retry, last, "Succeeded", None)
        return
    try:
        template = execute.template_of(turn, retry)
        strategy = template["retryStrategy"]
        verdict, message = _verdict(turn, retry, attempts, strategy)
    except ManifestError as error:
        turn.mark(retry["id"], "Error", error.what)
        turn.later(NodeBroke(retry["id"], error.what))
        return
    if verdict == "end":
        _end(turn, retry, last, last["phase"], message)
    elif verdict == "again":
        _attempt(turn, retry, template, len(attempts))


def begin_again(turn: Turn, retry: Node) -> None:
    """Start the first attempt of a Retry node whose earlier ones are gone."""
    if fulfilled(retry) or _attempts_of(turn, retry):
        return
    try:
        template = execute.template_of(turn, retry)
    except ManifestError as error:
        turn.mark(retry["id"], "Error", error.what)
        return
    _attempt(turn, retry, template, 0)


def _attempt(turn: Turn, retry: Node, template: Template, number: int) -> None:
    call = execute.call_of(turn, retry)
    started = execute.attempt(turn, call, turn.must(retry["id"]), template, number)
    failed = started.status in {"error", "too deep"}
    if failed and not _retries_errors(template["retryStrategy"]):
        turn.mark(retry["id"], "Error", started.message)


def _end(turn: Turn, retry: Node, last: Node, phase: str, message: str | None) -> None:
    turn.update(retry["id"], outputs=last.get("outputs"))
    turn.mark(retry["id"], phase, message)


def _verdict(
    turn: Turn, retry: Node, attempts: list[Node], strategy: dict[str, Any]
) -> tuple[_Verdict, str]:
    """Whether there is another attempt now, or later, or none any more and what to say then."""
    last = attempts[-1]
    if turn.shutdown:
        return "end", f"Stopped with strategy '{turn.shutdown}'"
    if turn.deadline is not None and turn.is_late:
        late = clock.whole(clock.stamp(turn.deadline)).replace("T", " ").replace("Z", "")
        return "end", f"retry exceeded workflow deadline {late} +0000 UTC"
    limit = _whole(strategy, "limit", "retryStrategy")
    backoff = strategy.get("backoff")
    if backoff:
        more = limit is None or len(attempts) <= limit
        verdict = _wait(turn, retry, attempts, backoff, more=more)
        if verdict[0] != "again":
            return verdict
    if not _policy_allows(strategy, last, turn.state.transient_errors):
        return "end", last.get("message", "")
    if limit is not None and len(attempts) > limit:
        return "end", "No more retries left"
    if strategy.get("expression") and not _expression_holds(strategy["expression"], attempts):
        return "end", "retryStrategy.expression evaluated to false"
    return "again", ""


def _whole(given: dict[str, Any], name: str, where: str) -> int | None:
    """A whole number of a retryStrategy, None where it is not given. Raises ManifestError."""
    value = given.get(name)
    try:
        return None if value is None else int(str(value))
    except ValueError:
        raise ManifestError(
            f"{where}.{name} {value!r} is not a whole number", hint="write a number."
        ) from None


def _wait(
    turn: Turn, retry: Node, attempts: list[Node], backoff: dict[str, Any], *, more: bool
) -> tuple[_Verdict, str]:
    """The backoff's say.

    more: whether the limit lets there be another attempt; else there is nothing to wait for.
    """
    last = attempts[-1]
    latest = None
    if backoff.get("maxDuration"):
        latest = clock.seconds(attempts[0]["startedAt"]) + clock.duration(backoff["maxDuration"])
        if turn.now > latest:
            return "end", "Max duration limit exceeded"
    if backoff.get("duration") in (None, ""):
        raise ManifestError(
            "no base duration specified for retryStrategy",
            hint="give retryStrategy.backoff.duration.",
        )
    pause = clock.duration(backoff["duration"])
    factor = _whole(backoff, "factor", "retryStrategy.backoff") or 0
    if factor > 0:
        grown = factor ** (len(attempts) - 1)
        pause = _LONGEST if grown > _LONGEST else min(pause * grown, _LONGEST)
    if backoff.get("cap"):
        pause = min(pause, clock.duration(backoff["cap"]))
    due = clock.seconds(last["finishedAt"]) + pause
    if latest is not None and due > latest:
        return "end", "Backoff would exceed max duration limit"
    if more and turn.now < due:
        message = f"Backoff for {clock.spoken(pause)}"
        if retry.get("_due") != due:
            turn.update(retry["id"], message=message, _due=due)
            turn.actions.append(WakeAt(due))
        return "wait", message
    turn.update(retry["id"], message=None, _due=None)
    return "again", ""


def _policy(strategy: dict[str, Any]) -> str:
    chosen = strategy.get("retryPolicy")
    return str(chosen or ("Always" if strategy.get("expression") else "OnFailure"))


def _retries_errors(strategy: dict[str, Any]) -> bool:
    return _policy(strategy) in {"Always", "OnError", "OnTransientError"}


def _policy_allows(strategy: dict[str, Any], last: Node, transient: str) -> bool:
    policy = _policy(strategy)
    if policy == "OnTransientError":
        return _is_transient(last.get("message", ""), transient)
    if policy == "OnError":
        return bool(last["phase"] == "Error")
    if policy == "OnFailure":
        return bool(last["phase"] == "Failed")
    if policy == "Always":
        return bool(last["phase"] in COMPLETED)
    raise ManifestError(
        f"{policy} is not a valid RetryPolicy",
        hint="policies: Always, OnFailure, OnError, OnTransientError.",
    )


def _is_transient(message: str, pattern: str) -> bool:
    """Whether Argo would call an error transient: by its controller's TRANSIENT_ERROR_PATTERN.

    Nothing is, as there, when the pattern is not one.
    """
    try:
        return bool(pattern) and compile_pattern(pattern).search(message) is not None
    except ExpressionError:
        return False


def _expression_holds(expression: str, attempts: list[Node]) -> bool:
    last = attempts[-1]
    outputs = pods.offered(last)
    value = expr.evaluate(
        expression,
        {
            "retries": str(len(attempts) - 1),
            "lastRetry.exitCode": str(outputs.get("exitCode", "-1")),
            "lastRetry.status": last["phase"],
            "lastRetry.duration": clock.took(last),
            "lastRetry.message": last.get("message", ""),
        },
    )
    if not isinstance(value, bool):
        raise ManifestError(
            f"unable to cast expression result '{value}' to bool",
            hint="write a comparison.",
        )
    return value
